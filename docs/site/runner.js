// runner.js: runs an example of a page as it is printed there, in one session for the page.
import { Output } from "./output.js";
import { Session } from "./session.js";
import { reset } from "./version.js"; // Lua that undoes what an example has set (docs/make/reset.lua)

let session, output;

// Returns what is typed at the prompt and what is printed below, of an example with prompts.
function typed(text) {
  const entries = [], answer = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("> ")) entries.push(line.slice(2));
    else if (line.startsWith(">> ")) entries[entries.length - 1] += "\n" + line.slice(3);
    else answer.push(line);
  }
  return { entries, answer };
}

// Cuts lines into the entries that the prompt would see. They print no answer to compare with.
async function cut(text) {
  const entries = [""];
  for (const line of text.split("\n")) {
    const entry = entries.pop() + line, { status } = await session.request("is_complete_request", { code: entry });
    entries.push(...status === "incomplete" ? [entry + "\n"] : entry.trim() ? [entry, ""] : [""]);
  }
  return { entries: entries.filter(entry => entry.trim()) };
}

// A program shows no last value. Its answer stands behind its arrows, or in the block below.
function program(text, box) {
  const below = box.nextElementSibling, arrows = [...text.matchAll(/-->\s?(.*)/g)].map(match => match[1]);
  return { entries: [text + "\n;"], answer: below?.className === "printed" ? [below.textContent] : arrows.length > 0 ? arrows : undefined };
}

const trimmed = text => text.replace(/[ \t]+$/gm, "").trim();

// Runs an example and shows its answer in `box`. onStart(stop) hands out what ends it. Returns false if the answer is not what
// is printed.
export async function run(pre, box, onStart) {
  output = new Output(box);
  if (!session) {
    session = new Session({ onEnd: reason => output.note(reason), columns: null });
    const before = document.querySelector("[data-before]");
    if (before) await session.request("execute_request", { code: before.dataset.before + ";", silent: true });
  }
  onStart(() => session.stop());
  if (pre.parentNode.closest("section")) await session.request("execute_request", { code: reset, silent: true });
  const text = pre.textContent, { run: kind = "entries" } = pre.dataset;
  const { entries, answer } = kind === "entries" ? typed(text) : kind === "lines" ? await cut(text) : program(text, box);
  for (const [index, code] of entries.entries()) {
    const figures = index === entries.length - 1;
    const { status } = await session.request("execute_request", { code, figures }, (kind, content) => output.answer(kind, content));
    if (status !== "ok" && kind !== "entries") break;
  }
  output.flush();
  return answer === undefined || trimmed(output.text) === trimmed(answer.join("\n"));
}
