// store.js: values that the browser keeps for the visitor, on this machine. One that keeps nothing costs only comfort.

// Resolves with the result of a request to the database.
const result = request => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

// Resolves with what act(values) requests of the store of values, or undefined if there is none.
async function stored(mode, act) {
  try {
    const opening = indexedDB.open("tocha.values", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("values");
    return await result(act((await result(opening)).transaction("values", mode).objectStore("values")));
  } catch { return undefined; }
}

export const recall = name => stored("readonly", values => values.get(name));
export const keep = (name, value) => stored("readwrite", values => values.put(value, name));
export const forgetAll = () => stored("readwrite", values => values.clear());
