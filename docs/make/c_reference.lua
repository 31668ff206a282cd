-- c_reference.lua: the interface in C as pages of the site, from tocha_api.json: one for each header written by hand, one for the
-- operators, one for the modules.
package.path = "runtime/list/?.lua;" .. package.path
local json = require "json"
local files, markdown = require "files", require "markdown"
local html, read = markdown.escape, files.read
local c_reference = {}

-- Returns a declaration as C writes it: the name of a pointer touches its star, arrays and functions surround theirs.
local function declared(type, name)
  if type == "..." then return type end
  if type:find("(*)", 1, true) then return (type:gsub("%(%*%)", "(*" .. name .. ")", 1)) end
  local element, size = type:match "^(.-) ?(%[%d*%])$"
  if element then return declared(element, name) .. size end
  return type .. (type:find "%*$" and "" or " ") .. name
end

local function prototype(f)
  local list = {}
  for i, p in ipairs(f.parameters) do list[i] = declared(p.type, p.name or "") end
  return ("%s(%s);"):format(declared(f.result, f.name), #list > 0 and table.concat(list, ", ") or "void")
end

local function struct_text(s)
  local out = {("typedef struct %s {"):format(s.name)}
  for _, field in ipairs(s.fields) do
    if field.fields then
      local inner = {}
      for i, f in ipairs(field.fields) do inner[i] = declared(f.type, f.name) .. ";" end
      out[#out + 1] = ("  %s { %s } %s;"):format(field.type, table.concat(inner, " "), field.name or "")
    else
      out[#out + 1] = "  " .. declared(field.type, field.name) .. ";"
    end
  end
  out[#out + 1] = ("} %s;"):format(s.name)
  return table.concat(out, "\n")
end

local function enum_text(e)
  local out = {}
  for i, item in ipairs(e.values) do out[i] = ("  %s = %d"):format(item.name, item.value) end
  return ("enum%s {\n%s\n};"):format(e.name and " " .. e.name or "", table.concat(out, ",\n"))
end

-- Returns who owns what a function returns, as a sentence, or nil.
local function owner_of(f, owners)
  if not f.owner or f.owner == "nothing" then return nil end
  if f.owner == "caller" then return ("The result is the caller's, who ends that by %s."):format(f.free) end
  return f.owner == "scope" and "The result belongs to the innermost scope." or owners[f.owner] and "The result is borrowed." or nil
end

-- Collects what a header declares: {name, text, doc, owner}.
local function entries_of(api)
  local by_header = {}
  local function add(header, entry)
    by_header[header] = by_header[header] or {}
    table.insert(by_header[header], entry)
  end
  for _, e in ipairs(api.enums) do add(e.header, {name = e.name or e.values[1].name, text = enum_text(e), doc = e.doc}) end
  for _, s in ipairs(api.structs) do add(s.header, {name = s.name, text = struct_text(s), doc = s.doc}) end
  for _, f in ipairs(api.functions) do add(f.header, {name = f.name, text = prototype(f), doc = f.doc, owner = owner_of(f, api.owners)}) end
  return by_header
end

local function section(entry)
  return ('<section id="%s"><h3><a href="#%s">%s</a></h3>\n<pre>%s</pre>%s%s</section>'):format(entry.name, entry.name, html(entry.name),
    html(entry.text), entry.doc and "<p>" .. html(entry.doc) .. "</p>" or "", entry.owner and "<p>" .. html(entry.owner) .. "</p>" or "")
end

-- Returns the comment at the head of a header as paragraphs, without its name.
local function head_of(header)
  local comment = read("runtime/include/" .. header):match "^/%*%s*(.-)%s*%*/":gsub("\n %* ?", "\n"):gsub("^[%w_.]+: ", "")
  return "<p>" .. html(comment:gsub("^%l", string.upper)):gsub("\n\n", "</p>\n<p>") .. "</p>"
end

local function is_generated(header) return header:find "^tocha/ops" or header:find "^tocha/nn/" end

--- Returns the pages {name, title, body} and their names for the search {name, page, doc}, or nil if the build has no tocha_api.json.
function c_reference.pages(path)
  local file = io.open(path)
  if not file then return nil end
  local api = json.decode(file:read "a", path)
  file:close()
  local by_header, headers, pages, index = entries_of(api), {}, {}, {}
  for header in pairs(by_header) do headers[#headers + 1] = header end
  table.sort(headers)
  local together = {
    ["tocha/ops"] = {name = "c-operators", title = "Operators in C", body = {"<p>Every operator has two functions: with the positional arguments, " ..
      "and with all (_full). The end _ is in place. Omitted tensors are NULL; results belong to the scope.</p>"}},
    ["tocha/nn"] = {name = "c-modules", title = "Modules in C", body = {"<p>Constructors give the caller a module. " ..
      "An option struct is the way that lasts: fill it by its _defaults, change what differs, construct by _with.</p>"}},
  }
  for _, header in ipairs(headers) do
    local page = together[header:match "^(tocha/%l+)/"]
    if not page and not is_generated(header) and header ~= "tocha/private.h" then
      local name = header:match "([%w_]+)%.h$"
      local exists = io.open("runtime/include/" .. header)
      page = {name = "c-" .. name, title = "<" .. header .. ">", body = {exists and head_of(header) or ""}}
      if exists then exists:close() end
      pages[#pages + 1] = page
    end
    for _, entry in ipairs(page and by_header[header] or {}) do
      page.body[#page.body + 1] = section(entry)
      index[#index + 1] = {entry.name, page.name, is_generated(header) and "" or entry.doc or ""}
    end
  end
  pages[#pages + 1], pages[#pages + 2] = together["tocha/ops"], together["tocha/nn"]
  for _, page in ipairs(pages) do page.body = table.concat(page.body, "\n") end
  return pages, index
end

return c_reference
