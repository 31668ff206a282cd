-- show.lua: values as the prompt shows them: quoted strings, numbers with all digits, readable tables.
local torch = ...
local show = {}

local max_items, max_depth, line_width = 60, 6, 78

-- Returns the fewest digits that read back as the same number.
local function float(x)
  if x ~= x then return "nan" end
  if x == math.huge or x == -math.huge then return x > 0 and "inf" or "-inf" end
  for digits = 15, 17 do
    local text = ("%." .. digits .. "g"):format(x):gsub(",", ".") -- the decimal point of the user's locale may be a comma
    if tonumber(text) == x then return text:find "[%.eEn]" and text or text .. ".0" end
  end
end

local escapes = {["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ["\\"] = "\\\\", ['"'] = '\\"', ["\0"] = "\\0"}

local function quoted(text)
  text = text:gsub('[\n\r\t\\"\0]', escapes)
  if not utf8.len(text) then text = text:gsub("[\x80-\xff]", function(c) return ("\\x%02x"):format(c:byte()) end) end
  return '"' .. text:gsub("[\x01-\x1f\x7f]", function(c) return ("\\x%02x"):format(c:byte()) end) .. '"'
end

local function is_name(key)
  return type(key) == "string" and key:find "^[%a_][%w_]*$" ~= nil and not torch._part "prompt.lexer".keywords[key]
end

-- Returns the keys of a table outside its list: names first, in order.
local function other_keys(t, length)
  local keys = {}
  for key in next, t do
    if not (math.type(key) == "integer" and key >= 1 and key <= length) then keys[#keys + 1] = key end
  end
  local rank = {number = 1, string = 2, boolean = 3}
  table.sort(keys, function(a, b)
    local ra, rb = rank[type(a)] or 4, rank[type(b)] or 4
    if ra ~= rb then return ra < rb end
    if ra <= 2 then return a < b end
    return tostring(a) < tostring(b)
  end)
  return keys
end

local describe

local function items_of(t, depth, around)
  local items, length = {}, rawlen(t)
  for i = 1, math.min(length, max_items) do items[i] = describe(rawget(t, i), depth + 1, around) end
  if length > max_items then items[#items + 1] = ("... (%d more)"):format(length - max_items) end
  local keys = other_keys(t, length)
  for i, key in ipairs(keys) do
    if i > max_items then
      items[#items + 1] = ("... (%d more)"):format(#keys - max_items)
      break
    end
    local name = is_name(key) and key or "[" .. describe(key, depth + 1, around) .. "]"
    items[#items + 1] = name .. " = " .. describe(t[key], depth + 1, around)
  end
  return items
end

local function columns(text) return utf8.len(text) or #text end

-- Returns true if all items of a list are numbers or booleans.
local function is_plain(t)
  for _, value in ipairs(t) do
    if type(value) ~= "number" and type(value) ~= "boolean" then return false end
  end
  return true
end

-- Returns items side by side, as many in a line as fit into the width.
local function filled(items, width)
  local lines, line = {}, ""
  for i, item in ipairs(items) do
    local piece = item .. (i < #items and "," or "")
    if line ~= "" and columns(line) + 1 + columns(piece) > width then
      lines[#lines + 1], line = line, ""
    end
    line = line .. (line == "" and "" or " ") .. piece
  end
  lines[#lines + 1] = line
  return lines
end

local function table_text(t, depth, around)
  if around[t] then return "<cycle>" end
  if depth >= max_depth then return next(t) == nil and "{}" or "{...}" end
  around[t] = true
  local items = items_of(t, depth, around)
  around[t] = nil
  local line = "{" .. table.concat(items, ", ") .. "}"
  if not line:find "\n" and columns(line) + 2 * depth <= line_width then return line end
  if rawlen(t) == #items and is_plain(t) then return "{\n  " .. table.concat(filled(items, line_width - 2 * depth - 2), "\n  ") .. "\n}" end
  for i, item in ipairs(items) do items[i] = item:gsub("\n", "\n  ") end
  return "{\n  " .. table.concat(items, ",\n  ") .. "\n}"
end

function describe(value, depth, around)
  local kind = type(value)
  if math.type(value) == "float" then return float(value) end
  if kind == "string" then return quoted(value) end
  if kind ~= "table" then return tostring(value) end
  local metatable = debug.getmetatable(value)
  if type(metatable) == "table" and (rawget(metatable, "__tostring") or rawget(metatable, "__name")) then return tostring(value) end
  return table_text(value, depth, around)
end

--- Returns the text of a value without limits: all elements of tensors, all items of tables.
function show.whole(value)
  local items, depth = max_items, max_depth
  max_items, max_depth = math.huge, 60
  local threshold = torch._print_threshold(math.maxinteger)
  local done, text = pcall(describe, value, 0, {})
  torch._print_threshold(threshold)
  max_items, max_depth = items, depth
  if not done then error(text, 0) end
  return text
end

--- Returns a value's text.
function show.text(value) return describe(value, 0, {}) end

--- Returns the text of values (a table with `n`): side by side if each has one line, otherwise one below the other.
function show.joined(values)
  local texts, several = {}, false
  for i = 1, values.n do
    texts[i] = show.text(values[i])
    several = several or texts[i]:find "\n" ~= nil
  end
  return table.concat(texts, several and "\n" or "\t")
end

local max_lines = 200

-- Returns the beginning of a text that has very many lines.
local function shortened(text)
  local _, ends = text:gsub("\n", "\n")
  if ends < max_lines then return text end
  local at = 0
  for _ = 1, max_lines // 2 do at = text:find("\n", at + 1, true) end
  return ("%s\n... (%d more lines; :page shows all)"):format(text:sub(1, at - 1), ends + 1 - max_lines // 2)
end

--- Prints values, by the user's own `print` if there is one.
function show.values(values)
  local print = rawget(_G, "print")
  if values.n > 0 and print ~= torch._part "prompt.session".print and print then return print(table.unpack(values, 1, values.n)) end
  if values.n > 0 then io.stdout:write(shortened(show.joined(values)), "\n") end
end

local units = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}

--- Returns seconds with a fitting unit: "12.3 us".
function show.seconds(seconds)
  for _, unit in ipairs(units) do
    if seconds >= unit[1] or unit[2] == "ns" then return ("%.3g %s"):format(seconds / unit[1], unit[2]) end
  end
end

--- Returns bytes with a fitting unit: "3.1 MB".
function show.bytes(n)
  for _, unit in ipairs {{1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}} do
    if n >= unit[1] then return ("%.1f %s"):format(n / unit[1], unit[2]) end
  end
  return ("%d B"):format(n)
end

--- Returns rows of texts in columns. The first row is a heading.
function show.rows(rows)
  local widths, lines = {}, {}
  for _, row in ipairs(rows) do
    for i, text in ipairs(row) do widths[i] = math.max(widths[i] or 0, columns(text)) end
  end
  for n, row in ipairs(rows) do
    local parts = {}
    for i, text in ipairs(row) do parts[i] = text .. (" "):rep(widths[i] - columns(text)) end
    lines[n] = table.concat(parts, "  "):gsub("%s+$", "")
  end
  return table.concat(lines, "\n")
end

return show
