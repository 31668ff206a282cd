// search.js: the search box of the reference. names.js, which site.lua writes, has the names: [path, page, help].
const box = document.getElementById("search"), list = document.getElementById("found");
const here = document.querySelector("nav .here");
const make = (name, properties) => Object.assign(document.createElement(name), properties);

// Returns how well a name answers the words: 0 best, 4 not at all.
function rank([path, , help], words) {
  const whole = path.toLowerCase(), name = whole.split(".").at(-1), all = `${whole} ${help.toLowerCase()}`;
  if (name === words || whole === words) return 0;
  if (name.startsWith(words)) return 1;
  return whole.includes(words) ? 2 : words.split(/\s+/).every(word => all.includes(word)) ? 3 : 4;
}

function show() {
  const words = box.value.trim().toLowerCase(), ranks = [[], [], [], [], []];
  for (const entry of words ? names : []) ranks[rank(entry, words)].push(entry);
  list.replaceChildren(...ranks.slice(0, 4).flat().slice(0, 40).map(([path, page, help]) => {
    const link = make("a", { href: `${page}.html#${path}`, textContent: path, onclick: () => link.blur() });
    link.append(make("small", { textContent: help }));
    return link;
  }));
  if (words && !list.firstChild) list.textContent = "nothing has these words";
}

// The arrows move among the links, which go when neither the box nor one of them has the focus.
document.addEventListener("focusout", ({ relatedTarget: next }) => {
  if (next !== box && !list.contains(next)) list.replaceChildren();
});
for (const part of [box, list]) part.onkeydown = event => {
  const places = [box, ...list.querySelectorAll("a")], step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) places[places.indexOf(event.target) + step]?.focus();
  if (step) event.preventDefault();
  if (event.key === "Enter" && event.target === box) places[1]?.click();
  if (event.key === "Escape") event.target.blur();
};

box.oninput = box.onfocus = show;
document.addEventListener("keydown", event => {
  if (event.key !== "/" || event.target === box || event.target.isContentEditable) return;
  event.preventDefault();
  box.focus();
});
if (here) here.parentNode.scrollTop = here.offsetTop - here.parentNode.clientHeight / 2;
