-- split.lua: scikit-learn's train_test_split, with its numbers for a random_state.
local torch = ...
local support = torch._part "support"
local random = torch._part "numpy.random_state"
local fail, is_plain = support.fail, support.is_plain

-- --- numbers of samples --------------------------------------------------------------------------------------------

local function check_size(name, size, n)
  if size == nil then return end
  local kind = math.type(size)
  if not kind or size <= 0 or (kind == "float" and size >= 1) then
    fail("ValueError", "The '%s' parameter of train_test_split must be a float in the range (0.0, 1.0), an int in the range [1, inf) or None. "
      .. "Got %s instead.", name, support.python(size))
  end
  if kind == "integer" and size >= n then
    fail("ValueError", "%s=%s should be either positive and smaller than the number of samples %d or a float in the (0, 1) range", name,
      support.python(size), n)
  end
end

local function counts(n, test_size, train_size)
  check_size("test_size", test_size, n)
  check_size("train_size", train_size, n)
  if test_size == nil and train_size == nil then test_size = 0.25 end
  if math.type(test_size) == "float" and math.type(train_size) == "float" and test_size + train_size > 1 then
    fail("ValueError", "The sum of test_size and train_size = %s, should be in the (0, 1) range. Reduce test_size and/or train_size.",
      support.python(test_size + train_size))
  end
  local test = math.type(test_size) == "float" and math.ceil(test_size * n) or test_size
  local train = math.type(train_size) == "float" and math.floor(train_size * n) or train_size
  train, test = train or n - test, test or n - train
  if train + test > n then
    fail("ValueError", "The sum of train_size and test_size = %d, should be smaller than the number of samples %d. Reduce test_size and/or train_size.",
      train + test, n)
  end
  if train == 0 then
    fail("ValueError", "With n_samples=%d, test_size=%s and train_size=%s, the resulting train set will be empty. Adjust any of the "
      .. "aforementioned parameters.", n, support.python(test_size), support.python(train_size))
  end
  return train, test
end

-- --- with equal parts of classes --------------------------------------------------------------------------------------

-- Returns the likeliest numbers of each class among `draws`. Draws among equal remainders.
local function likeliest(class_counts, draws, state)
  local floor, rest, values, total = {}, {}, {}, support.sum(class_counts)
  for i, count in ipairs(class_counts) do
    local share = count / total * draws
    floor[i] = math.floor(share)
    rest[i] = share - floor[i]
    values[i] = rest[i]
  end
  local missing = draws - support.sum(floor)
  table.sort(values, function(a, b) return a > b end)
  for k, value in ipairs(values) do
    if missing <= 0 then break end
    if value ~= values[k - 1] then
      local equal = {}
      for i, r in ipairs(rest) do
        if r == value then equal[#equal + 1] = i end
      end
      local order = state:permutation(equal)
      for i = 1, math.min(#order, missing) do floor[order[i]] = floor[order[i]] + 1 end
      missing = missing - math.min(#order, missing)
    end
  end
  return floor
end

-- Returns the positions of each class in order, with the classes sorted.
local function places_of(labels)
  local places, names = {}, {}
  for i, label in ipairs(labels) do
    if not places[label] then
      places[label] = {}
      names[#names + 1] = label
    end
    table.insert(places[label], i - 1)
  end
  table.sort(names)
  local out = {}
  for i, name in ipairs(names) do out[i] = places[name] end
  return out, names
end

local function stratified(labels, train_count, test_count, state)
  local places, names = places_of(labels)
  local sizes, few = {}, {}
  for i, list in ipairs(places) do
    sizes[i] = #list
    if #list < 2 then few[#few + 1] = support.python(names[i]) end
  end
  if #few > 0 then
    fail("ValueError", "The least populated classes in y have only 1 member, which is too few. The minimum number of groups for any class cannot "
      .. "be less than 2. Classes with too few members are: [%s]", table.concat(few, ", "))
  end
  for name, count in pairs{train = train_count, test = test_count} do
    if count < #places then
      fail("ValueError", "The %s_size = %d should be greater or equal to the number of classes = %d", name, count, #places)
    end
  end
  local of_train, left = likeliest(sizes, train_count, state), {}
  for i, size in ipairs(sizes) do left[i] = size - of_train[i] end
  local of_test, train, test = likeliest(left, test_count, state), {}, {}
  for i, list in ipairs(places) do
    for k, place in ipairs(state:permutation(#list)) do
      if k <= of_train[i] then train[#train + 1] = list[place + 1]
      elseif k <= of_train[i] + of_test[i] then test[#test + 1] = list[place + 1] end
    end
  end
  return state:permutation(train), state:permutation(test)
end

-- --- the function -------------------------------------------------------------------------------------------------------

local function length_of(array) return torch.is_tensor(array) and array:size(0) or #array end

local function rows(array, list)
  if torch.is_tensor(array) then return array:index_select(0, torch.tensor(list, {dtype = torch.int64})) end
  if support.is_array(array) then return rows(torch.from_numpy(array), list):numpy() end
  local out, first = {}, is_plain(array) and 1 or 0
  for i, k in ipairs(list) do out[i] = array[k + first] end
  return out
end

local read = torch._define "train_test_split(test_size?, train_size?, random_state?, shuffle=true, stratify?)"

--- Returns for each array its part for training and its part for testing: X_train, X_test, y_train, y_test = train_test_split(X,
-- y, {test_size = 0.2}).
local function train_test_split(...)
  local arrays, options = table.pack(...), {}
  local last = arrays[arrays.n]
  if is_plain(last) and next(last) ~= nil and last[1] == nil then
    options, arrays[arrays.n], arrays.n = last, nil, arrays.n - 1
  end
  local a = next(options) and read(options) or {shuffle = true}
  if arrays.n == 0 then fail("ValueError", "At least one array required as input") end
  local n = length_of(arrays[1])
  for i = 2, arrays.n do
    if length_of(arrays[i]) ~= n then
      fail("ValueError", "Found input variables with inconsistent numbers of samples: [%d, %d]", n, length_of(arrays[i]))
    end
  end
  local train_count, test_count = counts(n, a.test_size, a.train_size)
  local train, test
  if not a.shuffle then
    if a.stratify ~= nil then fail("ValueError", "Stratified train/test split is not implemented for shuffle=False") end
    train, test = {}, {}
    for i = 1, train_count do train[i] = i - 1 end
    for i = 1, test_count do test[i] = train_count + i - 1 end
  elseif a.stratify ~= nil then
    local labels = support.is_array(a.stratify) and torch.from_numpy(a.stratify) or a.stratify
    train, test = stratified(torch.is_tensor(labels) and labels:tolist() or labels, train_count, test_count, random.of(a.random_state))
  else
    local order = random.of(a.random_state):permutation(n)
    test = table.move(order, 1, test_count, 1, {})
    train = table.move(order, test_count + 1, test_count + train_count, 1, {})
  end
  local out = {}
  for i = 1, arrays.n do out[2 * i - 1], out[2 * i] = rows(arrays[i], train), rows(arrays[i], test) end
  return table.unpack(out)
end

return train_test_split
