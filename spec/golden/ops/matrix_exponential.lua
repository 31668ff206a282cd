-- Exponentials of matrices of a batch whose norms are far apart, of infinite ones, and their gradients.
local torch = require "torch"
torch.manual_seed(2)
local function rounded(t) return torch.format("%.5g", t:double():abs():sum()) end

for _, dtype in ipairs{torch.float32, torch.float64} do
  for _, n in ipairs{1, 2, 5, 20} do
    local a = torch.randn(6, n, n, {dtype = dtype}) / n
    a = a * torch.tensor({0, 1e-3, 0.5, 1, 3, 8}, {dtype = dtype}):reshape(6, 1, 1)
    a = a:detach():requires_grad_()
    local e = torch.matrix_exp(a)
    for i = 0, 5 do
      print(n, i, rounded(e[i]), torch.allclose(e[i], torch.matrix_exp(a[i]), {rtol = 2e-5, atol = 1e-6}))
    end
    e:sum():backward()
    print(rounded(a.grad), torch.allclose(e:matmul(torch.matrix_exp(-a)), torch.eye(n, {dtype = dtype}), {atol = 2e-3}))
  end
end

local x = torch.tensor({{0.0, 1.0, 2.0}, {0.0, 0.0, 3.0}, {0.0, 0.0, 0.0}}, {requires_grad = true})
print(torch.matrix_exp(x))
local first = torch.autograd.grad(torch.linalg.matrix_exp(x)[{0, 2}], x, {create_graph = true})
print(first)
print(torch.autograd.grad(first:square():sum(), x))
print(torch.matrix_exp(torch.zeros(2, 0, 0)).shape, torch.matrix_exp(torch.zeros(0, 3, 3)).shape)
print(torch.matrix_exp(torch.randn(2, 3, 4, 4)).shape, torch.matrix_exp(x:detach():t()))
local y = torch.eye(2):expand(3, 2, 2):clone()
y[{1, 0, 0}] = math.huge
y[{2, 0, 1}] = 0 / 0
print(torch.matrix_exp(y)[0], torch.matrix_exp(y):isfinite():flatten(1):all(1))
