-- cpu only: names kernels of the CPU
-- histc, bincount, running sums, medians: what is checked, and in which order.
local torch = require "torch"
local function attempt(f, ...)
  local result = table.pack(pcall(f, ...))
  if result[1] then return print(table.unpack(result, 2, result.n)) end
  print((tostring(result[2]):match "[^\n]*"))
end
local long = {dtype = torch.int64}
local x = torch.tensor {{0.5, 0.25, 2}, {1, 0.75, 3}}
local mask, whole, empty = x:gt(0.6), torch.arange(6):reshape(2, 3), torch.zeros(0, 3)
for _, t in ipairs {x, mask, whole, empty, torch.tensor {1 / 0, 1}} do
  for _, options in ipairs {{bins = 3}, {bins = 0}, {bins = -1}, {bins = 3, min = 2, max = 1}, {bins = 3, min = 1, max = 1}, {bins = 3, max = -0.9},
    {bins = 3, min = 0 / 0}, {bins = 3, max = 1 / 0}, {bins = 3, min = -1 / 0, max = -1}, {bins = 0, min = 2, max = 1}, {bins = 3, min = 3}} do
    attempt(torch.histc, t, options)
  end
  attempt(torch.bincount, t)
  attempt(torch.bincount, t, {minlength = -1})
end
local counted = torch.tensor {1, 0, 2}
attempt(torch.bincount, counted, torch.rand(2))
attempt(torch.bincount, counted, torch.rand(2), -1)
attempt(torch.bincount, torch.zeros({0}, long), torch.rand(1, 1))
attempt(torch.bincount, torch.zeros({0}, long), torch.rand(3), 2)
attempt(torch.bincount, torch.tensor {-1, 2}, torch.rand(5))
for _, name in ipairs {"cumsum", "cumprod"} do
  for _, t in ipairs {mask, torch.tensor(true), torch.zeros {0, dtype = torch.bool}, torch.ones {1, dtype = torch.bool}, x, whole:int()} do
    attempt(function() return t:clone()[name .. "_"](t:clone(), 0) end)
    attempt(torch[name], t, 0)
    attempt(torch[name], t, 0, {dtype = torch.bool})
    attempt(torch[name], t, 5)
    attempt(function() return t:clone()[name .. "_"](t:clone(), 0, long) end)
    attempt(function() return t:clone()[name .. "_"](t:clone(), 0, {dtype = torch.float32}) end)
  end
end
local number = torch.tensor(1.0)
for _, name in ipairs {"cummax", "cummin", "cumsum"} do
  for _, dim in ipairs {1, -2, 0} do attempt(torch[name], number, dim) end
  attempt(torch[name], x, 5)
end
for _, t in ipairs {torch.zeros(0, 3), torch.zeros {0, 3, dtype = torch.bool}, torch.zeros(2, 0), torch.zeros(0)} do
  for _, name in ipairs {"median", "nanmedian", "mode", "max", "argmax", "amax"} do attempt(torch[name], t, 0) end
  attempt(torch.aminmax, t, {dim = 0})
  for _, k in ipairs {1, 7, 0} do
    attempt(torch.kthvalue, t, k, 0)
    attempt(torch.topk, t, k, 0)
  end
  attempt(torch.kthvalue, t, 7, 5)
end
for _, dtype in ipairs {torch.bool, torch.int64, torch.float16} do
  attempt(torch.nanmean, x, {dtype = dtype})
  attempt(torch.nanmean, x, 5, {dtype = dtype})
  attempt(torch.nanmean, whole, {dtype = dtype})
  attempt(torch.nanmean, torch.ones(2, {requires_grad = true}), {dtype = dtype})
end
