-- site.lua: writes the reference and the pages for readers as a site with a search box, which needs no server.
--
--   build/tocha docs/make/site.lua FOLDER [WEB]
--
-- WEB is the folder of a build for browsers (tocha_web.js, tocha_web.wasm): with it the site has the playground, and examples have
-- Run buttons.
package.path = arg[0]:match "^(.*/)" .. "?.lua;" .. package.path
local names = require "names"
local files, markdown = require "files", require "markdown"
local before = require "before"
local folder = arg[1] or error("usage: tocha docs/make/site.lua FOLDER [WEB]", 0)
local web = arg[2]
os.execute(("mkdir -p '%s'"):format((folder:gsub("'", "'\\''"))))

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "w"))
  assert(file:write(text))
  assert(file:close())
end

local html, read, json = markdown.escape, files.read, files.json

-- The pages of docs/ for readers, in the order of the navigation.
local pages = {"tutorial", "cookbook", "pytorch-to-lua", "differences", "training", "modules", "autograd", "vision", "plot", "files",
  "lua-modules", "embedding", "sandbox"}
local is_page = {}
for _, name in ipairs(pages) do is_page[name] = true end

local spaces, entries = names.by_space()
-- The interface in C: of the build that runs this.
local in_c, names_in_c = require "c_reference".pages(arg[-1]:gsub("[^/]*$", "") .. "generated/tocha_api.json")

-- --- frames ------------------------------------------------------------------------------------------------------

local function title_of(name) return read("docs/" .. name .. ".md"):match "^# ([^\n]*)" end

