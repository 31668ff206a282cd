-- site.lua: writes the reference as static pages with a search box, which need no server.
--
--   build/tocha docs/make/site.lua build/reference
package.path = arg[0]:match "^(.*/)" .. "?.lua;" .. package.path
local names = require "names"
local folder = arg[1] or error("usage: tocha docs/make/site.lua FOLDER", 0)
os.execute(("mkdir -p '%s'"):format((folder:gsub("'", "'\\''"))))

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "w"))
  assert(file:write(text))
  assert(file:close())
end

local entities = {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;"}
local function html(text) return (text:gsub('[&<>"]', entities)) end
local function json(text) return (torch._part "tools.json".write(text):gsub("<", "\\u003c")) end

local style = [[
:root { --text: #1d2329; --soft: #5b6670; --line: #dfe4e8; --back: #fff; --side: #f6f8f9; --code: #f1f4f6; --link: #0b62a8; --mark: #fff3c4; }
@media (prefers-color-scheme: dark) {
  :root { --text: #dde3e8; --soft: #98a4ae; --line: #333c44; --back: #14191d; --side: #1a2025; --code: #222a30; --link: #6cb6f0; --mark: #4a4012; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
header { position: sticky; top: 0; z-index: 2; display: flex; gap: 1rem; align-items: center; padding: .6rem 1.2rem;
  background: var(--side); border-bottom: 1px solid var(--line); }
header strong a { color: var(--text); }
#search { flex: 1; max-width: 34rem; font: inherit; padding: .35rem .7rem; color: inherit; background: var(--back);
  border: 1px solid var(--line); border-radius: 6px; min-width: 0; }
#found { position: fixed; top: 3.6rem; left: 1.2rem; right: 1.2rem; max-width: 52rem; max-height: 75vh; overflow: auto; z-index: 3;
  background: var(--back); border: 1px solid var(--line); border-radius: 6px; box-shadow: 0 8px 30px #0003; display: none; }
#found a { display: block; overflow-wrap: anywhere; padding: .4rem .8rem; color: inherit; border-bottom: 1px solid var(--line); }
#found a.on, #found a:hover { background: var(--mark); text-decoration: none; }
#found small { display: block; color: var(--soft); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.page { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { padding: 1rem 1.2rem; background: var(--side); border-right: 1px solid var(--line); font-size: .9rem;
  position: sticky; top: 3.4rem; height: calc(100vh - 3.4rem); overflow: hidden auto; }
nav a { display: block; padding: .1rem 0; overflow-wrap: anywhere; }
nav a.here { font-weight: 600; color: var(--text); }
main { padding: 1rem 2rem 6rem; max-width: 60rem; }
h1, h2 { overflow-wrap: anywhere; }
h2 { margin: 2.2rem 0 .5rem; border-bottom: 1px solid var(--line); }
section { padding: .6rem 0; scroll-margin-top: 4rem; }
section:target { background: var(--mark); margin: 0 -.7rem; padding: .6rem .7rem; border-radius: 6px; }
h3 { margin: 0 0 .3rem; font-size: 1.05rem; overflow-wrap: anywhere; }
h3 a { color: var(--text); }
code { font: .86rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; background: var(--code); border-radius: 4px; padding: .15rem .4rem; display: inline-block;
  max-width: 100%; overflow-wrap: anywhere; }
pre { font: .82rem/1.4 ui-monospace, "DejaVu Sans Mono", monospace; background: var(--code); border-radius: 4px; padding: .5rem .7rem; margin: .3rem 0 .8rem;
  overflow-x: auto; }
p { margin: .3rem 0 .6rem; }
table { border-collapse: collapse; } td { padding: .25rem 1.5rem .25rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td + td { padding-right: 0; white-space: nowrap; }
@media (max-width: 50rem) {
  .page { grid-template-columns: minmax(0, 1fr); }
  nav { display: none; }
  main { padding: 1rem 1.2rem 4rem; }
  .wide { display: none; }
}
]]

local script = [[
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
]]

local spaces, entries = names.by_space()

local function navigation(here)
  local out = {}
  for _, space in ipairs(spaces) do
    out[#out + 1] = ('<a href="%s.html"%s>%s</a>'):format(space, space == here and ' class="here"' or "", space:gsub("%.", ".<wbr>"))
  end
  return table.concat(out, "\n")
end

local function page(title, here, body)
  return ([[
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s - Tocha</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<header>
<strong><a href="index.html">Tocha</a></strong>
<input id="search" type="search" placeholder="Search (press /)" autocomplete="off" aria-label="Search">
<span class="wide">%s</span>
</header>
<div id="found"></div>
<div class="page">
<nav>
%s
</nav>
<main>
<h1>%s</h1>
%s
</main>
</div>
<script src="names.js"></script>
<script src="search.js"></script>
</body>
</html>
]]):format(html(title), "version " .. html(torch.__version__), navigation(here), html(title), body)
end

local headings = {{"class", "Classes"}, {"function", "Functions"}, {"method", "Methods"}, {"attribute", "Attributes"}, {"constant", "Constants"}}

local function body_of(list)
  local out = {}
  for _, heading in ipairs(headings) do
    local title = heading[2]
    for _, entry in ipairs(list) do
      if entry.kind == heading[1] then
        if title then out[#out + 1] = "<h2>" .. title .. "</h2>" end
        title = nil
        out[#out + 1] = ('<section id="%s"><h3><a href="#%s">%s</a></h3>'):format(entry.path, entry.path, html(entry.name))
        for _, s in ipairs(entry.signatures) do
          out[#out + 1] = (s.list and "<code>" .. html(s.text) .. "</code>" or "") .. "<p>" .. html(s.doc) .. "</p>" ..
            (s.details and "<p>" .. html(s.details) .. "</p>" or "")
        end
        if entry.example then out[#out + 1] = "<pre>" .. html(entry.example) .. "</pre>" end
        out[#out + 1] = "</section>"
      end
    end
  end
  return table.concat(out, "\n")
end

local rows, index = {}, {}
for _, space in ipairs(spaces) do
  write(space .. ".html", page(space, space, body_of(entries[space])))
  rows[#rows + 1] = ('<tr><td><a href="%s.html">%s</a></td><td>%d %s</td></tr>'):format(space, space, #entries[space],
    #entries[space] == 1 and "name" or "names")
  for _, entry in ipairs(entries[space]) do
    index[#index + 1] = ("[%s,%s,%s]"):format(json(entry.path), json(space), json(entry.signatures[1] and entry.signatures[1].doc or ""))
  end
end
write("index.html", page("Reference", nil, "<p>Every public name of Tocha: names, arguments and results are PyTorch's. The same texts answer " ..
  "<code>?NAME</code> at the prompt and <code>tocha --help NAME</code> in a shell.</p>\n<table>\n" .. table.concat(rows, "\n") .. "\n</table>"))
write("style.css", style)
write("search.js", script)
write("names.js", "const names = [\n" .. table.concat(index, ",\n") .. "\n];\n")
