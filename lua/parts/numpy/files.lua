-- numpy/files.lua: arrays in files: np.load, np.save, np.savez and similar functions. Loaded when one of them is first called.
local torch = ...
local np, support, define, io_ = torch.numpy, torch._part "support", torch._define, torch._io
local fail, python = support.fail, support.python

local files = {}

-- --- opening ------------------------------------------------------------------------------------------------

local ENOENT = 2
local function raise_os(path, message, code)
  local reason = message:gsub("^.*: ", "")
  fail(code == ENOENT and "FileNotFoundError" or "OSError", "[Errno %d] %s: '%s'", code, reason, path)
end

-- Returns an open file, and true if it must be closed here. A file to be written replaces the old one when it is kept.
local function open(file, mode)
  if io.type(file) == "file" then return file, false end
  if io.type(file) then fail("ValueError", "I/O operation on closed file.") end
  if type(file) ~= "string" then
    fail("TypeError", "expected str, bytes or os.PathLike object, not %s", torch._python_type(file))
  end
  if mode == "wb" then return io_.new_file(file), true end
  local handle, message, code = io.open(file, mode)
  if not handle then raise_os(file, message, code) end
  return handle, true
end

--- Calls f(handle) with the file open, and closes the file if it was opened here, even if f fails. If f succeeds, the written
-- file replaces an older one.
local function with(file, mode, f)
  local handle, ours = open(file, mode)
  local results = table.pack(pcall(f, handle))
  local closed, message, code = true, nil, nil
  if ours and mode == "wb" and results[1] then
    io_.keep_file(handle)
  elseif ours then
    closed, message, code = handle:close()
  elseif mode ~= "rb" then
    closed, message, code = handle:flush()
  end
  if not results[1] then
    local number, reason = tostring(type(results[2]) == "table" and results[2].message):match "^%[Errno (%d+)%] ([^:]+)$"
    if number and type(file) == "string" then raise_os(file, reason, math.tointeger(number)) end
    error(results[2], 0)
  end
  if not closed then raise_os(python(file), message, code) end
  return table.unpack(results, 2, results.n)
end
files.with, files.open = with, open

-- Returns the tensor to be written for arrays, tables, and tensors, which are treated as tensor:numpy().
local function to_write(value)
  if torch.is_tensor(value) then value = np.of_tensor(value) end
  return np.asarray(value).tensor
end

-- --- texts and objects ----------------------------------------------------------------------------------------

-- Returns "O" if the bytes are an .npy file of objects, "S" or "U" if it holds texts, nil if it holds numbers.
local function value_kind(bytes) return bytes:sub(1, 10000):match "'descr':%s*'[<>|=]?([OSU])%d*'" end

-- Returns the content of such a file or of a plain pickle. Nothing is executed: an object of an unknown class becomes a table.
local function read_values(bytes, allow_pickle)
  if not allow_pickle and value_kind(bytes) == "O" then
    torch._raise("ValueError", "Object arrays cannot be loaded when allow_pickle=False",
      "np.load(path, {allow_pickle = true}) reads them; nothing is executed")
  end
  return io_.unpickle(torch._part "serialization.types", bytes, true)
end

-- --- .npz -----------------------------------------------------------------------------------------------------

local NpzFile = {}
local npz_metatable = {__name = "NpzFile"}

local function archive(handle, ours, path, allow_pickle)
  local zip, members = io_.npz_open(handle)
  local names, places = {}, {}
  for i, member in ipairs(members) do
    names[i] = member:gsub("%.npy$", "")
    places[member], places[names[i]] = i, i
  end
  return setmetatable({zip = zip, files = names, places = places, fid = handle, ours = ours, path = path,
    allow_pickle = allow_pickle}, npz_metatable)
end

local function read_member(npz, name)
  local place = rawget(npz, "places")[name]
  if not place then fail("KeyError", "%s is not a file in the archive", python(name)) end
  local value = io_.npz_read(rawget(npz, "zip"), place)
  if torch.is_tensor(value) then return np._wrap(value) end
  return value:find "^\x93NUMPY" and read_values(value, rawget(npz, "allow_pickle")) or value
end

function NpzFile.close(npz)
  if npz.ours and io.type(npz.fid) == "file" then npz.fid:close() end
end
function NpzFile.keys(npz) return {table.unpack(npz.files)} end
function NpzFile.get(npz, name, default)
  if not rawget(npz, "places")[name] then return default end
  return read_member(npz, name)
end
function npz_metatable.__index(npz, name) return NpzFile[name] or read_member(npz, name) end
function npz_metatable.__len(npz) return #npz.files end
function npz_metatable.__pairs(npz)
  local i = 0
  return function()
    i = i + 1
    local name = npz.files[i]
    if name then return name, read_member(npz, name) end
  end
