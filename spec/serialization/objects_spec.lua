-- objects_spec.lua: files that hold more than tensors: objects of any class, NumPy's arrays, tensors of types that Tocha lacks. What is in
-- the files: spec/golden/objects.py.
local torch = require "torch"
local np = require "torch.numpy"
local serialization, safetensors = torch.serialization, torch.utils.safetensors

local folder = "spec/golden/checkpoints/"
local any = {weights_only = false}
local function bytes_of(name)
  local file <close> = assert(io.open(folder .. name, "rb"))
  return file:read "a"
end
local function error_of(...)
  local ok, err = pcall(...)
  assert.is_false(ok)
  return err
end

local function check_objects(c)
  assert.are.equal("argparse.Namespace", c.namespace.class)
  assert.are.same({0.5, 2}, {c.namespace.state.lr, c.namespace.lr and c.namespace.layers[2]})
  assert.are.equal("strange.Color(1)", tostring(c.enum))
  assert.are.equal("strange.Strategy('no')", tostring(c.string_enum))
  assert.are.equal("strange.Arguments(lr=0.1, output='out', strategy=strange.Strategy('no'))", tostring(c.dataclass))
  assert.are.equal("strange.Slots(a=1, b=2)", tostring(c.slots))
  assert.are.same({3, 4}, {c.point[1], c.point[2]})
  assert.are.same({1, 7, 7}, {c.entries.a, c.entries.extra, c.entries.state.extra})
  assert.are.same({1, 2}, {c.items.items[1], c.items[2]})
  assert.are.equal(5, (select(2, next(c.by_enum))))
  assert.are.same({1, 2, 3}, c.deque)
  assert.are.equal("{'k': [1]}", tostring(c.defaultdict))
  assert.are.equal("{'a': 2, 'b': 1}", tostring(c.counter))
  assert.are.equal("{1}", tostring(c.frozenset))
  assert.are.equal("xy", tostring(c.bytearray))
  assert.are.same({"/home/x/y.pt", "a/b"}, {c.path, c.relative})
  assert.are.same({"2024-02-03", "04:05:06.000789", "2024-02-03T04:05:06.000789", "2024-02-03T04:05:06-03:30", 86402.0},
    {c.date, c.time, c.datetime, c.zone, c.duration})
  assert.are.equal("functools.partial(<global torch.nn.functional.relu>, inplace=True)", tostring(c.partial))
  assert.are.equal("torch.nn.functional.relu", c["function"].global)
  assert.are.equal("torch.nn.modules.linear.Linear", c.class.global)
  assert.are.equal("torch.Size", c.size_class.global)
  assert.are.equal("builtins.complex(1.0, 2.0)", tostring(c.complex))
end

