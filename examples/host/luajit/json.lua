-- json.lua: reads JSON.
local escapes = {b = "\b", f = "\f", n = "\n", r = "\r", t = "\t"}
local words = {["true"] = true, ["false"] = false, null = false}
local read

local function read_string(text, at)
  local first = at + 1
  repeat
    at = assert(text:find('["\\]', at + 1), "a string does not end")
    if text:sub(at, at) == "\\" then at = at + 1 else break end
  until false
  return text:sub(first, at - 1):gsub("\\(.)", function(c) return escapes[c] or c end), at + 1
end

-- Reads the items of a list or an object up to the closing bracket.
local function read_items(text, at, close, read_item)
  local items = {}
  at = text:find("%S", at + 1)
  while text:sub(at, at) ~= close do
    at = text:find("%S", read_item(items, at))
    if text:sub(at, at) == "," then at = text:find("%S", at + 1) end
  end
  return items, at + 1
end

-- Returns the value that begins at a position, and the position behind it.
function read(text, at)
  local c = text:sub(at, at)
  if c == '"' then return read_string(text, at) end
  if c == "[" then
    return read_items(text, at, "]", function(items, start)
      local item, stop = read(text, start)
      items[#items + 1] = item
      return stop
    end)
  end
  if c == "{" then
    return read_items(text, at, "}", function(items, start)
      local key, stop = read_string(text, start)
      items[key], stop = read(text, text:find("[^%s:]", stop))
      return stop
    end)
  end
  local word = text:match("^[%w+.-]+", at)
  local value = words[word]
  if value == nil then value = assert(tonumber(word), word) end
  return value, at + #word
end

return function(text) return (read(text, text:find "%S")) end
