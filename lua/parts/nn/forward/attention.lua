-- forward/attention.lua: the forward of MultiheadAttention.
local torch = ...
local F = torch.nn.functional

local function transposed(t) return t:transpose(0, 1) end

-- Transposes the three inputs. Inputs that are the same tensor stay the same, so that one product projects them.
local function all_transposed(query, key, value)
  local q = transposed(query)
  local k = rawequal(key, query) and q or transposed(key)
  return q, k, rawequal(value, key) and k or transposed(value)
end

local function forward(self, query, key, value, key_padding_mask, need_weights, attn_mask, average_attn_weights, is_causal)
  local swap = self.batch_first and query.ndim == 3
  if swap then query, key, value = all_transposed(query, key, value) end
  local projection = self.out_proj
  local output, weights = F.multi_head_attention_forward(query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight,
    self.in_proj_bias, self.bias_k, self.bias_v, self.add_zero_attn, self.dropout, projection.weight, projection.bias, {
      training = self.training, key_padding_mask = key_padding_mask, need_weights = need_weights, attn_mask = attn_mask,
      use_separate_proj_weight = self.in_proj_weight == nil, q_proj_weight = self.q_proj_weight, k_proj_weight = self.k_proj_weight,
      v_proj_weight = self.v_proj_weight, average_attn_weights = average_attn_weights, is_causal = is_causal,
    })
  if swap then output = transposed(output) end
  if not need_weights then return output, nil end
  return output, weights
end

return {
  MultiheadAttention = torch._define("MultiheadAttention.forward(self, query, key, value, key_padding_mask?, need_weights=true, " ..
    "attn_mask?, average_attn_weights=true, is_causal=false)", forward),
}
