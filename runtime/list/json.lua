-- json.lua: writes Lua values as JSON, and reads the JSON of our own files. The keys of an object are in alphabetical order, so
-- that the same value is the same text.
local json = {}

local escapes = {['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t", ["\r"] = "\\r"}

local function quote(text)
  return '"' .. text:gsub('[%c"\\]', function(c) return escapes[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

--- Returns the JSON of a number, bool, text, list or table of texts; an empty table is a list. Entries of the outermost two levels
-- begin lines.
function json.encode(value, depth)
  depth = depth or 0
  if type(value) == "string" then return quote(value) end
  if type(value) ~= "table" then return tostring(value) end
  local parts, keys = {}, {}
  for key in pairs(value) do if type(key) == "string" then keys[#keys + 1] = key end end
  table.sort(keys)
  for _, key in ipairs(keys) do parts[#parts + 1] = quote(key) .. ": " .. json.encode(value[key], depth + 1) end
  for _, item in ipairs(value) do parts[#parts + 1] = json.encode(item, depth + 1) end
  local open, close = "[", "]"
  if #keys > 0 then open, close = "{", "}" end
  if depth > 1 or #parts == 0 then return open .. table.concat(parts, ", ") .. close end
  return open .. "\n" .. table.concat(parts, ",\n") .. "\n" .. close
end

-- Returns the text of JSON as a Lua expression.
local function as_lua(text)
  local out, at = {}, 1
  while true do
    local before, first = text:match('^([^"]*)()"', at)
    local plain = (before or text:sub(at)):gsub("%[", "{"):gsub("%]", "}"):gsub("null", "nil")
    out[#out + 1] = plain:gsub("^%s*:", "=")
    if not before then return table.concat(out) end
    local last = first
    repeat last = text:find('"', last + 1, true) until #text:sub(first + 1, last - 1):match "\\*$" % 2 == 0
    local quoted = text:sub(first, last)
    at = last + 1
    out[#out + 1] = text:find("^%s*:", at) and "[" .. quoted .. "]" or quoted
  end
end

--- Returns the value of a JSON text. `path` is named in errors. Text may have no escapes that are not Lua's.
function json.decode(text, path) return assert(load("return " .. as_lua(text), path, "t", {}))() end

return json
