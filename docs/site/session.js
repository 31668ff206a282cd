// session.js: Tocha in a worker: requests and their answers, stop, and a new worker in place of a lost one.
import { assets } from "./assets.js";

const PATIENCE = 150; // milliseconds that an interrupted program has before its worker is ended
const SMALL = 512 << 20, LARGE = 2 ** 31; // bytes of memory

// A browser ends a page that takes too much of a small machine. An iPad's calls itself a Macintosh, none of which has a touch screen.
function memory() {
  const { userAgent, maxTouchPoints, deviceMemory } = navigator;
  const isTablet = /iPhone|iPad|Android/.test(userAgent) || /Macintosh/.test(userAgent) && maxTouchPoints > 1;
  return isTablet || deviceMemory <= 4 ? SMALL : LARGE;
}

export class Session {
  // files: the Map of the session's files; onFiles(changes) is told of files that a program wrote or removed; onEnd(reason) is
  // told that the session is lost, and a new one begins. columns: of the terminal that shows the output, or null for none.
  constructor({ files = new Map(), onFiles = () => {}, onEnd = () => {}, columns = 80 } = {}) {
    Object.assign(this, { files, onFiles, onEnd, columns, pending: new Map(), last: 0 });
    this.start();
  }

  start() {
    // shared with the worker: 1 if the program is to stop; the number of messages that were read
    this.flag = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(8)) : null;
    const ready = this.ready = assets().then(({ url, module }) => new Promise((resolve, reject) => {
      if (this.ready !== ready) return;
      const worker = this.worker = new Worker(url, { name: "tocha" });
      let lives = false;
      worker.onmessage = ({ data }) => {
        if (worker !== this.worker) return;
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

  // Sends a request. Resolves with the content of its reply; onAnswer(kind, content) gets what comes before. The kind "dropped"
  // stands for answers that came faster than they could be shown.
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

  receive({ id, answers, dropped, files }) {
    if (this.flag) Atomics.add(this.flag, 1, 1);
    if (files) this.onFiles(files);
    const request = this.pending.get(id);
    if (dropped) request?.onAnswer("dropped");
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
