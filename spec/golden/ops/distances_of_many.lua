-- Distances by a product that is made in parts.
local torch = require "torch"
torch.set_printoptions{precision = 3, sci_mode = false}
torch.manual_seed(0)
local x, y = torch.randn(2, 1100, 4), torch.randn(2, 2000, 4)
local d = torch.cdist(x, y)
print(d.shape, d[1][1099]["1990:"], d[0]["520:530"]:select(1, 7), d[0]["::300"]:t()["::500"])
x:requires_grad_()
torch.cdist(x, y):pow(2):sum():backward()
print(x.grad[0][0]:div(1000), x.grad[1][1099]:div(1000))
print(torch.cdist(torch.ones(2100, 3), torch.ones(2100, 3)):sum())
