-- Gradients of norms in 16 bits: the order of the steps shows.
local torch = require "torch"
torch.manual_seed(0)
for _, dtype in ipairs {torch.bfloat16, torch.float16} do
  for _, p in ipairs {1, 2, 3, 1.5, math.huge, -math.huge, 2.5} do
    local x = torch.randn(3, 4):to(dtype)
    x[1] = 0
    x:requires_grad_()
    local weights = torch.tensor{0.3, -1.7, 0.9}:to(dtype)
    torch.linalg.vector_norm(x, p, 1):backward(weights)
    print(p, x.grad)
  end
  local x = torch.randn(2, 3, 4):to(dtype):requires_grad_()
  torch.nn.functional.normalize(x):backward(torch.randn(2, 3, 4):to(dtype))
  print(x.grad)
  local a, b = torch.randn(2, 5):to(dtype):requires_grad_(), torch.randn(2, 5):to(dtype):requires_grad_()
  torch.nn.functional.cosine_similarity(a, b):sum():backward()
  print(a.grad, b.grad)
end
