// run.js: Run buttons for the examples of a page. Nothing is loaded before the first click.
{
  const make = (name, properties) => Object.assign(document.createElement(name), properties);
  // From disk a browser loads no modules: there the same code is a script that carries all its parts.
  const fromDisk = () => new Promise((onload, onerror) => document.head.append(make("script",
    { src: "run-inline.js", onload, onerror }))).then(() => globalThis.tochaRunner);
  let loading;

  for (const pre of document.querySelectorAll("section > pre, pre[data-run]")) {
    if (pre.dataset.run === "") continue; // it needs a GPU
    const example = make("div", { className: "example" }), answer = make("div", { className: "answer", hidden: true });
    const button = make("button", { className: "run", textContent: "Run" });
    button.onclick = async () => {
      loading ??= location.protocol === "file:" ? fromDisk() : import("./runner.js");
      (await loading).click(pre, button, answer);
    };
    pre.replaceWith(example);
    example.append(Object.assign(pre, { contentEditable: "plaintext-only", spellcheck: false }), button);
    example.after(answer);
  }
}
