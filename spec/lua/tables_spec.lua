-- tables_spec.lua: tables of text that are compressed or in another encoding than UTF-8; columns with the names of an array's attributes;
-- and options, none of which is accepted and ignored.
local torch = require "torch"
local np = require "torch.numpy"
local serialization, safetensors = torch.serialization, torch.utils.safetensors

local path
before_each(function() path = os.tmpname() end)
after_each(function() os.execute("rm -f " .. path .. "*") end)

local function write(name, text)
  local file <close> = assert(io.open(name, "wb"))
  file:write(text)
end
local function read(name)
  local file <close> = assert(io.open(name, "rb"))
  return file:read "a"
end
local function error_of(...)
  local ok, err = pcall(...)
  assert.is_false(ok)
  return err
end

describe("tables that are compressed", function()
  for tool, ending in pairs {gzip = ".gz", bzip2 = ".bz2", xz = ".xz"} do
    it("are read: " .. tool, function()
      if not os.execute("command -v " .. tool .. " >/dev/null") then return pending("there is no " .. tool) end
      local rows = {}
      for i = 1, 5000 do rows[i] = ("%d,%.3f"):format(i, i / 7) end
      write(path .. ".csv", "a,b\n" .. table.concat(rows, "\n") .. "\n")
      local expected = np.loadtxt(path .. ".csv", {delimiter = ",", skiprows = 1})
      os.execute(("%s -kf %s.csv"):format(tool, path))
      local packed = path .. ".csv" .. ending
      assert.are.equal(tostring(expected), tostring(np.loadtxt(packed, {delimiter = ",", skiprows = 1})))
      assert.are.equal(5000, #np.genfromtxt(packed, {delimiter = ",", names = true}).a)
      local file <close> = assert(io.open(packed, "rb"))
      assert.are.equal("(5000, 2)", tostring(np.loadtxt(file, {delimiter = ",", skiprows = 1}).shape))
      local bytes = read(packed)
      write(packed, bytes .. bytes)   -- two files, one behind the other
      assert.are.equal(10001, #np.genfromtxt(packed, {delimiter = ",", names = true}).a)
      for _, cut in ipairs {20, #bytes // 2, #bytes - 5} do
        write(packed, bytes:sub(1, cut))
        assert.truthy(error_of(np.loadtxt, packed, {delimiter = ","}).code:find "Error")
        write(packed, bytes:sub(1, cut) .. "\0\xff\1" .. bytes:sub(cut + 4))
        pcall(np.loadtxt, packed, {delimiter = ","})
      end
    end)
  end

  it("of several gzip members, of any sizes, with zeros behind them", function()
    if not os.execute "command -v gzip >/dev/null" then return pending "there is no gzip" end
    local all, text = {}, {"1 2\n", ("3 4\n"):rep(100000), "", "5 6\n"}
    for i, part in ipairs(text) do
      write(path, part)
      os.execute(("gzip -c %s > %s.gz"):format(path, path))
      all[i] = read(path .. ".gz")
    end
    local bytes = table.concat(all)
    for _, padding in ipairs {"", ("\0"):rep(100)} do
      write(path .. ".gz", bytes .. padding)
      local a = np.loadtxt(path .. ".gz")
      assert.are.equal("(100002, 2)", tostring(a.shape))
      assert.are.same({{1, 2}, {3, 4}}, a["0:2"]:tolist())
      assert.are.same({{3, 4}, {5, 6}}, a["-2:"]:tolist())
    end
    write(path .. ".gz", bytes .. "junk")
    assert.are.equal("Not a gzipped file", error_of(np.loadtxt, path .. ".gz").message)
    write(path .. ".gz", bytes:sub(1, -9) .. "\0\0\0\0" .. bytes:sub(-4))   -- the last checksum
    assert.are.equal("gzip: the file is damaged", error_of(np.loadtxt, path .. ".gz").message)
    write(path .. ".gz", bytes:sub(1, -5) .. "\255\255\0\0")   -- the last size
    assert.are.equal("gzip: the file is damaged", error_of(np.loadtxt, path .. ".gz").message)
  end)

  it("of other kinds are named", function()
    for magic, name in pairs {["\x89HDF\r\n\x1a\n\0"] = "an HDF5 file", ["\x93NUMPY\1\0"] = "NumPy's .npy file", ["PK\3\4\0"] = "a zip archive",
        ["\x28\xb5\x2f\xfd\0"] = "a Zstandard file"} do
      write(path, magic .. ("\0"):rep(100))
      for _, load in ipairs {np.loadtxt, np.genfromtxt} do
        local err = error_of(load, path)
        assert.are.same({"ValueError", ("the file is %s, not a table of text"):format(name)}, {err.code, err.message})
      end
    end
    assert.truthy(error_of(np.savetxt, path .. ".gz", torch.ones(2)).hint:find "gzip")
  end)
end)

describe("tables in other encodings", function()
  local function first(bytes, encoding)
    write(path, bytes)
    return np.genfromtxt(path, {delimiter = ";", names = true, dtype = "None", encoding = encoding}).n[1]
  end
  it("are decoded", function()
    for _, name in ipairs {"latin1", "latin-1", "iso-8859-1", "cp1252", "windows-1252"} do
      assert.are.equal("Mü", first("n;w\nM\xfc;1\n", name))
    end
    assert.are.equal("5€", first("n;w\n5\x80;1\n", "cp1252"))
    assert.are.equal("Mü", first("n;w\nMü;1\n", "utf-8"))
    assert.are.equal("Mü", first("\xef\xbb\xbfn;w\nMü;1\n", "utf-8-sig"))
    assert.are.equal("M\xfc", first("n;w\nM\xfc;1\n", "bytes"))
    local function utf16(text, format)
      local out = {}
      for _, code in utf8.codes(text) do
        if code > 0xffff then
          out[#out + 1] = format:pack(0xd800 + (code - 0x10000 >> 10)) .. format:pack(0xdc00 + (code - 0x10000 & 0x3ff))
        else
          out[#out + 1] = format:pack(code)
        end
      end
      return table.concat(out)
    end
    assert.are.equal("Mü😀", first(utf16("\u{feff}n;w\nMü😀;1\n", "<I2"), "utf-16"))
    assert.are.equal("Mü😀", first(utf16("\u{feff}n;w\nMü😀;1\n", ">I2"), "utf-16"))
    assert.are.equal("Mü😀", first(utf16("n;w\nMü😀;1\n", "<I2"), "utf-16-le"))
    assert.are.equal("Mü😀", first(utf16("n;w\nMü😀;1\n", ">I2"), "utf-16-be"))
    write(path, utf16("\u{feff}1 2\n3 4\n", "<I2"))
    assert.are.equal("array([[1., 2.],\n       [3., 4.]])", tostring(np.loadtxt(path, {encoding = "utf-16"})))
    assert.truthy(error_of(np.loadtxt, path).hint:find "utf%-16")
  end)

  it("are errors if the bytes do not fit", function()
    assert.are.equal("'utf-8' codec can't decode byte 0xfc in position 5: invalid start byte", error_of(first, "n;w\nM\xfc;1\n", "utf-8").message)
    assert.are.equal("'ascii' codec can't decode byte 0xfc in position 5: invalid start byte", error_of(first, "n;w\nM\xfc;1\n", "ascii").message)
    assert.truthy(error_of(first, "n;w\n\x81;1\n", "cp1252").message:find "byte 0x81")
    assert.are.equal("unknown encoding: klingon", error_of(first, "n;w\na;1\n", "klingon").message)
    assert.are.equal("TypeError", error_of(first, "n;w\na;1\n", 7).code)
  end)

  it("are written", function()
    np.savetxt(path, torch.ones(1), {fmt = "%d", header = "Mü", encoding = "latin1"})
    assert.are.equal("# M\xfc\n1\n", read(path))
    np.savetxt(path, torch.ones(1), {fmt = "%d", header = "Mü"})
    assert.are.equal("# Mü\n1\n", read(path))
    assert.truthy(error_of(np.savetxt, path, torch.ones(1), {header = "Mü", encoding = "ascii"}).message:find "can't encode character '\\u00fc'")
    assert.truthy(error_of(np.savetxt, path, torch.ones(1), {encoding = "utf-16"}).message:find "unknown encoding")
  end)
end)

describe("columns with the names of attributes", function()
  it("are the columns", function()
    local d = np.genfromtxt({"size,shape,dtype,columns,ndim,tip", "2,3,4,5,6,7", "8,9,10,11,12,13"}, {delimiter = ",", names = true})
    for i, name in ipairs {"size", "shape", "dtype", "columns", "ndim", "tip"} do
      assert.are.equal(tostring(np.array {i + 1.0, i + 7.0}), tostring(d[name]))
    end
    assert.are.equal(2, #d)
    assert.are.same({2.0, 3.0, 4.0, 5.0, 6.0, 7.0}, d[0])
    assert.truthy(tostring(d):find "'dtype', '<f8'")
    local plain = np.genfromtxt({"a,b", "2,x"}, {delimiter = ",", names = true, dtype = "None"})
    assert.are.same({1, "(1,)", "a", 1}, {plain.size, tostring(plain.shape), plain.dtype.names[1], plain.ndim})
  end)

  it("come one by one with unpack", function()
    local a, b = np.genfromtxt({"a,b", "2,x", "3,y"}, {delimiter = ",", names = true, dtype = "None", unpack = true})
    assert.are.equal("array([2, 3])", tostring(a))
    assert.are.same({"x", "y"}, b)
  end)
end)

describe("what cannot be converted", function()
  it("is a NaN without a sign", function()
    assert.are.equal("array([nan,  1.])", tostring(np.genfromtxt({"x,1"}, {delimiter = ","})))
    assert.is_false(torch.from_numpy(np.genfromtxt({"x,1"}, {delimiter = ","})):signbit():any():item())
  end)
end)

describe("options", function()
  -- Each parameter of a signature is read where the signature stands: define "f(a, b?)" with f's `a.b`, or a function of as many parameters.
  local function names_of(signature)
    local names = {}
    local list = signature:match "^[%w_.]+%((.*)%)$" or ""
    for part in list:gsub("%b()", ""):gmatch "[^,]+" do
      local name = part:gsub("=.*", ""):match "([%w_]+)%??%s*$"
      if name then names[#names + 1] = name end
    end
    return names
  end
  for _, file in ipairs {"parts/numpy/files.lua", "parts/numpy/text.lua", "parts/serialization/files.lua", "torch/utils/safetensors.lua",
      "parts/vision/datasets/folder.lua", "parts/vision/datasets/mnist.lua", "parts/vision/datasets/cifar.lua"} do
    it("are all read: " .. file, function()
      local source = read("lua/" .. file) .. read "lua/parts/vision/datasets/support.lua"
      local count = 0
      for signature in source:gsub('"%s*%.%.%s*"', ""):gmatch 'define%s*%(?%s*"([^"]*)"' do
        for _, name in ipairs(names_of(signature)) do
          count = count + 1
          assert.truthy(source:find("[%.%[]" .. name .. "%f[^%w_]") or source:find("function%([^)]*%f[%w_]" .. name .. "%f[^%w_]"), signature .. ": " .. name)
        end
      end
      assert.is_true(count > 0)
    end)
  end

  it("that cannot be followed are errors", function()
    local x = torch.ones(2)
    for _, case in ipairs {
      {torch.save, {x}, path, {pickle_protocol = 4}}, {torch.save, {x}, path, {pickle_module = {}}},
      {torch.load, path, {pickle_module = {}}}, {np.load, path, {encoding = "utf-8"}}, {np.load, path, {fix_imports = false}},
      {np.load, path, {max_header_size = 20000}},
      {np.load, "spec/golden/checkpoints/object_dict.npy", {allow_pickle = true, mmap_mode = "r"}},
      {np.fromfile, path, {sep = ","}}, {safetensors.safe_open, path, "np"},
      {torch.vision.transforms.functional.to_pil_image, torch.ones(3, 2, 2), "L"}, {np.loadtxt, path, {encoding = "x"}},
    } do
      write(path, "1 2\n")
      assert.is_false((pcall(table.unpack(case))))
    end
    np.save(path .. ".npy", np.arange(3))
    assert.truthy(error_of(np.load, path .. ".npy", {max_header_size = 10}).message:find "Header info length %(118%) is large")
    torch.save({x}, path, {pickle_protocol = 2})
    safetensors.save_file({x = x}, path .. ".safetensors")
    assert.truthy(error_of(torch.load, path .. ".safetensors", {mmap = true}).message:find "mmap can only be used")
    assert.truthy(error_of(torch.load, path .. ".safetensors", {map_location = function() end}).message:find "map_location must be a device")
    assert.are.equal("meta", torch.load(path .. ".safetensors", {map_location = "meta"}).x.device.type)
    assert.are.equal(2, #serialization.load_bytes(read(path))[1])
  end)
end)
