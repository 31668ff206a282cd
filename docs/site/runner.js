// runner.js: runs an example of a page as it is printed there, in one session for the page.
import { Output } from "./output.js";
import { Session } from "./session.js";
import { reset } from "./version.js"; // Lua that undoes what an example has set (docs/make/reset.lua)

let session, output;

// Returns the part of an answer that an example prints: no warnings, no pictures.
function printed(kind, { name, text, evalue, data }) {
  if (kind === "stream") return name === "stdout" ? text : "";
  if (kind === "error") return evalue + "\n";
  return data && (text || kind === "execute_result") ? data["text/plain"] + "\n" : "";
}

// Runs the text of `pre`, or ends what runs. The answer's state becomes "same" if the page prints it, else "differs".
export async function click(pre, button, answer) {
  if (button.textContent === "Stop") return session.stop();
  const below = answer.nextElementSibling;
  session ??= new Session({ onEnd: reason => output.note(reason) });
  output = new Output(answer);
  button.textContent = "Stop";
  answer.hidden = false;
  let shown = "";
  const reply = await session.request("example_request", {
    code: pre.textContent, kind: pre.dataset.run ?? "entries", reset: pre.closest("section") ? reset : undefined,
    before: document.querySelector("[data-before]")?.dataset.before,
    below: below?.className === "printed" ? below.textContent : undefined,
  }, (kind, content) => {
    output.answer(kind, content);
    shown += printed(kind, content);
  });
  if (reply.evalue) output.note(reply.evalue);
  const trimmed = text => text.replace(/[ \t]+$/gm, "").trim();
  answer.dataset.state = trimmed(reply.printed ?? shown) === trimmed(shown) ? "same" : "differs";
  button.textContent = "Run";
}
