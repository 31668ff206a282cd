-- Gradient descent without an optimizer.
local torch = require "torch"
torch.manual_seed(4)
local X = torch.randn(20, 3)
local target = X:matmul(torch.tensor{1.0, -2.0, 0.5}) + 0.25
local w, b = torch.zeros(3, {requires_grad = true}), torch.zeros(1, {requires_grad = true})
for step = 1, 50 do
  local loss = ((X:matmul(w) + b - target) ^ 2):mean()
  loss:backward()
  torch.no_grad(function()
    w:sub_(0.1 * w.grad)
    b:sub_(0.1 * b.grad)
  end)
  w.grad, b.grad = nil, nil
  if step % 10 == 0 then print(torch.format("%d %.4f", step, loss)) end
end
print(torch.round(w:detach() * 100) / 100)
