-- render.lua: a value in the forms that a notebook can show: always text; matrices as tables of HTML, images as PNG or SVG, and
-- the forms that an object returns by _repr_html_, _repr_svg_, _repr_png_, _repr_markdown_, _repr_latex_ or _repr_mimebundle_,
-- as in IPython.
local torch = ...
local show = torch._part "prompt.show"
local render = {}

local entities = {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;"}
local function escape(text) return (text:gsub('[&<>"]', entities)) end

-- --- matrices ----------------------------------------------------------------------------------------------------

-- Returns the rows of a printed matrix, "[[1, 2],\n [3, 4]]": lists of texts, with "..." for omitted ones.
local function rows_of(text)
  local rows, at = {}, 2
  while at < #text do
    at = text:find("[^%s,]", at)
    local row = text:match("^%b[]", at)
    if row then
      local cells = {}
      for cell in row:sub(2, -2):gmatch "[^,%s]+" do cells[#cells + 1] = cell end
      rows[#rows + 1] = cells
      at = at + #row
    elseif text:find("^%.%.%.", at) then
      rows[#rows + 1] = "..."
      at = at + 3
    else
      break
    end
  end
  return rows
end

-- Returns the number, from 0, of the i-th of `shown` rows or columns out of `count`. The dots are between the first and the last
-- ones.
local function number(i, shown, count, dots)
  if i == dots then return "" end
  return tostring(dots and i > dots and count - shown + i - 1 or i - 1)
end

local function place_of(list, what)
  for i, item in ipairs(list) do
    if item == what then return i end
  end
end

local function matrix_html(tensor, text)
  local rows = rows_of(text:match "%b[]")
  local first = type(rows[1]) == "table" and rows[1] or {}
  local row_dots, column_dots = place_of(rows, "..."), place_of(first, "...")
  local height, width = tensor.shape[0], tensor.shape[1]
  local out = {'<table style="text-align: right; font-variant-numeric: tabular-nums"><thead><tr><th></th>'}
  for i = 1, #first do out[#out + 1] = ("<th>%s</th>"):format(number(i, #first, width, column_dots)) end
  out[#out + 1] = "</tr></thead><tbody>\n"
  for i, row in ipairs(rows) do
    out[#out + 1] = ("<tr><th>%s</th>"):format(number(i, #rows, height, row_dots))
    for k = 1, #first do
      local cell = row == "..." and (k == column_dots and "⋱" or "⋮") or row[k] == "..." and "⋯" or row[k] or ""
      out[#out + 1] = "<td>" .. escape(cell) .. "</td>"
    end
    out[#out + 1] = "</tr>\n"
  end
  out[#out + 1] = ("</tbody></table>\n<small>%d × %d, %s, %s</small>"):format(height, width, escape(tostring(tensor.dtype)), escape(tostring(tensor.device)))
  return table.concat(out)
end

-- --- descriptions by the objects themselves ----------------------------------------------------------------------

local kinds = {_repr_html_ = "text/html", _repr_svg_ = "image/svg+xml", _repr_png_ = "image/png", _repr_markdown_ = "text/markdown",
  _repr_latex_ = "text/latex"}

local function method(value, name)
  local found, f = pcall(function() return value[name] end)
  return found and type(f) == "function" and f or nil
end

local function add_own(data, value)
  if type(value) ~= "table" and type(value) ~= "userdata" or not debug.getmetatable(value) then return end
  for name, kind in pairs(kinds) do
    local f = method(value, name)
    data[kind] = f and f(value) or data[kind]
  end
  local bundle = method(value, "_repr_mimebundle_")
  for kind, content in pairs(bundle and bundle(value) or {}) do data[kind] = content end
end

--- Returns the forms of a value by their MIME types. Those of images are in base64, except SVG.
function render.bundle(value)
  local data = {["text/plain"] = show.text(value)}
  if torch.is_tensor(value) then
    local known, dimensions = pcall(value.dim, value) -- a parameter without a shape yet has no dimensions
    if known and dimensions == 2 and value:numel() > 0 and value.device.type ~= "meta" then data["text/html"] = matrix_html(value, data["text/plain"]) end
    return data
  end
  add_own(data, value)
  for kind, content in pairs(data) do
    if type(content) ~= "string" then data[kind] = nil
    elseif kind:find "^image/" and kind ~= "image/svg+xml" then data[kind] = torch._part "tools.base64"(content) end
  end
  return data
end

--- Returns the forms of a list of values (with `n`).
function render.values(values)
  if values.n == 1 then return render.bundle(values[1]) end
  return {["text/plain"] = show.joined(values)}
end

return render
