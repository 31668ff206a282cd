-- cpu only: says that there is no GPU
-- Names of devices.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
mistake(torch.device, "gpu")
mistake(torch.device, "cpu:x")
mistake(torch.device, "cuda:")
mistake(torch.device, "cuda:-1")
mistake(torch.device, "")
mistake(torch.device, "cuda:1:2")
mistake(torch.device, "CPU")
mistake(torch.device, "cuda:01")
mistake(torch.ones, 3, {device = "gpu"})
mistake(function() return torch.ones(3):to("tpu") end)
mistake(function() return torch.nn.Linear(2, 2):to("gpu") end)
mistake(torch.device, "cuda", -1)
