-- Gradients add up until they are cleared.
local torch = require "torch"
local w = torch.ones(2, {requires_grad = true})
for _ = 1, 3 do
  ;(w * 3):sum():backward()
  print(w.grad)
end
w.grad:zero_()
print(w.grad)
;(w * 2):sum():backward()
print(w.grad)
w.grad = nil
;(w * 5):sum():backward()
print(w.grad)
w.grad = torch.ones(2)
w:sum():backward()
print(w.grad)
