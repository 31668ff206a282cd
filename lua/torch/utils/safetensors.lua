-- utils/safetensors.lua: .safetensors files, as Python's package safetensors.torch reads and writes them (docs/files.md).
local torch = ...
local support = torch._part "support"
local types = torch._part "serialization.types"
local fail, define, io_ = support.fail, torch._define, torch._io

local safetensors = {}

local read_load_file = define "load_file(filename, device='cpu')"
local read_open = define "safe_open(filename, framework='pt', device='cpu')"

local function check_tensors(tensors)
  if type(tensors) == "table" or type(tensors) == "userdata" then return tensors end
  return fail("ValueError", "Expected a dict of [str, torch.Tensor] but received %s", support.python_class(tensors))
end

-- Returns the metadata, a table of texts; {metadata = ...} is the keyword.
local function check_metadata(metadata)
  if type(metadata) == "table" and type(metadata.metadata) == "table" then return metadata.metadata end
  if metadata == nil or type(metadata) == "table" then return metadata end
  return fail("TypeError", "argument 'metadata': '%s' object is not a dict", torch._python_type(metadata))
end

--- save_file({name = tensor, ...}, path, metadata) writes a file. Tensors that share memory are an error, as in Python.
function safetensors.save_file(tensors, filename, metadata)
  if type(filename) ~= "string" then fail("TypeError", "save_file needs a path, not %s", torch._python_type(filename)) end
  io_.checkpoint_save(types, check_tensors(tensors), filename, "safetensors", check_metadata(metadata))
end

--- save(tensors, metadata) returns the bytes of such a file. load(bytes) returns its tensors.
function safetensors.save(tensors, metadata)
  return io_.checkpoint_save(types, check_tensors(tensors), nil, "safetensors", check_metadata(metadata))
end

-- --- reading, tensor by tensor ---------------------------------------------------------------------------

local File = support.class("safe_open", nil, "safetensors")

-- Returns the number of a tensor, its type and its sizes.
local function find(self, name)
  local number, type_, shape = io_.safe_find(self.handle, name)
  if not number then fail("KeyError", "File does not contain tensor %s", name) end
  return number, type_, shape
end

function File:keys() return (io_.safe_names(self.handle)) end
function File:offset_keys() return (io_.safe_names(self.handle)) end
function File:metadata() return (select(2, io_.safe_names(self.handle))) end
function File:get_tensor(name) return io_.safe_read(self.handle, find(self, name), 0, -1):to(self.device) end

local Slice = support.class("PySafeSlice", nil, "safetensors")
function File:get_slice(name)
  local slice = Slice()
  slice.file, slice.number, slice.dtype, slice.shape = self, find(self, name)
  return slice
end
function Slice:get_shape() return self.shape end
function Slice:get_dtype() return self.dtype end
--- Reads only rows first .. stop - 1.
function Slice:rows(first, stop) return io_.safe_read(self.file.handle, self.number, first, stop):to(self.file.device) end

function File:close()
  if self.stream then self.stream:close() end
  self.stream = nil
end

local function opened(source, stream, device)
  local file = File()
  file.handle, file.stream, file.device = io_.safe_open(source), stream, torch.device(device)
  return file
end

--- safe_open(path) opens a file whose tensors are read on request: f:keys(), f:get_tensor(name), f:get_slice(name), f:metadata().
-- f:close() closes it, and so does the collector.
function safetensors.safe_open(...)
  local a = read_open(...)
  if a.framework ~= "pt" and a.framework ~= "torch" and a.framework ~= "pytorch" then
    fail("ValueError", "framework %s is invalid: tensors are torch's here ('pt')", support.python(a.framework))
  end
  local stream, message = io.open(a.filename, "rb")
  if not stream then fail("FileNotFoundError", "No such file or directory: %s", (message or a.filename)) end
  return opened(stream, stream, a.device)
end

local function all_of(file)
  local keys, values = file:keys(), {}
  for _, name in ipairs(keys) do
    local ok, tensor = pcall(file.get_tensor, file, name)
    if not ok and tensor.code ~= "NotImplementedError" then file:close() error(tensor, 0) end
    if not ok then
      local _, kind, shape = find(file, name)
      tensor = types.missing(kind .. " " .. tostring(shape):match "%[.*%]")
    end
    values[name] = tensor
  end
  file:close()
  return types.make("dict", values, keys)
end

--- load_file(path, device) returns a dict of all tensors, in the order of the file.
function safetensors.load_file(...)
  local a = read_load_file(...)
  return all_of(safetensors.safe_open(a.filename, "pt", a.device))
end

function safetensors.load(bytes)
  if type(bytes) ~= "string" then fail("TypeError", "a string of bytes is expected, not %s", torch._python_type(bytes)) end
  return all_of(opened({bytes}, nil, "cpu"))
end

return torch._namespace(safetensors, "torch.utils.safetensors")
