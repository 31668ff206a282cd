-- signs of zeros, infinite and not-a-number elements
local torch = require "torch"
local F = torch.nn.functional
local inf, nan = math.huge, 0 / 0
local x = torch.tensor {0.0, -0.0, 0.3, -0.3, 200.0, -200.0, inf, -inf, nan, 1e30, -1e30, -0.5}
for _, dtype in ipairs {torch.float32, torch.float64, torch.bfloat16} do
  for _, t in ipairs {x:to(dtype), x:rep(8):to(dtype)} do
    print(F.logsigmoid(t), F.elu(t, -1.0))
  end
end
print(F.softshrink(x:rep(8)), F.softshrink(x["0:4"]))

-- a column times a row
print(torch.mm(torch.full({2, 1}, -2.5), torch.tensor {{0.0, -0.5}}))
print(torch.mm(torch.tensor {{0.0}, {-1.0}}, torch.tensor {{2.0, -1.0, 0.0}}), torch.full({2, 1}, -1.0):matmul(torch.zeros(3, 1).T))

-- a running mean
for _, values in ipairs {{inf, 1.0, 2.0}, {1.0, 2.0, inf}, {1.0, -inf, inf}, {1.0, inf, 2.0}} do
  print(torch.var_mean(torch.tensor(values), 0))
  print(torch.std_mean(torch.tensor(values):rep(2, 1), 1))
end

-- the gradient of what was chosen
for _, choose in ipairs {"max", "min", "amax", "median", "nanmedian"} do
  local t = torch.tensor({1.0, nan, 2.0, nan, 2.0}, {requires_grad = true})
  t[choose](t):backward()
  print(choose, t.grad)
end
local t = torch.tensor({1.0, nan, 2.0}, {requires_grad = true})
t:norm(inf):backward()
print(t.grad)

-- what a copy was made for does not count as a write
local at = torch.tensor {0}
print(torch.scatter_add(torch.zeros(3), 0, at, torch.ones(1))._version, torch.zeros(3):index_fill(0, at, 1.0)._version,
  torch.zeros(3):index_copy(0, at, torch.ones(1))._version, torch.zeros(3):masked_fill(torch.zeros(3):eq(0), 1.0)._version)

-- a bound that is not a number
for _, n in ipairs {3, 40} do
  print(F.hardtanh(torch.full({n}, 0.5), -1, nan):sum(), F.hardtanh(torch.full({n}, 0.5), nan, 1.0):sum())
end

-- gradients of in-place forms
for _, f in ipairs {F.elu_, F.selu_, F.celu_, F.leaky_relu_} do
  for _, number in ipairs {nan, math.huge, -math.huge, 0.0} do
    local t = torch.full({64}, number, {requires_grad = true})
    f(t * 1):sum():backward()
    print(t.grad[0])
  end
end
