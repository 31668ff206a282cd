-- cpu only: keeps sums in 16 bits, as the CPU does
-- Gradients whose sums PyTorch keeps in 16 bits: of layer_norm's weight and bias, of averages over windows.
local torch = require "torch"
local F = torch.nn.functional
torch.manual_seed(0)
for _, dtype in ipairs{torch.bfloat16, torch.float16} do
  local x = torch.randn(2, 2, 5, 5):to(dtype):requires_grad_()
  for _, y in ipairs{F.adaptive_avg_pool2d(x, 4), F.avg_pool2d(x, 3, {stride = 1}), F.avg_pool2d(x, 3, {stride = 2, padding = 1})} do
    y:backward(torch.randn_like(y))
    print(x.grad)
    x.grad = nil
  end
  for _, parameters in ipairs{torch.float32, dtype} do
    local weight, bias = torch.randn(6):to(parameters):requires_grad_(), torch.randn(6):to(parameters):requires_grad_()
    local y = F.layer_norm(torch.randn(12, 6):to(dtype), {6}, weight, bias)
    y:backward(torch.randn(12, 6):to(dtype))
    print(weight.grad, bias.grad)
  end
end
