-- serialization/plain_pickle.lua: writes tables, strings, numbers and booleans as Python's pickle.dump does, for files that Python
-- tools read. A table with a first element, or without any, is a list; a tuple() is a tuple; any other table is a dict.
local plain_pickle = {}

local Tuple = {}

--- Marks a list of two as a tuple, and returns it.
function plain_pickle.pair(first, second) return setmetatable({first, second}, Tuple) end

local write   -- writes any value

local function write_integer(out, value)
  if value >= -0x80000000 and value <= 0x7fffffff then
    out[#out + 1] = "J" .. ("<i4"):pack(value)
  else
    out[#out + 1] = "\x8a\8" .. ("<i8"):pack(value)
  end
end

local function write_list(out, list)
  out[#out + 1] = "]("
  for _, value in ipairs(list) do write(out, value) end
  out[#out + 1] = "e"
end

local function write_dict(out, dict)
  local keys = {}
  for key in pairs(dict) do keys[#keys + 1] = key end
  table.sort(keys)
  out[#out + 1] = "}("
  for _, key in ipairs(keys) do
    write(out, key)
    write(out, dict[key])
  end
  out[#out + 1] = "u"
end

local writers = {
  string = function(out, value) out[#out + 1] = "X" .. ("<s4"):pack(value) end,
  boolean = function(out, value) out[#out + 1] = value and "\x88" or "\x89" end,
  number = function(out, value)
    if math.type(value) == "integer" then return write_integer(out, value) end
    out[#out + 1] = "G" .. (">d"):pack(value)
  end,
  table = function(out, value)
    if getmetatable(value) == Tuple then
      write(out, value[1])
      write(out, value[2])
      out[#out + 1] = "\x86"
    elseif next(value) == nil or value[1] ~= nil then
      write_list(out, value)
    else
      write_dict(out, value)
    end
  end,
}

function write(out, value)
  local writer = writers[type(value)] or error("cannot pickle a " .. type(value))
  writer(out, value)
end

--- Returns the bytes of a pickle.
function plain_pickle.dumps(value)
  local out = {"\x80\2"}
  write(out, value)
  out[#out + 1] = "."
  return table.concat(out)
end

return plain_pickle
