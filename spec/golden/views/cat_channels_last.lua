-- cat keeps the layout that all tensors have.
local torch = require "torch"
local a = torch.arange(48.0):reshape(2, 3, 2, 4)
local b = a:to{memory_format = torch.channels_last}
local function show(t) print(table.concat(t:stride(), " "), t:sum(), t[1][0][1]) end
show(torch.cat({b, b}, 1))
show(torch.cat({b, b}, 0))
show(torch.cat({b, b}, -1))
show(torch.cat({a, b}, 1))
show(torch.cat({b, a}, 1))
show(torch.cat({b, b:double()}, 1))
show(torch.cat({b, torch.empty(0)}, 1))
show(torch.cat{b})
local x = b:clone():requires_grad_()
local y = torch.cat({x, x * 2}, 1)
print(table.concat(y:stride(), " "));
(y * torch.arange(96.0):reshape(2, 6, 2, 4)):sum():backward()
print(x.grad)
