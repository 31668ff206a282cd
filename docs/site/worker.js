// worker.js: answers the page's requests in Tocha's session. It follows the module's glue (createTocha) in one file.

const HOME = "/home/web_user";
const LARGE = 32768, SMALL = 8192; // pages of memory, 64 kB each, that a program may take; SMALL: on a telephone
const AHEAD = 20;               // messages that the page has yet to read, before the program waits for it
const FLOOD = 1 << 26;          // characters that a program may send to a page that cannot tell what it has read
let module, opening, tocha;
let flag, posted = 0, written = 0; // flag: see open; messages so far; characters of the request
let current;    // the id of the request that runs
let known = ""; // names, sizes and times of the files that the page has
let restarts = true; // the next text is for a new terminal

// Removes what could reach the network or the visitor's data, before any program runs. WebAssembly sees none of it.
function isolate(scope) {
  for (const name of ["fetch", "XMLHttpRequest", "WebSocket", "WebSocketStream", "WebTransport", "EventSource",
    "RTCPeerConnection", "importScripts", "indexedDB", "caches", "cookieStore", "storage", "BroadcastChannel", "Worker",
    "SharedWorker", "Notification", "navigator"]) {
    for (let o = scope; o; o = Object.getPrototypeOf(o)) delete o[name];
    Object.defineProperty(scope, name, { value: undefined });
  }
}

// Opens the session. shared: two numbers in shared memory: 1 if what runs is to stop; how many messages were read.
async function open({ shared, files, columns, isSmall }) {
  flag = shared;
  isolate(self);
  tocha = await createTocha({
    wasmMemory: new WebAssembly.Memory({ initial: 512, maximum: isSmall ? SMALL : LARGE }), // initial: see web.cmake
    instantiateWasm(imports, done) { WebAssembly.instantiate(module, imports).then(made => done(made, module)); },
    onAnswer: (kind, json) => answer(kind, JSON.parse(json)),
    interrupted: () => flag ? Atomics.exchange(flag, 0, 0) === 1 : written > FLOOD,
  });
  for (const [name, bytes] of files) put(name, bytes);
  tocha.FS.chdir(HOME);
  tocha.ccall("web_open", null, ["string"], [JSON.stringify({ columns, prompt: true })]);
}

// Sends an answer of the session; text as the terminal shows it. A new terminal begins behind anything else.
function answer(kind, content) {
  const { text } = content;
  written += text?.length ?? 0;
  for (const part of text?.replaceAll("\0", "").match(/[^]{1,50000}/gu) ?? []) { // ccall's texts lie on the stack
    const terminal = JSON.parse(tocha.ccall("web_show", "string", ["string", "boolean"], [part, restarts]));
    send(current, kind, { ...content, text: part, terminal: { ...terminal, restarts } });
    restarts = false;
  }
  if (text !== undefined) return;
  restarts = true;
  send(current, kind, content);
}

// Sends a message; a reply brings the files that have changed. Waits while the page is far behind.
function send(id, kind, content) {
  const writes = /^(open|execute|file)_reply/.test(kind) && tocha;
  postMessage({ id, kind, content, files: writes ? changed() : undefined });
  posted++;
  for (let read; flag && !flag[0] && posted - (read = Atomics.load(flag, 1)) > AHEAD;) Atomics.wait(flag, 1, read, 50);
}

// Writes a file for the program, or removes it (bytes: null).
function put(name, bytes) {
  const path = `${HOME}/${name}`, exists = tocha.FS.analyzePath(path).exists;
  tocha.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
  if (bytes) tocha.FS.writeFile(path, bytes); else if (exists) tocha.FS.unlink(path);
}

// Returns the paths of all files in a folder.
function paths(folder) {
  return tocha.FS.readdir(folder).filter(name => name !== "." && name !== "..").flatMap(name => {
    const path = `${folder}/${name}`;
    return tocha.FS.isDir(tocha.FS.stat(path).mode) ? paths(path) : path;
  });
}

// Returns all files as a Map from names to bytes if one has changed since the last call, else undefined.
function changed() {
  const all = paths(HOME), stats = all.map(path => tocha.FS.stat(path));
  const state = stats.map(({ size, mtime }, i) => `${all[i]} ${size} ${mtime.getTime()}`).join("\n");
  if (state === known) return undefined;
  known = state;
  return new Map(all.map(path => [path.slice(HOME.length + 1), tocha.FS.readFile(path)]));
}

// The page's first message is the module. The others are requests, {id, kind, content}; web.c describes those of Tocha.
onmessage = async ({ data }) => {
  const { id, kind, content } = data;
  if (data instanceof WebAssembly.Module) return void (module = data);
  if (kind === "open_request") {
    opening = open(content).then(() => ({ status: "ok" }), error => ({ status: "error", evalue: error.message }));
    return send(id, "open_reply", await opening);
  }
  await opening;
  current = id;
  written = 0;
  if (kind === "file_request") {
    put(content.name, content.bytes);
    send(id, "file_reply", {});
  } else tocha.ccall("web_request", null, ["string", "number"], [kind, tocha.allocateUTF8(JSON.stringify(content))]);
};
