-- Where gradients lie: what autograd.grad returns, and what backward() leaves in grad.
local torch = require "torch"
local F = torch.nn.functional
local function tell(t)
  local sizes, strides = {}, {}
  for i = 0, t:dim() - 1 do sizes[i + 1], strides[i + 1] = t:size(i), t:stride(i) end
  return ("(%s)@(%s)"):format(table.concat(sizes, ","), table.concat(strides, ","))
end
local function show(name, f)
  local results, out = table.pack(pcall(f)), {}
  if not results[1] then return print(name, "refused") end
  for i = 2, results.n do out[#out + 1] = tell(results[i]) end
  print(name, table.concat(out, " "))
end
local function show_grads(name, make, call)
  show("  " .. name, function()
    local x = make():requires_grad_()
    local y = call(x)
    local g = torch.autograd.grad(y, x, torch.ones_like(y), {retain_graph = true})
    y:sum():backward()
    return g, x.grad
  end)
end
local calls = {
  {"sum", function(x) return x:sum() end},
  {"mean", function(x) return x:mean() end},
  {"sin", function(x) return x:sin() end},
  {"mul2", function(x) return x * 2 end},
  {"sum0", function(x) return x:sum(0) end},
  {"sum0k", function(x) return x:sum(0, {keepdim = true}) end},
  {"sum01", function(x) return x:sum({0, 1}) end},
  {"sum01k", function(x) return x:sum({0, 1}, {keepdim = true}) end},
  {"mean0", function(x) return x:mean(0) end},
  {"mean01", function(x) return x:mean({0, 1}) end},
  {"pow3", function(x) return x ^ 3 end},
  {"rpow", function(x) return 2 ^ x end},
  {"add", function(x) return x + x end},
  {"add1", function(x) return x + 1 end},
  {"sub", function(x) return x - x end},
  {"clone", function(x) return x:clone() end},
  {"exp", function(x) return x:exp() end},
  {"log", function(x) return x:log() end},
  {"sqrt", function(x) return x:sqrt() end},
  {"var0", function(x) return x:var(0) end},
  {"norm", function(x) return x:norm() end},
  {"norm1", function(x) return x:norm(1) end},
  {"norm0", function(x) return x:norm(2, {dim = 0}) end},
  {"max0", function(x) return (x:max(0)) end},
  {"unsq", function(x) return x:unsqueeze(0) end},
  {"unsq-1", function(x) return x:unsqueeze(-1) end},
  {"resh", function(x) return x:reshape(-1) end},
  {"flat", function(x) return x:flatten() end},
  {"view", function(x) return x:view(-1) end},
  {"sq", function(x) return x:squeeze() end},
  {"addb", function(x) return x + torch.ones(1) end},
  {"addbig", function(x) return x + torch.ones(2, 1, 1, 1) end},
  {"mulbig", function(x) return x * torch.ones(2, 1, 1, 1) end},
  {"mm1", function(x) return x:mm(torch.ones(x:size(1), 1)) end},
  {"mm2", function(x) return torch.ones(1, x:size(0)):mm(x) end},
  {"mm3", function(x) return x:t():mm(torch.ones(x:size(0), 2)) end},
  {"mv", function(x) return x:mv(torch.ones(x:size(1))) end},
  {"matmul3", function(x) return torch.ones(2, 3, x:size(0)):matmul(x) end},
  {"linear", function(x) return F.linear(x, torch.ones(2, x:size(-1)), torch.ones(2)) end},
  {"linw", function(x) return F.linear(torch.ones(3, x:size(-1)), x) end},
  {"linw1", function(x) return F.linear(torch.ones(1, x:size(-1)), x) end},
  {"addmm", function(x) return torch.addmm(x, torch.ones(2, 3), torch.ones(3, 4)) end},
  {"dot", function(x) return x:flatten():dot(x:flatten()) end},
  {"outer", function(x) return x:outer(x) end},
  {"relu", function(x) return x:relu() end},
  {"sig", function(x) return x:sigmoid() end},
  {"tanh", function(x) return x:tanh() end},
  {"gelu", function(x) return F.gelu(x) end},
  {"softplus", function(x) return F.softplus(x) end},
  {"lrelu", function(x) return F.leaky_relu(x) end},
  {"elu", function(x) return F.elu(x) end},
  {"hardt", function(x) return F.hardtanh(x) end},
  {"relu6", function(x) return F.relu6(x) end},
  {"silu", function(x) return F.silu(x) end},
  {"mish", function(x) return F.mish(x) end},
  {"hsw", function(x) return F.hardswish(x) end},
  {"hsg", function(x) return F.hardsigmoid(x) end},
  {"lsg", function(x) return F.logsigmoid(x) end},
  {"softsign", function(x) return F.softsign(x) end},
  {"tanhs", function(x) return F.tanhshrink(x) end},
  {"hsh", function(x) return F.hardshrink(x) end},
  {"ssh", function(x) return F.softshrink(x) end},
  {"thr", function(x) return F.threshold(x, 0, 1) end},
  {"celu", function(x) return F.celu(x) end},
  {"selu", function(x) return F.selu(x) end},
  {"prelu", function(x) return F.prelu(x, torch.ones(1)) end},
  {"glu", function(x) return F.glu(x, 0) end},
  {"soft", function(x) return x:softmax(0) end},
  {"lsoft", function(x) return x:log_softmax(0) end},
  {"cumsum", function(x) return x:cumsum(0) end},
  {"cumprod", function(x) return x:cumprod(0) end},
  {"cummax", function(x) return (x:cummax(0)) end},
  {"idx", function(x) return x["0:1"] end},
  {"idxs", function(x) return x["::2"] end},
  {"sel", function(x) return x[0] end},
  {"narrow", function(x) return x:narrow(0, 0, 1) end},
  {"exp2", function(x) return x:unsqueeze(0):expand(2, table.unpack(x:size())) end},
  {"exp1", function(x) return x:unsqueeze(0):expand(1, table.unpack(x:size())) end},
  {"expa", function(x) return x:expand_as(x) end},
  {"cat", function(x) return torch.cat({x, x}) end},
  {"cat1", function(x) return torch.cat({x, x}, -1) end},
  {"stack", function(x) return torch.stack({x, x}) end},
  {"stack1", function(x) return torch.stack({x}) end},
  {"neg", function(x) return -x end},
  {"div", function(x) return x / 2 end},
  {"rdiv", function(x) return 1 / x end},
  {"double", function(x) return x:double() end},
  {"half", function(x) return x:half() end},
  {"flip", function(x) return x:flip(0) end},
  {"roll", function(x) return x:roll(1, 0) end},
  {"t", function(x) return x.T end},
  {"tr", function(x) return x:transpose(0, -1) end},
  {"perm", function(x) return x:movedim(0, -1) end},
  {"amax", function(x) return x:amax() end},
  {"amax0", function(x) return x:amax(0) end},
  {"diag", function(x) return x:diagonal() end},
  {"diage", function(x) return x:diag_embed() end},
  {"tril", function(x) return x:tril() end},
  {"abs", function(x) return x:abs() end},
  {"where", function(x) return torch.where(x:gt(0), x, 0.0) end},
  {"mf", function(x) return x:masked_fill(x:gt(0), 1) end},
  {"gather", function(x) return x:gather(0, torch.zeros_like(x, {dtype = torch.int64})) end},
  {"isel", function(x) return x:index_select(0, torch.tensor({0})) end},
  {"index", function(x) return x[torch.tensor({0})] end},
  {"sort", function(x) return (x:sort(0)) end},
  {"topk", function(x) return (x:topk(1, 0)) end},
  {"tile", function(x) return x:tile(2) end},
  {"ri", function(x) return x:repeat_interleave(2) end},
  {"unfold", function(x) return x:unfold(0, 1, 1) end},
  {"drop0", function(x) return F.dropout(x, 0.0) end},
  {"drop1", function(x) return F.dropout(x, 1.0) end},
  {"dropE", function(x) return F.dropout(x, 0.5, false) end},
  {"mse", function(x) return F.mse_loss(x, torch.zeros_like(x)) end},
  {"mses", function(x) return F.mse_loss(x, torch.zeros_like(x), {reduction = "sum"}) end},
  {"msen", function(x) return F.mse_loss(x, torch.zeros_like(x), {reduction = "none"}) end},
  {"l1", function(x) return F.l1_loss(x, torch.zeros_like(x)) end},
  {"sl1", function(x) return F.smooth_l1_loss(x, torch.zeros_like(x)) end},
  {"huber", function(x) return F.huber_loss(x, torch.zeros_like(x)) end},
  {"bce", function(x) return F.binary_cross_entropy(x, torch.zeros_like(x)) end},
  {"bcel", function(x) return F.binary_cross_entropy_with_logits(x, torch.zeros_like(x)) end},
  {"kl", function(x) return F.kl_div(x, torch.ones_like(x)) end},
  {"ce", function(x) return F.cross_entropy(x, torch.zeros(x:size(0), {dtype = torch.int64})) end},
  {"nll", function(x) return F.nll_loss(x, torch.zeros(x:size(0), {dtype = torch.int64})) end},
  {"detach", function(x) return x * x:detach() end},
  {"atan2", function(x) return torch.atan2(x, x) end},
  {"sign", function(x) return x:sign() end},
  {"floor", function(x) return x:floor() end},
  {"round", function(x) return x:round() end},
  {"fmod", function(x) return x % 2 end},
  {"nan", function(x) return x:nan_to_num() end},
  {"rsqrt", function(x) return x:rsqrt() end},
  {"recip", function(x) return x:reciprocal() end},
  {"diff", function(x) return x:diff() end},
  {"kth", function(x) return (x:kthvalue(1, 0)) end},
  {"aminmax", function(x) return (torch.aminmax(x)) end},
  {"nanmean", function(x) return x:nanmean() end},
  {"vmean", function(x) local v, m = torch.var_mean(x) return m end},
  {"todt", function(x) return x:to(torch.float64) end},
  {"contig", function(x) return x:contiguous() end},
  {"scat", function(x) return x:scatter(0, torch.zeros_like(x, {dtype = torch.int64}), 1.0) end},
  {"iput", function(x) return x:index_put({torch.tensor({0})}, torch.tensor(1.0)) end},
  {"zero", function(x) return x:clone():zero_() end},
  {"mulin", function(x) return x:clone():mul_(2) end},
  {"fill", function(x) return torch.fill(x, 1.0) end},
  {"vec", function(x) return torch.linalg.vector_norm(x) end},
  {"swap", function(x) return x:swapaxes(0, 1) end},
  {"bto", function(x) return x:broadcast_to(2, table.unpack(x:size())) end},
  {"vstack", function(x) return torch.vstack({x, x}) end},
  {"hypot", function(x) return torch.hypot(x, x) end},
  {"sum_then_sum", function(x) return x:sum(-1):sum() end},
  {"unsafe", function(x) return (x * 1):view(-1).T end},
}
local more = {
  {"pow", function(x) return x:pow(2) end},
  {"mul", function(x) return x * x end},
  {"std", function(x) return x:std() end},
  {"max", function(x) return x:max() end},
  {"prod", function(x) return x:prod() end},
  {"median", function(x) return x:median() end},
  {"mm", function(x) return x:mm(x:t()) end},
  {"divt", function(x) return x / x end},
  {"clamp", function(x) return x:clamp(0, 2) end},
  {"clampmin", function(x) return x:clamp_min(0) end},
  {"addcmul", function(x) return x:addcmul(x, x) end},
  {"erf", function(x) return x:erf() end},
  {"square", function(x) return x:square() end},
}
local makers = {
  function() return torch.ones(5, 1) end, function() return torch.ones(1) end, function() return torch.ones(3, 4) end,
  function() return torch.ones(1, 4) end, function() return torch.ones(2, 1, 3) end, function() return torch.tensor(1.0) end,
  function() return torch.ones(2, 3, 4):permute(2, 0, 1):detach() end, function() return torch.ones(2, 0, 3) end,
}
for i, make in ipairs(makers) do
  print(tell(make()))
  for _, call in ipairs(calls) do show_grads(call[1], make, call[2]) end
  if i < 7 then
    for _, call in ipairs(more) do show_grads(call[1], make, call[2]) end
  end
end
for _, l in ipairs {{4, 1, 3}, {1, 2, 3}, {1, 1, 1}, {2, 3, 1}, {3, 2, 0}, {2, 3, 4}} do
  for _, more_dims in ipairs {{}, {2}, {1}} do
    show("  Linear " .. table.concat(l, " "), function()
      local m = torch.nn.Linear(l[2], l[1])
      local size = {table.unpack(more_dims)}
      size[#size + 1], size[#size + 2] = l[3], l[2]
      local x = torch.ones(table.unpack(size)):requires_grad_()
      m(x):sum():backward()
      return x.grad, m.weight.grad, m.bias.grad
    end)
  end
end
