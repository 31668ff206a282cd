-- A layer is given the wrong shape or dtype.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local nn, F = torch.nn, torch.nn.functional
local layer = nn.Linear(10, 5)
mistake(layer, torch.ones(4, 3))
mistake(layer, torch.ones(3))
mistake(layer, torch.ones(2, 4, 3))
mistake(layer, torch.ones(4, 10, {dtype = torch.int64}))
mistake(layer, torch.ones(4, 10, {dtype = torch.float64}))
mistake(layer, torch.ones(4, 10, {dtype = torch.float16}))
mistake(layer, torch.ones(2, 3, 10, {dtype = torch.float64}))
mistake(F.linear, torch.ones(2, 3), torch.ones(4, 5))
mistake(nn.Linear(10, 5, {bias = false}), torch.ones(4, 3))
mistake(nn.Linear(10, 5, {bias = false}), torch.ones(4, 10, {dtype = torch.float64}))
mistake(layer)
mistake(layer, torch.ones(4, 10), 3)
mistake(nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(4, 1)), torch.ones(1, 2))
mistake(layer, 3)
