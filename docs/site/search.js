// search.js: the search box of the reference. names.js, which site.lua writes, has the names.
const box = document.getElementById("search"), list = document.getElementById("found");
let on = 0;
function rank(entry, word) {
  const path = entry[0].toLowerCase(), name = path.slice(path.lastIndexOf(".") + 1);
  if (name === word || path === word) return 0;
  if (name.startsWith(word)) return 1;
  if (path.includes(word)) return 2;
  const all = path + " " + entry[2].toLowerCase();
  return word.split(/\s+/).every(w => all.includes(w)) ? 3 : 9;
}
function show() {
  const word = box.value.trim().toLowerCase();
  list.textContent = "";
  on = 0;
  const hits = word ? names.map(e => [rank(e, word), e]).filter(h => h[0] < 9) : [];
  hits.sort((a, b) => a[0] - b[0] || a[1][0].length - b[1][0].length || (a[1][0] < b[1][0] ? -1 : 1));
  for (const [, entry] of hits.slice(0, 40)) {
    const a = document.createElement("a"), small = document.createElement("small");
    a.href = entry[1] + ".html#" + entry[0];
    a.textContent = entry[0];
    small.textContent = entry[2];
    a.append(small);
    a.onclick = () => { list.style.display = "none"; };
    list.append(a);
  }
  if (word && !hits.length) list.append(Object.assign(document.createElement("a"), { textContent: "nothing has this word" }));
  list.style.display = word ? "block" : "none";
  mark(0);
}
function mark(step) {
  const all = list.children;
  if (!all.length) return;
  all[on] && all[on].classList.remove("on");
  on = Math.min(Math.max(on + step, 0), all.length - 1);
  all[on].classList.add("on");
  if (step) all[on].scrollIntoView({ block: "nearest" });
}
box.addEventListener("input", show);
box.addEventListener("keydown", e => {
  if (e.key === "ArrowDown") { mark(1); e.preventDefault(); }
  if (e.key === "ArrowUp") { mark(-1); e.preventDefault(); }
  if (e.key === "Enter" && list.children[on] && list.children[on].href) { location.href = list.children[on].href; list.style.display = "none"; }
  if (e.key === "Escape") { box.value = ""; show(); }
});
document.addEventListener("keydown", e => { if (e.key === "/" && document.activeElement !== box) { box.focus(); e.preventDefault(); } });
document.addEventListener("click", e => { if (!list.contains(e.target) && e.target !== box) list.style.display = "none"; });
const nav = document.querySelector("nav"), here = document.querySelector("nav .here");
if (here) nav.scrollTop = here.offsetTop - nav.clientHeight / 2;
const asked = new URLSearchParams(location.search).get("q");
if (asked) { box.value = asked; show(); }
