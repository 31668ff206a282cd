-- multi_head_attention_forward, with and without weights.
local torch = require "torch"
local F = torch.nn.functional

local function refused(...)
  local ok, err = pcall(...)
  print(ok, (tostring(err):gsub("\n.*", "")))
end

torch.manual_seed(5)
local x, y = torch.randn(3, 2, 4), torch.randn(5, 2, 4)
local w, b, o, c = torch.randn(12, 4), torch.randn(12), torch.randn(4, 4), torch.randn(4)

local function attend(q, k, v, options)
  options.out_proj_weight, options.out_proj_bias = o, c
  return F.multi_head_attention_forward(q, k, v, 4, 2, w, b, nil, nil, false, 0.0, options)
end

local out, weights = attend(x, x, x, {})
print(out)
print(weights)
out, weights = attend(x, y, y, {need_weights = false})
print(torch.format("%.3f", out:abs():mean()))
print(weights)
out, weights = attend(x, y, y + 1, {average_attn_weights = false})
print(weights)
local padding = torch.tensor {{false, false, false, true, true}, {false, false, false, false, true}}
out, weights = attend(x, y, y, {key_padding_mask = padding})
print(weights)
print(torch.allclose(attend(x, y, y, {key_padding_mask = padding, need_weights = false}), out, {atol = 1e-5}))
local mask = torch.ones(3, 3):triu(1):bool()
print((attend(x, x, x, {attn_mask = mask, is_causal = true, need_weights = false})))
out, weights = attend(x, x, x, {attn_mask = mask})
print(weights)
out, weights = attend(x[{":", 0}], y[{":", 0}], y[{":", 0}], {})
print(out, weights)
refused(attend, x, y, y, {attn_mask = torch.zeros(3, 4)})
refused(attend, x[0][0], y, y, {})
refused(attend, x, x, x, {is_causal = true})
refused(F.multi_head_attention_forward, x, x, x, 8, 2, w, b, nil, nil, false, 0.0, o, c)
refused(F.multi_head_attention_forward, x, x, x, 4, 3, w, b, nil, nil, false, 0.0, o, c)
