-- What the second derivatives of selections are called.
local torch = require "torch"
torch.manual_seed(0)
local x = torch.randn({3}, {requires_grad = true})
local m = torch.tensor{true, false, true}
for _, g in ipairs {function() return x:masked_select(m) end, function() return x[m] end, function() return x:take(torch.tensor{0, 1}) end, function() return x:index_select(0, torch.tensor{0, 1}) end,
  function() return x:gather(0, torch.tensor{0, 1}) end, function() return x:masked_fill(m, 2) end, function() return x:narrow(0, 0, 2) end, function() return x[0] end, function() return x["1:"] end,
  function() return x:masked_scatter(m, x * 2) end, function() return x:index_add(0, torch.tensor{0, 1, 2}, x) end, function() return x:cumsum(0) end, function() return x:flip(0) end, function() return x:roll(1) end,
  function() return x:diff() end, function() return x:sort() end, function() return x:topk(2) end, function() return x:max(0) end, function() return x:clamp(0) end, function() return x:expand(2, 3) end, 
  function() return x:unfold(0, 2, 1) end, function() return torch.slice_copy(x, {start = 1}) end, function() return x:diag() end, function() return x:tril(0) end, function() return torch.celu(x) end, function() return torch.nn.functional.pad(x, {1, 1}) end} do
  local ok, r = pcall(function()
    return torch.autograd.grad(g():sin():sum(), x, {create_graph = true}).grad_fn:name()
  end)
  print(ok and r or (tostring(r):match "[^\n]*"))
end