local function navigation(here)
  local out = {}
  local function link(name, text)
    out[#out + 1] = ('<a href="%s.html"%s>%s</a>'):format(name, name == here and ' class="here"' or "", text)
  end
  if web then link("play", "<strong>Try it in this browser</strong>") end
  for _, name in ipairs(pages) do link(name, html(title_of(name))) end
  out[#out + 1] = "<hr>"
  for _, space in ipairs(spaces) do link(space, (space:gsub("%.", ".<wbr>"))) end
  if in_c then out[#out + 1] = "<hr>" end
  for _, header in ipairs(in_c or {}) do link(header.name, html(header.title)) end
  return table.concat(out, "\n")
end

local policy = [[<meta http-equiv="Content-Security-Policy" content="default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; ]] ..
  [[style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'">]]

-- runs: examples of the page have Run buttons.
local function page(title, here, body, runs)
  return ([[
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
%s<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s - Tocha</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="style.css">
</head>
<body>
<header>
<strong><a href="index.html">Tocha</a></strong>
<input id="search" type="search" placeholder="Search (press /)" autocomplete="off" aria-label="Search">
<span class="wide">%s</span>
</header>
<div id="found" tabindex="-1"></div>
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
%s</body>
</html>
]]):format(web and policy .. "\n" or "", html(title), "version " .. html(torch.__version__), navigation(here), html(title), body,
    web and runs and '<script src="run.js"></script>\n' or "")
end

-- Returns a block of code. run: "lines" (entries without prompts) or "program"; "entries" (as at the prompt), which a section of the
-- reference need not say; "" in such a section: it cannot run here.
local function code(text, run, class)
  return ("<pre%s%s>%s</pre>"):format(web and run and (' data-run="%s"'):format(run) or "", class and (' class="%s"'):format(class) or "", html(text))
end

-- --- the reference -----------------------------------------------------------------------------------------------

local headings = {{"class", "Classes"}, {"function", "Functions"}, {"method", "Methods"}, {"attribute", "Attributes"}, {"constant", "Constants"}}

local function runs_here(entry)
  local path = entry.path
  local is_of_ranks = path:find "[dD]istributed" or path:find "^torch%.multiprocessing%f[%W]" or path:find "^torch%.futures%f[%W]"
  return not (path:find "^torch%.cuda%f[%W]" or is_of_ranks or entry.needs_gpu)
end

local function section(entry)
  local out = {('<section id="%s"><h3><a href="#%s">%s</a></h3>'):format(entry.path, entry.path, html(entry.name))}
  for _, s in ipairs(entry.signatures) do
    out[#out + 1] = (s.list and "<code>" .. html(s.text) .. "</code>" or "") .. "<p>" .. html(s.doc) .. "</p>" ..
      (s.details and "<p>" .. html(s.details) .. "</p>" or "")
  end
  if entry.example then out[#out + 1] = code(entry.example, not runs_here(entry) and "" or nil) end
  out[#out + 1] = "</section>"
  return table.concat(out, "\n")
end

local function body_of(list)
  local out = {}
  for _, heading in ipairs(headings) do
    local title = heading[2]
    for _, entry in ipairs(list) do
      if entry.kind == heading[1] then
        if title then out[#out + 1] = "<h2>" .. title .. "</h2>" end
        title = nil
        out[#out + 1] = section(entry)
      end
    end
  end
  return table.concat(out, "\n")
end

local rows, index = {}, {}
for _, space in ipairs(spaces) do
  local runs = false
  for _, entry in ipairs(entries[space]) do runs = runs or entry.example and runs_here(entry) end
  write(space .. ".html", page(space, space, body_of(entries[space]), runs))
  rows[#rows + 1] = ('<tr><td><a href="%s.html">%s</a></td><td>%d %s</td></tr>'):format(space, space, #entries[space],
    #entries[space] == 1 and "name" or "names")
  for _, entry in ipairs(entries[space]) do
    index[#index + 1] = ("[%s,%s,%s]"):format(json(entry.path), json(space), json(entry.signatures[1] and entry.signatures[1].doc or ""))
  end
end
for _, header in ipairs(in_c or {}) do write(header.name .. ".html", page(header.title, header.name, header.body)) end
for _, entry in ipairs(names_in_c or {}) do index[#index + 1] = ("[%s,%s,%s]"):format(json(entry[1]), json(entry[2]), json(entry[3])) end
local guides = {}
for i, name in ipairs(pages) do guides[i] = ('<li><a href="%s.html">%s</a></li>'):format(name, html(title_of(name))) end
write("index.html", page("Tocha", nil, "<p>PyTorch's tensors, modules and training loops in Lua.</p>\n" ..
  (web and '<a class="begin" href="play.html">Try it in this browser</a>\n' or "") .. "<ul>\n" .. table.concat(guides, "\n") ..
  "\n</ul>\n<h2>Reference</h2>\n<p>Every public name: names, arguments and results are PyTorch's. The same texts answer " ..
  "<code>?NAME</code> at the prompt and <code>tocha --help NAME</code> in a shell.</p>\n<table>\n" .. table.concat(rows, "\n") .. "\n</table>"))
-- The search shows short names first.
table.sort(index, function(a, b)
  local path, other = a:match '"(.-)"', b:match '"(.-)"'
  return #path < #other or #path == #other and path < other
end)
write("names.js", "const names = [\n" .. table.concat(index, ",\n") .. "\n];\n")

-- --- the pages of docs/ ------------------------------------------------------------------------------------------

-- Links to other pages of the site; those to files of the repository lead nowhere here.
local function url_of(link)
  local name, rest = link:match "^([%w_-]+)%.md(.*)$"
  if name then return is_page[name] and name .. ".html" .. rest or nil end
  return (link:find "^https?://" or link:find "^#") and link or nil
end

-- Returns true if every part of a block that the prompt would take for an entry is Lua.
local function is_lua(text) return load(text) ~= nil or load("return " .. text) ~= nil or load(text:gsub("\n([%w_.:]+[^\n=]*)$", "\nreturn %1")) ~= nil end

local function block(text, language)
  if language == "lua" then return code(text, "program") end
  if language == "text" then return code(text, nil, "printed") end
  if language then return code(text) end
  if text:find "^> " then return code(text, "entries") end
  return code(text, is_lua(text) and "lines")
end

for _, name in ipairs(pages) do
  local title, body = markdown.page(read("docs/" .. name .. ".md"), {url_of = url_of, code = block})
  local given = before["docs/" .. name .. ".md"]
  if given and web then body = ('<div hidden data-before="%s"></div>\n'):format(html(given)) .. body end
  write(name .. ".html", page(title, name, body, body:find "<pre data%-run" ~= nil))
end

for _, name in ipairs {"style.css", "search.js"} do write(name, read("docs/site/" .. name)) end
if web then require "playground"(folder, web) end
