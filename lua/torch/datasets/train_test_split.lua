-- datasets/train_test_split.lua: torch.datasets.train_test_split: scikit-learn's, with its numbers for a random_state.
local torch = ...
local support = torch._part "support"
local fail, repr = support.fail, torch._part "optim_support".repr

local function length_of(array)
  if torch.is_tensor(array) then return array:size(0) end
  return #array
end

local function rows_of(array, indices)
  if torch.is_tensor(array) then return array:index_select(0, torch.tensor(indices, {dtype = torch.int64, device = array.device})) end
  if support.is_array(array) then return array[{indices}] end
  local out = {}
  for k, i in ipairs(indices) do out[k] = support.is_plain(array) and array[i + 1] or array[i] end
  return out
end

-- How many of n a size means: a share, or a number.
local function count_of(size, n, name, round)
  if size == nil then return nil end
  local is_share = math.type(size) == "float"
  if type(size) ~= "number" or is_share and not (size > 0 and size < 1) or not is_share and size < 1 then
    fail("ValueError", "The '%s' parameter of train_test_split must be a float in the range (0.0, 1.0), an int in the range [1, inf) or None. " ..
      "Got %s instead.", name, repr(size))
  end
  if not is_share and size >= n then
    fail("ValueError", "%s=%s should be either positive and smaller than the number of samples %d or a float in the (0, 1) range", name,
      repr(size), n)
  end
  return is_share and round(size * n) or size
end

local function sizes(a, n)
  local share = a.test_size
  if share == nil and a.train_size == nil then share = 0.25 end
  if math.type(share) == "float" and math.type(a.train_size) == "float" and share + a.train_size > 1 then
    fail("ValueError", "The sum of test_size and train_size = %s, should be in the (0, 1) range. Reduce test_size and/or train_size.",
      repr(share + a.train_size))
  end
  local test, train = count_of(share, n, "test_size", math.ceil), count_of(a.train_size, n, "train_size", math.floor)
  test = test or n - train
  train = train or n - test
  if train + test > n then
    fail("ValueError", "The sum of train_size and test_size = %d, should be smaller than the number of samples %d. Reduce test_size and/or train_size.",
      train + test, n)
  end
  if train == 0 then
    fail("ValueError", "With n_samples=%d, test_size=%s and train_size=%s, the resulting train set will be empty. Adjust any of the " ..
      "aforementioned parameters.", n, repr(share), repr(a.train_size))
  end
  return train, test
end

local read = torch._define "train_test_split(*, test_size?, train_size?, random_state?, shuffle=true, stratify?)"

--- train_test_split(X, y, ..., {test_size = 0.2, random_state = 42}): X_train, X_test, y_train, y_test, ...
return function(...)
  local arrays, count, named = torch._split(...)
  if count == 0 then fail("ValueError", "At least one array required as input") end
  local a, n = read(named), length_of(arrays[1])
  if a.stratify ~= nil then fail("NotImplementedError", "train_test_split: stratify is not there yet") end
  local lengths = {}
  for i = 1, count do
    lengths[i] = tostring(length_of(arrays[i]))
    if length_of(arrays[i]) ~= n then
      fail("ValueError", "Found input variables with inconsistent numbers of samples: [%s, %s]", lengths[1], lengths[i])
    end
  end
  local train, test = sizes(a, n)
  local order = {}
  for i = 1, n do order[i] = i - 1 end
  local test_first = a.shuffle
  if a.shuffle then
    local random = torch.numpy.random
    local function permuted() return random.permutation(n):tolist() end
    order = a.random_state ~= nil and random._with_seed(a.random_state, permuted) or permuted()
  end
  local from_test, from_train = test_first and 0 or train, test_first and test or 0
  local train_indices = table.move(order, from_train + 1, from_train + train, 1, {})
  local test_indices = table.move(order, from_test + 1, from_test + test, 1, {})
  local out = {}
  for i = 1, count do
    out[2 * i - 1], out[2 * i] = rows_of(arrays[i], train_indices), rows_of(arrays[i], test_indices)
  end
  return table.unpack(out, 1, 2 * count)
end
