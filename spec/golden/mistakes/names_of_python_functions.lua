-- Errors of functions and methods that are written in Python name them as Python does.
local torch = require "torch"
local scope = setmetatable({torch = torch, F = torch.nn.functional, x = torch.ones(2, 2)}, {__index = _G})
local function try(code)
  local ok, message = pcall(load("return " .. code, code, "t", scope))
  print(code, ok or (tostring(message):match "[^\n]*"))
end
try "x:norm(2, 0, true, torch.float32, 5)"
try "x:norm({dims = 0})"
try "x:unflatten()"
try "x:split()"
try "x:split(1, 0, 2)"
try "F.threshold()"
try "F.threshold(x, 1)"
try "F.max_pool2d()"
try "F.max_pool2d(x)"
try "F.adaptive_max_pool1d()"
try "F.fractional_max_pool3d(x)"
try "F.softmax()"
