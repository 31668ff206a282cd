-- files_spec.lua: tensors from bytes and files, and back: torch.frombuffer, torch.from_file, NumPy's files, tables of text.
-- spec/golden/numpy/files holds files that real NumPy wrote, and says what is in them (make.py); what NumPy's readers of text say
-- stands in spec/golden/numpy.
local torch = require "torch"
local np = require "torch.numpy"
local programs = require "programs"
local hostile_files = require "hostile_files"
local folder = "spec/golden/numpy/files/"
local expected = dofile(folder .. "expected.lua")

local read, write = programs.read, programs.write

-- A file with these bytes that is gone when it is closed.
local function temporary(bytes)
  local file = assert(io.tmpfile())
  file:write(bytes)
  file:seek "set"
  return file
end

local function sorted_names(pattern)
  local names = {}
  for name in pairs(expected) do
    if name:find(pattern) then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function same_number(a, b)
  if a ~= a then return b ~= b end
  return a == b and (a ~= 0 or math.type(a) ~= "float" or 1 / a == 1 / b)
end

local function check(array, want)
  assert.are.equal(want.dtype, array.dtype.name)
  assert.are.equal(#want.shape, array.ndim)
  for i, size in ipairs(want.shape) do assert.are.equal(size, array.shape[i - 1]) end
  local values = array.tensor:reshape(-1):tolist()
  for i, value in ipairs(want.values) do
    if not same_number(value, values[i]) then
      error(("element %d is %s, not %s"):format(i, tostring(values[i]), tostring(value)))
    end
  end
end

describe("np.load", function()
  for _, name in ipairs(sorted_names "%.npy$") do
    local want = expected[name]
    if want.dtype then
      it("reads " .. name, function()
        check(np.load(folder .. name), want)
        local file <close> = io.open(folder .. name, "rb")
        check(np.load(file), want)
        assert.are.equal(file:seek "end", file:seek "cur")
      end)
      it("maps " .. name, function() check(np.load(folder .. name, {mmap_mode = "r"}), want) end)
    end
  end

  -- What NumPy raises for these, or what torch.from_numpy would say of the array. Its reader asks for memory first.
  local own_words = {
    ["bad_huge.npy"] = "Failed to read all data for array. Expected (1000000000000, 8) = 8000000000000 elements, "
      .. "could only read 1 elements. (file seems not fully written?)",
    ["bad_overflow.npy"] = "Failed to read all data for array. Expected (4611686018427387904, 4611686018427387904) = "
      .. "-1 elements, could only read 1 elements. (file seems not fully written?)",
    ["bad_unclosed.npy"] = "Cannot parse header: {'descr': '<f8', 'fortran_order': False, 'shape': (1,"}
  for _, name in ipairs(sorted_names "^bad_") do
    local want = expected[name]
    it("refuses " .. name, function()
      local ok, problem = pcall(np.load, folder .. name)
      assert.is_false(ok)
      local message = own_words[name] or want.message
      if message then
        assert.are.equal(message, problem.message)
        assert.are.equal(own_words[name] and "ValueError" or want.kind, problem.code)
      else
        assert.are.equal(want.kind, problem.code)
        assert.truthy(problem.message:find("can't convert np.ndarray of type numpy.", 1, true))
      end
    end)
  end

  for _, name in ipairs(sorted_names "%.npz$") do
    it("reads " .. name, function()
      local npz <close> = np.load(folder .. name)
      local count = 0
      for member, want in pairs(expected[name].members) do
        check(npz[member], want)
        count = count + 1
      end
      assert.are.equal(count, #npz)
      for member, array in pairs(npz) do check(array, expected[name].members[member]) end
      local _, problem = pcall(function() return npz.absent end)
      assert.are.equal("absent is not a file in the archive", problem.message)
    end)
  end

  it("maps a file that writes go to", function()
    local path = os.tmpname()
    np.save(path .. ".npy", np.arange(4))
    local shared = np.load(path .. ".npy", {mmap_mode = "r+"})
    shared[2] = 50
    local private = np.load(path .. ".npy", {mmap_mode = "c"})
    private[3] = 60
    assert.are.same({0, 1, 50, 3}, np.load(path .. ".npy"):tolist())
    os.remove(path)
    os.remove(path .. ".npy")
  end)

  it("reads arrays that lie in a file one after the other", function()
    local file <close> = io.tmpfile()
    np.save(file, {1, 2})
    np.save(file, np.ones({2, 2}))
    file:seek "set"
    assert.are.same({1, 2}, np.load(file):tolist())
    assert.are.same({{1.0, 1.0}, {1.0, 1.0}}, np.load(file):tolist())
    local _, problem = pcall(np.load, file)
    assert.are.equal("EOFError", problem.code)
  end)
end)

describe("np.save", function()
  -- make.py FOLDER reads these with real NumPy.
  local out = os.getenv "TOCHA_NPY_OUT"
  local all = {}
  for _, name in ipairs(sorted_names "%.npy$") do
    if expected[name].dtype and not name:find "^version" and not name:find "^python" and not name:find "^other" then
      it("writes " .. name .. (name:find "big" and "" or ", byte for byte as NumPy"), function()
        local array = np.load(folder .. name)
        local file <close> = io.tmpfile()
        np.save(file, array)
        file:seek "set"
        local bytes = file:read "a"
        if not name:find "big" then assert.is_true(bytes == read(folder .. name)) end
        if out then write(out .. "/" .. name, bytes) end
        all[name:gsub("%.npy$", "")] = array
      end)
    end
  end

  for _, compressed in ipairs{false, true} do
    it("writes archives" .. (compressed and ", compressed" or ""), function()
      local save = compressed and np.savez_compressed or np.savez
      local file <close> = io.tmpfile()
      save(file, all)
      file:seek "set"
      if out then write(out .. (compressed and "/compressed.npz" or "/all.npz"), file:read "a") end
      file:seek "set"
      local npz = np.load(file)
      for name in pairs(all) do check(npz[name], expected[name .. ".npy"]) end
    end)
  end

  it("reads large members in one piece of memory, which is theirs", function()
    local random = torch.randint(0, 256, {300000}, {dtype = torch.uint8, generator = torch.Generator():manual_seed(1)})
    local arrays = {random = random, runs = torch.arange(200000):div(1000, {rounding_mode = "floor"}), ones = torch.ones(300, 1000):t(),
      half = random["0:1001"]:half(), flags = random["0:77"]:gt(100)}
    for _, save in ipairs {np.savez, np.savez_compressed} do
      local file <close> = io.tmpfile()
      save(file, arrays)
      file:seek "set"
      local npz = np.load(file)
      for name, t in pairs(arrays) do
        local a = torch.from_numpy(npz[name])
        assert.is_true(torch.equal(t, a))
        assert.are.equal(t.dtype, a.dtype)
        assert.is_true(#torch.serialization.save_bytes(a) < a:numel() * a:element_size() + 2000)   -- not the head of the file
        local data = a:clone()
        a:add_(a.dtype ~= torch.bool and 1 or true)   -- no other array, and not the file
        assert.is_true(torch.equal(data, torch.from_numpy(npz[name])))
      end
    end
  end)

  it("reads a member without a second copy", function()
    if not hostile_files.peak_memory() then return pending "the system does not say how much memory is used" end
    local path = os.tmpname()
    local bytes = torch.randint(0, 256, {16000000}, {dtype = torch.uint8})
    for _, save in ipairs {np.savez, np.savez_compressed} do
      save(path .. ".npz", {a = bytes})
      collectgarbage()
      hostile_files.peak_memory()
      local before = hostile_files.peak_memory()
      local npz <close> = np.load(path .. ".npz")
      local a = npz.a
      assert.is_true(hostile_files.peak_memory() - before < 1.3 * 16000000)
      assert.are.equal(16000000, #a)
    end
    os.remove(path)
    os.remove(path .. ".npz")
  end)

  it("names what has no name", function()
    local path = os.tmpname()
    np.savez(path, torch.arange(3), {1.5}, {x = np.ones(2)})
    local npz <close> = np.load(path .. ".npz")
    assert.are.same({"x", "arr_0", "arr_1"}, npz.files)
    assert.are.same({0, 1, 2}, npz.arr_0:tolist())
    assert.are.equal("NpzFile '" .. path .. ".npz' with keys: x, arr_0, arr_1", tostring(npz))
    os.remove(path)
    os.remove(path .. ".npz")
  end)

  it("refuses what is no array on the host", function()
    for value, words in pairs{
      [torch.ones(2, {requires_grad = true})] = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
      [torch.ones(2, {dtype = torch.bfloat16})] = "Got unsupported ScalarType BFloat16"} do
      local file <close> = io.tmpfile()
      local ok, problem = pcall(np.save, file, value)
      assert.is_false(ok)
      assert.are.equal(words, problem.message)
    end
  end)

  it("says which file is not there", function()
    local _, problem = pcall(np.load, "/nonexistent.npy")
    assert.are.equal("FileNotFoundError", problem.code)
    assert.are.equal("[Errno 2] No such file or directory: '/nonexistent.npy'", problem.message)
    _, problem = pcall(np.save, "/nonexistent/x.npy", {1})
    assert.are.equal("FileNotFoundError", problem.code)
    _, problem = pcall(np.load, "/")
    assert.are.equal("OSError", problem.code)
  end)
end)

describe("elements without a head", function()
  it("frombuffer reads strings, files and pipes", function()
    local bytes = torch.arange(6, {dtype = torch.int16}):tostring_bytes()
    assert.are.equal(12, #bytes)
    assert.are.same({0, 1, 2, 3, 4, 5}, torch.frombuffer(bytes, {dtype = torch.int16}):tolist())
    local file <close> = temporary(bytes)
    assert.are.same({1, 2}, torch.frombuffer(file, {dtype = torch.int16, count = 2, offset = 2}):tolist())
    assert.are.same({3, 4, 5}, torch.frombuffer(file, {dtype = torch.int16}):tolist())
    local pipe <close> = io.popen "printf abc"
    assert.are.same({97, 98, 99}, torch.frombuffer(pipe, {dtype = torch.uint8}):tolist())
  end)

  it("tostring_bytes has the elements row after row, of any tensor", function()
    local x = torch.arange(6):reshape(2, 3)
    assert.are.same({0, 3, 1, 4, 2, 5}, torch.frombuffer(x.T:tostring_bytes(), {dtype = torch.int64}):tolist())
    assert.are.equal("", torch.empty(0):tostring_bytes())
    assert.are.equal(8, #torch.ones(2, {requires_grad = true}):tostring_bytes())
    for _, dtype in ipairs{"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"} do
      local t = (torch.rand(7) * 3):to(torch[dtype])
      assert.is_true(torch.equal(t, torch.frombuffer(t:tostring_bytes(), {dtype = torch[dtype]})))
    end
  end)

  it("from_file maps a file; what is written to a shared one is in it", function()
    local path = os.tmpname()
    os.remove(path)
    local t = torch.from_file(path, {shared = true, size = 4, dtype = torch.int32})
    assert.are.same({0, 0, 0, 0}, t:tolist())
    t:copy_(torch.arange(4))
    local again = torch.from_file(path, {size = 4, dtype = torch.int32})
    assert.are.same({0, 1, 2, 3}, again:tolist())
    again:fill_(9)
    assert.are.same({0, 1, 2, 3}, torch.from_file(path, {size = 4, dtype = torch.int32}):tolist())
    assert.are.equal(16, #read(path))
    local map = np.memmap(path, {dtype = "int32", offset = 4, shape = {3, 1}, mode = "r+"})
    map[0] = 7
    assert.are.same({0, 7, 2, 3}, np.fromfile(path, {dtype = np.int32}):tolist())
    os.remove(path)
  end)

  it("arrays go to files and come back", function()
    local path = os.tmpname()
    local a = np.array{{1.5, 2.5}, {3.5, 4.5}}
    a:tofile(path)
    assert.are.same({1.5, 2.5, 3.5, 4.5}, np.fromfile(path):tolist())
    assert.are.same({2.5}, np.fromfile(path, {count = 1, offset = 8}):tolist())
    assert.are.same({1.5, 2.5, 3.5, 4.5}, np.frombuffer(a:tobytes()):tolist())
    os.remove(path)
  end)
end)

describe("tables of text", function()
  it("are read as savetxt writes them, to the last bit", function()
    for _, dtype in ipairs{torch.float64, torch.float32, torch.int64} do
      local x = dtype == torch.int64 and torch.randint(-1000, 1000, {50, 4}) or torch.randn(50, 4, {dtype = dtype}) * 1e-3
      local file <close> = io.tmpfile()
      np.savetxt(file, x, {header = "a\nb", fmt = dtype == torch.int64 and "%d" or "%.18e"})
      file:seek "set"
      assert.is_true(torch.equal(x, torch.from_numpy(np.loadtxt(file, {dtype = dtype}))))
    end
  end)

  it("numbers are read to the nearest", function()
    for _, text in ipairs{"0.1", "123456789012345678", "9007199254740993", "2.2250738585072014e-308", "4.9e-324", "1e23", "8.5e-22",
      "0.30000000000000004", "1.7976931348623157e308", "179769313486231580793e289", "-5e-5", ".5", "5.", "+7", "00012"} do
      assert.are.equal(tonumber(text) + 0.0, torch._io.parse(text), text)
    end
    for _, text in ipairs{"", " ", "-", ".", "e5", "1e", "1e+", "0x10", "1_0", "1 2", "nane", "--1", "1.2.3", "1f"} do
      assert.is_nil(torch._io.parse(text), text)
    end
  end)

  it("may have a header, types, missing values, quotes and lines of any kind", function()
    local file <close> = temporary 'id,"last, first",score,ok\r\n1,"de ""Luna"", Ana",2.5,True\r\n2,Rui,,False\r\n\r\n3,"two\nlines",NA,True\r'
    local t = np.genfromtxt(file, {delimiter = ",", names = true, dtype = "None", quotechar = '"', missing_values = "NA"})
    assert.are.same({"id", "last_first", "score", "ok"}, t.dtype.names)
    assert.are.equal("[('id', '<i8'), ('last_first', '<U14'), ('score', '<f8'), ('ok', '?')]", tostring(t.dtype))
    assert.are.same({1, 2, 3}, t.id:tolist())
    assert.are.same({'de "Luna", Ana', "Rui", "two\nlines"}, t.last_first)
    assert.are.same({true, false, true}, t.ok:tolist())
    assert.are.equal("array([2.5, nan, nan])", tostring(t.score))
    assert.are.same({2, "Rui"}, {table.unpack(t[1], 1, 2)})
  end)

  it("may have a header, which says how many columns there are", function()
    local lines = {"a,b,c", "1,2,3,4", "5,6,7", "8,9,10,11", "12,13,14"}
    local t = np.genfromtxt(lines, {delimiter = ",", names = true, invalid_raise = false})
    assert.are.equal("array([ 5., 12.]) array([ 7., 14.])", tostring(t.a) .. " " .. tostring(t.c))
    local message = select(2, pcall(np.genfromtxt, lines, {delimiter = ",", names = true})).message
    assert.are.equal("    Line #2 (got 4 columns instead of 3)\n    Line #4 (got 4 columns instead of 3)", message:match "\n(.*)")
  end)

  it("are fast: 200,000 numbers in less than a second", function()
    local rows = {}
    for i = 1, 20000 do rows[i] = ("%d,%.3f,%.6f,%d,%.2f,%d,%d,%.1f,%d,%d"):format(i, i / 7, i / 3, i, i / 9, i, i, i / 2, i, i) end
    local file <close> = temporary(table.concat(rows, "\n"))
    local start = os.clock()
    assert.are.equal(200000, np.loadtxt(file, {delimiter = ","}).size)
    assert.is_true(os.clock() - start < 1)
  end)
end)

-- --- hostile files ----------------------------------------------------------------------------------------------

local random = 12345
local function pick(n)
  random = (random * 1103515245 + 12345) % 2147483648
  return random // 65536 % n
end

local interesting = {0, 1, 10, 13, 32, 39, 40, 41, 44, 48, 57, 127, 128, 255}
local function mutated(bytes)
  local way, at = pick(5), pick(#bytes + 1) + 1
  if way == 0 then return bytes:sub(1, at - 1) end
  local byte = string.char(pick(2) == 0 and interesting[pick(#interesting) + 1] or pick(256))
  if way == 1 then return bytes:sub(1, at - 1) .. byte .. bytes:sub(at + 1) end
  if way == 2 then return bytes:sub(1, at) .. byte .. bytes:sub(at + 1) end
  if way == 3 then return bytes:sub(1, at - 1) .. bytes:sub(at + 1 + pick(8)) end
  return mutated(bytes:sub(1, at - 1) .. byte .. bytes:sub(at + 1))
end

-- Reading ends, in a result or an error of ours, and asks for no more memory than the file is large, times what deflate may
-- make of it.
local function survives(bytes, f)
  local file <close> = temporary(bytes)
  torch._reset_peak_memory()
  local before = torch._memory().allocated
  local ok, problem = pcall(f, file)
  if not ok and type(problem) ~= "table" then error(problem, 0) end
  assert.is_true(torch._memory().max_allocated - before < 1040 * #bytes + (1 << 20))
end

describe("mutated files", function()
  lazy_setup(function() warn "@off" end)
  lazy_teardown(function() warn "@on" end)
  local seconds = tonumber(os.getenv "TOCHA_FUZZ_SECONDS") or 1
  local function fuzz(pattern, f)
    local names = sorted_names(pattern)
    local stop, count = os.clock() + seconds, 0
    repeat
      local bytes = mutated(read(folder .. names[pick(#names) + 1]) .. " ")
      survives(bytes, f)
      count = count + 1
    until os.clock() > stop
    assert.is_true(count > 50)
  end
  it("of one array", function() fuzz("^[^b].*%.npy$", np.load) end)
  it("of archives", function()
    fuzz("%.npz$", function(file)
      local npz = np.load(file)
      for _, name in ipairs(npz.files) do pcall(npz.get, npz, name) end
    end)
  end)
  it("of text", function()
    local table_of_text = 'a,b,"c c"\n1,2.5,"x, y"\n# note\n3,,z\n-4e5,nan,"q""q"\n'
    local stop = os.clock() + seconds
    repeat
      local bytes = mutated(mutated(table_of_text))
      for _, f in ipairs{np.loadtxt, np.genfromtxt} do
        survives(bytes, function(file)
          return f(file, {delimiter = pick(2) == 0 and "," or nil, quotechar = pick(2) == 0 and '"' or nil})
        end)
      end
      survives(bytes, function(file)
        return tostring(np.genfromtxt(file, {delimiter = ",", dtype = "None", names = pick(2) == 0, quotechar = '"'}))
      end)
    until os.clock() > stop
  end)
end)

describe("failing allocations", function()
  -- Runs f while the n-th allocation fails, for every n until none does.
  local function every(f)
    for n = 0, 400 do
      torch._fail_allocation(n)
      local ok, problem = pcall(f)
      local left = torch._fail_allocation(-1)
      if ok then return left end
      assert.are.equal("OutOfMemoryError", problem.code)
    end
    error "they fail all the time"
  end
  it("end in an error", function()
    local x = torch.rand(300, 20)
    every(function()
      local file <close> = io.tmpfile()
      np.savez_compressed(file, {x = x, y = x.T})
      file:seek "set"
      for _, array in pairs(np.load(file)) do assert.are.equal(6000, array.size) end
    end)
    every(function()
      local file <close> = io.tmpfile()
      np.savetxt(file, torch.ones(20, 3))
      file:seek "set"
      assert.are.equal(60, np.loadtxt(file).size)
      file:seek "set"
      assert.are.equal(60, np.genfromtxt(file, {quotechar = '"', dtype = "None"}).size)
    end)
    every(function() return torch.frombuffer(x:tostring_bytes(), {dtype = torch.float32}) end)
    every(function() return torch.tensor{{1.5, 2}, {3, 4}} end)
  end)
end)

it("a mapped file of bools may hold any bytes: all but 0 are true", function()
  local path = os.tmpname()
  local file <close> = assert(io.open(path, "wb"))
  file:write("\0\1\2\255"):flush()
  local mapped = torch.from_file(path, {size = 4, dtype = torch.bool})
  assert.are.equal(3, mapped:sum():item())
  assert.are.equal(3, mapped:eq(true):sum():item())
  assert.are.equal(6, torch.cat{mapped, mapped}:sum():item())
  assert.are.equal(2, mapped:unique():numel())
  os.remove(path)
end)
