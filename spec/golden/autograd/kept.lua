-- What a node keeps for backward, and refuses once it was changed: whether its rule reads it or not, but only for
-- the gradients that are wanted.
local torch = require "torch"
local F = torch.nn.functional
local T = torch.tensor
-- For each choice of inputs that require grad: which change of the inputs, or of the result, backward refuses.
local function kept(name, inputs, call)
  for choice = 1, (1 << inputs) - 1 do
    local refused = {}
    for changed = 0, inputs do
      local x = {}
      for i = 1, inputs do
        x[i] = T({{0.5, 0.25}, {0.125, 0.75}}, {requires_grad = choice >> (i - 1) & 1 == 1})
      end
      local y = call(table.unpack(x))
      torch.no_grad(function() (x[changed] or y):add_(0) end)
      local ok, e = pcall(function() y:sum():backward() end)
      if not ok then refused[#refused + 1] = changed == 0 and "result" or tostring(changed) end
    end
    print(name, choice, table.concat(refused, " "))
  end
end
local index, mask = T{0, 1}, T{{true, false}, {true, true}}
kept("erfinv", 1, torch.erfinv)
kept("sgn", 1, torch.sgn)
kept("lerp", 3, torch.lerp)
kept("addcdiv", 3, torch.addcdiv)
kept("div", 2, function(a, b) return torch.div(a, b, {rounding_mode = "floor"}) end)
kept("prelu", 2, function(a, w) return F.prelu(a, w[0]) end)
kept("index_add", 2, function(a, b) return torch.index_add(a, 0, index, b) end)
kept("index_copy", 2, function(a, b) return torch.index_copy(a, 0, index, b) end)
kept("take", 1, function(a) return torch.take(a, index) end)
kept("gather", 1, function(a) return torch.gather(a, 0, T{{0, 1}}) end)
kept("masked_select", 1, function(a) return torch.masked_select(a, mask) end)
kept("cummax", 1, function(a) return (torch.cummax(a, 0)) end)
kept("addmm", 3, torch.addmm)
kept("linear", 2, F.linear)
kept("nll_loss", 1, function(a) return F.nll_loss(a, index) end)
kept("binary_cross_entropy_with_logits", 2, F.binary_cross_entropy_with_logits)
for _, form in ipairs{{"elu_", 0.5}, {"celu_", 0.5}, {"selu_"}, {"leaky_relu_", 0.5}, {"threshold_", 0.5, 0.1}} do
  local name = form[1]
  local function act(x) return F[name](x, table.unpack(form, 2)) end
  kept(name, 1, function(x) return act(x * 1) end)
  local x = T({-1.5, -0.0, 0.3, 2.0}, {requires_grad = true})
  local y = act(x * 1)
  print(y)
  print(torch.autograd.grad((y * y):sum(), x))
end
print(select(2, pcall(function() F.elu_(T({-1.0}, {requires_grad = true}) * 1, -0.5):sum():backward() end)).message)
print(select(2, pcall(function() F.leaky_relu_(T({-1.0}, {requires_grad = true}) * 1, -0.5):sum():backward() end)).message)
