-- checkpoint_spec.lua: torch.load and torch.save: what PyTorch wrote (spec/golden/checkpoints.py), read here; what is written here, read
-- again, by us and, where it is there, by PyTorch.
local torch = require "torch"
local serialization, safetensors = torch.serialization, torch.utils.safetensors

local folder = "spec/golden/checkpoints/"
local function bytes_of(name)
  local file <close> = assert(io.open(folder .. name, "rb"))
  return file:read "a"
end

local function message_of(...)
  local ok, err = pcall(...)
  assert.is_false(ok)
  return err.message, err
end

-- A path of its own for the time of a function.
local function with_path(f)
  local path = os.tmpname()
  local ok, err = pcall(f, path)
  os.remove(path)
  if not ok then error(err, 0) end
end

local DTYPES = {"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"}

local function check_tensors(c)
  assert.are.equal("tensor([[ 0.,  1.,  2.,  3.],\n        [ 4.,  5.,  6.,  7.],\n        [ 8.,  9., 10., 11.]])", tostring(c.x))
  assert.are.same({1, 4}, c.transposed:stride())
  assert.is_true(torch.equal(c.transposed, c.x:t()))
  assert.are.equal(6, c.part:storage_offset())
  assert.is_true(torch.equal(c.part, c.x["1:, 2:"]))
  assert.are.same({0, 0}, c.expanded:stride())
  c.x[{0, 0}] = 100   -- one storage
  assert.are.equal(100, c.transposed[{0, 0}]:item())
  c.x[{0, 0}] = 0
  assert.are.equal("Parameter", torch._python_type(c.parameter))
  assert.is_true(c.parameter.requires_grad and c.leaf.requires_grad and not c.frozen.requires_grad and not c.x.requires_grad)
  assert.are.equal("Parameter", torch._python_type(c.frozen))
  for _, name in ipairs(DTYPES) do
    assert.are.equal(torch[name], c.dtypes[name].dtype)
    assert.are.same(name == "bool" and {false, true, true} or {0, 1, 2}, c.dtypes[name]:tolist())
  end
  assert.are.equal(3.5, c.scalar:item())
  assert.are.equal("torch.Size([0, 4])", tostring(c.empty.shape))
  assert.are.equal("meta", c.meta.device.type)
  assert.are.equal(6, c.meta:numel())
end

