-- json.lua: reads and writes JSON.
local json = {}

local max_depth = 200

-- --- reading -----------------------------------------------------------------------------------------------------

local escapes = {b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/"}
local words = {["true"] = true, ["false"] = false}

local value -- reads a value of any kind

local function fail(at, what) error(("%s at byte %d"):format(what, at), 0) end

local function skip(text, at) return text:find("[^ \t\r\n]", at) or #text + 1 end

-- Returns a character by its UTF-16 code, and the position after it. `text` at `at` may contain its second half; half a pair
-- alone is invalid.
local function character(text, at)
  local code = tonumber(text:match("^%x%x%x%x", at) or fail(at, "four hexadecimal digits are missing"), 16)
  at = at + 4
  if code >= 0xD800 and code < 0xDC00 then
    local low = text:match("^\\u([dD][c-fC-F]%x%x)", at)
    if low then return utf8.char(0x10000 + ((code & 0x3FF) << 10) + (tonumber(low, 16) & 0x3FF)), at + 6 end
  end
  return code >= 0xD800 and code < 0xE000 and "\u{FFFD}" or utf8.char(code), at
end

-- Returns the string whose quote is at `at`, and the position after it.
local function read_string(text, at)
  local first = at + 1
  at = text:find('[%c"\\]', first)
  if at and text:byte(at) == 34 then return text:sub(first, at - 1), at + 1 end
  local parts = {}
  while at and text:byte(at) ~= 34 do
    parts[#parts + 1] = text:sub(first, at - 1)
    local letter = text:sub(at + 1, at + 1)
    if text:byte(at) == 127 then
      parts[#parts + 1], first = "\127", at + 1
    elseif text:byte(at) ~= 92 or not escapes[letter] and letter ~= "u" then
      fail(at, "a character that is not allowed")
    elseif letter == "u" then
      parts[#parts + 1], first = character(text, at + 2)
    else
      parts[#parts + 1], first = escapes[letter], at + 2
    end
    at = text:find('[%c"\\]', first)
  end
  if not at then fail(#text, "a string has no end") end
  parts[#parts + 1] = text:sub(first, at - 1)
  return table.concat(parts), at + 1
end

-- Returns the name of a member of an object, and the position of its value.
local function read_name(text, at)
  if text:byte(at) ~= 34 then fail(at, "a name is missing") end
  local name, behind = read_string(text, at)
  at = skip(text, behind)
  if text:byte(at) ~= 58 then fail(at, "a colon is missing") end
  return name, skip(text, at + 1)
end

-- Returns the array or object whose bracket is at `at`, and the position after it.
local function read_table(text, at, depth)
  local object, out, key = text:byte(at) == 123, {}, 0
  local close = object and 125 or 93
  at = skip(text, at + 1)
  if text:byte(at) == close then return out, at + 1 end
  while true do
    if object then key, at = read_name(text, at) else key = key + 1 end
    out[key], at = value(text, at, depth + 1)
    at = skip(text, at)
    local byte = text:byte(at)
    if byte == close then return out, at + 1 end
    if byte ~= 44 then fail(at, ("a comma or %c is missing"):format(close)) end
    at = skip(text, at + 1)
  end
end

function value(text, at, depth)
  local byte = text:byte(at)
  if depth > max_depth then fail(at, "too deep") end
  if byte == 34 then return read_string(text, at) end
  if byte == 123 or byte == 91 then return read_table(text, at, depth) end
  local word = text:match("^[%a]+", at)
  if word == "null" then return nil, at + 4 end
  if words[word] ~= nil then return words[word], at + #word end
  word = text:match("^%-?%d+%.?%d*[eE]?[+-]?%d*", at)
  local number = word and not word:find "^%-?0%d" and not word:find "%.$" and not word:find "%.[eE]" and tonumber(word)
  if not number then fail(at, "no value") end
  return number, at + #word
end

--- Returns the value of a text: objects and arrays as tables (counted from 1), null as nil. Returns nil and a message if the text
-- is not JSON.
function json.read(text)
  local ok, result, at = pcall(value, text, skip(text, 1), 0)
  if not ok then return nil, result end
  local rest = skip(text, at)
  if rest <= #text then return nil, ("more behind the value at byte %d"):format(rest) end
  return result
end

-- --- writing -----------------------------------------------------------------------------------------------------

local array = {__name = "json.array"}

--- Marks a table as an array, because an empty one would be an object.
function json.array(t) return setmetatable(t, array) end

local short = {["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ['"'] = '\\"', ["\\"] = "\\\\"}

--- Returns a text with bytes that are not UTF-8 replaced by U+FFFD.
function json.valid(text)
  if utf8.len(text) then return text end
  local parts, at = {}, 1
  while at <= #text do
    local _, bad = utf8.len(text, at)
    parts[#parts + 1] = text:sub(at, (bad or #text + 1) - 1)
    if bad then parts[#parts + 1] = "\u{FFFD}" end
    at = (bad or #text) + 1
  end
  return table.concat(parts)
end

local function write_string(text)
  return '"' .. json.valid(text):gsub('[%c"\\]', function(c) return short[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

local function write_number(x)
  if math.type(x) == "integer" then return ("%d"):format(x) end
  if x ~= x or x == math.huge or x == -math.huge then return "null" end
  return (("%.17g"):format(x):gsub(",", "."))
end

local function write_table(t)
  local parts = {}
  if getmetatable(t) == array or #t > 0 then
    for i = 1, #t do parts[i] = json.write(t[i]) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  local keys = {}
  for key in next, t do keys[#keys + 1] = tostring(key) end
  table.sort(keys)
  for i, key in ipairs(keys) do parts[i] = write_string(key) .. ":" .. json.write(t[key]) end
  return "{" .. table.concat(parts, ",") .. "}"
end

--- The value that is written as null, because nil cannot be an item of a table.
json.null = setmetatable({}, {__name = "json.null"})

--- Returns the text of strings, numbers, booleans, nil, and tables of them. A list is an array, any other table an object with
-- its names in order.
function json.write(x)
  local kind = type(x)
  if kind == "string" then return write_string(x) end
  if kind == "number" then return write_number(x) end
  if kind == "boolean" then return tostring(x) end
  if kind == "table" and x ~= json.null then return write_table(x) end
  return "null"
end

return json
