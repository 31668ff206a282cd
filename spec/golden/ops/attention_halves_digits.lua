-- cpu only: has the CPU's digits of 16 bits
-- Attention in 16 bits and its gradients, rounded where PyTorch rounds them: factors, and sums after each block of queries.
local torch = require "torch"
local F = torch.nn.functional
local function gradients(dtype, heads, key_heads, queries, keys, width, options)
  torch.manual_seed(5)
  local q = torch.randn(2, heads, queries, width):to(dtype):requires_grad_()
  local k = torch.randn(2, key_heads, keys, width):to(dtype):requires_grad_()
  local v = torch.randn(2, key_heads, keys, width):to(dtype):requires_grad_()
  local out = F.scaled_dot_product_attention(q, k, v, options)
  out:backward(torch.randn(out.shape):to(dtype))
  for _, t in ipairs{out:detach(), q.grad, k.grad, v.grad} do
    print(t[{-1, -1, -1}]["0:4"], torch.format("%.2f", t:double():abs():sum()))
  end
end
for _, dtype in ipairs{torch.bfloat16, torch.float16} do
  for _, n in ipairs{{3, 5, 4}, {40, 7, 8}, {100, 5, 8}} do
    local L, S, E = table.unpack(n)
    gradients(dtype, 2, 2, L, S, E, {})
    gradients(dtype, 4, 2, L, S, E, {enable_gqa = true})
    gradients(dtype, 2, 2, L, S, E, {is_causal = true})
    gradients(dtype, 4, 1, L, S, E, {is_causal = true, enable_gqa = true, scale = 0.3})
    gradients(dtype, 2, 2, L, S, E, {attn_mask = torch.ones(L, S):tril(1):bool()})
    gradients(dtype, 2, 2, L, S, E, {attn_mask = torch.arange(S):remainder(3):to(dtype):unsqueeze(0)})
    gradients(dtype, 2, 2, L, S, E, {attn_mask = torch.linspace(-1, 1, 2 * S):reshape(2, 1, 1, S)})
  end
end
