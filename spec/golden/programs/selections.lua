-- Sums of products by name, reductions by index, quantiles, searches.
local torch = require "torch"
torch.set_printoptions{precision = 3, sci_mode = false}
local F = torch.nn.functional
local function show(name, t) print(name, t.dtype, t.shape, t:detach():flatten()["-8:"]) end
for _, dtype in ipairs {torch.float32, torch.float64} do
  print("==", dtype)
  torch.manual_seed(0)
  local function R(...) return torch.randn({...}):to(dtype):requires_grad_() end
  local function grads(l, ...) l:float():sum():backward() for i, t in ipairs {...} do show("grad" .. i, t.grad) t.grad = nil end end
  local a, b, c = R(3, 4, 5), R(3, 5, 2), R(2, 4)
  for _, e in ipairs {"bij,bjk->bik", "bij,bjk->bk", "bij,bjk->ikb", "bij, bjk -> "} do
    local o = torch.einsum(e, a, b) show(e, o) grads(o, a, b)
  end
  local o = torch.einsum("bij,bjk,ki->b", a, b, c) show("3", o) grads(o, a, b, c)
  o = torch.einsum("...ij->...ji", a) show("T", o) o = torch.einsum("ii->i", R(4, 4)) show("diag", o)
  o = torch.einsum("b...,b...->b", a, a) show("dot", o) grads(o, a)
  o = torch.einsum("bhqd,bhkd->bhqk", R(2, 2, 3, 4), R(2, 2, 5, 4)) show("attn", o)
  o = torch.einsum("i,j->ij", R(3), R(4)) show("outer", o)
  o = torch.tensordot(a, b, {dims = {{0, 2}, {0, 1}}}) show("tensordot", o) grads(o, a, b)
  -- index_put
  local t = R(5, 3)
  local v = R(6, 3)
  local i = torch.tensor{0, 1, 1, 4, 0, 0}
  o = t:index_put({i}, v, true) show("index_put acc", o) o:pow(2):float():sum():backward() show("t", t.grad) show("v", v.grad) t.grad, v.grad = nil, nil
  o = t:clone():index_put_({torch.tensor{0, 3}, torch.tensor{-1, 1}}, torch.tensor(5.0):to(dtype)) show("index_put", o)
  for _, r in ipairs {"sum", "prod", "mean", "amax", "amin"} do for _, inc in ipairs {true, false} do
    local idx = torch.tensor{{0, 1, 1}, {2, 2, 0}, {4, 4, 4}, {0, 0, 0}, {1, 2, 3}, {3, 3, 3}}
    o = t:scatter_reduce(0, idx, v, r, {include_self = inc}) show("scatter_reduce " .. r .. tostring(inc), o)
    o:pow(2):float():sum():backward() show("t", t.grad) show("v", v.grad) t.grad, v.grad = nil, nil
    o = t:index_reduce(0, i, v, r == "sum" and "prod" or r, {include_self = inc}) show("index_reduce " .. r .. tostring(inc), o)
  end end
  o = t:scatter_add(0, torch.tensor{{0, 1, 2}, {0, 0, 0}}, v["0:2"]) show("scatter_add", o)
  o = t:index_add(0, i, v, {alpha = 0.5}) show("index_add", o) grads(o, t, v)
  if dtype ~= torch.bfloat16 then
    local x = R(4, 7)
    for _, m in ipairs {"linear", "lower", "higher", "midpoint", "nearest"} do
      o = x:quantile(torch.tensor({0.1, 0.5, 0.77}):to(dtype), 1, {interpolation = m}) show("quantile " .. m, o) grads(o, x)
    end
    show("quantile flat", x:quantile(0.3)) show("nanquantile", torch.nanquantile(x:detach():masked_fill(x:gt(1), 0 / 0), 0.5, 0))
    show("median", (x:median(1))) show("cdist", torch.cdist(x, R(3, 7))) show("cov", x:cov()) show("corrcoef", x:corrcoef())
    local h, e = torch.histogram(x:detach():cpu(), 5) show("hist", h) show("edges", e)
    show("logcumsumexp", x:logcumsumexp(1)) show("trapezoid", torch.trapezoid(x)) show("renorm", x:renorm(2, 0, 1.5))
    local s = (x:detach():sort(1))
    for _, right in ipairs {false, true} do show("searchsorted", torch.searchsorted(s, x:detach(), {right = right})) end
    show("bucketize", torch.bucketize(x:detach(), torch.tensor({-1, 0, 0.5, 1}):to(dtype)))
  end
  local u, inv, cnt = torch.unique_consecutive(torch.tensor{1, 1, 2, 2, 2, 3, 1}, {return_inverse = true, return_counts = true})
  show("uc", u) show("inv", inv) show("cnt", cnt)
  show("block_diag", torch.block_diag(R(2, 2), R(1, 3))) show("cartesian", torch.cartesian_prod(torch.tensor{1, 2}, torch.tensor{3, 4, 5})) show("comb", torch.combinations(torch.tensor{1, 2, 3, 4}, 2))
  show("unfold", a:unfold(2, 3, 1)) show("take_along_dim", torch.take_along_dim(a, a:argsort(2), 2)) show("ri", a:repeat_interleave(torch.tensor{1, 0, 2}, 0))
  show("diff", a:diff{n = 2}) show("meshgrid", torch.meshgrid(torch.arange(3), torch.arange(2), {indexing = "ij"})[1])
  show("topk", (a:flatten():topk(5)))
end
