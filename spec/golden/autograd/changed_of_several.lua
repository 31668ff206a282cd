-- Of several tensors that were changed after they had been saved, which is named, and whose output it is.
local torch = require "torch"
local F = torch.nn.functional
local function name_of(make, change)
  local result, first, second = make()
  change(first, second)
  local ok, err = pcall(function() result:sum():backward() end)
  print(ok and "fine" or tostring(err):match "operation: (.-) Hint")
end
local function pair()
  local x = torch.ones(2, 2, {requires_grad = true})
  return x * 3, (x * 5):view(2, 2, 1):squeeze(-1)
end
for _, f in ipairs {
  function(a, b) return a * b end, function(a, b) return b * a end, function(a, b) return a / b end, function(a, b) return a ^ b end,
  function(a, b) return torch.fmax(a, b) end, function(a, b) return torch.maximum(a, b) end, function(a, b) return torch.minimum(b, a) end,
  function(a, b) return torch.atan2(a, b) end, function(a, b) return torch.mm(a, b) end, function(a, b) return torch.bmm(a[{"None"}], b[{"None"}]) end,
  function(a, b) return torch.addcmul(a, a, b) end, function(a, b) return torch.addcmul(a, b, a) end, function(a, b) return torch.addcdiv(a, b, a) end,
  function(a, b) return torch.addcdiv(a, a, b) end, function(a, b) return torch.hypot(a, b) end, function(a, b) return torch.lerp(a, b, a) end,
  function(a, b) return torch.lerp(a, a, b) end, function(a, b) return torch.xlogy(a, b) end, function(a, b) return torch.logaddexp(a, b) end,
  function(a, b) return F.smooth_l1_loss(a, b) end, function(a, b) return F.mse_loss(b, a) end, function(a, b) return F.kl_div(a, b) end,
  function(a, b) return F.binary_cross_entropy_with_logits(a, b) end, function(a, b) return torch.cdist(a, b) end, function(a, b) return torch.addmm(a, a, b) end,
  function(a, b) return torch.addmm(a, b, a) end, function(a, b) return torch.dist(a, b) end, function(a, b) return torch.where(a:gt(0), a, b) * a end,
  function(a, b) return torch.cross(a:expand(3, 2, 2), b:expand(3, 2, 2), {dim = 0}) end, function(a, b) return torch.fmod(a, b) end,
  function(a, b) return torch.remainder(b, a) end, function(a, b) return torch.copysign(a, b) end, function(a, b) return F.huber_loss(a, b) end,
  function(a, b) return torch.linalg.solve(a + torch.eye(2), b) end, function(a, b) return F.gaussian_nll_loss(a, b, a:exp()) end,
  function(a, b) return F.layer_norm(a, {2}, b[0]) end, function(a, b) return F.softplus(a) * b end, function(a, b) return torch.baddbmm(a[{"None"}], a[{"None"}], b[{"None"}]) end,
  function(a, b) return torch.dot(a[0], b[0]) end, function(a, b) return torch.mv(a, b[0]) end,

  function(a, b) return F.embedding(torch.tensor{0, 1}, a) * b end, function(a, b) return torch.prod(a) * b:prod() end, function(a, b) return F.prelu(a, b[0]) end,
} do
  for _, change in ipairs {function(a, b) b:add_(1) a:add_(1) a:add_(1) end, function(a) a:add_(1) end, function(_, b) b:add_(1) end} do
    name_of(function()
      local a, b = pair()
      return f(a, b), a, b
    end, change)
  end
end
-- results, and what was written in place through a view
local function changed(f)
  local ok, err = pcall(f)
  print(ok and "fine" or tostring(err):match "operation: (.-) Hint")
end
for _, ask in ipairs {false, true} do
  for _, name in ipairs {"exp_", "sqrt_", "sigmoid_", "tanh_", "expm1_"} do
    changed(function()
      local x = torch.ones(2, 2, {requires_grad = true}) * 2
      local v = x[0]
      v[name](v)
      x:add_(1)
      if ask then print(v.grad_fn:name()) end
      x:sum():backward()
    end)
    changed(function()
      local x = torch.ones(2, 2, {requires_grad = true}) * 2
      x[name](x)
      x:add_(1)
      x:sum():backward()
    end)
  end
end
