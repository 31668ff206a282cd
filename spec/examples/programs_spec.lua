-- programs_spec.lua: the programs of examples/course, examples/pytorch and examples/small print the losses that PyTorch prints for their
-- twins in Python (spec/golden/examples, asked by ask.py there): the same words, and numbers within 1e-5. On processors without
-- AVX-512 products are summed in another order, in PyTorch too, and without oneDNN convolutions, or with fast digits; training enlarges that:
-- there within 5%.
local lfs = require "lfs"
local digits = require "digits"
local programs = require "programs"
local quote, read = programs.quote, programs.read

local has_avx512 = (read "/proc/cpuinfo" or ""):find "avx512f"
local has_onednn = programs.output(quote(programs.tocha) .. " --doctor"):find "\nonednn +%d"
local tolerance = has_avx512 and has_onednn and digits.are_pytorchs() and 1e-5 or 0.05

-- Networks that train against each other enlarge the last bits of their convolutions, which oneDNN sums in an order of its own.
local enlarges = {dcgan = 1e-3}
if not digits.divides_gradients_alike() then enlarges["03_computer_vision"], enlarges.mnist = 0.05, 1e-3 end

-- What a program prints on stdout and on stderr, on the CPU with one thread.
local function run(path)
  local out, err = os.tmpname(), os.tmpname()
  local _, _, code = os.execute(("env TOCHA_CUDA=off OMP_NUM_THREADS=1 %s %s >%s 2>%s </dev/null"):format(quote(programs.tocha), path, out, err))
  local printed, messages = read(out), read(err)
  os.remove(out)
  os.remove(err)
  return printed, messages, code
end

-- The numbers of a line, its text without them, and the unit of each number's last digit.
local function parts(line)
  local numbers, units = {}, {}
  local text = line:gsub("%f[%w.]%d+%.?(%d*)", function(fraction)
    units[#units + 1] = 10.0 ^ -#fraction
    return "#"
  end)
  for number in line:gmatch "%f[%w.]%d+%.?%d*" do numbers[#numbers + 1] = tonumber(number) end
  return numbers, text, units
end

local function compare(expected, printed, at, within)
  local want, text, units = parts(expected)
  local got, other = parts(printed)
  assert(text == other, ("line %d is\n%s\nnot\n%s"):format(at, printed, expected))
  for i, number in ipairs(want) do -- a printed fraction may be rounded the other way
    local allowed = (units[i] < 1 or within > 1e-5) and within * number + 1.01 * units[i] or 0
    assert(math.abs(got[i] - number) <= allowed, ("line %d is\n%s\nnot\n%s"):format(at, printed, expected))
  end
end

local function lines(text)
  local list = {}
  for line in text:gmatch "[^\n]*" do list[#list + 1] = line end
  return list
end

local count = 0
for _, folder in ipairs{"course", "pytorch", "small"} do
  for file in lfs.dir("examples/" .. folder) do
    local name = file:match "^(.*)%.lua$"
    if name then
      count = count + 1
      it(("examples/%s/%s trains as in PyTorch"):format(folder, file), function()
        local expected = assert(read("spec/golden/examples/" .. name .. ".expected"), "nobody asked PyTorch")
        local printed, messages, code = run(("examples/%s/%s"):format(folder, file))
        assert.are.equal("", messages)
        assert.are.equal(0, code)
        local want, got = lines(expected), lines(printed)
        local within = math.max(tolerance, enlarges[name] or 0)
        for i = 1, math.max(#want, #got) do compare(want[i] or "", got[i] or "", i, within) end
      end)
    end
  end
end

it("has the programs", function() assert.is_true(count >= 8) end)
