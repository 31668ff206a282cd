// store.js: what the browser keeps of a visitor: texts, and the files of the session. All of it stays on this machine.

const LIMIT = 50 << 20; // bytes of files

// Returns a text that was kept, or null. Where the browser keeps nothing, nothing is lost but comfort.
export function recall(key, store = localStorage) {
  try { return store.getItem("tocha." + key); } catch { return null; }
}

export function keep(key, text, store = localStorage) {
  try { store.setItem("tocha." + key, text); } catch { /* full, or forbidden */ }
}

function database() {
  return new Promise(resolve => {
    const request = indexedDB.open("tocha", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("files");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve(null);
  }).catch(() => null);
}

// A Map from names to bytes; `kept`: in the browser's database, too.
export class Files extends Map {
  async load(kept) {
    this.base = kept ? await database() : null;
    if (!this.base) return this;
    const store = this.base.transaction("files").objectStore("files");
    const all = request => new Promise(resolve => { request.onsuccess = () => resolve(request.result); request.onerror = () => resolve([]); });
    const [names, contents] = await Promise.all([all(store.getAllKeys()), all(store.getAll())]);
    names.forEach((name, i) => this.set(name, contents[i]));
    return this;
  }

  // Applies changes: a Map from names to bytes, or to null. Returns false if there is too much to keep after this page is closed.
  apply(changes) {
    for (const [name, bytes] of changes) if (bytes) this.set(name, bytes); else this.delete(name);
    const fits = [...this.values()].reduce((sum, bytes) => sum + bytes.length, 0) <= LIMIT;
    if (!this.base || !fits) return fits;
    const store = this.base.transaction("files", "readwrite").objectStore("files");
    for (const [name, bytes] of changes) if (bytes) store.put(bytes, name); else store.delete(name);
    return true;
  }

  forget() {
    this.clear();
    this.base?.transaction("files", "readwrite").objectStore("files").clear();
    for (const store of [localStorage, sessionStorage]) for (const key of Object.keys(store)) if (key.startsWith("tocha.")) store.removeItem(key);
  }
}
