-- samples.lua: the makers of torch.datasets: scikit-learn's generators of samples and train_test_split, with its numbers for a
-- random_state. They return tensors: float64, and int64 for classes.
local torch = ...
local support = torch._part "support"
local random = torch._part "numpy.random_state"
local fail, is_plain = support.fail, support.is_plain
local samples = {}

-- The values besides an integer that n_samples may have, and the integers that may be 0.
local others = {make_moons = " or an instance of 'tuple'", make_circles = " or an instance of 'tuple'", make_blobs = " or an array-like"}
local from_zero = {n_redundant = true, n_repeated = true, ["make_regression.n_informative"] = true}

local function check_int(maker, name, value)
  local other = name == "n_samples" and others[maker]
  local whole = math.type(value) == "integer" and value
  local minimum = (from_zero[name] or from_zero[maker .. "." .. name]) and 0 or 1
  if whole and whole >= minimum then return whole end
  if other and is_plain(value) then return value end
  fail("ValueError", "The '%s' parameter of %s must be an int in the range [%d, inf)%s. Got %s instead.", name, maker, minimum, other or "",
    tostring(value))
end

-- The integers among the arguments. They have no kind in the signatures, because scikit-learn refuses other values in its own
-- words.
local integers_of_makers = {"n_samples", "n_features", "n_informative", "n_redundant", "n_repeated", "n_classes", "n_clusters_per_class", "n_targets"}

-- Raises if no memory holds the samples. They are made one by one, so the check comes first.
local function check_memory(a)
  for _, count in ipairs(is_plain(a.n_samples) and a.n_samples or {a.n_samples}) do
    if math.type(count) == "integer" then
      count = math.max(count, 1) -- centers are drawn for none, too
      for _, name in ipairs{"n_features", "n_classes", "n_clusters_per_class", "n_targets", "centers"} do
        local other = math.type(a[name]) == "integer" and a[name] > 0 and a[name] or 1
        torch.empty({count, other}, {dtype = torch.float64, device = "cpu"}):free()
      end
    end
  end
end

-- The arguments that may be lists, and tensors in their place.
local lists = {"n_samples", "centers", "cluster_std", "center_box"}

-- Returns a reader of arguments that checks integers. Tensors become lists.
local function define(signature)
  local maker, read = signature:match "^[%w_]+", torch._define(signature)
  return function(...)
    local a = read(...)
    for _, name in ipairs(lists) do
      if torch.is_tensor(a[name]) then a[name] = a[name]:tolist() end
    end
    for _, name in ipairs(integers_of_makers) do
      if a[name] ~= nil then a[name] = check_int(maker, name, a[name]) end
    end
    check_memory(a)
    return a
  end
end

-- --- tables of numbers ----------------------------------------------------------------------------------------------

local function floats(rows) return torch.tensor(rows, {dtype = torch.float64}) end
local function integers(list) return torch.tensor(list, {dtype = torch.int64}) end

-- Returns n numbers from start to stop, with or without the last one, as numpy.linspace does.
local function line(start, stop, n, without_end)
  local out, parts = {}, without_end and n or n - 1
  for i = 0, n - 1 do out[i + 1] = parts > 0 and i * ((stop - start) / parts) + start or start end
  if not without_end and n > 1 then out[n] = stop end
  return out
end

-- Returns rows x columns of values, each a result of draw().
local function drawn(rows, columns, draw)
  local out = {}
  for i = 1, rows do
    out[i] = {}
    for j = 1, columns do out[i][j] = draw() end
  end
  return out
end
local function uniform(state) return function() return state:uniform() end end
local function normal(state) return function() return state:normal() end end

local function picked(list, order)
  local out = {}
  for i, k in ipairs(order) do out[i] = list[k + 1] end
  return out
end

