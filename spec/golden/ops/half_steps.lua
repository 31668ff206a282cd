-- cpu only: the GPU rounds once
-- digits: 16-bit numbers are rounded after every step where PyTorch's CPU rounds them, and only there.
local torch = require "torch"
local F = torch.nn.functional

local function values(...)
  return (torch.randn(...) * 64):round() / 64
end

-- The result and the gradients, exactly, as sums weighted by odd numbers.
local function show(name, inputs, f)
  local y = f(table.unpack(inputs))
  y:backward(values(y.shape):to(y.dtype))
  local sums = {}
  for i, t in ipairs{y, table.unpack(inputs)} do
    local x = (i == 1 and t or t.grad):detach():double():flatten()
    sums[i] = string.format("%.12g", (x * (torch.arange(x:numel()) % 31 * 2 + 1)):sum():item())
  end
  print(name, y.dtype, table.concat(sums, " "))
end

local cases = {
  {"logit", {{6, 20}}, function(a) return torch.logit(a) end, positive = true},
  {"logit of eps", {{6, 20}}, function(a) return torch.logit(a:abs() * 0.3, 0.1) end},
  {"erf", {{8, 16}}, function(a) return torch.erf(a) end},
  {"sinc", {{8, 16}}, function(a) return torch.sinc(a) end},
  {"glu", {{8, 16}}, function(a) return F.glu(a) end},
  {"add", {{8, 32}, {8, 32}}, function(a, b) return torch.add(a, b, {alpha = 0.3}) end},
  {"sub", {{8, 32}, {8, 32}}, function(a, b) return torch.sub(a, b, {alpha = 0.7}) end},
  {"addr", {{8, 16}, {8}, {16}}, function(a, b, c) return torch.addr(a, b, c, {beta = 0.6, alpha = 0.3}) end},
  {"addcdiv", {{8, 16}, {8, 16}, {8, 16}}, function(a, b, c) return torch.addcdiv(a, b, c:abs() + 0.5, {value = 0.3}) end},
  {"cross entropy", {{6, 20}, {6, 20}},
    function(a, b) return F.binary_cross_entropy(a, b) end, positive = true},
  {"with logits", {{6, 20}, {6, 20}}, function(a, b) return F.binary_cross_entropy_with_logits(a, b, {reduction = "none"}) end},
  {"mse", {{6, 21}, {6, 21}}, function(a, b) return F.mse_loss(a, b) end},
  {"kl_div", {{6, 20}, {6, 20}}, function(a, b) return F.kl_div(a, b:abs(), {reduction = "none"}) end, only = torch.bfloat16},
  {"reflect", {{2, 3, 7, 6}}, function(a) return F.pad(a, {4, 3, 5, 2}, {mode = "reflect"}) end},
  {"replicate", {{2, 2, 3, 4, 5}}, function(a) return F.pad(a, {4, 3, 5, 2, 3, 4}, {mode = "replicate"}) end},
  {"adaptive", {{2, 3, 7, 6, 5}}, function(a) return F.adaptive_avg_pool3d(a, 4) end},
  {"area", {{2, 3, 9, 8}}, function(a) return F.interpolate(a, {4, 5}, {mode = "area"}) end},
  {"linear", {{2, 3, 20}}, function(a) return F.interpolate(a, 33, {mode = "linear"}) end},
  {"trilinear", {{1, 2, 4, 5, 6}}, function(a) return F.interpolate(a, {7, 3, 9}, {mode = "trilinear"}) end},
  {"bicubic", {{1, 2, 4, 5}}, function(a) return F.interpolate(a, {11, 7}, {mode = "bicubic"}) end},
}
for _, dtype in ipairs{torch.bfloat16, torch.float16} do
  for _, case in ipairs(cases) do
    if case.only and case.only ~= dtype then goto continue end
    torch.manual_seed(5)
    local inputs = {}
    for i, sizes in ipairs(case[2]) do
      inputs[i] = values(sizes):to(dtype)
      if case.positive then inputs[i] = inputs[i]:sigmoid() end
      inputs[i]:requires_grad_()
    end
    show(case[1], inputs, case[3])
    ::continue::
  end
end
