-- Attention from its formula, and by the operator: masks, causal, grouped heads.
local torch = require "torch"
torch.set_printoptions{precision = 3, sci_mode = false}
local F = torch.nn.functional
local function show(name, t) print(name, t.dtype, t.shape, t:detach():flatten()["-8:"]) end
local function formula(q, k, v, mask, causal, scale, gqa)
  local L, S = q.shape[-2], k.shape[-2]
  scale = scale or 1 / math.sqrt(q.shape[-1])
  local bias = torch.zeros(L, S, {dtype = q.dtype})
  if causal then bias = bias:masked_fill(torch.ones(L, S, {dtype = torch.bool}):tril():logical_not(), -math.huge) end
  if mask then
    if mask.dtype == torch.bool then bias = bias:masked_fill(mask:logical_not(), -math.huge) else bias = bias + mask end
  end
  if gqa then
    k = k:repeat_interleave(q.shape[-3] // k.shape[-3], -3); v = v:repeat_interleave(q.shape[-3] // v.shape[-3], -3)
  end
  return torch.softmax(q:matmul(k:transpose(-2, -1)) * scale + bias, -1):matmul(v)
end
for _, dtype in ipairs {torch.float32, torch.float64} do
  for case = 1, 8 do
    torch.manual_seed(case)
    local gqa = case == 7
    local L, S, E = 11, case == 4 and 7 or 11, 16
    if case == 8 then L, S, E = 130, 130, 64 end
    if case == 9 then L, S, E = 65, 200, 32 end
    local q = torch.randn(2, 4, L, E):to(dtype)
    local k = torch.randn(2, gqa and 2 or 4, S, E):to(dtype)
    local v = torch.randn(2, gqa and 2 or 4, S, E):to(dtype)
    local mask, causal, scale
    if case == 2 or case == 8 then causal = true end
    if case == 3 then mask = torch.rand(L, S):gt(0.3) mask[{":", 0}] = true end
    if case == 4 then mask = torch.randn(2, 1, L, S):to(dtype) end
    if case == 5 then scale = 0.3 end
    if case == 6 then mask = torch.randn(2, 4, L, S):to(dtype) mask.requires_grad = true end
    for _, how in ipairs {"formula", "operator"} do
      local q, k, v = q:clone():requires_grad_(), k:clone():requires_grad_(), v:clone():requires_grad_()
      local o
      if how == "formula" then o = formula(q, k, v, mask, causal, scale, gqa)
      else o = F.scaled_dot_product_attention(q, k, v, {attn_mask = mask, is_causal = causal or false, scale = scale, enable_gqa = gqa}) end
      o:float():pow(2):sum():backward()
      print(dtype, case, how)
      show("o", o) show("q", q.grad) show("k", k.grad) show("v", v.grad)
      if mask and mask.requires_grad then show("mask", mask.grad) mask.grad = nil end
    end
  end
end
-- multi_head_attention_forward
for _, dtype in ipairs {torch.float32, torch.float64} do
torch.manual_seed(6)
local E, H = 16, 4
local q, k = torch.randn(7, 2, E):to(dtype), torch.randn(9, 2, E):to(dtype)
local ipw, ipb = (torch.randn(3 * E, E) * 0.3):to(dtype):requires_grad_(), torch.randn(3 * E):to(dtype)
local opw, opb = (torch.randn(E, E) * 0.3):to(dtype), torch.randn(E):to(dtype)
local kpm = torch.zeros(2, 9, {dtype = torch.bool}); kpm["1, 6:"] = true
for _, nw in ipairs {true, false} do
  local o, aw = F.multi_head_attention_forward(q, k, k, E, H, ipw, ipb, nil, nil, false, 0.0, opw, opb, {key_padding_mask = kpm, need_weights = nw})
  show("mha", o) if aw then show("aw", aw) end
  ipw.grad = nil
  o:sum():backward() show("ipw", ipw.grad)
end
end