end
npz_metatable.__close = NpzFile.close
function npz_metatable.__tostring(npz)
  local shown = table.concat(npz.files, ", ", 1, math.min(5, #npz.files)) .. (#npz.files > 5 and "..." or "")
  return ("NpzFile %s with keys: %s"):format(npz.path and "'" .. npz.path .. "'" or "'object'", shown)
end
function npz_metatable.__concat(a, b) return tostring(a) .. tostring(b) end

-- --- np.load ----------------------------------------------------------------------------------------------------

-- Encodings of texts from Python 2. Such texts stay bytes with any of them.
local encodings = {ASCII = true, latin1 = true, bytes = true}
local mmap_shared = {r = false, c = false, ["r+"] = true}

-- Returns an array over the memory of a mapped file.
local function map(path, shared, dtype, sizes, fortran, offset)
  local count = 1
  for _, size in ipairs(sizes) do count = count * size end
  local tensor = io_.map_file(path, shared, count, dtype, offset)
  if not fortran then return np._wrap(tensor:view(sizes)) end
  local reversed, order = {}, {}
  for i = #sizes, 1, -1 do reversed[#reversed + 1], order[#order + 1] = sizes[i], i - 1 end
  return np._wrap(tensor:view(reversed):permute(order))
end

local function load_mapped(path, mode)
  if mmap_shared[mode] == nil then
    fail("ValueError", "mode must be one of ['r', 'c', 'r+', 'w+', 'readonly', 'copyonwrite', 'readwrite', 'write'] (got '%s')",
      python(mode))
  end
  if type(path) ~= "string" then
    fail("ValueError", "Filename must be a string or a path-like object.  Memmap cannot use existing file handles.")
  end
  local dtype, sizes, fortran, swapped, offset = with(path, "rb", io_.npy_head)
  if swapped or offset % dtype.itemsize ~= 0 then return nil end   -- the file is read instead
  return map(path, mmap_shared[mode], dtype, sizes, fortran, offset)
end

local function raise_pickled(path, magic)
  local hint = io_.file_kind(magic, path, "an .npy or .npz file")
  torch._raise("ValueError", "This file contains pickled (object) data. If you trust the file you can load it unsafely using the "
    .. "`allow_pickle=` keyword argument or `pickle.load()`.", hint)
end

-- Returns the value of a file whose first bytes are `magic`. Numbers, mapped or read, are an array.
local function load_one(a, magic)
  local head = magic:find "^\x93NUMPY[\1-\3]" and (magic:byte(7) == 1 and "<I2" or "<I4")
  if head and #magic > 12 and string.unpack(head, magic, 9) > a.max_header_size then
    fail("ValueError", "Header info length (%d) is large and may not be safe to load securely.", (string.unpack(head, magic, 9)))
  end
  if magic:find "^\x93NUMPY" and not value_kind(magic) then
    local mapped = a.mmap_mode and load_mapped(a.file, a.mmap_mode)
    return mapped or np._wrap(with(a.file, "rb", io_.npy_read))
  end
  if not magic:find "^\x93NUMPY" and not (a.allow_pickle and magic:find "^\x80[\2-\5]") then
    raise_pickled(type(a.file) == "string" and a.file or nil, magic)
  end
  if a.mmap_mode then fail("ValueError", "Array can't be memory-mapped: Python objects in dtype.") end
  return read_values(with(a.file, "rb", function(handle) return handle:read "a" end), a.allow_pickle)
end

local read_load = define("load(file, mmap_mode?, bool allow_pickle=false, bool fix_imports=true, string encoding='ASCII', *, "
  .. "int max_header_size=10000)")
local HEAD, MAX_HEADER = 512, 10000

--- np.load: returns the array of an .npy file, or the archive of an .npz file; with allow_pickle the value of a pickle. Nothing is executed.
function files.load(...)
  local a = read_load(...)
  if a.max_header_size > MAX_HEADER then fail("NotImplementedError", "max_header_size is at most %d here", MAX_HEADER) end
  if not encodings[a.encoding] then fail("ValueError", "encoding must be 'ASCII', 'latin1', or 'bytes'") end
  if not a.fix_imports then fail("NotImplementedError", "fix_imports=False is not supported: classes keep the names that the file gives them") end
  local handle, ours = open(a.file, "rb")
  local start = handle:seek()
  local magic, message, code = handle:read(HEAD)
  if start then handle:seek("set", start) end
  local path = ours and a.file or nil
  if magic and (magic:find "^PK\3\4" or magic:find "^PK\5\6") then
    local ok, result = pcall(archive, handle, ours, path, a.allow_pickle)
    if not ok and ours then handle:close() end
    return ok and result or error(result, 0)
  end
  if ours then handle:close() end
  if not magic and message then raise_os(python(path), message, code) end
  if not magic then torch._raise("EOFError", "No data left in file", path and ("'%s' is empty"):format(path)) end
  return load_one(a, magic)
end

-- --- np.save, np.savez --------------------------------------------------------------------------------------------

local function with_ending(file, ending)
  return type(file) == "string" and file:sub(-#ending) ~= ending and file .. ending or file
end

local read_save = define "save(file, arr, allow_pickle=true)"
function files.save(...)
  local a = read_save(...)
  local tensor = to_write(a.arr)   -- allow_pickle has no effect on numbers
  with(with_ending(a.file, ".npy"), "wb", function(handle) io_.npy_write(handle, tensor) end)
end

-- Returns the arguments of savez(file, arrays..., {name = array}), by Lua's rule for keywords: the file, names and tensors.
-- Arrays with names come first, sorted by name.
local function read_arrays(function_name, ...)
  local list, named = table.pack(...), {}
  local last = list[list.n]
  if support.is_plain(last) then
    local strings, others = support.key_kinds(last)
    if list.n == 1 and strings then
      list, named = {n = #last, table.unpack(last)}, last
    elseif list.n > 1 and not others then
      list.n, named = list.n - 1, last
    end
  end
  local file = list.n > 0 and list[1] or named.file
  local first = list.n > 0 and 2 or 1
  if file == nil then fail("TypeError", "%s() missing 1 required positional argument: 'file'", function_name) end
  local names, tensors = {}, {}
  for name in pairs(named) do
    if type(name) == "string" and not (name == "file" and first == 1) and name ~= "allow_pickle" then names[#names + 1] = name end
  end
  table.sort(names)
  for i, name in ipairs(names) do tensors[i] = to_write(named[name]) end
  for i = first, list.n do
    local name = "arr_" .. i - first
    if named[name] ~= nil then fail("ValueError", "Cannot use un-named variables and keyword %s", name) end
    names[#names + 1], tensors[#tensors + 1] = name, to_write(list[i])
  end
  for i, name in ipairs(names) do names[i] = name .. ".npy" end
  return file, names, tensors
end

for name, compressed in pairs{savez = false, savez_compressed = true} do
  files[name] = function(...)
    local file, names, tensors = read_arrays(name, ...)
    with(with_ending(file, ".npz"), "wb", function(handle) io_.npz_write(handle, compressed, names, tensors) end)
  end
end

-- --- elements without a head ----------------------------------------------------------------------------------------

local function dtype_or(dtype, default) return (np._read_dtype(dtype) or default).torch end

local read_frombuffer = define "frombuffer(buffer, dtype?, count=-1, offset=0)"
function files.frombuffer(...)
  local a = read_frombuffer(...)
  local dtype = dtype_or(a.dtype, np.float64)
  if type(a.buffer) ~= "string" then
    fail("TypeError", "a bytes-like object is required, not '%s'", torch._python_type(a.buffer))
  end
  local left = #a.buffer - a.offset
  if a.offset < 0 or left < 0 then
    fail("ValueError", "offset must be non-negative and no greater than buffer length (%d)", #a.buffer)
  end
  if a.count < 0 and left % dtype.itemsize ~= 0 then fail("ValueError", "buffer size must be a multiple of element size") end
  local count = a.count < 0 and left // dtype.itemsize or a.count
  if count > left // dtype.itemsize then fail("ValueError", "buffer is smaller than requested size") end
  if count == 0 then return np.empty(0, dtype) end
  return np._wrap(torch.frombuffer(a.buffer, {dtype = dtype, count = count, offset = a.offset}))
end

local read_fromfile = define "fromfile(file, dtype?, count=-1, sep='', offset=0)"
function files.fromfile(...)
  local a = read_fromfile(...)
  local dtype = dtype_or(a.dtype, np.float64)
  if a.sep ~= "" then fail("NotImplementedError", "np.fromfile reads no text here; np.loadtxt does") end
  return with(a.file, "rb", function(handle)
    local at = handle:seek("cur", a.offset)
    local left = handle:seek "end" - at
    handle:seek("set", at)
    local count = math.max(0, left) // dtype.itemsize
    if a.count >= 0 then count = math.min(count, a.count) end
    if count == 0 then return np.empty(0, dtype) end
    return np._wrap(torch.frombuffer(handle, {dtype = dtype, count = count}))
  end)
end

local read_memmap = define "memmap(filename, dtype='uint8', mode='r+', offset=0, shape?)"
--- Returns an array over a file. With mode "r", in which NumPy refuses to write, changes stay in this process.
function files.memmap(...)
  local a = read_memmap(...)
  local dtype, shared = dtype_or(a.dtype, np.uint8), a.mode == "w+" or mmap_shared[a.mode]
  if shared == nil then
    fail("ValueError", "mode must be one of ['r', 'c', 'r+', 'w+', 'readonly', 'copyonwrite', 'readwrite', 'write'] (got '%s')",
      python(a.mode))
  end
  local sizes = a.shape
  if a.mode == "w+" then
    if not sizes then fail("ValueError", "shape must be given if mode == 'w+'") end
    open(a.filename, "w"):close()
  end
  if not sizes then
    local left = with(a.filename, "rb", function(handle) return handle:seek "end" - a.offset end)
    if left % dtype.itemsize ~= 0 then fail("ValueError", "Size of available data is not a multiple of the data-type size.") end
    if left <= 0 then fail("ValueError", "cannot mmap an empty file") end
    sizes = left // dtype.itemsize
  end
  return map(a.filename, shared, dtype, np._sizes_of(sizes), false, a.offset)
end

--- Writes the elements of an array to a file: array:tofile(file).
function files.tofile(array, file)
  with(file, "wb", function(handle) io_.write_elements(handle, array.tensor) end)
end
function files.tobytes(array) return array.tensor:tostring_bytes() end

return files
