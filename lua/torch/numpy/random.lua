-- numpy/random.lua: the functions of np.random, with the numbers that numpy's legacy generator (np.random.seed and the like)
-- draws for a seed.
local torch = ...
local support, define = torch._part "support", torch._define

local np = torch.numpy

local generator = torch._part "numpy.random_state".global
local function uniform() return generator:uniform() end
local function normal() return generator:normal() end
local function below(highest) return generator:below(highest) end

-- --- np.random ------------------------------------------------------------------------------------------

local BLOCK = 65536

-- Returns one number, or an array of the sizes.
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
function random.seed(number) generator:seed(number) end
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

--- Changes the order of the rows of an array, or of the items of a table, in place.
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

-- Returns the number of items that `size` requests.
local function drawn(size)
  local count = 1
  for _, n in ipairs(sizes_of(size) or {}) do count = count * n end
  return count
end

--- Returns one item of an array (or one of the integers below a number), or an array of such items; p: their probabilities.
local read_choice = define "choice(a, size?, replace=true, p?)"
function random.choice(...)
  local a = read_choice(...)
  local items = math.type(a.a) == "integer" and np.arange(a.a) or np.asarray(a.a)
  local count, index = drawn(a.size), nil
  if a.p and not a.replace then support.fail("NotImplementedError", "choice with p and without replacement") end
  if a.p then
    local sums = np.asarray(a.p).tensor:double():cumsum(0)
    index = torch.searchsorted(sums / sums[-1], fill({count}, uniform, np.float64).tensor, {right = true})
  elseif a.replace then
    index = random.randint(0, #items, count).tensor
  elseif count > #items then
    support.fail("ValueError", "Cannot take a larger sample than population when 'replace=False'")
  else
    index = random.permutation(#items).tensor:narrow(0, 0, count)
  end
  if a.size == nil then return items[index[0]:item()] end
  local tensor = items.tensor:index_select(0, index)
  local sizes = {table.unpack(sizes_of(a.size))}
  for d = 1, tensor.ndim - 1 do sizes[#sizes + 1] = tensor.shape[d] end
  return np.asarray(tensor:reshape(sizes))
end

return torch._namespace(random, "numpy.random")
