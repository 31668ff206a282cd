// session.js: Tocha in a worker: requests and their answers, stop, and a new worker in place of a lost one.
import { assets } from "./assets.js";

const PATIENCE = 150; // milliseconds that an interrupted program has before its worker is ended
const SMALL = 512 << 20, LARGE = 2 ** 31; // bytes of memory

function memory() {
  const phone = /iPhone|iPad|Android/.test(navigator.userAgent) || navigator.deviceMemory <= 4;
  return phone ? SMALL : LARGE;
}

export class Session {
  // files: the Map of the session's files; onFiles(changes) is told of files that a program wrote or removed; onEnd(reason) is
  // told that the session is lost, and a new one begins. columns: of the terminal that shows the output, or null for none.
  constructor({ files = new Map(), onFiles = () => {}, onEnd = () => {}, columns = 80 } = {}) {
    Object.assign(this, { files, onFiles, onEnd, columns, pending: new Map(), last: 0 });
    this.flag = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : null;
    this.start();
  }

  start() {
    const ready = this.ready = assets().then(({ url, module }) => new Promise((resolve, reject) => {
      if (this.ready !== ready) return;
      const worker = this.worker = new Worker(url, { name: "tocha" });
      let lives = false;
      worker.onmessage = ({ data }) => {
        if (!data.ready) return this.receive(data);
        lives = true;
        resolve(worker);
      };
      worker.onerror = event => {
        event.preventDefault();
        if (lives) this.end(`The session was lost (${event.message}).`); else reject(new Error(event.message));
      };
      worker.postMessage({ module, flag: this.flag, files: this.files, memory: memory(), columns: this.columns });
    }));
    ready.catch(() => this.forget());
  }

  // Sends a request. Resolves with the content of its reply; onAnswer(kind, content) gets what comes before.
  request(kind, content, onAnswer = () => {}) {
    const id = ++this.last;
    this.ready.then(worker => {
      if (!this.pending.has(id)) return;
      if (this.flag && kind === "execute_request") this.flag[0] = 0;
      worker.postMessage({ id, kind, json: JSON.stringify(content) });
    }, () => this.forget());
    return new Promise(resolve => this.pending.set(id, { kind, resolve, onAnswer }));
  }

  // Answers the requests of a worker that is gone.
  forget() {
    const lost = [...this.pending.values()];
    this.pending.clear();
    for (const request of lost) request.resolve({ status: "error", lost: true });
  }

  // Writes a file for the program, or removes it (no bytes).
  putFile(name, bytes) { this.ready.then(worker => worker.postMessage({ put: name, bytes }), () => {}); }

  receive({ id, answers, files }) {
    if (files) this.onFiles(files);
    const request = this.pending.get(id);
    for (const [kind, content] of request ? answers : []) {
      if (kind.endsWith("_reply")) this.finish(id, content); else request.onAnswer(kind, content);
    }
  }

  finish(id, content) {
    this.pending.get(id).resolve(content);
    this.pending.delete(id);
    if (content.payload?.some?.(p => p.source === "ask_exit")) this.end("The program ended the session (os.exit).");
  }

  get busy() { return [...this.pending.values()].some(request => request.kind === "execute_request"); }

  // Interrupts the program; its session is kept if that is possible.
  async stop() {
    if (!this.busy) return;
    const running = this.last;
    if (this.flag) {
      Atomics.store(this.flag, 0, 1);
      await new Promise(resolve => setTimeout(resolve, PATIENCE));
      if (![...this.pending.keys()].some(id => id <= running)) return;
    }
    this.end("Stopped. A new session began, without the variables of the old one.");
  }

  // Ends the worker and starts a new one.
  end(reason) {
    this.worker?.terminate();
    this.worker = null;
    this.start();
    this.forget();
    this.onEnd(reason);
  }
}
