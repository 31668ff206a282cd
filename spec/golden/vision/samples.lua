-- torch.datasets: scikit-learn's makers and train_test_split, for seeds.
local torch = require "torch"
local data = torch.datasets
local function say(name, ...)
  print(name)
  for _, t in ipairs {...} do
    local weights = torch.remainder(torch.arange(t:numel(), {dtype = torch.float64}), 97) + 1
    print(t.shape, t.dtype, ("%.6f"):format((t:reshape(-1):to(torch.float64) * weights):sum():item()))
  end
end
for seed = 0, 2 do
  say("moons", data.make_moons(101, {noise = 0.1, random_state = seed}))
  say("circles", data.make_circles(50, {noise = 0.03, random_state = seed, factor = 0.5}))
  say("blobs", data.make_blobs(50, 3, {centers = 4, cluster_std = 1.5, random_state = seed}))
  say("blobs of counts", data.make_blobs({10, 20, 5}, {cluster_std = {0.5, 1.0, 2.0}, random_state = seed, return_centers = true}))
  say("blobs of tensors", data.make_blobs(torch.tensor{10, 20, 5}, {centers = torch.tensor{{1.0, 2.0}, {5.0, 6.0}, {-3.0, 4.0}},
    cluster_std = torch.tensor({0.5, 1.0, 2.0}, {dtype = torch.float64}), random_state = seed}))
  say("blobs of centers", data.make_blobs(20, {centers = {{1.0, 2.0, 3.0}, {-1.0, 0.0, 5.0}}, random_state = seed, shuffle = false}))
  say("classification", data.make_classification(60, {random_state = seed}))
  say("classification 3", data.make_classification {n_samples = 77, n_features = 9, n_informative = 4, n_redundant = 2, n_repeated = 1, n_classes = 3,
    n_clusters_per_class = 2, weights = {0.2, 0.5}, flip_y = 0.1, class_sep = 2.0, hypercube = false, shift = 1.0, scale = 3.0, random_state = seed})
  say("classification 1", data.make_classification {n_samples = 30, n_features = 12, n_informative = 10, n_redundant = 0, random_state = seed, shuffle = false})
  say("regression", data.make_regression(40, 6, {n_informative = 3, noise = 2.5, random_state = seed, bias = 1.0}))
  say("regression coef", data.make_regression(20, 5, {n_targets = 2, random_state = seed, coef = true}))
  say("s curve", data.make_s_curve(30, {noise = 0.1, random_state = seed}))
  say("swiss roll", data.make_swiss_roll(30, {noise = 0.1, random_state = seed}))
  say("swiss roll with a hole", data.make_swiss_roll(30, {random_state = seed, hole = true}))
end
say("regression on nothing", data.make_regression(4, 3, {n_informative = 0, random_state = 0}))
say("moons plain", data.make_moons({3, 4}, {shuffle = false}))
say("circles plain", data.make_circles(7, {shuffle = false}))
print(select(2, data.make_moons(9, {random_state = 42})))

local x, y = torch.arange(40):reshape(20, 2), torch.arange(20) % 3
for seed = 0, 3 do
  say("split", data.train_test_split(x, y, {random_state = seed}))
  say("split 0.2", data.train_test_split(x, y, {test_size = 0.2, random_state = seed}))
  say("split of counts", data.train_test_split(x, {test_size = 5, train_size = 7, random_state = seed}))
  say("stratified", data.train_test_split(x, y, {test_size = 0.3, random_state = seed, stratify = y}))
  say("stratified few", data.train_test_split(x, y, {train_size = 7, test_size = 4, random_state = seed, stratify = y}))
end
say("in order", data.train_test_split(x, y, {shuffle = false}))
print(data.train_test_split(y, {random_state = 42}))
for _, f in ipairs {
  function() data.train_test_split(x, {test_size = 1.5}) end,
  function() data.train_test_split(x, {test_size = 30}) end,
  function() data.train_test_split(x, {test_size = 0.7, train_size = 0.7}) end,
  function() data.train_test_split(x, {test_size = 15, train_size = 15}) end,
  function() data.train_test_split(x, y, {shuffle = false, stratify = y}) end,
  function() data.train_test_split(x, y, {test_size = 2, stratify = y}) end,
  function() data.train_test_split(x, torch.arange(19)) end,
  function() data.make_classification {n_features = 3, n_informative = 3} end,
  function() data.make_classification {n_classes = 9} end,
  function() data.make_classification {n_classes = 3, n_informative = 3, weights = {0.1}} end,
  function() data.make_s_curve(0) end,
  function() data.make_s_curve(3.5) end,
  function() data.make_s_curve(3.0) end,
  function() data.make_swiss_roll(1e300) end,
  function() data.make_moons(1e300) end,
  function() data.make_blobs(-1) end,
  function() data.make_blobs(5, 1e300) end,
  function() data.make_classification {n_redundant = -1} end,
  function() data.make_regression(5, {n_targets = 0.5}) end,
} do
  local _, e = pcall(f)
  print((tostring(e):gsub("\n.*", "")))
end
