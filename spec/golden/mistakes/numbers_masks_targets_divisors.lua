-- cpu only: names types of the CPU
-- What PyTorch's checks say, and which comes first: numbers as they were given, masks, targets, divisors, dimensions, kinds.
local torch = require "torch"
local F = torch.nn.functional
local function try(f, ...)
  local ok, answer = pcall(f, ...)
  print(ok and answer or (tostring(answer):match "[^\n]*"))
end
local x, truth = torch.ones(2, 3), torch.tensor({true, false})

-- a number is shown as it was given
for _, p in ipairs{3, 3.0, -1.0, 1.5} do
  for _, name in ipairs{"dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"} do try(F[name], x, p) end
  try(torch.dropout, x, p, true)
end
for _, margin in ipairs{0, 0.0, -1, -0.5} do try(F.triplet_margin_loss, x, x, x, {margin = margin}) end
try(F.lp_pool1d, x, 0, 2)
try(F.lp_pool2d, x, 0.0, 2)
try(F.lp_pool3d, x, 0.0, 2)

-- attention of three dimensions is one of four
local q = torch.ones(5, 4, 5)
try(F.scaled_dot_product_attention, q, q, q, {dropout_p = 3.0})
for _, sizes in ipairs{{5, 4, 5}, {3, 4}, {2, 4, 4}, {3, 3}} do try(F.scaled_dot_product_attention, q, q, q, {attn_mask = torch.ones(sizes)}) end
try(F.scaled_dot_product_attention, q[0], q[0], q[0], {attn_mask = torch.ones(4, 5)})
local learned = torch.ones(2, 2, 2, {requires_grad = true})
print(F.scaled_dot_product_attention(learned, torch.ones(2, 2, 2), torch.ones(2, 2, 1)))

-- Python's operators
try(function() return "a" < x end)
try(function() return x < "a" end)
try(function() return "a" >= x end)
try(function() return nil < x end)
try(function() return nil <= x end)
try(function() return x > nil end)
try(function() return "a" + x end)
try(function() return "a" - x end)

try(torch.nn.Parameter, x, "s")
try(torch.nn.Parameter, x, 1)
try(torch.nn.Parameter, x, {requires_grad = 1})
try(torch.nn.Parameter, x, false)

-- a target without dimensions is a batch of none
for _, target in ipairs{torch.tensor(1.0), torch.tensor(1), torch.ones(0)} do
  for _, input in ipairs{torch.ones(2, 2), torch.ones(1, 2, 2), torch.ones(1, 2, 2, 2), torch.ones(1, 2)} do try(F.nll_loss, input, target) end
  try(F.cross_entropy, torch.ones(2, 2), target)
end

-- nil is refused by what needs it
for _, name in ipairs{"max_pool1d", "max_pool2d", "max_pool3d"} do
  try(F[name], x, nil, nil, nil, {return_indices = false})
  try(F[name], x, nil, nil, true)
  try(F[name], x, nil, "s")
  try(F[name], x, 2, nil, "s")
end
for _, order in ipairs{"none", "fro", "nuc"} do
  for _, dim in ipairs{{0, 2, -2}, {0}, {0, 1, 2}, {0, 0}} do try(torch.linalg.norm, x, order, dim) end
end
for _, dtype in ipairs{torch.bfloat16, torch.float16, torch.bool} do
  try(F.embedding, torch.zeros(2, {dtype = dtype}), x)
  try(F.embedding, torch.zeros(2, {dtype = dtype}), x, {max_norm = 1.0})
end

-- what is in place has its shape and dtype checked before a divisor
try(function() return torch.tensor{true, false}:fmod_(torch.tensor{0, 1}) end)
try(function() return torch.tensor{true, false}:remainder_(torch.tensor{0, 1}) end)
try(function() return torch.tensor{true, false}:floor_divide_(torch.tensor{0, 1}) end)
try(function() return torch.tensor{1, 2}:fmod_(torch.tensor{{0, 1}}) end)
try(function() return torch.tensor{1, 2}:remainder_(torch.tensor{{0, 1}}) end)
try(function() return torch.tensor{1, 2}:floor_divide_(torch.tensor{{0, 1}}) end)
try(function() return torch.tensor{1, 2}:fmod_(torch.tensor{0, 1}) end)
for _, name in ipairs{"clamp_", "clip_", "clamp_min_", "clamp_max_", "clamp", "clamp_min", "clamp_max"} do
  try(truth[name], truth:clone(), false)
  try(truth[name], truth:clone(), 1.0)
end
try(function() return torch.tensor(true):clip{min = false, max = true} end)

try(torch.meshgrid, torch.full({2, 4}, 0.0), torch.ones(3, 4), {indexing = "xy"})
try(torch.meshgrid, torch.ones(2, 2) * 7, torch.ones(3, 1) * 8, torch.ones(3, 2) * 9, {indexing = "xy"})
try(torch.meshgrid, torch.ones(2, 2) * 7, torch.ones(3, 1) * 8, {indexing = "ij"})
try(torch.meshgrid, torch.ones(2, 2) * 7, {indexing = "xy"})

local y = torch.tensor({0.5, 1.5})
try(y.random_, y, -2, 7, true)
try(torch.trapz, {1, 2}, torch.ones(2), {dim = -1})
try(torch.trapz, y, torch.ones(2), true)
try(torch.trapz, y, {dx = "s"})
try(F.softmax, x, true)
try(F.softmax, x, {dim = {1}})
try(F.log_softmax, x, {dim = {1}})
try(F.log_softmax, x, "s")
try(torch.amax, torch.ones(0, 2), -2)
try(torch.amin, torch.ones(2, 0), -1)
try(torch.amax, torch.ones(0, 2), {1, -2})
try(torch.aminmax, torch.ones(0, 2), {dim = -2})
try(x.matrix_power, torch.ones(2, 2), 2, true)
try(torch.matrix_power, torch.ones(2, 2), 2, true)
