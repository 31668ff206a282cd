// play.js: the playground: an editor, a session, its output.
import { element } from "./dom.js";
import { Editor } from "./editor.js";
import { examples } from "./examples.js";
import { Output } from "./output.js";
import { Session } from "./session.js";
import { link, shared } from "./share.js";
import { Files, keep, recall } from "./store.js";
import { version } from "./version.js";

const byId = id => document.getElementById(id);
const HISTORY = 200; // entries of the prompt

const output = new Output(byId("output"));
const foreign = location.hash.includes("c=");        // a program of somebody else: it sees no files, and is not kept as the visitor's
const texts = foreign ? sessionStorage : localStorage;
const textKey = "text" + (foreign ? location.hash : "");
const files = await new Files().load(!foreign);
const session = new Session({ files, onFiles, onEnd: reason => output.note(reason), columns: columns() });

// --- running ---

function columns() { return Math.max(40, Math.min(100, Math.floor((byId("output").clientWidth - 32) / 7.8))); }

function say(text) { byId("status").textContent = text; }

function showRunning(since) {
  const runs = since !== null;
  byId("run").disabled = runs;
  byId("stop").disabled = !runs;
  document.body.classList.toggle("running", runs);
  clearInterval(showRunning.timer);
  if (runs) showRunning.timer = setInterval(() => say(`running, ${((performance.now() - since) / 1000).toFixed(1)} s`), 100);
}

async function execute(code) {
  if (session.busy) return;
  const since = performance.now();
  showRunning(since);
  await session.request("execute_request", { code, silent: false, store_history: true }, (kind, content) => output.answer(kind, content));
  output.flush();
  showRunning(null);
  say(`done in ${((performance.now() - since) / 1000).toFixed(2)} s`);
}

function run() {
  if (session.busy) return;
  output.clear();
  execute(editor.text);
}

// --- the two fields ---

const ask = (kind, content) => session.request(kind, content);
const editor = new Editor(byId("editor"), { ask, label: "Program", onChange: text => keep(textKey, text, texts) });

const entries = JSON.parse(recall("history") ?? "[]");
let place = entries.length;
const prompt = new Editor(byId("prompt"), { ask, label: "Entry", onEnter(text) {
  if (session.busy || !text.trim()) return;
  if (entries.at(-1) !== text) entries.push(text);
  place = entries.splice(0, entries.length - HISTORY) && entries.length;
  if (!foreign) keep("history", JSON.stringify(entries));
  prompt.text = "";
  output.note(text.replace(/^/gm, (_, at) => at ? ">> " : "> "), "typed");
  execute(text);
} });

prompt.field.addEventListener("keydown", event => {
  const up = event.key === "ArrowUp";
  if (event.defaultPrevented || !up && event.key !== "ArrowDown" || prompt.text.includes("\n")) return;
  event.preventDefault();
  place = Math.max(0, Math.min(entries.length, place + (up ? -1 : 1)));
  prompt.text = entries[place] ?? "";
});

document.addEventListener("keydown", event => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
  if (event.key === "c" && event.ctrlKey && session.busy && getSelection().isCollapsed) session.stop();
});

// --- files ---

function size(bytes) { return bytes < 1e3 ? `${bytes} B` : bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`; }

function onFiles(changes) {
  if (!files.apply(changes)) output.note("There are more than 50 MB of files. The last ones will be gone when this page is closed.");
  listFiles();
}

const button = (text, onclick) => element("button", { onclick }, text);

function save(name) {
  const url = URL.createObjectURL(new Blob([files.get(name)]));
  element("a", { href: url, download: name.split("/").at(-1) }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function change(name, bytes) {
  session.putFile(name, bytes);
  onFiles(new Map([[name, bytes]]));
}

function listFiles() {
  byId("file-list").querySelector("ul").replaceChildren(...[...files].map(([name, bytes]) => element("li", {},
    element("span", {}, `${name}, ${size(bytes.length)}`), button("Save", () => save(name)), button("Remove", () => change(name, null)))));
}

async function add(list) {
  for (const file of list) change(file.name, new Uint8Array(await file.arrayBuffer()));
  if (list.length > 0) byId("file-list").showModal();
}

function forget() {
  if (!confirm("Forget all files, programs and entries that this browser keeps for Tocha?")) return;
  files.forget();
  listFiles();
  session.end("All is forgotten. A new session began.");
}

document.addEventListener("dragover", event => event.preventDefault());
document.addEventListener("drop", event => {
  event.preventDefault();
  add(event.dataTransfer.files);
});

// --- buttons ---

function notify(...children) {
  byId("notice").replaceChildren(...children);
  byId("notice").hidden = false;
}

async function share() {
  const url = location.href.replace(/#.*/, "") + await link(editor.text, version), field = element("input", { value: url, readOnly: true });
  notify("A link to this program: ", field);
  field.select();
  await navigator.clipboard?.writeText(url).then(() => say("the link is copied"), () => {});
}

Object.entries({
  run, share, files: () => byId("file-list").showModal(), stop: () => session.stop(), clear: () => output.clear(), forget,
  reset: () => { output.clear(); session.end("A new session began."); }, add: () => byId("upload").click(),
  close: () => byId("file-list").close(),
}).forEach(([id, action]) => { byId(id).onclick = action; });
byId("upload").onchange = event => add(event.target.files);

for (const group of new Set(examples.map(e => e.group))) {
  byId("examples").append(element("optgroup", { label: group },
    ...examples.filter(e => e.group === group).map(e => new Option(e.title, e.name))));
}
byId("examples").onchange = ({ target }) => {
  editor.replace(0, editor.text.length, examples.find(e => e.name === target.value).text);
  editor.field.setSelectionRange(0, 0);
  editor.field.blur(); // a telephone's keyboard would cover the output
  byId("editor").parentNode.scrollTo(0, 0);
  target.value = "";
};

// --- the beginning ---

async function firstText() {
  const kept = recall(textKey, texts);
  if (kept !== null) return kept;
  const program = await shared(location.hash).catch(() => output.note("The program in the link is damaged."));
  if (program?.version && program.version !== version) output.note(`The link is of Tocha ${program.version}; this is ${version}.`);
  return program?.text ?? examples[0].text;
}

editor.text = await firstText();
if (foreign) notify("This program came with a link. It has not run yet: read it, then press Run.");
addEventListener("hashchange", () => location.reload());
listFiles();
session.ready.then(() => say(`ready, ${(performance.now() / 1000).toFixed(2)} s`), error => say(error.message));
if (location.protocol !== "file:") navigator.serviceWorker?.register("offline.js").catch(() => {});
