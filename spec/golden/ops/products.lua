-- cpu only: multiplies integer matrices, which PyTorch refuses there
local torch = require "torch"
local x, y, v = torch.arange(4.):reshape(2, 2), torch.tensor{{1.0, -1.0}, {0.5, 2.0}}, torch.tensor{1.0, -2.0}
print(torch.mm(x, y), x:mm(y))
print(torch.bmm(x:unsqueeze(0), y:unsqueeze(0)), torch.stack{x, y}:bmm(torch.stack{y, x}))
print(torch.addmm(v, x, y), torch.addmm(x, x, y, {beta = 0.5, alpha = 2}), torch.addmm(torch.tensor(1.0), x, y))
print(torch.dot(v, v), torch.mv(x, v), x:mv(v), v:dot(torch.tensor{0.5, 0.25}))
print(x:double():mm(y:double()), x:long():mm(y:long()), x.T:mm(y), x:mm(y.T))
