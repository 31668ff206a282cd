-- reference.lua: writes the reference: a page of Markdown for each namespace, with an anchor for each name.
--
--   build/tocha docs/make/reference.lua docs/reference
package.path = arg[0]:match "^(.*/)" .. "?.lua;" .. package.path
local names = require "names"
local folder = arg[1] or error("usage: tocha docs/make/reference.lua FOLDER", 0)
os.execute(("mkdir -p '%s'"):format((folder:gsub("'", "'\\''"))))

local function write(name, lines)
  local file = assert(io.open(folder .. "/" .. name, "w"))
  assert(file:write(table.concat(lines, "\n"), "\n"))
  assert(file:close())
end

local function escaped(text) return (text:gsub("[*_<>|]", "\\%0")) end

local headings = {{"class", "Classes"}, {"function", "Functions"}, {"method", "Methods"}, {"attribute", "Attributes"}, {"constant", "Constants"}}

local spaces, entries = names.by_space()
local index = {"# Reference\n", "Every public name, from the same texts as `?NAME` at the prompt and `tocha --help NAME`.\n",
  "| namespace | names |", "|---|---|"}
for _, space in ipairs(spaces) do
  index[#index + 1] = ("| [%s](%s.md) | %d |"):format(space, space, #entries[space])
  local page = {("# %s\n"):format(space), "[All namespaces](index.md)\n"}
  for _, heading in ipairs(headings) do
    local title = heading[2]
    for _, entry in ipairs(entries[space]) do
      if entry.kind == heading[1] then
        if title then page[#page + 1] = ("## %s\n"):format(title) end
        title = nil
        page[#page + 1] = ('<a id="%s"></a>\n### %s\n'):format(entry.path, escaped(entry.name))
        local example = entry.example and "    " .. entry.example:gsub("\n", "\n    "):gsub("\n +%f[\n]", "\n") .. "\n"
        for _, s in ipairs(entry.signatures) do
          page[#page + 1] = ("    %s\n\n%s\n"):format(s.text, escaped(s.doc .. (s.details and "\n\n" .. s.details or "")))
        end
        page[#page + 1] = example
      end
    end
  end
  write(space .. ".md", page)
end
write("index.md", index)
