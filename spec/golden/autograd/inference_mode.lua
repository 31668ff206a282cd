-- Inference tensors stay out of the graph.
local torch = require "torch"
local x = torch.ones(2, {requires_grad = true})
print(torch.is_inference_mode_enabled())
local y = torch.inference_mode(function()
  print(torch.is_inference_mode_enabled(), torch.is_grad_enabled())
  return x * 2
end)
print(y, y.requires_grad, y:is_inference())
print(x:is_inference())
local function mistake(f)
  local ok, err = pcall(f)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
mistake(function() return y * x end)
mistake(function() y:add_(1) end)
mistake(function() y.requires_grad = true end)
mistake(function() return (y * 2):sum():backward() end)
print(y + 1)
print(y:clone():is_inference())
do
  local _ <close> = torch.inference_mode()
  y:add_(1)
  print(y)
end
