-- random_state.lua: numpy.random.RandomState: the Mersenne Twister (M. Matsumoto and T. Nishimura, 1998) with numpy's legacy
-- distributions. state.new(seed) makes one. state.global is the one of np.random.
local torch = ...
local support = torch._part "support"

local SIZE, SHIFT, WORD = 624, 397, 0xffffffff
local RandomState = {}
RandomState.__index = RandomState
RandomState.__name = "RandomState"

local function fill(state, number)
  state[0] = number
  for i = 1, SIZE - 1 do
    local previous = state[i - 1]
    state[i] = (1812433253 * (previous ~ (previous >> 30)) + i) & WORD
  end
  state.position, state.spare = SIZE, nil
end

-- Seeds the generator with a list of 32-bit numbers, as its init_by_array does.
local function fill_from_list(state, key)
  fill(state, 19650218)
  local i, j = 1, 1
  local function advance(factor, added)
    local previous = state[i - 1]
    state[i] = ((state[i] ~ ((previous ~ (previous >> 30)) * factor)) + added) & WORD
    i = i + 1
    if i == SIZE then state[0], i = state[SIZE - 1], 1 end
  end
  for _ = 1, math.max(SIZE, #key) do
    advance(1664525, key[j] + j - 1)
    j = j % #key + 1
  end
  for _ = 1, SIZE - 1 do advance(1566083941, -i) end
  state[0] = 0x80000000
end

local function check_seed(number, what)
  local kind = math.type(number)
  if kind ~= "integer" then
    support.fail("TypeError", "Cannot cast %s from dtype('%s') to dtype('int64') according to the rule 'safe'", what,
      kind == "float" and "float64" or "O")
  end
  if number < 0 or number > WORD then support.fail("ValueError", "Seed must be between 0 and 2**32 - 1") end
end

--- Seeds the generator with a number, a list of numbers, or nil for any seed.
function RandomState:seed(seed)
  if support.is_plain(seed) then
    for _, number in ipairs(seed) do check_seed(number, "array data") end
    if #seed == 0 then support.fail("ValueError", "Seed must be non-empty") end
    return fill_from_list(self, seed)
  end
  if seed ~= nil then check_seed(seed, "scalar") end
  fill(self, (seed or os.time() * 1000003 + math.floor(os.clock() * 1e6)) & WORD)
end

local function refill(state)
  for i = 0, SIZE - 1 do
    local y = (state[i] & 0x80000000) | (state[(i + 1) % SIZE] & 0x7fffffff)
    state[i] = state[(i + SHIFT) % SIZE] ~ (y >> 1) ~ ((y & 1) * 0x9908b0df)
  end
  state.position = 0
end

local function word(state)
  if state.position == SIZE then refill(state) end
  local y = state[state.position]
  state.position = state.position + 1
  y = y ~ (y >> 11)
  y = y ~ ((y << 7) & 0x9d2c5680)
  y = y ~ ((y << 15) & 0xefc60000)
  return y ~ (y >> 18)
end

--- Returns a number from 0 to 1.
function RandomState:uniform() return ((word(self) >> 5) * 67108864.0 + (word(self) >> 6)) / 9007199254740992.0 end

--- Returns a number of the normal distribution by Marsaglia's polar method, which makes pairs.
function RandomState:normal()
  if self.spare then
    local value = self.spare
    self.spare = nil
    return value
  end
  local x, y, r
  repeat
    x, y = 2.0 * self:uniform() - 1.0, 2.0 * self:uniform() - 1.0
    r = x * x + y * y
  until r < 1.0 and r ~= 0.0
  local factor = math.sqrt(-2.0 * math.log(r) / r)
  self.spare = factor * x
  return factor * y
end

--- Returns an integer from 0 to `highest`, by rejection.
function RandomState:below(highest)
  if highest == 0 then return 0 end
  local mask = highest
  for shift = 0, 5 do mask = mask | (mask >> (1 << shift)) end
  local wide = highest > WORD
  while true do
    local value = word(self)
    if wide then value = (value << 32) | word(self) end
    value = value & mask
    if math.ult(value, highest + 1) then return value end
  end
end

--- Returns the numbers 0 to n - 1, or those of a list, in another order, as a new list.
function RandomState:permutation(list)
  local out = {}
  if type(list) == "number" then
    for i = 1, list do out[i] = i - 1 end
  else
    table.move(list, 1, #list, 1, out)
  end
  for i = #out - 1, 1, -1 do
    local j = self:below(i)
    out[i + 1], out[j + 1] = out[j + 1], out[i + 1]
  end
  return out
end

local random_state = {}
function random_state.new(seed)
  local state = setmetatable({}, RandomState)
  state:seed(seed)
  return state
end
random_state.global = random_state.new()

--- Returns the state for scikit-learn's random_state: nil is np.random's, or a seed, or a state.
function random_state.of(value)
  if value == nil then return random_state.global end
  if getmetatable(value) == RandomState then return value end
  if math.type(value) ~= "integer" then
    support.fail("ValueError", "%s cannot be used to seed a numpy.random.RandomState instance", support.python(value))
  end
  return random_state.new(value)
end

return random_state
