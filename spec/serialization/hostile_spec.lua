-- hostile_spec.lua: files that were changed, cut short, or made to do harm: an error, or other values, never a crash, and never
-- more memory than ten times the file. TOCHA_HOSTILE=2000 says how many of each format.
local torch = require "torch"
local serialization, safetensors = torch.serialization, torch.utils.safetensors

local hostile_files = require "hostile_files"
local random, peak_memory = hostile_files.random, hostile_files.peak_memory
local COUNT = hostile_files.COUNT
local folder = "spec/golden/checkpoints/"
local function bytes_of(name)
  local file <close> = assert(io.open(folder .. name, "rb"))
  return file:read "a"
end

-- Reads every element, as whoever loads a file does.
local function walk(value, seen)
  if torch.is_tensor(value) then
    if value.device.type ~= "meta" and value:numel() < 1e6 then value:double():sum():item() end
  elseif type(value) == "table" and not seen[value] then
    local name = (getmetatable(value) or {}).__name
    if name == "missing tensor" then return end
    if name == "numpy.ndarray" then value = {value.tensor} end
    seen[value] = true
    for key, item in pairs(value) do
      walk(key, seen)
      walk(item, seen)
    end
  end
end

-- Loads it; the message where that fails. Every failure is an error of the library's own.
local function try(load, bytes)
  local ok, result = pcall(load, bytes)
  if ok then
    walk(result, {})
    return nil
  end
  assert.is_truthy(type(result) == "table" and result.message, tostring(result))
  return result.message
end

local function load(bytes) return serialization.load_bytes(bytes, "cpu") end
local function load_any(bytes) return serialization.load_bytes(bytes, {map_location = "cpu", weights_only = false}) end
local function unpickle(bytes) return torch._io.unpickle(torch._part "serialization.types", bytes, true) end

describe("changed files", function()
  local formats = {
    {"the zip format", "values.pt", load},
    {"the zip format without sums", "values_without_sums.pt", load},
    {"the old format", "values_legacy.pt", load},
    {"protocol 4", "values_protocol4.pt", load},
    {".safetensors", "values.safetensors", load},
    {"safe_open", "values.safetensors", safetensors.load},
    {"objects", "objects_5.pt", load_any},
    {"objects in the old format", "objects_legacy_2.pt", load_any},
    {"arrays", "arrays_5.pt", load_any},
    {"modules", "whole.pt", load_any},
    {"types that Tocha lacks", "types_legacy.pt", load_any},
    {"converted .safetensors", "types.safetensors", load},
    {"plain pickles", "plain.pkl", unpickle},
    {"objects in .npy", "object_list.npy", unpickle},
  }
  for number, format in ipairs(formats) do
    it("of " .. format[1] .. " are errors or other values", function()
      hostile_files.seed(number)
      local bytes, failed = bytes_of(format[2]), 0
      peak_memory()
      local before = peak_memory()
      for _ = 1, COUNT do
        if try(format[3], hostile_files.change(bytes)) then failed = failed + 1 end
      end
      assert.is_true(failed > COUNT / (number > 6 and 20 or 4))
      local after = peak_memory()
      if before and after then assert.is_true(after - before < 64 << 20, ("%d MiB"):format((after - before) >> 20)) end
    end)
  end

  it("are noticed wherever they are cut", function()
    for _, name in ipairs {"values.pt", "values_legacy.pt", "values.safetensors"} do
      local bytes = bytes_of(name)
      for n = 0, #bytes - 1, COUNT >= 2000 and 1 or 37 do assert.is_truthy(try(load, bytes:sub(1, n)), name .. " " .. n) end
    end
  end)
end)

-- --- made to do harm ------------------------------------------------------------------------------------------

local HEAD = "\x80\2\x8a\10\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\2M\xe9\3.\x80\2}X\13\0\0\0little_endian\x88s."
local function text(s) return "X" .. string.pack("<s4", s) end
local function pickle(body) return HEAD .. "\x80\2" .. body .. "." end
local function storage(key, n, class)
  return "(" .. text "storage" .. "ctorch\n" .. (class or "Float") .. "Storage\n" .. text(key) .. text "cpu" .. n .. "NtQ"
end
local function int(n) return "\x8a\8" .. string.pack("<i8", n) end
local function tensor(what, offset, sizes, strides)
  return "ctorch._utils\n_rebuild_tensor_v2\n(" .. what .. offset .. sizes .. strides .. "\x89NtR"
