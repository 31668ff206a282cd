// play.js: the playground: an editor, a prompt, a session, its output.
import { element } from "./dom.js";
import { Editor } from "./editor.js";
import { examples } from "./examples.js";
import { Output } from "./output.js";
import { pack, unpack } from "./packing.js";
import { Session } from "./session.js";
import { forgetAll, keep, recall } from "./store.js";
import { version } from "./version.js";

const HISTORY = 200;    // entries of the prompt
const LIMIT = 50 << 20; // bytes of files that the browser keeps
const byId = id => document.getElementById(id);

const link = new URLSearchParams(location.hash.slice(1)); // c: a program, packed; v: the version that made the link
const foreign = link.has("c"); // a program of somebody else: it sees no files, and is not kept as the visitor's
const textName = foreign ? location.hash : "text";
const output = new Output(byId("output"));
const columns = Math.max(40, Math.min(100, Math.floor((byId("output").clientWidth - 32) / 7.8)));
const files = foreign ? new Map() : await recall("files") ?? new Map();
const session = new Session({ files, onFiles, onEnd: reason => output.note(reason), columns });

// --- running ---

function say(text) { byId("status").textContent = text; }

async function execute(code) {
  const since = performance.now(), seconds = digits => ((performance.now() - since) / 1000).toFixed(digits);
  const timer = setInterval(() => say(`running, ${seconds(1)} s`), 100);
  document.body.classList.add("running");
  const { evalue } = await session.request("execute_request", { code }, (...answer) => output.answer(...answer));
  clearInterval(timer);
  document.body.classList.remove("running");
  say(session.lives ? `done in ${seconds(2)} s` : evalue ?? "");
}

function run() {
  if (session.busy) return;
  output.clear();
  execute(editor.text);
}

// --- the two fields ---

const ask = (kind, content) => session.request(kind, content);
const editor = new Editor(byId("editor"), { ask, label: "Program", onChange: text => keep(textName, text) });

const entries = await recall("entries") ?? [];
let place = entries.length;
const prompt = new Editor(byId("prompt"), { ask, label: "Entry", onEnter(text) {
  if (session.busy || !text.trim()) return;
  place = entries.push(text);
  if (!foreign) keep("entries", entries.slice(-HISTORY));
  prompt.text = "";
  output.note("> " + text.replaceAll("\n", "\n>> "), "typed");
  execute(text);
} });

prompt.field.addEventListener("keydown", event => {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step || event.defaultPrevented || prompt.text.includes("\n")) return;
  event.preventDefault();
  place = Math.max(0, Math.min(entries.length, place + step));
  prompt.text = entries[place] ?? "";
});

document.addEventListener("keydown", event => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
  if (event.key === "c" && event.ctrlKey && getSelection().isCollapsed) session.stop();
});

// --- files ---

function onFiles(all) {
  const row = ([name, bytes]) => element("li", {},
    element("span", {}, `${name}, ${bytes.length.toLocaleString("en")} B`),
    element("a", { href: URL.createObjectURL(new Blob([bytes])), download: name.split("/").at(-1) }, "Save"),
    element("button", { onclick: () => session.putFile(name, null) }, "Remove"));
  for (const old of byId("list").querySelectorAll("a")) URL.revokeObjectURL(old.href);
  byId("list").replaceChildren(...Array.from(all, row));
  if ([...all.values()].reduce((sum, bytes) => sum + bytes.length, 0) > LIMIT) {
    output.note("There are more than 50 MB of files. The last ones will be gone when this page is closed.");
  } else if (!foreign) keep("files", all);
}

async function add(list) {
  for (const file of list) session.putFile(file.name, new Uint8Array(await file.arrayBuffer()));
  if (list.length > 0 && !byId("file-list").open) byId("file-list").showModal();
}

async function forget() {
  if (!confirm("Forget all files, programs and entries that this browser keeps for Tocha?")) return;
  onFiles(new Map());
  await forgetAll();
  session.end("All is forgotten. A new session began.", new Map());
}

document.ondragover = event => event.preventDefault();
document.ondrop = event => { event.preventDefault(); add(event.dataTransfer.files); };

// --- buttons ---

function notify(...children) { byId("notice").replaceChildren(...children); }

async function share() {
  const value = `${location.href.replace(/#.*/, "")}#c=${await pack(editor.text)}&v=${version}`;
  const field = element("input", { value, readOnly: true });
  notify("A link to this program: ", field);
  field.select();
  await navigator.clipboard?.writeText(value).then(() => say("the link is copied"), () => {});
}

const actions = { run, share, forget, stop: () => session.stop(), clear: () => output.clear(),
  reset: () => { output.clear(); session.end("A new session began."); }, files: () => byId("file-list").showModal() };
for (const [id, action] of Object.entries(actions)) byId(id).onclick = action;
byId("upload").onchange = event => add(event.target.files);
byId("examples").onchange = ({ target }) => {
  editor.replace(0, editor.text.length, examples[target.value]);
  editor.field.setSelectionRange(0, 0);
  editor.field.blur(); // a telephone's keyboard would cover the output
  byId("editor").parentNode.scrollTo(0, 0);
  target.value = "";
};

// --- the beginning ---

async function firstText() {
  const kept = await recall(textName);
  if (kept !== undefined || !foreign) return kept ?? Object.values(examples)[0];
  if (link.get("v") !== version) output.note(`The link is of Tocha ${link.get("v")}; this is ${version}.`);
  return unpack(link.get("c"), "deflate-raw", "text/plain").text();
}

editor.text = await firstText().catch(() => "-- The program in the link is damaged.");
if (foreign) notify("This program came with a link. It has not run yet: read it, then press Run.");
addEventListener("hashchange", () => location.reload());
session.ready.then(({ evalue }) => say(evalue ?? `ready, ${(performance.now() / 1000).toFixed(2)} s`));
if (location.protocol !== "file:") navigator.serviceWorker?.register("offline.js").catch(() => {});
