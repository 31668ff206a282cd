// share.js: a program in a link: #c=TEXT&v=VERSION, deflated, in base64url. No server sees what follows the #.

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function link(text, version) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
  const letters = btoa(Array.from(bytes, b => String.fromCharCode(b)).join(""));
  return `#c=${letters.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}&v=${version}`;
}

// Returns {text, version} of a link, null if it has no program, and throws if the program is damaged.
export async function shared(hash) {
  const parts = new URLSearchParams(hash.slice(1)), letters = parts.get("c");
  if (!letters) return null;
  const bytes = Uint8Array.from(atob(letters.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0));
  return { text: new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes)), version: parts.get("v") };
}
