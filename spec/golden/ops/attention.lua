-- Attention against the formula, over several blocks of queries and keys; its masks, its graph and its refusals.
local torch = require "torch"
local F = torch.nn.functional

local function refused(...)
  local ok, err = pcall(...)
  print(ok, (tostring(err):gsub("\n.*", "")))
end
local attend = F.scaled_dot_product_attention

local function scores_to_values(q, k, v, mask)
  local scores = q:matmul(k:transpose(-2, -1)) * 0.25
  if mask then scores = scores + mask end
  return scores:softmax(-1):matmul(v)
end

local function compare(name, queries, keys, options, mask)
  torch.manual_seed(3)
  local q = torch.randn(2, 2, queries, 16, {requires_grad = true})
  local k = torch.randn(2, 2, keys, 16, {requires_grad = true})
  local v = torch.randn(2, 2, keys, 16, {requires_grad = true})
  local out, plain = attend(q, k, v, options), scores_to_values(q, k, v, mask)
  local weight = torch.randn(2, 2, queries, 16)
  print(name, torch.allclose(out, plain, {atol = 1e-5}))
  local gq, gk, gv = torch.autograd.grad((out * weight):sum(), {q, k, v})
  local pq, pk, pv = torch.autograd.grad((plain * weight):sum(), {q, k, v})
  print(torch.allclose(gq, pq, {atol = 1e-5}), torch.allclose(gk, pk, {atol = 1e-5}), torch.allclose(gv, pv, {atol = 1e-5}))
end

local hidden = torch.zeros(300, 700):masked_fill(torch.ones(300, 700):tril():logical_not(), -math.huge)
compare("plain", 300, 700, {scale = 0.25})
compare("causal", 300, 700, {scale = 0.25, is_causal = true}, hidden)
compare("mask", 300, 700, {scale = 0.25, attn_mask = torch.ones(300, 700):tril():bool()}, hidden)
compare("row mask", 70, 20, {attn_mask = torch.arange(20.0):unsqueeze(0)}, torch.arange(20.0))

local q = torch.arange(24.0):reshape(1, 2, 3, 4) / 24
q:requires_grad_()
local k, v = torch.ones(1, 2, 5, 4) / 2, torch.arange(40.0):reshape(1, 2, 5, 4) / 40
print(attend(q, k, v).grad_fn:name())
print(table.concat(attend(q, k, v):stride(), " "))
print(attend(q, k, v, {dropout_p = 0.5}).grad_fn:name())
print(attend(q[0], k[0], v[0]).grad_fn:name())
print(attend(q, k, v, torch.zeros(3, 5, {requires_grad = true})).grad_fn:name())

-- Rows that see nothing are 0, and so are their gradients.
local nothing = torch.ones(3, 5):bool()
nothing[1] = false
local out = attend(q, k, v, nothing)
print(out)
out:sum():backward()
print(q.grad[{0, 0, 1}])

torch.manual_seed(7)
print(attend(q:detach(), k, v, {dropout_p = 0.5}))

refused(attend, q, k, v, nothing, 0.0, true)
refused(attend, q, k:double(), v)
refused(attend, q, k, v, torch.ones(3, 5):long())
refused(attend, q[{0, 0, 0}], k[{0, 0, 0}], v[{0, 0, 0}])
refused(attend, q, k, v, {dropout_p = 1.5})
