-- The functions of nn.init that reset_parameters of many published layers calls.
local torch = require "torch"
local init = torch.nn.init
local function try(f, ...)
  local ok, a, b = pcall(f, ...)
  print(ok, ok and a or (tostring(a):match "^[^\n]*"), b)
end
for _, size in ipairs{{2, 3}, {2, 3, 4, 5}, {0, 3}, {3, 2, 7}} do try(init._calculate_fan_in_and_fan_out, torch.ones(size)) end
try(init._calculate_fan_in_and_fan_out, torch.ones(3))
try(init._calculate_correct_fan, torch.ones(2, 3), "fan_in")
try(init._calculate_correct_fan, torch.ones(2, 3, 5), "FAN_OUT")
try(init._calculate_correct_fan, torch.ones(2, 3), "x")
try(init._calculate_correct_fan, torch.ones(3), "fan_in")
