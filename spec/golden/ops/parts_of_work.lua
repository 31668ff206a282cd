-- Operators that take another way where there is much to do: long columns, short rows, rows that end a little behind the
-- start of a page, integers within a short range, lines of one plane.
local torch = require "torch"
local F = torch.nn.functional
local function numbers(n, most, dtype) return torch.arange(n):mul(7919):remainder(most):to(dtype or torch.float32) end
local function show(t)
  local weights = torch.arange(t:numel()):remainder(97):view(t.shape)
  print(t.dtype, t.shape, t:to(torch.float64):mul(weights):sum():mul(1024):round():item())
end
for _, dtype in ipairs {torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool} do
  for _, n in ipairs {2000, 5000} do
    local x = numbers(n, 120):sub(dtype == torch.uint8 and 0 or 50):to(dtype):view(2, -1)
    for _, t in ipairs {torch.unique(x, true, true, true)} do show(t) end
    show(x:unique())
    show(torch.unique(x, {return_counts = true}))
  end
end
local ends = torch.arange(4000):remainder(2):mul(2):sub(1):mul(9223372036854775807)   -- a range that no int64 holds
print(torch.unique(ends, true, false, true))
print(torch.unique(numbers(3000, 1000, torch.int64):add(9223372036854770000)):sub(9223372036854770000):sum())
for _, rows in ipairs {3, 4, 37} do
  for _, columns in ipairs {5, 130, 1100} do
    local x = numbers(rows * columns, 251):div(64):view(rows, columns):requires_grad_()
    local mean, var = torch.zeros(columns), torch.ones(columns)
    local y = F.batch_norm(x, mean, var, nil, nil, true)
    y:mul(numbers(rows * columns, 17):view(rows, columns)):sum():backward()
    for _, t in ipairs {y, mean, var, x.grad} do print(t:detach():double():abs():sum():mul(100):round():item()) end
  end
end
for _, dtype in ipairs {torch.uint8, torch.int16, torch.float32, torch.float64} do
  local x = numbers(20 * 1024, 251, dtype):view(20, 1024)
  for _, shift in ipairs {1, 3, 33, -1} do show(x:roll(shift, 1)) end
  show(x:flip(1))
  show(x:flip({0, 1}))
  show(x:rot90())
  show(x:view(-1, 1):expand({-1, 3}):contiguous())
  show(x:view(-1, 4):narrow(1, 1, 3):contiguous())
  show(x:view(-1, 20):narrow(1, 1, 17):contiguous())
  show(x:view(2, 2, 2, -1):permute(3, 1, 0, 2):contiguous())
  show(x:repeat_interleave(2))
  show(x:repeat_interleave(3, 1))
  show(torch.stack({x, x:flip(0)}, -1))
  show(torch.stack({x, x:flip(0), x}, -1))
  show(torch.cat({x, x:flip(0)}, 1))
  show(torch.cat({x:narrow(1, 0, 1), x}, 1))
  show(F.pad(x, {1, 2}))
end
local sorted = numbers(777, 60000):sort()
local wanted = numbers(1003, 60000)
wanted[5] = 0 / 0
for _, dtype in ipairs {torch.float32, torch.float64, torch.int64} do
  local s, w = sorted:to(dtype), (dtype == torch.int64 and numbers(1003, 60000) or wanted):to(dtype)
  for _, right in ipairs {false, true} do
    show(torch.searchsorted(s, w, {right = right}))
    show(torch.bucketize(w, s, {right = right}))
    show(torch.searchsorted(s:narrow(0, 0, 776):view(4, 194), w:narrow(0, 0, 1000):view(4, 250), {right = right}))
  end
  show(torch.searchsorted(s:flip(0), w, {sorter = torch.arange(776, -1, -1)}))
  show(torch.isin(w, s))
  show(torch.isin(w, s, {invert = true}))
end
for _, shape in ipairs {{1, 1, 150, 140}, {1, 3, 61, 67}} do
  local x = numbers(shape[2] * shape[3] * shape[4], 1009):sub(500):view(shape)
  for _, form in ipairs {{2, 2, 0}, {3, 2, 1}, {3, 1, 1}} do
    local values, places = F.max_pool2d(x, form[1], form[2], form[3], {return_indices = true})
    show(values)
    show(places)
    show(F.avg_pool2d(x, form[1], form[2], form[3]))
  end
  local least = torch.full(shape, -1 / 0)
  local _, places = F.max_pool2d(least, 3, 2, 1, {return_indices = true})
  show(places)
end
for _, n in ipairs {1, 5, 16, 40, 100, 129, 300} do
  local x = numbers(19 * n, 83):div(16):view(19, n)
  print(x:log_softmax(1):double():sum():mul(100):round():item())
end
local mixed, some = numbers(777, 60000), numbers(1003, 60000)   -- not in order: the steps of the search show
show(torch.searchsorted(mixed, some))
show(torch.searchsorted(mixed, some, {right = true}))
show(torch.searchsorted(mixed:long(), some:long()))
show(torch.searchsorted(mixed:narrow(0, 0, 776):view(4, 194), some:narrow(0, 0, 1000):view(4, 250)))
print(torch.searchsorted(torch.tensor{2., 1., 4.}, torch.tensor{1., 2., 1., 3., 5., 0.}, {right = true}))
