-- gradgradcheck.lua: torch.autograd.gradgradcheck: gradients of gradients against finite differences.
local torch = ...
local support = torch._part "support"

local read = torch._define([[gradgradcheck(func, inputs, grad_outputs?, *, eps=1e-06, atol=1e-05, rtol=0.001, ]] ..
  [[gen_non_contig_grad_outputs=false, raise_exception=true, nondet_tol=0.0, check_undefined_grad=true, check_grad_dtypes=false, ]] ..
  [[check_batched_grad=false, check_fwd_over_rev=false, check_rev_over_rev=true, fast_mode=false, masked=false)]])

local function as_tuple(value) return support.is_plain(value) and value or {value} end

-- Returns the outputs that have a graph.
local function differentiable(...)
  local out = {}
  for _, o in ipairs(select("#", ...) == 1 and as_tuple((...)) or {...}) do
    if torch.is_tensor(o) and o.requires_grad then out[#out + 1] = o end
  end
  return out
end

local function random_like(o, apart)
  local t = torch.empty(o.shape, {dtype = o.dtype, device = o.device}):uniform_(-1, 1)
  if apart and t.ndim > 0 then t = torch.repeat_interleave(t, 2, t.ndim - 1)["..., ::2"] end
  return t:requires_grad_()
end

return function(...)
  local a = read(...)
  if not a.check_rev_over_rev then
    support.fail("AssertionError", "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
  end
  local inputs = as_tuple(a.inputs)
  local weights = a.grad_outputs and as_tuple(a.grad_outputs) or {}
  if not a.grad_outputs then
    for i, o in ipairs(differentiable(a.func(table.unpack(inputs)))) do weights[i] = random_like(o, a.gen_non_contig_grad_outputs) end
  end
  local all = table.move(weights, 1, #weights, #inputs + 1, {table.unpack(inputs)})
  local function gradients(...)
    local given = {...}
    local wanted = {}
    for i = 1, #inputs do
      if torch.is_tensor(given[i]) and given[i].requires_grad then wanted[#wanted + 1] = given[i] end
    end
    local outputs = differentiable(a.func(table.unpack(given, 1, #inputs)))
    local results = table.pack(torch.autograd.grad(outputs, wanted, {grad_outputs = {table.unpack(given, #inputs + 1)}, create_graph = true,
      allow_unused = true}))
    local grads = {}
    for i = 1, results.n do grads[#grads + 1] = results[i] end
    return grads
  end
  return torch.autograd.gradcheck(gradients, all, {eps = a.eps, atol = a.atol, rtol = a.rtol, raise_exception = a.raise_exception,
    nondet_tol = a.nondet_tol, check_undefined_grad = a.check_undefined_grad, check_grad_dtypes = a.check_grad_dtypes,
    check_batched_grad = a.check_batched_grad, check_forward_ad = a.check_fwd_over_rev})
end