end
-- The old format: one object, and storages {key, data}.
local function file(body, keys)
  local out = {pickle(body), "\x80\2]("}
  for _, s in ipairs(keys or {}) do out[#out + 1] = text(s[1]) end
  out[#out + 1] = "e."
  for _, s in ipairs(keys or {}) do out[#out + 1] = string.pack("<i8", s[3] or #s[2] // 4) .. s[2] end
  return table.concat(out)
end
-- The zip format: one object, and data that has many names.
local function archive(program, data, names)
  local function record(name, at, size, central)
    local facts = string.pack("<I2I2I2I4I4I4I4I2I2", 45, 0, 0, 0, 0, size, size, #name, 0)
    if not central then return "PK\3\4" .. facts .. name end
    return "PK\1\2" .. string.pack("<I2", 45) .. facts .. string.pack("<I2I2I2I4I4", 0, 0, 0, 0, at) .. name
  end
  local out = record("a/data.pkl", 0, #program) .. program
  local at = #out
  out = out .. record("a/data/" .. names[1], at, #data) .. data
  local list = record("a/data.pkl", 0, #program, true)
  for _, name in ipairs(names) do list = list .. record("a/data/" .. name, at, #data, true) end
  return out .. list .. "PK\5\6" .. string.pack("<I2I2I2I2I4I4I2", 0, 0, #names + 1, #names + 1, #list, #out, 0)
end
local four = {{"0", ("\0"):rep(16)}}

local hostile = {
  ["a storage larger than the file"] = file(tensor(storage("0", int(1 << 40)), "K\0", int(1 << 40) .. "\x85", "K\1\x85"), four),
  ["a storage whose bytes overflow"] = file(tensor(storage("0", int(1 << 62)), "K\0", "K\4\x85", "K\1\x85"), four),
  ["a negative storage"] = file(tensor(storage("0", int(-4)), "K\0", "K\4\x85", "K\1\x85"), four),
  ["a tensor beyond its storage"] = file(tensor(storage("0", "K\4"), "K\1", "K\4\x85", "K\1\x85"), four),
  ["a stride beyond its storage"] = file(tensor(storage("0", "K\4"), "K\0", "K\2\x85", int(math.maxinteger) .. "\x85"), four),
  ["sizes that overflow"] = file(tensor(storage("0", "K\4"), "K\0", int(1 << 32) .. int(1 << 32) .. "\x86", "K\0K\0\x86"), four),
  ["a negative offset"] = file(tensor(storage("0", "K\4"), int(-1), "K\2\x85", "K\1\x85"), four),
  ["a negative stride"] = file(tensor(storage("0", "K\4"), "K\3", "K\4\x85", int(-1) .. "\x85"), four),
  ["a negative size"] = file(tensor(storage("0", "K\4"), "K\0", int(-4) .. "\x85", "K\1\x85"), four),
  ["more sizes than strides"] = file(tensor(storage("0", "K\4"), "K\0", "K\2K\2\x86", "K\1\x85"), four),
  ["sizes in a dict"] = file(tensor(storage("0", "K\4"), "K\0", "}K\1K\1s", "}K\1K\1s"), four),
  ["a storage with two types"] = file("(" .. tensor(storage("0", "K\4"), "K\0", "K\4\x85", "K\1\x85")
    .. tensor(storage("0", "K\4", "Double"), "K\0", "K\4\x85", "K\1\x85") .. "t", four),
  ["a storage that is never filled"] = file(tensor(storage("0", "K\4"), "K\0", "K\4\x85", "K\1\x85"), {}),
  ["a storage filled with another size"] = file(tensor(storage("0", "K\4"), "K\0", "K\4\x85", "K\1\x85"), {{"0", ("\0"):rep(16), 1 << 60}}),
  ["a storage with one part"] = file("(" .. text "storage" .. "tQ"),
  ["items set on a tensor"] = file(tensor(storage("0", "K\4"), "K\0", "K\4\x85", "K\1\x85") .. "K\0K\0s", four),
  ["items set on a number"] = file "K\1K\0K\0s",
  ["items added to a tuple"] = file ")K\1a",
  ["a state of a list"] = file "]}b",
  ["an empty stack"] = file "0",
  ["a mark as a value"] = file "(",
  ["a text longer than the file"] = file "X\xff\xff\xff\x7fabc",
  ["a text of 2^63 bytes"] = file "\x8d\0\0\0\0\0\0\0\x80abc",
  ["a note beyond all bounds"] = file "Nr\xff\xff\xff\x7f",
  ["a note that was never made"] = file "h\5",
  ["an integer of two gigabytes"] = file "\x8b\xff\xff\xff\x7f\1",
  ["a class as a value"] = file "ctorch\nSize\n",
  ["a storage as a value"] = file(storage("0", "K\4"), four),
  ["a call of what is no function"] = file "K\1)R",
  ["a call without a tuple"] = file "ctorch\nSize\n]R",
  ["os.system"] = file("cos\nsystem\n" .. text "true" .. "\x85R"),
  ["eval"] = file("c__builtin__\neval\n" .. text "1" .. "\x85R"),
  ["a list as a key"] = file "}]Ns",
  ["nan as a key"] = file "}G\x7f\xf8\0\0\0\0\0\0Ns",
  ["lists in lists"] = file(("]"):rep(100000) .. ("a"):rep(99999)),
  ["tuples in tuples"] = file(")" .. ("\x85"):rep(100000)),
  ["millions of lists"] = file(("]"):rep(1 << 20)),
  ["a size of 1000 numbers"] = file("ctorch\nSize\n(" .. ("K\1"):rep(1000) .. "t\x85R"),
  ["a device without sense"] = file("ctorch\ndevice\n" .. text "cuda" .. int(1 << 40) .. "\x86R"),
}

-- Words of the pickle machine, of which random programs are made.
local WORDS = {
  "(", "(", "t", "R", "R", "Q", "b", "s", "u", "a", "e", "0", "1", "2", "N", "K\0", "K\1", "K\4", "]", "}", ")", "\x8f", "\x90", "\x91", "l", "d",
  "\x85", "\x86", "\x87", "\x94", "\x93", "\x81", "h\0", "h\1", "h\2", "q\0", "q\1", "q\2", "\x88", "\x89", int(-1), int(4), "G\x3f\xf0\0\0\0\0\0\0",
  text "storage", text "0", text "cpu", text "latin1", text "a", text "torch", text "Size", "ctorch\nSize\n", "ccollections\nOrderedDict\n",
  "ctorch._utils\n_rebuild_tensor_v2\n", "ctorch._utils\n_rebuild_tensor_v3\n", "ctorch._utils\n_rebuild_parameter\n", "ctorch\nFloatStorage\n",
  "ctorch\nUntypedStorage\n", "ctorch\nfloat32\n", "ctorch\nbool\n", "ctorch\ndevice\n", "c_codecs\nencode\n", "c__builtin__\nset\n",
  "c__builtin__\nbytearray\n", "ctorch._tensor\n_rebuild_from_type_v2\n", "ctorch\nTensor\n", "ctorch._utils\n_rebuild_meta_tensor_no_storage\n",
  "ccollections\nCounter\n", storage("0", "K\4"), storage("0", "K\4", "Double"), storage("0", "K\1"), "K\4\x85", "K\1\x85", "K\2K\2\x86", ")R", "C\3abc",
  tensor(storage("0", "K\4"), "K\0", "K\4\x85", "K\1\x85"),
  "o", "\x92", "\x82\1", "icollections\ndeque\n", "ia\nB\n", "ca\nB\n", "cnumpy\ndtype\n", "cnumpy.core.multiarray\n_reconstruct\n",
  "cnumpy.core.multiarray\nscalar\n", "cnumpy.core.numeric\n_frombuffer\n", "cdatetime\ndatetime\n", "cfunctools\npartial\n", "I01\n", "L5L\n", "F1.5\n",
  "ctorch\nuint16\n", "ctorch\nComplexFloatStorage\n", "c_codecs\nencode\n", text "f8", text "<", text "O8", text "U2",
}

local DTYPES = {"f8", "u2", "u8", "b1", "O8", "U2", "S0", "S3", "c16", "i4", "V8", "M8"}
local function dtype()
  return "cnumpy\ndtype\n(" .. text(DTYPES[random(#DTYPES)]) .. "\x89\x88tR(K\3"
    .. text(random(2) == 1 and "<" or ">") .. "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb"
end
local GLOBALS = {
  "torch\nSize", "torch\ndevice", "collections\nOrderedDict", "collections\nCounter", "_codecs\nencode", "builtins\nset", "builtins\nbytes",
  "torch._utils\n_rebuild_tensor", "torch._utils\n_rebuild_tensor_v2", "torch._utils\n_rebuild_tensor_v3", "torch._utils\n_rebuild_parameter",
  "torch._utils\n_rebuild_parameter_with_state", "torch._utils\n_rebuild_meta_tensor_no_storage", "torch._tensor\n_rebuild_from_type_v2",
}
local LEAVES = {
  "N", "\x88", "\x89", "K\0", "K\1", "K\2", "K\4", int(-1), int(1 << 40), int(math.maxinteger), int(math.mininteger), "G\x3f\xf0\0\0\0\0\0\0", ")", "]", "}",
  text "", text "cpu", text "cuda:0", text "latin1", text "é", text "0", "C\3abc", "ctorch\nfloat32\n", "ctorch\nint64\n", "ctorch\nTensor\n",
  "ctorch\nFloatStorage\n", storage("0", "K\4"), storage("0", "K\2", "Double"), storage("0", int(16), "Untyped"), storage("0", "K\4"), "K\4\x85", "K\1\x85",
  "K\2K\2\x86", "K\2K\1\x86", tensor(storage("0", "K\4"), "K\0", "K\4\x85", "K\1\x85"), "h\0", "h\1",
}

local value, unknown

local function values(n, depth)
  local out = {}
  for i = 1, n do out[i] = value(depth) end
  return table.concat(out)
end

local CLASSES = {"collections\ndeque", "collections\ndefaultdict", "pathlib\nPosixPath", "datetime\ndatetime", "datetime\ntimedelta", "functools\npartial",
  "copyreg\n_reconstructor", "argparse\nNamespace", "numpy.core.multiarray\nscalar", "numpy._core.numeric\n_frombuffer", "torch._utils\n_rebuild_qtensor",
  "torch._utils\n_rebuild_sparse_tensor", "builtins\nlist"}

-- An object of a class that is not known, or an array.
function unknown(depth)
  local kind = random(4)
  if kind == 1 then
    local bytes = random(3) == 1 and "](" .. values(random(3), depth + 1) .. "e" or "C" .. string.char(16) .. ("\1"):rep(16)
    return "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK\0\x85C\1btR(K\1" .. LEAVES[random(#LEAVES)] .. dtype() .. "\x89" .. bytes .. "tb"
  elseif kind == 2 then
    return "cnumpy.core.multiarray\nscalar\n" .. dtype() .. "C\8" .. ("\1"):rep(8) .. "\x86R"
  end
  local made = "c" .. CLASSES[random(#CLASSES)] .. "\n(" .. values(random(4) - 1, depth + 1) .. "t" .. (random(2) == 1 and "R" or "\x81")
  local more = {"", value(depth + 1) .. "b", "(" .. values(2, depth + 1) .. "e", "(" .. values(2, depth + 1) .. "u", values(2, depth + 1) .. "s"}
  return made .. more[random(#more)]
end

-- A value that may be anything, or a call with arguments that may be.
function value(depth)
  local kind = depth > 4 and 1 or random(9)
  if kind <= 3 then return LEAVES[random(#LEAVES)] end
  if kind == 4 then return "(" .. values(random(4), depth + 1) .. "t" end
  if kind == 5 then return "](" .. values(random(3), depth + 1) .. "eq\0" end
  if kind == 6 then return "}q\1(" .. values(2 * random(2), depth + 1) .. "u" end
  if kind == 8 then return unknown(depth) end
  return "c" .. GLOBALS[random(#GLOBALS)] .. "\n(" .. values(random(8) - 1, depth + 1) .. "tR"
end

describe("random programs", function()
  it("of the pickle machine are errors or values", function()
    hostile_files.seed(99)
    for i = 1, 10 * COUNT do
      local words = {}
      if i % 2 == 0 then words[1] = value(0) end
      for k = #words + 1, #words + random(i % 2 == 0 and 2 or 40) - 1 do words[k] = WORDS[random(#WORDS)] end
      local bytes = file(table.concat(words), random(3) > 1 and four or nil)
      try(load, bytes)
      try(load_any, bytes)
    end
  end)
end)

describe("hostile files are errors:", function()
  for title, bytes in pairs(hostile) do
    it(title, function()
      collectgarbage()
      peak_memory()
      local before = peak_memory()
      assert.is_truthy(try(load, bytes))
      local after = peak_memory()
      if before and after then assert.is_true(after - before < 10 * #bytes + (32 << 20)) end
    end)
  end

  it("doublings of a list stay one list each", function()
    local body = "]q\0"
    for i = 1, 60 do body = body .. "](h" .. string.char(i - 1) .. "h" .. string.char(i - 1) .. "eq" .. string.char(i) end
    assert.is_nil(try(load, file("(" .. body .. "t")))
  end)

  it("one entry of an archive read under many names", function()
    local data, names, body = ("\0"):rep(100000), {}, {"\x80\2]("}
    for i = 1, 200 do
      names[i] = "k" .. i
      body[i + 1] = tensor(storage(names[i], int(#data // 4)):gsub("NtQ$", "tQ"), "K\0", "K\1\x85", "K\1\x85")
    end
    local bytes = archive(table.concat(body) .. "e.", data, names)
    assert.truthy(try(load, bytes):find "too small for what it says")
  end)

  it("bytes at any place of a file that is mapped, read as numbers of eight", function()
    local path = os.tmpname()
    finally(function() os.remove(path) end)
    for padding = 0, 7 do
      local body = text(("x"):rep(padding)) .. "0ctorch._utils\n_rebuild_tensor_v3\n(" .. storage("0", "K\16", "Untyped") ..
        "K\0K\2\x85K\1\x85\x89Nctorch\nfloat64\ntR."
      local out <close> = assert(io.open(path, "wb"))
      out:write(archive("\x80\2" .. body, string.pack("<dd", 1, 2), {"0"}))
      out:close()
      local loaded = torch.load(path, {mmap = true})
      assert.are.equal("tensor([1., 2.], dtype=torch.float64)", tostring(loaded))
      assert.are.equal(0, loaded:data_ptr() % 8)
    end
  end)
end)
