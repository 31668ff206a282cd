-- cpu only: has the CPU's digits of 16 bits
-- A number, or a 0-dim tensor, beside half precision: add and sub round it first, mul and div do not.
local torch = require "torch"
torch.manual_seed(1)
for _, dt in ipairs{torch.float16, torch.bfloat16} do
  local a, b = torch.randn(11):to(dt), torch.randn(11):to(dt)
  print(a + 0.27, a - 0.27, 0.27 - a, a * 0.27, a / 0.27, 0.27 / a, a // 0.27, a % 0.27, a:fmod(0.27), a:abs() ^ 0.27, 0.27 ^ a)
  print(a + torch.tensor(0.27), a - torch.tensor(2.7), a * torch.tensor(0.27), a / torch.tensor(0.27), torch.div(a, 0.27, {rounding_mode = "trunc"}), torch.div(a, 0.27, {rounding_mode = "floor"}), 0.27 // a, 0.27 % a)
  print(torch.hypot(a, torch.tensor(2.7)), torch.atan2(a, torch.tensor(2.7)), a:clone():add_(2.7), a:clone():sub_(2.7), a:clone():mul_(2.7), torch.rsub(a, 2.7))
  
  print(torch.lerp(a, b, 0.27), torch.addcmul(a, a, b, {value = 0.27}), torch.addcdiv(a, a, b, {value = 0.27}), torch.where(a:gt(0), a, 0.27), a:clamp(-0.27, 0.27), torch.copysign(a, 2), a:gt(0.27), a:eq(2.7))
  print(a + 1e-8, a:add(1e5), torch.logaddexp(a, torch.tensor(0.27)), torch.nn.functional.threshold(a, 0.27, 0.31), torch.nn.functional.hardtanh(a, -0.27, 0.27))
end
