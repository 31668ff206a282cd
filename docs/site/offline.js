// offline.js: a service worker, so that the playground works without a network. It keeps one set of files, all of one build (SET,
// which site.lua writes above), and sends them with the headers that isolate a page, which Stop wants and many servers cannot send.

self.addEventListener("install", event => event.waitUntil(caches.open(SET.build).then(cache =>
  cache.addAll(SET.files.map(name => new Request(name, { cache: "no-cache" }))))));

self.addEventListener("activate", event => event.waitUntil(caches.keys().then(names =>
  Promise.all(names.filter(name => name.startsWith("tocha-") && name !== SET.build).map(name => caches.delete(name))))));

async function answer(request) {
  const kept = await (await caches.open(SET.build)).match(request, { ignoreSearch: true });
  if (!kept) return fetch(request);
  const headers = new Headers(kept.headers);
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  return new Response(kept.body, { status: kept.status, headers });
}

self.addEventListener("fetch", event => {
  if (event.request.method === "GET" && new URL(event.request.url).origin === location.origin) event.respondWith(answer(event.request));
});
