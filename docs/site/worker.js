// worker.js: answers the page's requests in Tocha's session. It follows the module's glue (createTocha) in one file.

// Removes what could reach the network or the visitor's data, before any program runs. WebAssembly sees none of it.
function isolate(scope) {
  for (const name of ["fetch", "XMLHttpRequest", "WebSocket", "WebSocketStream", "WebTransport", "EventSource", "RTCPeerConnection",
    "importScripts", "indexedDB", "caches", "cookieStore", "BroadcastChannel", "Worker", "SharedWorker", "Notification", "navigator", "storage"]) {
    for (let o = scope; o; o = Object.getPrototypeOf(o)) delete o[name];
    Object.defineProperty(scope, name, { value: undefined });
  }
}

const HOME = "/home/web_user";
let tocha, current, flag;

// --- answers ---

const PERIOD = 30, SLOW = 500; // milliseconds between two messages to the page; after MUCH, to one that cannot tell what it has read
const AHEAD = 2;               // messages that the page has yet to read: meanwhile answers are collected
const MUCH = 1 << 23;          // characters of a message
const KEPT = 1 << 20, KEPT_BLOCKS = 500; // characters of text, and blocks, that the page shows (output.js)
let answers = [], size = 0, dropped = false; // since the last message
let sent, posted = 0, total = 0;             // the time of the last message; messages; characters of the request

function mayPost() {
  if (flag && posted - Atomics.load(flag, 1) >= AHEAD) return false;
  return performance.now() - sent > (flag || total < MUCH ? PERIOD : SLOW);
}

function send(extra) {
  postMessage({ id: current, answers, dropped, ...extra });
  answers = [];
  size = 0;
  dropped = false;
  posted++;
  sent = performance.now();
}

// Drops the oldest answers, of which the page would not show more.
function dropOld() {
  const last = answers.at(-1);
  while (answers.length > 1 && (size > MUCH || answers.length > KEPT_BLOCKS)) {
    size -= answers.shift()[2];
    dropped = true;
  }
  if (last[0] !== "stream" || last[1].text.length <= 2 * KEPT) return;
  last[1].text = last[1].text.slice(-KEPT);
  size += KEPT - last[2];
  last[2] = KEPT;
  dropped = true;
}

// Collects the answers of a request, as [kind, content, characters]; texts of the same stream become one answer.
function collect(kind, json) {
  const content = JSON.parse(json), last = answers.at(-1);
  if (kind === "stream" && last?.[0] === kind && last[1].name === content.name) {
    last[1].text += content.text;
    last[2] += json.length;
  } else answers.push([kind, content, json.length]);
  size += json.length;
  total += json.length;
  dropOld();
  if (mayPost()) send();
}

// --- files ---

const known = new Map(); // the size and time of each file that the page has

function* walk(folder) {
  for (const name of tocha.FS.readdir(folder)) {
    const path = `${folder}/${name}`;
    if (name === "." || name === "..") continue;
    const stat = tocha.FS.stat(path);
    if (tocha.FS.isDir(stat.mode)) yield* walk(path);
    else yield [path.slice(HOME.length + 1), `${stat.size} ${stat.mtime.getTime()}`];
  }
}

// Writes a file for the program, or removes it (no bytes).
function put(name, bytes) {
  const path = `${HOME}/${name}`;
  if (!bytes) return void (known.delete(name) && tocha.FS.unlink(path));
  tocha.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
  tocha.FS.writeFile(path, bytes);
}

// Returns the files that changed since the last call, as a Map from names to bytes (null: removed), or undefined.
function changes() {
  const now = new Map(walk(HOME)), out = new Map();
  for (const [name, state] of now) if (known.get(name) !== state) out.set(name, tocha.FS.readFile(`${HOME}/${name}`));
  for (const name of known.keys()) if (!now.has(name)) out.set(name, null);
  known.clear();
  for (const [name, state] of now) known.set(name, state);
  return out.size > 0 ? out : undefined;
}

// --- messages of the page ---

// Bytes that programs cannot take, and those of them that a request gets if the memory is full: an entry such as `x = nil` must run.
const SPARE = 1 << 26, STEP = 1 << 22;
let spare; // gives a request its part

// Limits the memory of WebAssembly to this many bytes.
function limitMemory(memory) {
  const grow = WebAssembly.Memory.prototype.grow;
  let limit = memory - SPARE, heap = 0;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * 65536 > limit) throw new RangeError("the page's limit of memory");
    const before = grow.call(this, pages);
    heap = this.buffer.byteLength;
    return before;
  };
  return () => { limit = Math.min(memory, Math.max(limit, heap + STEP)); };
}

async function open({ module, flag: shared, files, memory, columns }) {
  flag = shared;
  spare = limitMemory(memory);
  tocha = await createTocha({
    instantiateWasm(imports, done) { WebAssembly.instantiate(module, imports).then(instance => done(instance, module)); },
    onAnswer: collect,
    interrupted: () => flag !== null && Atomics.exchange(flag, 0, 0) === 1,
  });
  for (const [name, bytes] of files) put(name, bytes);
  tocha.FS.chdir(HOME);
  tocha.ccall("web_open", null, ["string"], [JSON.stringify({ columns, prompt: true })]);
  changes();
  postMessage({ ready: true });
}

onmessage = ({ data }) => {
  if (data.module) {
    isolate(self);
    return open(data);
  }
  if (data.put) return put(data.put, data.bytes) ?? changes();
  current = data.id;
  sent = performance.now();
  total = 0;
  spare();
  tocha.ccall("web_request", null, ["string", "number"], [data.kind, tocha.allocateUTF8(data.json)]);
  send({ files: data.kind === "execute_request" ? changes() : undefined });
};
