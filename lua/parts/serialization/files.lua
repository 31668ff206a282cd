-- serialization/files.lua: torch.save, torch.load, and the same with bytes (docs/files.md).
local torch = ...
local support = torch._part "support"
local types = torch._part "serialization.types"
local trust = torch._part "serialization.trust"
local fail, define, io_ = support.fail, torch._define, torch._io

local files = {}

local read_save = define "torch.save(table obj, f, pickle_module?, pickle_protocol?, _use_new_zipfile_serialization=true)"
local read_load = define "torch.load(f, map_location?, pickle_module?, *, bool weights_only=true, mmap?)"

-- Returns a file argument, which must be a path or an open file. Fails if it is something else; `other` is the argument beside it.
local function check_target(f, what, other)
  if type(f) == "string" or io.type(f) then return f end
  local hint = f == nil and "io.open is nil if it cannot open the file, and its second result says why; or give the path itself"
    or type(other) == "string" and "the value comes first: torch.save(value, path)" or nil
  return torch._raise("AttributeError", ("expected 'f' to be a path or an open file to %s, not %s"):format(what, torch._python_type(f)), hint)
end

local function format_of(a) return a._use_new_zipfile_serialization == false and "legacy" or "zip" end

--- torch.save(obj, path or file): writes the file as PyTorch does. A file of that name is replaced at once: a reader sees the old
-- or the new one, whole.
function files.save(...)
  local a = read_save(...)
  if a.pickle_module then fail("TypeError", "there is no pickle module in Lua") end
  if a.pickle_protocol ~= nil and a.pickle_protocol ~= 2 then
    torch._raise("NotImplementedError", ("pickle_protocol=%s is not written"):format(support.python(a.pickle_protocol)),
      "files are written with protocol 2, which every version of Python reads; protocols 2 to 5 are read")
  end
  io_.checkpoint_save(types, a.obj, check_target(a.f, "write", a.obj), format_of(a))
end

-- Returns map_location as C takes it: nil, a device, or a function from a storage and its location to a storage or nil.
local function read_location(map)
  if type(map) ~= "table" then
    if map == nil or type(map) == "function" then return map end
    return torch.device(map)
  end
  return function(storage, location)
    local to = map[location]
    return to and storage:to(torch.device(to))
  end
end

-- Returns the classes that a file may name: true for any, or a list of names.
local function allowed(weights_only) return not weights_only or trust.names() end

--- torch.load(path or file, {map_location}) reads a file and executes nothing, even with weights_only = false. In that case an
-- object of an unknown class becomes a table of its parts in the file.
function files.load(...)
  local a = read_load(...)
  local f = check_target(a.f, "read")
  if a.pickle_module then fail("TypeError", "there is no pickle module in Lua") end
  return io_.checkpoint_load(types, f, a.mmap or false, read_location(a.map_location),
    allowed(a.weights_only))
end

--- Returns the bytes that torch.save would write. load_bytes returns what torch.load would read from bytes. Both replace
-- io.BytesIO.
function files.save_bytes(obj, legacy) return io_.checkpoint_save(types, obj, nil, legacy and "legacy" or "zip") end
local read_bytes = define "load_bytes(bytes, map_location?, *, bool weights_only=true)"
function files.load_bytes(...)
  local a = read_bytes(...)
  if type(a.bytes) ~= "string" then fail("TypeError", "load_bytes takes a string, not %s", torch._python_type(a.bytes)) end
  return io_.checkpoint_load(types, {a.bytes}, false, read_location(a.map_location), allowed(a.weights_only))
end

return files
