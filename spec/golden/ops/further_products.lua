-- mm, bmm, addmm, dot, mv, outer: further operators.
local torch = require "torch"
local x, y, v = torch.arange(4.):reshape(2, 2), torch.tensor{{1.0, -1.0}, {0.5, 2.0}}, torch.tensor{1.0, -2.0}
-- mm, bmm, addmm, dot, mv, outer.
print(torch.outer(v, v), torch.ger(v, v), torch.inner(v, v))
print(torch.baddbmm(x, x:unsqueeze(0), y:unsqueeze(0)))
print(torch.linalg.multi_dot{x, y, x})
