-- numpy/random.lua: np.random's functions over the Mersenne Twister, with the numbers that numpy's
-- legacy generator (np.random.seed and the like) draws for a seed.
local torch = ...
local support, define = torch._part "support", torch._define

local np = torch.numpy

-- --- MT19937 (M. Matsumoto and T. Nishimura, 1998) ----------------------------------------------------

local SIZE, SHIFT, WORD = 624, 397, 0xffffffff
local state, position = {}, SIZE
local spare -- the second of a pair of normal numbers

local function seed(number)
  state[0] = number & WORD
  for i = 1, SIZE - 1 do
    local previous = state[i - 1]
    state[i] = (1812433253 * (previous ~ (previous >> 30)) + i) & WORD
  end
  position, spare = SIZE, nil
end

local function refill()
  for i = 0, SIZE - 1 do
    local y = (state[i] & 0x80000000) | (state[(i + 1) % SIZE] & 0x7fffffff)
    state[i] = state[(i + SHIFT) % SIZE] ~ (y >> 1) ~ ((y & 1) * 0x9908b0df)
  end
  position = 0
end

local function word()
  if position == SIZE then refill() end
  local y = state[position]
  position = position + 1
  y = y ~ (y >> 11)
  y = y ~ ((y << 7) & 0x9d2c5680)
  y = y ~ ((y << 15) & 0xefc60000)
  return y ~ (y >> 18)
end

local function uniform() return ((word() >> 5) * 67108864.0 + (word() >> 6)) / 9007199254740992.0 end

-- Marsaglia's polar method, a pair at a time.
local function normal()
  if spare then
    local value = spare
    spare = nil
    return value
  end
  local x, y, r
  repeat
    x, y = 2.0 * uniform() - 1.0, 2.0 * uniform() - 1.0
    r = x * x + y * y
  until r < 1.0 and r ~= 0.0
  local factor = math.sqrt(-2.0 * math.log(r) / r)
  spare = factor * x
  return factor * y
end

-- An integer from 0 to highest, by rejection.
local function below(highest)
  if highest == 0 then return 0 end
  local mask = highest
  for shift = 0, 5 do mask = mask | (mask >> (1 << shift)) end
  local wide = highest > WORD
  while true do
    local value = word()
    if wide then value = (value << 32) | word() end
    value = value & mask
    if math.ult(value, highest + 1) then return value end
  end
end

-- --- np.random ------------------------------------------------------------------------------------------

local BLOCK = 65536

-- One number, or an array of the sizes.
local function fill(sizes, draw, dtype)
  if sizes == nil then return draw() end
  local array = np.empty(sizes, dtype)
  local all = array.tensor:view(-1)
  for from = 0, all:numel() - 1, BLOCK do
    local values = {}
    for i = 1, math.min(BLOCK, all:numel() - from) do values[i] = draw() end
    all:narrow(0, from, #values):copy_(torch.tensor(values, {dtype = dtype.torch}))
  end
  return array
end

local function sizes_of(size)
  if math.type(size) == "integer" then return {size} end
  return size
end

local random = {}
function random.seed(number)
  if number ~= nil and math.type(number) ~= "integer" then
    support.fail("TypeError", "Cannot cast scalar from dtype('%s') to dtype('int64') according to the rule 'safe'",
      math.type(number) == "float" and "float64" or "O")
  end
  if number and (number < 0 or number > WORD) then support.fail("ValueError", "Seed must be between 0 and 2**32 - 1") end
  seed(number or os.time() * 1000003 + math.floor(os.clock() * 1e6))
end
function random.rand(...) return fill(select("#", ...) > 0 and {...} or nil, uniform, np.float64) end
function random.randn(...) return fill(select("#", ...) > 0 and {...} or nil, normal, np.float64) end
local read_random, read_standard_normal = define "random(size?)", define "standard_normal(size?)"
function random.random(...) return fill(sizes_of(read_random(...).size), uniform, np.float64) end
random.random_sample = random.random
function random.standard_normal(...) return fill(sizes_of(read_standard_normal(...).size), normal, np.float64) end

local read_uniform, read_normal = define "uniform(low=0.0, high=1.0, size?)", define "normal(loc=0.0, scale=1.0, size?)"
function random.uniform(...)
  local a = read_uniform(...)
  local low, high = a.low, a.high
  return fill(sizes_of(a.size), function() return low + (high - low) * uniform() end, np.float64)
end
function random.normal(...)
  local a = read_normal(...)
  local mean, deviation = a.loc, a.scale
  return fill(sizes_of(a.size), function() return mean + deviation * normal() end, np.float64)
end

local read_randint = define "randint(low, high?, size?)"
function random.randint(...)
  local a = read_randint(...)
  local low, high = a.low, a.high
  if high == nil then low, high = 0, a.low end
  if low >= high then support.fail("ValueError", "low >= high") end
  return fill(sizes_of(a.size), function() return low + below(high - low - 1) end, np.int64)
end

--- Brings the rows of an array, or the items of a table, into another order, in place.
function random.shuffle(list)
  local array = support.is_array(list)
  local first = array and 0 or 1
  for i = #list - 1, 1, -1 do
    local j = below(i)
    local a, b = list[i + first], list[j + first]
    if array and type(a) ~= "number" then a, b = a:copy(), b:copy() end
    list[i + first], list[j + first] = b, a
  end
end

function random.permutation(x)
  local list = math.type(x) == "integer" and np.arange(x) or np.array(x)
  random.shuffle(list)
  return list
end

--- f() with the numbers that a generator of its own, seeded with number, would draw.
function random._with_seed(number, f)
  local old_state, old_position, old_spare = table.move(state, 0, SIZE - 1, 0, {}), position, spare
  random.seed(number)
  local ok, result = pcall(f)
  table.move(old_state, 0, SIZE - 1, 0, state)
  position, spare = old_position, old_spare
  if not ok then error(result, 0) end
  return result
end

random.seed()

return torch._namespace(random, "numpy.random")
