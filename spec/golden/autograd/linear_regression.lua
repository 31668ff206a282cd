-- One step by hand.
local torch = require "torch"
local X = torch.tensor{{1.0}, {2.0}, {3.0}, {4.0}}
local y = 2 * X + 1
local w = torch.tensor({{0.5}}, {requires_grad = true})
local b = torch.zeros(1, {requires_grad = true})
for step = 1, 5 do
  local loss = ((X:matmul(w) + b - y) ^ 2):mean()
  loss:backward()
  print(step, loss, w.grad, b.grad)
  do
    local _ <close> = torch.no_grad()
    w:sub_(0.05 * w.grad)
    b:sub_(0.05 * b.grad)
  end
  w.grad:zero_()
  b.grad = nil
end
print(w, b)
