-- Losses of tensors that do not fit.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local nn, F = torch.nn, torch.nn.functional
mistake(F.mse_loss, torch.ones(3), torch.ones(4))
mistake(F.l1_loss, torch.ones(3, 2), torch.ones(3, 3))
mistake(nn.MSELoss{reduction = "average"}, torch.ones(3), torch.ones(3))
mistake(nn.L1Loss{reduction = "none?"}, torch.ones(3), torch.ones(3))
mistake(nn.MSELoss(), torch.ones(3))