local function shuffled(state, x, y)
  local order = state:permutation(#x)
  return picked(x, order), picked(y, order)
end

local function add_noise(state, x, noise)
  for _, row in ipairs(x) do
    for j = 1, #row do row[j] = row[j] + noise * state:normal() end
  end
end

-- Returns the number of samples of each of two classes.
local function halves(n)
  if is_plain(n) then
    if #n ~= 2 then fail("ValueError", "`n_samples` can be either an int or a two-element tuple.") end
    return n[1], n[2]
  end
  return n // 2, n - n // 2
end

-- --- two classes in the plane -----------------------------------------------------------------------------------------

local function two_curves(a, outer, inner, without_end, to)
  local state, x, y = random.of(a.random_state), {}, {}
  local count_out, count_in = halves(a.n_samples)
  for k, curve in ipairs{outer, inner} do
    for _, t in ipairs(line(0, to, k == 1 and count_out or count_in, without_end)) do
      x[#x + 1], y[#y + 1] = {curve(t)}, k - 1
    end
  end
  if a.shuffle then x, y = shuffled(state, x, y) end
  if a.noise ~= nil then add_noise(state, x, a.noise) end
  return floats(x), integers(y)
end

local read_moons = define "make_moons(n_samples=100, *, shuffle=true, noise?, random_state?)"
function samples.make_moons(...)
  return two_curves(read_moons(...), function(t) return math.cos(t), math.sin(t) end,
    function(t) return 1 - math.cos(t), 1 - math.sin(t) - 0.5 end, false, math.pi)
end

local read_circles = define "make_circles(n_samples=100, *, shuffle=true, noise?, random_state?, factor=0.8)"
function samples.make_circles(...)
  local a = read_circles(...)
  if a.factor < 0 or a.factor >= 1 then
    fail("ValueError", "The 'factor' parameter of make_circles must be a float in the range [0.0, 1.0). Got %s instead.", support.python(a.factor))
  end
  return two_curves(a, function(t) return math.cos(t), math.sin(t) end,
    function(t) return math.cos(t) * a.factor, math.sin(t) * a.factor end, true, 2 * math.pi)
end

-- --- clusters -----------------------------------------------------------------------------------------------------------

-- Returns the centres of blobs as rows, and the number of samples of each.
local function centers_of(a, state)
  local count, centers = a.n_samples, a.centers
  local n = is_plain(count) and #count or type(centers) == "table" and #centers or centers or 3
  if type(centers) ~= "table" then
    local low, high = a.center_box[1], a.center_box[2]
    centers = drawn(n, a.n_features, function() return low + (high - low) * state:uniform() end)
  elseif #centers ~= n then
    fail("ValueError", "Length of `n_samples` not consistent with number of centers. Got n_samples = %d and centers = %d", n, #centers)
  end
  if is_plain(count) then return centers, count end
  local counts = {}
  for i = 1, n do counts[i] = count // n + (i <= count % n and 1 or 0) end
  return centers, counts
end

local read_blobs = define("make_blobs(n_samples=100, n_features=2, *, centers?, cluster_std=1.0, center_box?, shuffle=true, random_state?, "
  .. "return_centers=false)")
function samples.make_blobs(...)
  local a = read_blobs(...)
  a.center_box = a.center_box or {-10.0, 10.0}
  local state, x, y = random.of(a.random_state), {}, {}
  local centers, counts = centers_of(a, state)
  if is_plain(a.cluster_std) and #a.cluster_std ~= #centers then
    fail("ValueError", "Length of `clusters_std` not consistent with number of centers. Got centers = %d and cluster_std = %d", #centers, #a.cluster_std)
  end
  for i, center in ipairs(centers) do
    local deviation = is_plain(a.cluster_std) and a.cluster_std[i] or a.cluster_std
    for _ = 1, counts[i] do
      local row = {}
      for j = 1, #center do row[j] = center[j] + deviation * state:normal() end
      x[#x + 1], y[#y + 1] = row, i - 1
    end
  end
  if a.shuffle then x, y = shuffled(state, x, y) end
  if a.return_centers then return floats(x), integers(y), floats(centers) end
  return floats(x), integers(y)
end

-- --- classification -------------------------------------------------------------------------------------------------------

-- Returns n different numbers from 0 to population - 1, drawn in one of scikit-learn's three ways.
local function without_replacement(state, population, n)
  local ratio = population > 0 and n / population or 1.0
  if n > population then fail("ValueError", "n_population should be greater or equal than n_samples, got n_samples > n_population (%d > %d)", n, population) end
  if ratio > 0.01 and ratio < 0.99 then return table.move(state:permutation(population), 1, n, 1, {}) end
  local out, seen = {}, {}
  if ratio >= 0.2 then
    for i = 1, n do out[i] = i - 1 end
    for i = n, population - 1 do
      local j = state:below(i)
      if j < n then out[j + 1] = i end
    end
    return out
  end
  for i = 1, n do
    local j
    repeat j = state:below(population - 1) until not seen[j]
    seen[j], out[i] = true, j
  end
  return out
end

-- Returns corners of a cube as rows of 0 and 1.
local function hypercube(state, n, dimensions)
  local first = {}
  if dimensions > 30 then first = drawn(n, dimensions - 30, function() return state:below(1) end) end
  local bits, rows = math.min(dimensions, 30), {}
  for i, corner in ipairs(without_replacement(state, 1 << bits, n)) do
    rows[i] = first[i] or {}
    for bit = bits - 1, 0, -1 do table.insert(rows[i], corner >> bit & 1) end
  end
  return rows
end

local function check_classification(a)
  if a.n_informative + a.n_redundant + a.n_repeated > a.n_features then
    fail("ValueError", "Number of informative, redundant and repeated features must sum to less than the number of total features")
  end
  if a.n_informative < math.log(a.n_classes * a.n_clusters_per_class, 2) then
    fail("ValueError", "n_classes(%d) * n_clusters_per_class(%d) must be smaller or equal 2**n_informative(%d)=%d", a.n_classes,
      a.n_clusters_per_class, a.n_informative, 2 ^ a.n_informative // 1 | 0)
  end
  local weights, sum = a.weights, 0
  if weights == nil then weights = {} for i = 1, a.n_classes do weights[i] = 1.0 / a.n_classes end end
  if #weights ~= a.n_classes and #weights ~= a.n_classes - 1 then
    fail("ValueError", "Weights specified but incompatible with number of classes.")
  end
  weights = table.move(weights, 1, #weights, 1, {})
  for _, weight in ipairs(weights) do sum = sum + weight end
  if #weights < a.n_classes then weights[#weights + 1] = 1.0 - sum end
  return weights
end

local function counts_of_clusters(a, weights)
  local counts, sum = {}, 0
  for k = 1, a.n_classes * a.n_clusters_per_class do
    counts[k] = math.floor(a.n_samples * weights[(k - 1) % a.n_classes + 1] / a.n_clusters_per_class)
    sum = sum + counts[k]
  end
  for i = 0, a.n_samples - sum - 1 do counts[i % #counts + 1] = counts[i % #counts + 1] + 1 end
  return counts
end

-- Returns the informative features as a tensor, and the classes of the samples.
local function informative(a, state)
  local weights = check_classification(a)
  local counts, n = counts_of_clusters(a, weights), a.n_informative
  local centroids = floats(hypercube(state, #counts, n)) * (2 * a.class_sep) - a.class_sep
  if not a.hypercube then
    centroids = centroids * floats(drawn(#counts, 1, uniform(state)))
    centroids = centroids * floats(drawn(1, n, uniform(state)))
  end
  local x, y, start = floats(drawn(a.n_samples, n, normal(state))), {}, 0
  for k, count in ipairs(counts) do
    for _ = 1, count do y[#y + 1] = (k - 1) % a.n_classes end
    local turn = floats(drawn(n, n, uniform(state))) * 2 - 1
    local part = x:narrow(0, start, count)
    part:copy_(part:mm(turn) + centroids[k - 1])
    start = start + count
  end
  return x, y
end

local read_classification = define("make_classification(n_samples=100, n_features=20, *, n_informative=2, n_redundant=2, "
  .. "n_repeated=0, n_classes=2, n_clusters_per_class=2, weights?, float flip_y=0.01, float class_sep=1.0, hypercube=true, "
  .. "float shift=0.0, float scale=1.0, shuffle=true, random_state?)")
function samples.make_classification(...)
  local a = read_classification(...)
  local state = random.of(a.random_state)
  local x, y = informative(a, state)
  if a.n_redundant > 0 then x = torch.cat({x, x:mm(floats(drawn(a.n_informative, a.n_redundant, uniform(state))) * 2 - 1)}, 1) end
  if a.n_repeated > 0 then
    local columns = {}
    for i = 1, a.n_repeated do columns[i] = math.floor((x:size(1) - 1) * state:uniform() + 0.5) end
    x = torch.cat({x, x:index_select(1, integers(columns))}, 1)
  end
  local rest = a.n_features - x:size(1)
  if rest > 0 then x = torch.cat({x, floats(drawn(a.n_samples, rest, normal(state)))}, 1) end
  local flipped = {}
  for i = 1, a.n_samples do
    if state:uniform() < a.flip_y then flipped[#flipped + 1] = i end
  end
  for _, i in ipairs(flipped) do y[i] = state:below(a.n_classes - 1) end
  x = (x + a.shift) * a.scale
  if a.shuffle then
    local order = state:permutation(a.n_samples)
    x, y = x:index_select(0, integers(order)), picked(y, order)
    x = x:index_select(1, integers(state:permutation(a.n_features)))
  end
  return x, integers(y)
end

-- --- regression -------------------------------------------------------------------------------------------------------------

local read_regression = define("make_regression(n_samples=100, n_features=100, *, n_informative=10, n_targets=1, float bias=0.0, "
  .. "effective_rank?, float tail_strength=0.5, float noise=0.0, shuffle=true, coef=false, random_state?)")
function samples.make_regression(...)
  local a = read_regression(...)
  if a.effective_rank ~= nil then fail("NotImplementedError", "make_regression: effective_rank is not there yet") end
  local n, state = math.min(a.n_features, a.n_informative), random.of(a.random_state)
  local x = floats(drawn(a.n_samples, a.n_features, normal(state)))
  local truth = torch.zeros(a.n_features, a.n_targets, {dtype = torch.float64})
  if n > 0 then truth:narrow(0, 0, n):copy_(floats(drawn(n, a.n_targets, uniform(state))) * 100) end
  local y = x:mm(truth) + a.bias
  if a.noise > 0 then y = y + floats(drawn(a.n_samples, a.n_targets, function() return a.noise * state:normal() end)) end
  if a.shuffle then
    local order = integers(state:permutation(a.n_samples))
    x, y = x:index_select(0, order), y:index_select(0, order)
    local columns = integers(state:permutation(a.n_features))
    x, truth = x:index_select(1, columns), truth:index_select(0, columns)
  end
  y = y:squeeze()
  if a.coef then return x, y, truth:squeeze() end
  return x, y
end

-- --- surfaces in space --------------------------------------------------------------------------------------------------------

-- Adds noise, one coordinate after the other.
local function noisy(x, noise, state)
  for j = 1, 3 do
    for _, row in ipairs(x) do row[j] = row[j] + noise * state:normal() end
  end
  return floats(x)
end

local read_curve = define "make_s_curve(n_samples=100, *, float noise=0.0, random_state?)"
function samples.make_s_curve(...)
  local a = read_curve(...)
  local state, t, x = random.of(a.random_state), {}, {}
  for i = 1, a.n_samples do t[i] = 3 * math.pi * (state:uniform() - 0.5) end
  for i = 1, a.n_samples do
    local sign = t[i] > 0 and 1 or t[i] < 0 and -1 or 0
    x[i] = {math.sin(t[i]), 2.0 * state:uniform(), sign * (math.cos(t[i]) - 1)}
  end
  return noisy(x, a.noise, state), floats(t)
end

local read_roll = define "make_swiss_roll(n_samples=100, *, float noise=0.0, random_state?, hole=false)"
function samples.make_swiss_roll(...)
  local a = read_roll(...)
  local state, t, y, x = random.of(a.random_state), {}, {}, {}
  if a.hole then
    local corner = {}
    for i = 1, a.n_samples do
      corner[i] = state:below(7)
      if corner[i] >= 4 then corner[i] = corner[i] + 1 end -- the middle corner is the hole
    end
    for i = 1, a.n_samples do t[i] = math.pi * (1.5 + corner[i] // 3) + state:uniform() * math.pi end
    for i = 1, a.n_samples do y[i] = corner[i] % 3 * 7 + state:uniform() * 7 end
  else
    for i = 1, a.n_samples do t[i] = 1.5 * math.pi * (1 + 2 * state:uniform()) end
    for i = 1, a.n_samples do y[i] = 21 * state:uniform() end
  end
  for i = 1, a.n_samples do x[i] = {t[i] * math.cos(t[i]), y[i], t[i] * math.sin(t[i])} end
  return noisy(x, a.noise, state), floats(t)
end

return samples
