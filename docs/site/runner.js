// runner.js: runs an example of a page as it is printed there, in one session for the page.
import { Output } from "./output.js";
import { Session } from "./session.js";

let session;

// Returns the entries of an example and what is printed below them, or no answer if the example has none.
function read(text, kind) {
  if (kind === "entries") {
    const entries = [], answer = [];
    for (const line of text.split("\n")) {
      if (line.startsWith("> ")) entries.push(line.slice(2));
      else if (line.startsWith(">> ")) entries[entries.length - 1] += "\n" + line.slice(3);
      else answer.push(line);
    }
    return { entries, answer };
  }
  const answer = text.split("\n").filter(line => line.startsWith("-->")).map(line => line.slice(4));
  return { entries: [text], answer: answer.length > 0 ? answer : null };
}

const trimmed = text => text.replace(/[ \t]+$/gm, "").replace(/\n+/g, "\n").trim();

// Runs `pre` and shows the answer in `box`. Returns false if the answer is not what is printed.
export async function run(pre, box, onStop) {
  session ??= new Session({ onEnd: reason => output.note(reason) });
  const output = new Output(box), { entries, answer } = read(pre.textContent, pre.dataset.run);
  onStop(() => session.stop());
  for (const [index, code] of entries.entries()) {
    const figures = index === entries.length - 1;
    const reply = await session.request("execute_request", { code, figures }, (kind, content) => output.answer(kind, content));
    if (reply.status !== "ok") break;
  }
  output.flush();
  return answer === null || trimmed(output.text) === trimmed(answer.join("\n"));
}
