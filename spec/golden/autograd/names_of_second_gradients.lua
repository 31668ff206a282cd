-- Names of the nodes that a recorded backward pass ends with, and where it records nothing.
local torch = require "torch"
local F = torch.nn.functional
local x = torch.tensor({{0.5, -1.5}, {2.5, 0.25}}, {requires_grad = true})
local w = torch.tensor({{0.25, 1.5}, {0.75, 0.5}}, {requires_grad = true})
local function first(y, input)
  local g = torch.autograd.grad(y, input, {create_graph = true})
  print(g)
end
for _, f in ipairs{torch.maximum, torch.minimum, torch.hypot, torch.clamp_min, torch.clamp_max} do
  first(f(x, w):sum(), x)
  first((f(x, w) * w):sum(), x)
end
first(torch.fmax(x, w):sum(), x)
first(x:clamp(0, 1):sum(), x)
first((x:clamp(0, 1) * w):sum(), x)
for _, f in ipairs{torch.sinc, F.silu, F.mish, torch.prod} do first(f(x):sum(), x) end
first(F.prelu(x, torch.tensor{0.5}):sum(), x)
first(torch.xlogy(2, w):sum(), w)
first(F.nll_loss(x, torch.tensor{0, 1}), x)
first(x[{{0, 0}, {1, 1}}]:square():sum(), x)

local function set(t, index, value) t[index] = value print(t.grad_fn:name()) end
for _, shape in ipairs{{}, {2}} do
  -- a tensor without dimensions is filled in where it is on the CPU, whatever the device
  for _, value in ipairs{5, torch.tensor(5.0, {device = "cpu"}), torch.tensor(5.0, {device = "cpu", requires_grad = true}),
    torch.tensor{5.0}} do
    set(torch.ones(shape, {requires_grad = true}) * 1, "...", value)
  end
end
