-- Hooks that run once a leaf's gradient is accumulated, tensors that are the same memory, and generators without offsets.
local torch = require "torch"
local function refused(...) return (tostring(select(2, pcall(...))):match "^[^\n]*") end
local w = torch.tensor({1.0, 2.0}, {requires_grad = true})
local seen = 0
local handle = w:register_post_accumulate_grad_hook(function(p)
  seen = seen + 1
  print("hook", seen, p.grad)
end);
(w * 3):sum():backward();
(w * w):sum():backward()
print(w.grad, seen)
handle:remove();
(w * 3):sum():backward()
print(w.grad, seen)
print(refused(w.register_post_accumulate_grad_hook, w * 2, print))

local x = torch.arange(6.0)
print(x:is_set_to(x), x:view(6):is_set_to(x), x:view(2, 3):is_set_to(x), x:clone():is_set_to(x), x[":3"]:is_set_to(x))

local g = torch.Generator()
print(refused(g.get_offset, g))
print(refused(g.set_offset, g, 4))
