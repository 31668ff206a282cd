// run.js: Run buttons for the examples of a page. Nothing is loaded before the first click.
(() => {
  // From disk a browser loads no modules: there the same code is a script that carries all its parts.
  function fromDisk() {
    return new Promise((resolve, reject) => document.head.append(Object.assign(document.createElement("script"),
      { src: "run-inline.js", onload: () => resolve(globalThis.tochaRunner), onerror: () => reject(new Error("run-inline.js is missing")) })));
  }
  let loading;
  const runner = () => loading ??= location.protocol === "file:" ? fromDisk() : import("./runner.js");

  for (const pre of document.querySelectorAll("section > pre, pre[data-run]")) {
    if (pre.dataset.run === "") continue; // it needs a GPU
    const button = Object.assign(document.createElement("button"), { className: "run", textContent: "Run" });
    const answer = Object.assign(document.createElement("div"), { className: "answer", hidden: true });
    const printed = pre.textContent;
    let stop = null;
    pre.contentEditable = "plaintext-only";
    pre.spellcheck = false;
    const example = Object.assign(document.createElement("div"), { className: "example" });
    pre.replaceWith(example);
    example.append(pre, button);
    example.after(answer);
    button.onclick = async () => {
      if (stop) return stop();
      button.textContent = "Stop";
      stop = () => {};
      answer.hidden = false;
      answer.className = "answer";
      try {
        const same = await (await runner()).run(pre, answer, f => { stop = f; });
        if (!same && pre.textContent === printed) answer.classList.add("differs");
        answer.dataset.state = same ? "same" : "differs";
      } catch (error) { answer.textContent = error.message; }
      stop = null;
      button.textContent = "Run";
    };
  }
})();
