-- gelu and its gradient over their whole range, and softmax in rows of all lengths: how far from float64, and the ends.
local torch = require "torch"
local F = torch.nn.functional
local function apart(a, b) return (a:double() - b):abs():max():item() end
for _, n in ipairs {1, 7, 20001} do
  local x = torch.linspace(-9, 9, n)
  local d, leaf = x:double(), x:clone():requires_grad_()
  local cdf = (torch.erf(d * 0.5 ^ 0.5) + 1) * 0.5
  F.gelu(leaf):sum():backward()
  print(n, apart(F.gelu(x), d * cdf) < 1e-6, apart(leaf.grad, cdf + d * torch.exp(d * d * -0.5) * 0.3989422804014327) < 4e-7)
end
local leaf = torch.tensor({-30.0, -14.0, 0.0, 14.0, 30.0}):requires_grad_()
F.gelu(leaf):sum():backward()
print(F.gelu(leaf):detach():abs(), leaf.grad:abs())
print(F.gelu(torch.tensor{0 / 0}), F.gelu(torch.tensor({-3.0, 0.5, 3.0}, {dtype = torch.float64})))
torch.manual_seed(0)
for _, n in ipairs {1, 3, 8, 15, 16, 17, 32, 40, 64, 100, 128, 129, 300} do
  local x = torch.randn(21, n)
  print(n, apart(x:softmax(-1), x:double():softmax(-1)) < 1e-6, apart(x:log_softmax(-1), x:double():log_softmax(-1)) < 1e-5)
end
print(torch.tensor{{1.0, 0 / 0, 2.0}, {1.0, 2.0, 1 / 0}, {-1 / 0, 1.0, 2.0}}:softmax(1))
