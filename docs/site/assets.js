// assets.js: the two parts of a worker: its source and the compiled module. They are loaded and compiled once for the page.
import { build } from "./version.js";

let loading;

// A page that is one file carries them: {worker: its text, wasm: base64 of gzip}.
async function unpack({ worker, wasm }) {
  const bytes = Uint8Array.from(atob(wasm), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return { worker, module: await WebAssembly.compile(await new Response(stream).arrayBuffer()) };
}

async function get(name) {
  const response = await fetch(`${name}?${build}`);
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  return response;
}

async function download() {
  const [worker, wasm] = await Promise.all([get("worker.js"), get("tocha.wasm")]);
  const streams = wasm.headers.get("content-type") === "application/wasm";
  return { worker: await worker.text(),
    module: await (streams ? WebAssembly.compileStreaming(wasm) : WebAssembly.compile(await wasm.arrayBuffer())) };
}

// Returns {url, module}. The worker's source is a blob, so that the worker is under the page's content security policy.
export function assets() {
  loading ??= (globalThis.tochaInline ? unpack(globalThis.tochaInline) : download()).then(({ worker, module }) =>
    ({ url: URL.createObjectURL(new Blob([worker], { type: "text/javascript" })), module }));
  loading.catch(() => { loading = null; });
  return loading;
}
