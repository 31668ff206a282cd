-- cpu only: asks what autocast does on the CPU
-- The two operators below GradScaler.
local torch = require "torch"
local function check(list, inverse)
  local found = torch.zeros(1)
  torch._amp_foreach_non_finite_check_and_unscale_(list, found, torch.tensor{inverse})
  print(found:item(), table.unpack(list))
end
check({torch.tensor{1.0, 2.0, 3.0}, torch.tensor{{4.0}}}, 0.5)
check({torch.tensor{1.0, math.huge}}, 0.5)
check({torch.tensor{1.0, -math.huge}, torch.ones(2)}, 1.0)
check({torch.tensor{0 / 0, 1.0}}, 0.25)
check({torch.ones(3, {dtype = torch.float64}) / 3}, 0.1)
check({torch.ones(3, {dtype = torch.bfloat16})}, 0.1)
check({torch.ones(3, {dtype = torch.float16})}, 0.1)
check({torch.full({2}, 3.0e38)}, 10.0) -- overflows only after the check
check({torch.arange(6.0):view(2, 3).T, torch.arange(8.0)["::2"]}, 2.0)
check({torch.ones(0), torch.ones(2)}, 2.0)
local scale, tracker = torch.tensor{8.0}, torch.tensor({1}, {dtype = torch.int32})
for _, found in ipairs{0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0} do
  torch._amp_update_scale_(scale, tracker, torch.tensor{found}, 2.1, 0.3, 3)
  print(scale:item(), tracker:item())
end
