-- integer_extremes_spec.lua: extremes of narrow integers, which loops take as they are: of rows and columns of every length around the
-- loops' steps, on views and with the smallest and the largest number of each type, they are those of int64.
local torch = require "torch"

local limits = {bool = {0, 1}, uint8 = {0, 255}, int8 = {-128, 127}, int16 = {-32768, 32767}, int32 = {-2147483648, 2147483647}}

-- Returns (rows, n) numbers in [low, high]. The limits themselves are rare, and at a different place in each row.
local function numbers(rows, n, low, high)
  local x = torch.randint(low // 2, high // 2 + 1, {rows, n})
  x[{0, n // 2}], x[{1, n - 1}], x[{2, 0}] = high, low, high
  return x
end

local function same(expected, got, what) assert(torch.equal(expected, got:long()), what) end

local function check(x, narrow, what)
  for _, dim in ipairs {0, 1} do
    same(x:amax(dim), narrow:amax(dim), what .. " amax")
    same(x:amin(dim), narrow:amin(dim), what .. " amin")
    for _, name in ipairs {"max", "min"} do
      local values, indices = x[name](x, dim)
      local narrow_values, narrow_indices = narrow[name](narrow, dim)
      assert.are.equal(narrow.dtype, narrow_values.dtype)
      same(values, narrow_values, what .. " " .. name)
      same(indices, narrow_indices, what .. " indices of " .. name)
    end
  end
  same(x:max(), narrow:max(), what .. " of all")
  same(x:min(), narrow:min(), what .. " of all")
  local least, most = torch.aminmax(narrow)
  same(x:min(), least, what .. " aminmax")
  same(x:max(), most, what .. " aminmax")
  if narrow.dtype == torch.bool then return end
  same(x:argmax(), narrow:argmax(), what .. " argmax")
  same(x:argmin(1), narrow:argmin(1), what .. " argmin")
end

for name, bounds in pairs(limits) do
  it("extremes of " .. name, function()
    torch.manual_seed(1)
    for _, n in ipairs {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 700, 2049} do
      local x = numbers(3, n, bounds[1], bounds[2])
      local narrow = x:to(torch[name])
      check(x, narrow, ("%s of %d"):format(name, n))
      check(x:t(), narrow:t(), ("%s of %d columns"):format(name, n))
    end
    local x = numbers(3, 200, bounds[1], bounds[2])
    check(x[":, 1::3"], x:to(torch[name])[":, 1::3"], name .. " of a view")
  end)

  it("extremes of many of " .. name, function()
    local threads = torch.get_num_threads()
    local x = torch.randint(bounds[1] // 2, bounds[2] // 2 + 1, {200000})
    x[150000] = bounds[2]
    for count = 1, 2 do
      torch.set_num_threads(count)
      local narrow = x:to(torch[name])
      same(x:max(), narrow:max(), name)
      same(x:amin(), narrow:amin(), name)
      same(x:view(100, 2000):amax(0), narrow:view(100, 2000):amax(0), name)
      same(x:view(-1, 4):amax(1), narrow:view(-1, 4):amax(1), name)
    end
    torch.set_num_threads(threads)
  end)
end
