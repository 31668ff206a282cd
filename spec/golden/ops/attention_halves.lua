-- How far attention and its gradients in 16 bits are from the same in float64, and in float32 where scores are large.
local torch = require "torch"
local F = torch.nn.functional

local function gradients(dtype, given, weight, options)
  local leaves = {}
  for i, t in ipairs(given) do leaves[i] = t:to(dtype):detach():requires_grad_() end
  local mask = options.attn_mask
  if mask and mask.dtype ~= torch.bool then mask = mask:to(dtype) end
  local out = F.scaled_dot_product_attention(leaves[1], leaves[2], leaves[3],
    {attn_mask = mask, is_causal = options.is_causal, enable_gqa = options.enable_gqa})
  out:backward(weight:to(dtype))
  return {out:detach(), leaves[1].grad, leaves[2].grad, leaves[3].grad}
end

local function apart(a, b) return ((a - b):norm() / b:norm()):item() end

-- bounds: of the result, and of gradients.
local function compare(name, dtype, bounds, heads, L, S, E, most, options)
  torch.manual_seed(11)
  local given = {}
  for i, sizes in ipairs{{2, heads[1], L, E}, {2, heads[2], S, E}, {2, heads[2], S, E}} do
    given[i] = ((torch.rand(sizes) * 2 - 1) * most):to(dtype)
  end
  local weight = torch.randn(given[1].shape):to(dtype)
  local got = gradients(dtype, given, weight, options)
  local exact = gradients(torch.float64, given, weight, options)
  for i, t in ipairs(got) do
    print(name, i, t.dtype, apart(t:double(), exact[i]) < bounds[i == 1 and 1 or 2])
  end
end

-- A GPU rounds each exp and each sum of the products otherwise, and the weights to 16 bits before they are multiplied.
local most = torch.get_default_device().type == "cpu" and 1 or 2
local bounds = {[torch.bfloat16] = {most * 3e-3, most * 1.2e-2}, [torch.float16] = {most * 4e-4, most * 1e-3}, [torch.float32] = {most * 8e-7, most * 1e-6}}
for _, dtype in ipairs{torch.bfloat16, torch.float16, torch.float32} do
  for _, n in ipairs{{3, 5, 4}, {40, 70, 16}, {70, 530, 8}} do
    local L, S, E = table.unpack(n)
    local function case(name, heads, options) compare(name, dtype, bounds[dtype], heads, L, S, E, 2, options) end
    case("plain", {2, 2}, {})
    case("causal", {2, 2}, {is_causal = true})
    case("groups", {4, 2}, {enable_gqa = true})
    case("causal groups", {4, 1}, {enable_gqa = true, is_causal = true})
    case("hidden", {2, 2}, {attn_mask = torch.ones(L, S):tril(1):bool()})
    case("added", {2, 2}, {attn_mask = torch.linspace(-2, 2, 2 * S):reshape(2, 1, 1, S):to(dtype)})
  end
end
compare("large scores", torch.float32, {most * 1e-6, most * 8e-6}, {4, 4}, 40, 70, 8, 9, {})
