// offline.js: a service worker, so that the playground works without a network. It keeps the files of one build, SET
// (playground.lua writes it above), and adds the headers that isolate a page, for Stop: many servers cannot send them.
self.oninstall = event => event.waitUntil(caches.open(SET.build).then(cache =>
  cache.addAll(SET.files.map(name => new Request(name, { cache: "no-cache" })))));

self.onactivate = event => event.waitUntil(caches.keys().then(names =>
  Promise.all(names.filter(name => name.startsWith("tocha-") && name !== SET.build).map(name => caches.delete(name)))));

async function answer(request) {
  const kept = await caches.match(request, { cacheName: SET.build, ignoreSearch: true });
  const isolated = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
  if (!kept) return fetch(request);
  return new Response(kept.body, { headers: { ...Object.fromEntries(kept.headers), ...isolated } });
}

self.onfetch = event => event.respondWith(answer(event.request));
