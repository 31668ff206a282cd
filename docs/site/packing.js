// packing.js: compressed bytes as base64url: the programs of links, and the module of a page that is one file.

// Returns a text, deflated.
export async function pack(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const letters = btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
  return letters.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// Returns the bytes as a Response. format: "gzip" or "deflate-raw"; type: the MIME type of the bytes.
export function unpack(letters, format, type) {
  const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
  return new Response(stream, { headers: { "Content-Type": type } });
}