local function check_arrays(c)
  assert.are.same({1.5, -7, true, "hé", "ab"}, {c.float, c.int, c.bool, c.str, tostring(c.bytes)})
  assert.are.equal("integer", math.type(c.int))
  for name, shown in pairs {
    rows = "array([[0., 1., 2.],\n       [3., 4., 5.]], dtype=float32)", columns = "array([[0, 1, 2],\n       [3, 4, 5]])",
    empty = "array([], shape=(0, 3), dtype=float64)", scalar = "array(2.5)", bools = "array([ True, False])",
    uint16 = "array([    1, 65535], dtype=int32)", uint32 = "array([         1, 4294967295])", uint64 = "array([1, 5])",
    big_endian = "array([0, 1, 2], dtype=int32)",
  } do
    assert.are.equal(shown, tostring(c[name]), name)
  end
  assert.are.same({{"ab", "c"}, {"é", ""}}, c.strings)
  assert.are.same({"ab", "c"}, {tostring(c.byte_strings[1]), tostring(c.byte_strings[2])})
  assert.are.equal("[{'a': 1}, None, [1]]", tostring(c.objects))
  assert.are.equal(2, c.object.a)
  for _, name in ipairs {"too_large", "complex", "dates"} do
    assert.truthy(error_of(function() return c[name] + 1 end).message:find "which Tocha lacks", name)
  end
  assert.are.equal("numpy.dtype", c.dtype.class)
  assert.are.same({"MT19937", 624, 2147483648 >> 31}, {c.state[1], #c.state[2], c.state[3] == 624 and 1})
end

describe("torch.load with weights_only = false", function()
  for _, name in ipairs {"2", "3", "4", "5", "legacy_2", "legacy_4"} do
    it("reads objects of any class as tables: protocol " .. name, function()
      check_objects(torch.load(folder .. "objects_" .. name .. ".pt", any))
      check_objects(serialization.load_bytes(bytes_of("objects_" .. name .. ".pt"), any))
    end)
  end
  for _, protocol in ipairs {2, 3, 4, 5} do
    it("reads NumPy's numbers and arrays: protocol " .. protocol, function()
      check_arrays(torch.load(folder .. "arrays_" .. protocol .. ".pt", any))
    end)
  end

  it("reads keywords of constructors", function()
    for _, protocol in ipairs {4, 5} do
      local c = torch.load(folder .. "objects_" .. protocol .. ".pt", any)
      assert.are.equal("strange.Keywords(a=5)", tostring(c.keywords))
      assert.are.equal(5, c.keywords.kwargs.a)
    end
  end)

  it("collects the state dicts of modules and optimizers that were saved whole", function()
    local function make() return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.nn.Sequential(torch.nn.Linear(3, 1))) end
    local c, net = torch.load(folder .. "whole.pt", any), make()
    assert.are.equal("torch.nn.modules.container.Sequential", c.net.class)
    local dict = c.net:state_dict()
    assert.are.equal(#c.state, #dict)
    for name, tensor in pairs(c.state) do assert.is_true(torch.equal(tensor, dict[name]), name) end
    assert.are.equal("<All keys matched successfully>", tostring(net:load_state_dict(dict)))
    assert.are.equal(#dict, #c.parallel:state_dict())
    assert.is_true(torch.equal(c.parallel:state_dict()["module.2.0.bias"], net[2][0].bias))
    assert.are.equal(#dict, #torch.load(folder .. "whole_legacy.pt", any):state_dict())
    local optimizer = torch.optim.Adam(net:parameters())
    local state, expected = c.optimizer:state_dict(), c.optimizer_state
    optimizer:load_state_dict(state)
    assert.are.equal(0.5, optimizer.param_groups[1].lr)
    assert.are.same(expected.param_groups[1].params, state.param_groups[1].params)
    for i = 0, 5 do assert.is_true(torch.equal(expected.state[i].exp_avg, state.state[i].exp_avg)) end
    assert.are.equal(3, c.scheduler.step_size)
    assert.truthy(error_of(c.scheduler.state_dict or function() c.scheduler.optimizer.defaults:state_dict() end))
  end)

  it("reads the random states of Hugging Face's Trainer", function()
    local c = torch.load(folder .. "rng_state.pth", any)
    assert.are.same({3, 625}, {c.python[1], #c.python[2]})
    assert.are.equal(np.int64, c.numpy[2].dtype)
    assert.are.equal(torch.uint8, c.cpu.dtype)
  end)

  it("does not save what it cannot read again", function()
    local c = torch.load(folder .. "objects_2.pt", any)
    assert.truthy(error_of(serialization.save_bytes, {a = c.namespace}).message:find "^cannot pickle 'argparse.Namespace' object")
    assert.truthy(error_of(serialization.save_bytes, torch.load(folder .. "types.pt").lacking).message:find "^cannot pickle")
  end)
end)

describe("torch.load by default", function()
  it("names the class, where it is needed, and the way to read it", function()
    local err = error_of(torch.load, folder .. "objects_2.pt")
    assert.truthy(err.message:find("^Weights only load failed.*Unsupported global: GLOBAL argparse.Namespace was not an allowed global by default%. "
      .. "Please use `torch.serialization.add_safe_globals%(%[argparse.Namespace%]%)`"))
    assert.truthy(err.hint:find("checkpoint.namespace needs it; torch.load(path, {weights_only = false})", 1, true))
    assert.truthy(error_of(torch.load, folder .. "arrays_2.pt", {weights_only = true}).message:find "GLOBAL numpy._core.multiarray.scalar")
    assert.truthy(error_of(torch.load, folder .. "whole.pt").hint:find "^checkpoint.net needs it")
    assert.truthy(error_of(torch.load, folder .. "whole_legacy.pt").message:find "GLOBAL torch.nn.modules.container.Sequential")
    assert.truthy(error_of(torch.load, folder .. "rng_state.pth").hint:find("checkpoint.numpy[2] needs it", 1, true))
  end)

  it("reads classes that were declared safe", function()
    local path = folder .. "whole.pt"
    assert.are.same({}, serialization.get_safe_globals())
    local message = error_of(torch.load, path).message
    serialization.add_safe_globals {"torch.nn.modules.container.Sequential"}
    serialization.add_safe_globals {"torch.nn.modules.container.Sequential", "a.B"}
    assert.are.same({"torch.nn.modules.container.Sequential", "a.B"}, serialization.get_safe_globals())
    assert.are_not.equal(message, error_of(torch.load, path).message)
    serialization.clear_safe_globals()
    assert.are.equal(message, error_of(torch.load, path).message)
    local numpy = {"numpy._core.multiarray._reconstruct", "numpy.ndarray", "numpy.dtype"}
    do
      local _ <close> = serialization.safe_globals(numpy)
      assert.are.equal(624, #torch.load(folder .. "rng_state.pth").numpy[2])
    end
    assert.are.equal(624, serialization.safe_globals(numpy, function() return #torch.load(folder .. "rng_state.pth").numpy[2] end))
    assert.is_false((pcall(torch.load, folder .. "rng_state.pth")))
    assert.truthy(error_of(serialization.add_safe_globals, {print}).hint:find "argparse.Namespace")
    assert.truthy(error_of(serialization.add_safe_globals, "argparse.Namespace").message:find "list of names")
  end)
end)

describe("types that Tocha lacks", function()
  -- The file has the numbers of float8 dtypes, which Tocha has, as bfloat16, too.
  local function same(a, b, name)
    assert.are.same({name:find "^float8" and torch[name] or b.dtype, b.shape}, {a.dtype, a.shape})
    local x, y = a:double(), b:double()
    assert.is_true((x:eq(y) | (x:isnan() & y:isnan())):all():item())
    assert.is_true(torch.equal(x:signbit() | x:isnan(), y:signbit() | y:isnan()))
  end

  for _, name in ipairs {"types.pt", "types_legacy.pt"} do
    it("are read as what holds their numbers, or raise when they are used: " .. name, function()
      local c = torch.load(folder .. name)
      for key, value in pairs(c.as_held) do same(c.held[key], value, key) end
      assert.are.equal(torch.float8_e4m3fn, c.parameter.dtype)
      assert.is_true(torch.equal(c.shared[1]:t(), c.shared[2]))
      assert.are.equal(c.shared[1]:data_ptr(), c.shared[2]:data_ptr())
      assert.are.same({1, 1}, c.plain:tolist())
      local shown = {complex64 = "complex64 [1]", complex128 = "complex128 [1]", too_large = "uint64 [1]", sparse = "sparse [3, 3]",
        csr = "sparse [3, 3]", quantized = "quint8 [3]", negative = "negative view [2]"}
      for key, text in pairs(shown) do
        local tensor = c.lacking[key]
        assert.are.equal(("<tensor of type %s, which Tocha lacks>"):format(text), tostring(tensor))
        for _, use in ipairs {function() return tensor + 1 end, function() return 1 * tensor end, function() return tensor.shape end,
            function() return tensor:to "cpu" end, function() return #tensor end, function() tensor.x = 1 end, function() return -tensor end} do
          assert.are.equal("NotImplementedError", error_of(use).code)
        end
      end
      assert.is_false((pcall(torch.load, folder .. name, {mmap = name == "types.pt", map_location = "nowhere"})))
      assert.are.equal("meta", torch.load(folder .. name, {map_location = "meta"}).held.uint16.device.type)
    end)
  end

  it("in .safetensors", function()
    local as_held = torch.load(folder .. "types.pt").as_held
    for _, c in ipairs {safetensors.load_file(folder .. "types.safetensors"), torch.load(folder .. "types.safetensors")} do
      for key, value in pairs(as_held) do same(c[key], value, key) end
      assert.are.same({1, 1}, c.plain:tolist())
      assert.are.equal("NotImplementedError", error_of(function() return c.complex64.shape end).code)
    end
    local file = safetensors.safe_open(folder .. "types.safetensors")
    same(file:get_slice("uint32"):rows(1, 2), as_held.uint32["1:"], "uint32")
    assert.truthy(error_of(file.get_tensor, file, "complex64").message:find "'complex64' is of type C64")
    file:close()
  end)

  it("in NumPy's files", function()
    local a = np.load(folder .. "uint32.npy")
    assert.are.equal("array([[         1,          2],\n       [         3, 4294967295]])", tostring(a))
    assert.are.equal(tostring(a), tostring(np.load(folder .. "uint32.npy", {mmap_mode = "r"})))
    local npz <close> = np.load(folder .. "mixed.npz")
    assert.are.equal("array([65535], dtype=int32)", tostring(npz.u))
    assert.are.equal("array([0, 1, 2])", tostring(npz.x))
    assert.are.same({"a", "bc"}, npz.s)
    assert.truthy(error_of(function() return npz.c end).message:find "complex128")
  end)
end)

describe("np.load", function()
  it("reads objects if it is allowed, and executes nothing", function()
    for _, name in ipairs {"object_dict.npy", "object_list.npy"} do
      local err = error_of(np.load, folder .. name)
      assert.are.equal("Object arrays cannot be loaded when allow_pickle=False", err.message)
      assert.truthy(err.hint:find "allow_pickle = true")
    end
    local c = np.load(folder .. "object_dict.npy", {allow_pickle = true})
    assert.are.equal("{'weights': array([0, 1, 2]), 'name': 'a'}", tostring(c))
    c = np.load(folder .. "object_list.npy", {allow_pickle = true})
    assert.are.equal("[array([0, 1]), 'x', None]", tostring(c))
    assert.are.same({{"ab", "c"}, {"é", ""}}, np.load(folder .. "strings.npy"))
    assert.are.equal("a", np.load(folder .. "object_dict.npy", {allow_pickle = true}).name)
    assert.are.equal(1, np.load(folder .. "mixed.npz", {allow_pickle = true}).o[1].a)
    assert.truthy(error_of(function() return np.load(folder .. "mixed.npz").o end).message:find "allow_pickle=False")
    c = np.load(folder .. "plain.pkl", {allow_pickle = true})
    assert.are.same({"a", "b", 1}, {c.names[1], c.names[2], c.n.a})
    assert.truthy(error_of(np.load, folder .. "plain.pkl").hint:find "a plain pickle")
  end)
end)

describe("A file of another kind", function()
  local kinds = {
    ["version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"] = "a Git LFS pointer.*git lfs pull",
    ["\x89HDF\r\n\x1a\n"] = "an HDF5 file", ["\x1f\x8b\8\0"] = "a gzip file", ["BZh91AY"] = "a bzip2 file", ["\xfd7zXZ\0"] = "an xz file",
    ["\x28\xb5\x2f\xfd"] = "a Zstandard file", ["7z\xbc\xaf\x27\x1c"] = "a 7z archive", ["\n<!DOCTYPE html><html>"] = "a web page", ["<HTML>"] = "a web page",
    ['{"weight_map": {}}'] = "a JSON document", ["\x89PNG\r\n"] = "a PNG image", ["\xff\xd8\xff\xe0"] = "a JPEG image", ["%PDF-1.5"] = "a PDF document",
    ["\x7fELF"] = "ELF", ["GGUF\3"] = "a GGUF model", ["\8\8\x12\7pytorch"] = "an ONNX model", [("\0"):rep(600)] = "nothing but zeros",
    ["x,y\n1,2\n"] = "a text", [bytes_of "plain.pkl"] = "a plain pickle",
  }
  for bytes, name in pairs(kinds) do
    it("is named: " .. name, function()
      local path = os.tmpname()
      finally(function() os.remove(path) end)
      local file <close> = assert(io.open(path, "wb"))
      file:write(bytes)
      file:close()
      for _, load in ipairs {torch.load, np.load, safetensors.load_file} do
        local err = error_of(load, path)
        assert.truthy(err.hint and err.hint:find(name), tostring(err.hint))
      end
      assert.truthy(error_of(torch.load, path).hint:find(path, 1, true))
    end)
  end

  it("that is empty or cut is named with its path", function()
    local path = os.tmpname()
    finally(function() os.remove(path) end)
    local function write(bytes)
      local file <close> = assert(io.open(path, "wb"))
      file:write(bytes)
    end
    write ""
    assert.truthy(error_of(torch.load, path).hint:find(path, 1, true))
    assert.truthy(error_of(np.load, path).hint:find(path, 1, true))
    write(bytes_of("values.pt"):sub(1, -100))
    assert.truthy(error_of(torch.load, path).hint:find(path .. "', of %d+ bytes; its end seems to be missing"))
    write(bytes_of("values_legacy.pt"):sub(1, -100))
    assert.truthy(error_of(torch.load, path).hint:find "its end seems to be missing")
    local npy <close> = assert(io.open(folder .. "uint32.npy", "rb"))
    write(npy:read "a")
    assert.truthy(error_of(torch.load, path).hint:find "NumPy's .npy file")
  end)
end)

describe("the parameters of a lazy network that has seen no batch", function()
  local nn = torch.nn
  local shown = "OrderedDict([('0.weight', <UninitializedParameter>), ('0.bias', <UninitializedParameter>), ('1.weight', <UninitializedParameter>), "
    .. "('1.bias', <UninitializedParameter>), ('1.running_mean', <UninitializedBuffer>), ('1.running_var', <UninitializedBuffer>), "
    .. "('1.num_batches_tracked', tensor(0))])"
  local function lazy() return nn.Sequential(nn.LazyLinear(3), nn.LazyBatchNorm1d()) end

  it("are saved and read as PyTorch has them", function()
    local saved = serialization.save_bytes(lazy():state_dict())
    for _, load in ipairs {function(o) return torch.load(folder .. "lazy.pt", o) end, function(o) return serialization.load_bytes(saved, o or {}) end} do
      local err = error_of(load)
      assert.truthy(err.message:find("GLOBAL torch.nn.parameter.UninitializedParameter was not an allowed global", 1, true))
      local state = load {weights_only = false}
      assert.are.equal(shown, tostring(state))
      assert.is_true(state["0.weight"].requires_grad)
      assert.is_false(state["1.running_mean"].requires_grad)
      local net = lazy()
      assert.are.equal("<All keys matched successfully>", tostring(net:load_state_dict(state)))
      assert.are.equal("torch.Size([2, 3])", tostring(net(torch.ones(2, 4)).shape))
      serialization.safe_globals({"torch.nn.parameter.UninitializedParameter", "torch.nn.parameter.UninitializedBuffer"}, function()
        assert.are.equal(shown, tostring(load()))
      end)
    end
  end)

  it("are one object if they are one", function()
    local weight = lazy()[0].weight
    local both = serialization.load_bytes(serialization.save_bytes {weight, weight}, {weights_only = false})
    assert.is_true(rawequal(both[1], both[2]))
  end)
end)