local function check_values(c)
  assert.are.equal("torch.Size([1, 2])", tostring(c.size))
  assert.are.equal(torch.float16, c.dtype)
  assert.are.equal(torch.device "cuda:0", c.device)
  assert.are.equal(torch.device "cpu", c.host)
  assert.are.equal("{7}", tostring(c.set))
  assert.are.equal("abc\xff\0", tostring(c.bytes))
  assert.is_nil(c.none)
  assert.are.equal("(1, 2.5, 'a', True, None)", tostring(c.tuple))
  assert.are.equal(5, #c.tuple)
  assert.are.equal(2, c.pair[2][1])
  assert.are.equal("[]", tostring(c.list[3]))
  assert.are.equal("[None, 1, None]", tostring(c.holes))
  assert.are.same({0, -1, 255, 256, 65536, -2 ^ 31 // 1 | 0, 1 << 40, math.mininteger, 0.1}, c.numbers)
  assert.are.equal(2.0 ^ 70, c.big)
  assert.are.same({"", "äöü", "a'b\n"}, c.texts)
  assert.are.equal("OrderedDict([('z', 1), ('a', 2)])", tostring(c.ordered))
  assert.are.equal("three", c[3])
  assert.are.equal("flag", c[false])
  assert.are.equal("none", c[serialization.None])
end

-- The keys in order, as texts.
local function keys_of(c)
  local keys = {}
  for key in pairs(c) do keys[#keys + 1] = tostring(key) end
  return table.concat(keys, " ")
end

local KEYS = "model x transposed part expanded parameter frozen leaf dtypes scalar empty meta size dtype device host set bytes none "
  .. "tuple pair list holes numbers big texts ordered 3 (1, 'k') false None"

local function check_all(c)
  assert.are.equal(KEYS, keys_of(c))
  assert.are.equal(31, #c)
  check_tensors(c)
  check_values(c)
  assert.are.equal("weight bias running_mean running_var num_batches_tracked", keys_of(c.model))
  assert.are.equal(2, serialization.attributes(c.model)._metadata[""].version)
end

describe("torch.load", function()
  for _, name in ipairs {"values.pt", "values_legacy.pt", "values_without_sums.pt", "values_deflated.pt"} do
    it("reads " .. name, function()
      check_all(torch.load(folder .. name))
      check_all(serialization.load_bytes(bytes_of(name)))
      local file <close> = io.open(folder .. name, "rb")
      check_all(torch.load(file))
    end)
  end

  it("reads protocol 4", function()
    assert.are.equal("{'a': [1, 'x', b'y', {2}]}", tostring(torch.load(folder .. "values_protocol4.pt")))
  end)

  it("maps a file into memory", function()
    local c = torch.load(folder .. "values.pt", {mmap = true})
    check_all(c)
    c.x[{0, 0}] = 5   -- for this process alone
    assert.are.equal(0, torch.load(folder .. "values.pt").x[{0, 0}]:item())
    assert.are.equal("f must be a file path in order to use the mmap argument",
      message_of(torch.load, io.open(folder .. "values.pt", "rb"), {mmap = true}))
    local old = folder .. "values_legacy.pt"
    assert.are.equal("mmap can only be used with files saved with `torch.save(" .. old .. ", _use_new_zipfile_serialization=True), " ..
      "please torch.save your checkpoint with this option in order to use mmap.", message_of(torch.load, old, {mmap = true}))
  end)

  it("reads one object of the old format after the other", function()
    local file <close> = io.tmpfile()
    torch.save({1}, file, {_use_new_zipfile_serialization = false})
    torch.save({a = torch.ones(3)}, file, {_use_new_zipfile_serialization = false})
    file:seek "set"
    assert.are.equal(1, torch.load(file)[1])
    assert.are.equal(3, torch.load(file).a:sum():item())
  end)

  it("puts tensors where map_location says", function()
    if not torch.cuda.is_available() then
      assert.truthy(message_of(torch.load, folder .. "cuda.pt"):find("^Attempting to deserialize object on a CUDA device"))
    end
    for _, map in ipairs {"cpu", torch.device "cpu", {["cuda:0"] = "cpu"}, function(storage) return storage end} do
      local a = torch.load(folder .. "cuda.pt", {map_location = map}).a
      assert.are.equal("cpu", a.device.type)
      assert.are.same({1, 1}, a:tolist())
    end
    local seen
    torch.load(folder .. "cuda.pt", {map_location = function(storage, location) seen = location return storage end})
    assert.are.equal("cuda:0", seen)
    assert.truthy(tostring(select(2, pcall(torch.load, folder .. "cuda.pt", {map_location = function() error "mine" end}))):find "mine")
    assert.are.equal("meta", torch.load(folder .. "cuda.pt", {map_location = "meta"}).a.device.type)
  end)

  it("executes nothing and names what it does not know", function()
    local message, err = message_of(torch.load, folder .. "foreign.pt")
    assert.truthy(message:find("^Weights only load failed%..*GLOBAL strange%.Foreign was not an allowed global"))
    assert.truthy(err.hint:find "nothing in a file is executed")
    local complex = torch.load(folder .. "complex.pt").a
    assert.truthy(message_of(function() return complex + 1 end):find "complex64 %[2%], which Tocha lacks")
  end)

  it("says what is no checkpoint", function()
    assert.are.equal("[Errno 2] No such file or directory: '/nowhere/x.pt'", message_of(torch.load, "/nowhere/x.pt"))
    assert.are.equal("Ran out of input", message_of(serialization.load_bytes, ""))
    assert.are.equal("Invalid magic number; corrupt file?", message_of(serialization.load_bytes, ("x"):rep(1000)))
    assert.truthy(message_of(serialization.load_bytes, ("\0"):rep(257) .. "ustar" .. ("\0"):rep(300)):find "tar")
    local bytes = bytes_of "values.pt"
    assert.truthy(message_of(serialization.load_bytes, bytes:sub(1, -2)):find "^PytorchStreamReader failed")
    local at = bytes:find("\0\0\128?", 1, true)   -- a 1.0 among the data
    assert.truthy(message_of(serialization.load_bytes, bytes:sub(1, at) .. "\1" .. bytes:sub(at + 2)):find "CRC")
  end)
end)

describe("torch.save", function()
  for _, legacy in ipairs {false, true} do
    local keywords = {_use_new_zipfile_serialization = not legacy}
    local title = legacy and " (old format)" or ""
    it("writes what torch.load reads" .. title, function()
      with_path(function(path)
        torch.save(torch.load(folder .. "values.pt"), path, keywords)
        check_all(torch.load(path))
      end)
      local c = torch.load(folder .. "values_legacy.pt")
      check_all(serialization.load_bytes(serialization.save_bytes(c, legacy)))
    end)
  end

  it("takes tables as they are", function()
    local function again(value) return serialization.load_bytes(serialization.save_bytes(value)) end
    assert.are.equal("[1, 2, 3]", "[" .. table.concat(again {1, 2, 3}, ", ") .. "]")
    assert.are.equal("{'a': 1, 'b': [True, 'x'], 'c': {}}", tostring(again {c = {}, b = {true, "x"}, a = 1}))
    assert.are.equal("{0: 1, 2: 3}", tostring(again {[0] = 1, [2] = 3}))
    assert.are.equal("b'\\xff'", tostring(again {again "\xff"}[1]) == "\xff" and "b'\\xff'")
    local twice = {1}
    local c = again {a = twice, b = twice}
    assert.are.equal(c.a, c.b)
    local ring = {}
    ring.me = ring
    c = again(ring)
    assert.are.equal(c, c.me)
    assert.are.equal(again(nil), nil)
    assert.are.equal(again(7), 7)
  end)

  -- seven values: a tensor, a dict and a parameter twice each, and another tensor
  local function check_twice(l)
    for i = 1, 5, 2 do assert.is_true(rawequal(l[i], l[i + 1])) end
    assert.is_false(rawequal(l[1], l[7]))
    assert.are_not.equal(l[1]:data_ptr(), l[7]:data_ptr())
    l[2][0] = 5
    assert.are.same({5, 1, 2}, l[1]:tolist())
    assert.are.same({0, 1, 2}, l[7]:tolist())
    assert.is_true(l[5].requires_grad)
  end

  it("keeps what is one object one object", function()
    check_twice(torch.load(folder .. "twice.pt"))
    local t, d, w = torch.arange(3.0), {a = 1}, torch.nn.Parameter(torch.ones(2))
    for _, legacy in ipairs {false, true} do
      local bytes = serialization.save_bytes({t, t, d, d, w, w, t:clone()}, {_use_new_zipfile_serialization = not legacy})
      check_twice(serialization.load_bytes(bytes))
      local _, rebuilt = bytes:gsub("_rebuild_parameter", "")
      assert.are.equal(1, rebuilt)
    end
    local many = {}
    for i = 1, 100 do many[i] = torch.tensor(i) many[i + 100] = many[i] end
    local again = serialization.load_bytes(serialization.save_bytes(many))
    for i = 1, 100 do
      assert.is_true(rawequal(again[i], again[i + 100]))
      assert.are.equal(i, again[i]:item())
    end
  end)

  it("keeps the order of dicts that are changed", function()
    local d = serialization.dict {{"b", 1}, {"a", 2}, {"n"}}
    d.c, d.b = 3, nil
    d.b = 4
    assert.are.equal("{'a': 2, 'n': None, 'c': 3, 'b': 4}", tostring(d))
    assert.are.equal(tostring(d), tostring(serialization.load_bytes(serialization.save_bytes(d))))
    assert.are.equal("(1, None)", tostring(serialization.tuple(table.pack(1, nil))))
  end)

  it("saves tables of JSON libraries as what they are", function()
    local function again(value) return tostring(serialization.load_bytes(serialization.save_bytes({value}))[1]) end
    local array, object = {__jsontype = "array"}, {__jsontype = "object"}
    assert.are.equal("[]", again(setmetatable({}, array)))
    assert.are.equal("{}", again(setmetatable({}, object)))
    assert.are.equal("{'a': 1}", again(setmetatable({a = 1}, object)))
    for _, metatable in ipairs {array, {}, {__mode = "k"}} do
      assert.are.same({1, 2}, serialization.load_bytes(serialization.save_bytes(setmetatable({1, 2}, metatable))))
    end
  end)

  it("says where the value is that no file holds", function()
    local Class = {}
    Class.__index = Class
    local function where(value)
      local message, err = message_of(serialization.save_bytes, value)
      return message .. ": " .. (err.hint:match "^it is (.-);" or "")
    end
    assert.are.equal("cannot pickle 'object' object: obj.a.b[2]", where {a = {b = {1, setmetatable({1}, Class)}}})
    assert.are.equal("cannot pickle 'function' object: obj[5][\"a b\"][1]", where {[5] = {["a b"] = {print}}, x = 1})
    assert.are.equal("cannot pickle 'torch.nn.Module' object: obj.net", where {net = torch.nn.Linear(1, 1)})
    assert.are.equal("cannot pickle 'function' object: ", where(print))
  end)

  it("refuses what no file holds, and leaves the old file", function()
    with_path(function(path)
      torch.save({1}, path)
      assert.are.equal("cannot pickle 'function' object", message_of(torch.save, {1, print}, path))
      local message, err = message_of(torch.save, torch.nn.Linear(1, 1), path)
      assert.truthy(message:find "^cannot pickle" and err.hint:find "state_dict")
      local deep = {}
      for _ = 1, 2000 do deep = {deep} end
      assert.truthy(message_of(torch.save, deep, path):find "nested too deeply")
      assert.are.equal(1, torch.load(path)[1])
      assert.truthy(message_of(torch.save, {1}, "/nowhere/x.pt"):find "^%[Errno 2%] No such file or directory")
      assert.truthy(message_of(torch.save, {1}, "/"):find "Is a directory")
    end)
  end)

  it("saves and loads modules", function()
    torch.manual_seed(1)
    local a, b = torch.nn.Linear(2, 3), torch.nn.Linear(2, 3)
    with_path(function(path)
      torch.save(a:state_dict(), path)
      b:load_state_dict(torch.load(path))
    end)
    assert.is_true(torch.equal(a.weight, b.weight) and torch.equal(a.bias, b.bias))
  end)
end)

describe("optimizers of PyTorch", function()
  local makers = {
    SGD = function(p) return torch.optim.SGD(p, {lr = 0.1, momentum = 0.9}) end,
    Adam = function(p) return torch.optim.Adam(p, {lr = 0.01, amsgrad = true}) end,
    AdamW = function(p) return torch.optim.AdamW(p, {lr = 0.5}) end,
    RMSprop = function(p) return torch.optim.RMSprop(p, {momentum = 0.1, centered = true}) end,
    Adagrad = function(p) return torch.optim.Adagrad(p) end,
  }
  for name, make in pairs(makers) do
    it("go on here: " .. name, function()
      local c = torch.load(folder .. "optimizers.pt")[name]
      local model = torch.nn.Linear(2, 3)
      model:load_state_dict(c.model)
      local optimizer = make(model:parameters())
      optimizer:load_state_dict(c.optimizer)
      optimizer:load_state_dict(serialization.load_bytes(serialization.save_bytes(optimizer:state_dict())))
      optimizer:zero_grad()
      model(c.x):pow(2):mean():backward()
      optimizer:step()
      for key, value in pairs(c.after) do
        assert.is_true(torch.allclose(value, model:state_dict()[key], {rtol = 1e-6, atol = 1e-7}), key)
      end
    end)
  end
end)

describe("torch.utils.safetensors", function()
  local path = folder .. "values.safetensors"
  it("reads and writes the bytes of Python's package", function()
    local c = safetensors.load_file(path)
    assert.are.equal(13, #c)
    for _, name in ipairs(DTYPES) do assert.are.equal(torch[name], c[name].dtype) end
    assert.are.equal(bytes_of "values.safetensors", safetensors.save(c, {format = "pt"}))
    with_path(function(out)
      safetensors.save_file(c, out, {metadata = {format = "pt"}})
      assert.are.equal(tostring(c), tostring(torch.load(out)))
    end)
    assert.are.equal(tostring(c), tostring(safetensors.load(bytes_of "values.safetensors")))
  end)

  it("reads tensors one by one", function()
    local file = safetensors.safe_open(path)
    assert.are.equal("pt", file:metadata().format)
    assert.are.equal(13, #file:keys())
    local slice = file:get_slice 'ä"\n'
    assert.are.equal("torch.Size([3, 2])", tostring(slice:get_shape()))
    assert.are.equal("F32", slice:get_dtype())
    assert.are.same({{2, 3}, {4, 5}}, slice:rows(1, 3):tolist())
    assert.are.equal("File does not contain tensor x", message_of(file.get_tensor, file, "x"))
    file:close()
    assert.are.equal("I/O operation on closed file.", message_of(file.get_tensor, file, "bool"))
  end)

  it("refuses what Python refuses", function()
    local x = torch.ones(2, 3)
    assert.truthy(message_of(safetensors.save, {a = x, b = x[0]}):find "^Some tensors share memory")
    assert.truthy(message_of(safetensors.save, {a = x:t()}):find "^You are trying to save a non contiguous tensor: `a`")
    assert.truthy(message_of(safetensors.save, {a = 1}):find "^Key `a` is invalid, expected torch.Tensor")
    local function file(head, data) return string.pack("<s8", head) .. data end
    local entry = '{"a":{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}}'
    local function load_entry(...) return message_of(safetensors.load, file(entry:format(...), ("\0"):rep(8))) end
    assert.are.equal("Error while deserializing: invalid shape, data type, or offset for tensor", load_entry("F32", "[1]", 0, 8))
    assert.are.equal("Error while deserializing: invalid shape, data type, or offset for tensor",
      load_entry("F32", "[4611686018427387904,4]", 0, 8))
    assert.are.equal("Error while deserializing: incomplete metadata, file not fully covered", load_entry("F32", "[1]", 0, 4))
    assert.are.equal("Error while deserializing: invalid offset for a tensor", load_entry("F32", "[1]", 4, 8))
    assert.are.equal("Error while deserializing: invalid JSON in header", load_entry("F99", "[1]", 0, 8))
    local lacking = safetensors.load(file(entry:format("C64", "[1]", 0, 8), ("\0"):rep(8))).a
    assert.are.equal("the tensor is of type C64 [1], which Tocha lacks", message_of(function() return lacking.shape end))
    assert.are.equal("Error while deserializing: header too large", message_of(safetensors.load, ("\xff"):rep(8)))
    assert.are.equal("Error while deserializing: header too small", message_of(safetensors.load, "abc"))
    assert.are.equal("Error while deserializing: duplicate names", message_of(safetensors.load,
      file('{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}', "")))
  end)
end)

local PYTHON = os.getenv "TOCHA_PYTHON"
describe("PyTorch", function()
  if not PYTHON then return pending "TOCHA_PYTHON names no Python with PyTorch" end
  it("opens what is written here", function()
    local at = os.tmpname()
    torch.save(torch.load(folder .. "values.pt"), at .. ".pt")
    torch.save(torch.load(folder .. "values.pt"), at .. ".old", {_use_new_zipfile_serialization = false})
    local program = [[
import sys, torch
def same(a, b):
    if isinstance(a, torch.Tensor):
        return type(a) is type(b) and a.dtype == b.dtype and a.stride() == b.stride() and a.requires_grad == b.requires_grad and (
            a.device.type == "meta" or torch.equal(a, b))
    if isinstance(a, dict):
        return type(a) is type(b) and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return a == b and (type(a) is type(b) or a == 2 ** 70)
a = torch.load("%svalues.pt")
for name in sys.argv[1:]:
    b = torch.load(name)
    assert same(a, b), name
    assert b["x"].untyped_storage().data_ptr() == b["part"].untyped_storage().data_ptr()
    assert b["model"]._metadata == a["model"]._metadata
assert same(a, torch.load(sys.argv[1], mmap=True))
]]
    local file = io.open(at, "w")
    file:write((program:format(folder)))
    file:close()
    local ok = os.execute(("%s -I %s %s.pt %s.old"):format(PYTHON, at, at, at))
    for _, name in ipairs {at, at .. ".pt", at .. ".old"} do os.remove(name) end
    assert.is_true(ok)
  end)
end)
