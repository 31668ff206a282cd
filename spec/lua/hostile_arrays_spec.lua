-- hostile_arrays_spec.lua: .npy and .npz files and tables of text that were changed, cut short, or made to do harm: an error, or other
-- values, never a crash, and never more memory than ten times the file (TOCHA_HOSTILE=2000: more of them).
local torch = require "torch"
local hostile_files, programs = require "hostile_files", require "programs"
local np = torch.numpy

local path = os.tmpname()

local function write(bytes) programs.write(path, bytes) end

-- What save(path, ...) writes.
local function made(ending, save, ...)
  local name = path .. ending
  save(name, ...)
  local bytes = programs.read(name)
  os.remove(name)
  return bytes
end

-- Loads what is at path; whether that failed, with an error of the library's own.
local function fails(load)
  local ok, result = pcall(load)
  if not ok then assert.is_truthy(type(result) == "table" and result.message, tostring(result)) end
  return not ok
end

local function load_archive()
  local archive <close> = np.load(path)
  local sum = 0
  for _, array in pairs(archive) do sum = sum + array.size end
  return sum
end

local x = torch.arange(600, {dtype = torch.float32}):reshape(20, 30)
local text = {}
for i = 1, 60 do text[i] = ("%d.5,%d,%.3e,-inf"):format(i, i * i, i) end
text = table.concat(text, "\n")

local formats = {
  {".npy", made(".npy", np.save, x), function() return np.load(path) end},
  {".npy of columns", made(".npy", np.save, x:t()), function() return np.load(path) end},
  {".npz", made(".npz", np.savez, {a = x, b = x[0]}), load_archive},
  {"packed .npz", made(".npz", np.savez_compressed, {a = x, b = x[0]}), load_archive},
  {"tables of numbers", text, function() return np.loadtxt(path, {delimiter = ","}) end},
  {"tables with gaps", text, function() return np.genfromtxt(path, {delimiter = ","}) end},
}

describe("changed files", function()
  teardown(function() os.remove(path) end)

  for number, format in ipairs(formats) do
    it("of the format " .. format[1] .. " are errors or other values", function()
      hostile_files.seed(number)
      write(format[2])
      assert.is_false(fails(format[3]))
      collectgarbage()
      hostile_files.peak_memory()
      local before = hostile_files.peak_memory()
      local failed = 0
      for _ = 1, hostile_files.COUNT do
        write(hostile_files.change(format[2]))
        if fails(format[3]) then failed = failed + 1 end
      end
      local after = hostile_files.peak_memory()
      assert.is_true(failed > hostile_files.COUNT / 10, tostring(failed))
      if before and after then assert.is_true(after - before < 48 << 20, ("%d MiB"):format((after - before) >> 20)) end
    end)
  end

  it("are noticed wherever an array is cut", function()
    for i = 1, 4 do
      local bytes, load = formats[i][2], formats[i][3]
      for n = 0, #bytes - 1, hostile_files.COUNT >= 2000 and 1 or 41 do
        write(bytes:sub(1, n))
        assert.is_true(fails(load), formats[i][1] .. " " .. n)
      end
    end
  end)

  -- The head of an .npy file of that dtype and shape, with 16 bytes of data.
  local function npy(dtype, shape, more)
    local head = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }%s\n"):format(dtype, shape, more or "")
    return "\x93NUMPY\1\0" .. string.pack("<s2", head) .. ("\0"):rep(16)
  end
  local hostile = {
    ["more elements than the file"] = npy("<f4", "(4611686018427387904,)"),
    ["elements that overflow"] = npy("<f8", "(4294967296, 4294967296)"),
    ["a negative size"] = npy("<f4", "(-4,)"),
    ["sizes whose product wraps to 4"] = npy("<f4", "(4611686018427387905, 4)"),
    ["objects, which are pickles"] = npy("|O", "(1,)"),
    ["a hundred dimensions"] = npy("<f4", "(" .. ("1, "):rep(100) .. ")"),
    ["a size that is no number"] = npy("<f4", "(1e3,)"),
    ["a head that calls"] = npy("<f4", "__import__('os').system('true')"),
    ["a head that never ends"] = "\x93NUMPY\2\0" .. string.pack("<I4", 0xffffffff) .. "{'descr': '<f4'",
    ["an element of two gigabytes"] = npy("|S2147483647", "(1,)"),
  }
  for title, bytes in pairs(hostile) do
    it("are errors: " .. title, function()
      write(bytes)
      hostile_files.peak_memory()
      local before = hostile_files.peak_memory()
      assert.is_true(fails(function() return np.load(path) end))
      local after = hostile_files.peak_memory()
      if before and after then assert.is_true(after - before < 10 * #bytes + (16 << 20)) end
    end)
  end
end)
