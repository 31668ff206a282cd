-- cpu only: a bad value is an error at the next synchronization
-- Losses of probabilities that do not fit.
local torch = require "torch"
local nn = torch.nn
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
mistake(nn.BCELoss(), torch.tensor{1.5}, torch.tensor{1.0})
mistake(nn.BCELoss(), torch.tensor{0.5}, torch.tensor{1.0, 2.0})
mistake(nn.BCEWithLogitsLoss(), torch.ones(3), torch.ones(2))
mistake(nn.BCEWithLogitsLoss(), torch.ones(3), torch.ones(3, 1))
