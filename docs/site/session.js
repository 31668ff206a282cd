// session.js: Tocha in a worker: requests and their answers, stop, and a new worker in place of a lost one.
import { unpack } from "./packing.js";
import { build } from "./version.js";

const PATIENCE = 150; // milliseconds that an interrupted program has before its worker is ended

// Returns what a worker is made of: the compiled module, and the URL of its source, a blob, to which the page's content
// security policy applies. A page that is one file carries them: {worker: its text, wasm: packed}.
async function load() {
  const inline = globalThis.tochaInline;
  const [source, wasm] = inline ? [new Response(inline.worker), unpack(inline.wasm, "gzip", "application/wasm")]
    : await Promise.all(["worker.js", "tocha.wasm"].map(name => fetch(`${name}?${build}`)));
  const module = await WebAssembly.compileStreaming(wasm);
  return { module, url: URL.createObjectURL(new Blob([await source.text()], { type: "text/javascript" })) };
}

// A browser ends a page that takes much memory of a telephone or a tablet. An iPad calls itself a Macintosh.
const { userAgent, maxTouchPoints, deviceMemory } = navigator;
const isSmall = deviceMemory <= 4 || /iPhone|iPad|Android/.test(userAgent)
  || /Macintosh/.test(userAgent) && maxTouchPoints > 1;

let loading; // the promise of load(), once for the page

export class Session {
  // files: a Map from names to bytes; onFiles(files) is told of changes. onEnd(reason) is told that the session is lost
  // and a new one begins. columns: of the terminal that shows the output, or null for none.
  constructor({ files = new Map(), onFiles = () => {}, onEnd, columns = null }) {
    Object.assign(this, { files, onFiles, onEnd, columns, pending: new Map(), last: 0 });
    this.start();
  }

  // Starts a worker. `ready` resolves with {status: "ok"}, or {status: "error", evalue}.
  start() {
    this.lives = false;
    this.flag = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(8)) : null;
    this.worker = (loading ??= load()).then(({ url, module }) => {
      const worker = new Worker(url, { name: "tocha" });
      worker.onmessage = ({ data }) => this.receive(data);
      worker.onerror = ({ message }) => this[this.lives ? "end" : "forget"](`The session was lost (${message}).`);
      worker.postMessage(module);
      return worker;
    });
    this.worker.catch(() => { loading = null; });
    this.ready = this.request("open_request", { shared: this.flag, files: this.files, columns: this.columns, isSmall });
  }

  // Sends a request; resolves with the content of its reply. onAnswer(kind, content): a program's, for earlier answers.
  request(kind, content, onAnswer) {
    const id = ++this.last;
    if (onAnswer) this.running = id;
    if (onAnswer && this.flag) this.flag[0] = 0;
    this.worker.then(worker => worker.postMessage({ id, kind, content }), error => this.forget(error.message));
    return new Promise(resolve => this.pending.set(id, { resolve, onAnswer }));
  }

  receive({ id, kind, content, files }) {
    const request = this.pending.get(id);
    this.lives = true;
    this.flag && Atomics.add(this.flag, 1, 1);
    this.flag && Atomics.notify(this.flag, 1);
    if (files) this.onFiles(this.files = files);
    if (!kind.endsWith("_reply")) return request?.onAnswer?.(kind, content);
    this.pending.delete(id);
    request?.resolve(content);
    const exits = content.payload?.some?.(({ source }) => source === "ask_exit");
    if (exits) this.end("The program ended the session (os.exit).");
  }

  // Writes a file for the program, or removes it (bytes: null).
  putFile(name, bytes) {
    if (bytes) this.files.set(name, bytes); else this.files.delete(name);
    this.request("file_request", { name, bytes });
  }

  get busy() { return this.pending.has(this.running); }

  // Interrupts the program; its session is kept if that is possible.
  async stop() {
    const { busy, flag, running } = this;
    if (busy && flag) {
      Atomics.store(flag, 0, 1);
      await new Promise(resolve => setTimeout(resolve, PATIENCE));
    }
    if (this.pending.has(running)) this.end("Stopped. A new session began, without the variables of the old one.");
  }

  // Answers the requests of a worker that is gone.
  forget(evalue) {
    for (const { resolve } of this.pending.values()) resolve({ status: "error", evalue });
    this.pending.clear();
  }

  // Ends the worker and starts a new one. files: those of the new one.
  end(reason, files = this.files) {
    this.files = files;
    this.worker.then(worker => worker.terminate(), () => {});
    this.forget();
    this.start();
    this.onEnd(reason);
  }
}
