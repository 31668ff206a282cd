-- cpu only: a bad index is an error at the next synchronization
-- Targets that do not fit.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local F = torch.nn.functional
local x = torch.zeros(3, 5)
mistake(F.cross_entropy, x, torch.tensor{0, 1, 5})
mistake(F.cross_entropy, x, torch.tensor{0, 1, -1})
mistake(F.cross_entropy, x, torch.tensor{0, 1})
mistake(F.cross_entropy, x, torch.tensor{0.0, 1.0, 2.0})
mistake(F.cross_entropy, x, torch.tensor({0, 1, 2}, {dtype = torch.int32}))
mistake(F.cross_entropy, x, torch.tensor{{0}, {1}, {2}})
mistake(F.cross_entropy, x, torch.zeros(3, 4))
mistake(F.cross_entropy, x, torch.zeros(3, 5, {dtype = torch.int64}))
mistake(F.cross_entropy, x, torch.tensor{true, false, true})
mistake(F.cross_entropy, x, torch.tensor(1))
mistake(F.cross_entropy, torch.zeros(5), torch.tensor(5))
mistake(F.cross_entropy, x, torch.tensor{0, 1, 2}, {weight = torch.ones(4)})
mistake(F.cross_entropy, x, torch.tensor{0, 1, 2}, {weight = torch.ones(5, {dtype = torch.float64})})
mistake(F.cross_entropy, x, torch.tensor{0, 1, 2}, {reduction = "average"})
mistake(F.cross_entropy, x, torch.tensor{0, 1, 2}, {label_smoothing = 2.0})
mistake(F.cross_entropy, x:long(), torch.tensor{0, 1, 2})
mistake(F.cross_entropy, torch.tensor(1.0), torch.tensor(0))
mistake(F.cross_entropy, x)
mistake(F.nll_loss, x, torch.tensor{0, 1, 7})
mistake(F.nll_loss, x, torch.tensor{0.0, 1.0, 2.0})
mistake(F.nll_loss, x, torch.tensor{0, 1})
local W = torch.ones(5, 5)
for _, index in ipairs{5, -1} do
  mistake(F.linear_cross_entropy, x, W, torch.tensor{4, index, 4}, {options = torch.nn.LinearCrossEntropyOptions()})
end
