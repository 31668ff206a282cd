-- attention.lua: scaled dot product attention and functions composed of it (the notation: list/read.lua).

op "scaled_dot_product_attention" {
  "(Tensor query, Tensor key, Tensor value, Tensor? attn_mask, float dropout_p=0.0, bool is_causal=false, *, float? scale, bool enable_gqa=false) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {
    {{2, 4, 3, 4}, {2, 4, 5, 4}, {2, 4, 5, 4}},
    {{2, 2, 4, 3}, {2, 2, 4, 3}, {2, 2, 4, 3}, is_causal = true},
    {{2, 3, 4}, {2, 5, 4}, {2, 5, 4}, {3, 5, bool = true}},
    {{2, 2, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 4}, {2, 1, 3, 5}, scale = 0.25},
    {{2, 4, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 4}, enable_gqa = true},
    {{3, 4}, {5, 4}, {5, 2}},
  },
  details = "query is (..., L, E), key (..., S, E), value (..., S, V); the result is (..., L, V). attn_mask broadcasts to (..., L, S) and is " ..
    "bool or added. is_causal hides later positions and goes without attn_mask. enable_gqa allows fewer heads of key and value.",
  doc = "softmax(query @ key^T * scale + attn_mask) @ value; positions where a bool mask is false do not take part. scale: 1 / sqrt(E).",
}
op "_scaled_dot_product_flash_attention_for_cpu" {
  "(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, bool is_causal=false, *, Tensor? attn_mask, float? scale) -> (Tensor output, Tensor logsumexp)",
  forms = {},
  backward = "tocha_grad_flash_attention", differentiable = {"query", "key", "value"},
  saves = {"query", "key", "value", "attn_mask", "output", "logsumexp"},
  sample = {{2, 2, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 4}},
  doc = "Attention of (N, H, L, E), in blocks of queries and keys; and log sum exp of the scores, (N, H, L).",
}
op "_scaled_dot_product_flash_attention_for_cpu_backward" {
  "(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, bool is_causal, *, Tensor? attn_mask, float? scale) -> (Tensor grad_query, Tensor grad_key, Tensor grad_value)",
  forms = {}, backward = "tocha_grad_not_implemented", differentiable = {"grad_out"}, nogradcheck = true,
  sample = {{2, 2, 3, 4}, {2, 2, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 4}, {2, 2, 3, 4}, {2, 2, 3}, false},
  doc = "The gradients of attention.",
}
op "_scaled_dot_product_fused_attention" {
  "(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, bool is_causal=false, *, Tensor? attn_mask, float? scale, Tensor? drawn) -> (Tensor output, Tensor logsumexp)",
  forms = {},
  backward = "tocha_grad_fused_attention", differentiable = {"query", "key", "value"},
  saves = {"query", "key", "value", "attn_mask", "drawn", "output", "logsumexp"},
  sample = {{2, 2, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 4}},
  doc = "The same by a kernel of the device for the whole, with any mask; drawn receives the seed and the offset of dropout's random words.",
}
op "_scaled_dot_product_fused_attention_backward" {
  "(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, float dropout_p, bool is_causal, *, Tensor? attn_mask, float? scale, Tensor? drawn) -> (Tensor grad_query, Tensor grad_key, Tensor grad_value)",
  forms = {}, backward = "tocha_grad_not_implemented", differentiable = {"grad_out"}, nogradcheck = true,
  sample = {{2, 2, 3, 4}, {2, 2, 3, 4}, {2, 2, 5, 4}, {2, 2, 5, 4}, {2, 2, 3, 4}, {2, 2, 3}, 0.0, false},
  doc = "The gradients of attention by that kernel.",
}
op "_safe_softmax" {
  "(Tensor self, dim dim, dtype? dtype) -> Tensor",
  forms = {"torch"},
  grad = {self = "_softmax_backward_data(grad, result, dim)"},
  sample = {{3, 4}, 1},
  doc = "softmax; zeros where all elements are -inf.",
}
op "multi_head_attention_forward" {
  "(Tensor query, Tensor key, Tensor value, int embed_dim_to_check, int num_heads, Tensor?! in_proj_weight, Tensor?! in_proj_bias, Tensor?! bias_k, Tensor?! bias_v, bool add_zero_attn, float dropout_p, Tensor out_proj_weight, Tensor?! out_proj_bias, bool training=true, Tensor? key_padding_mask, bool need_weights=true, Tensor? attn_mask, bool use_separate_proj_weight=false, Tensor? q_proj_weight, Tensor? k_proj_weight, Tensor? v_proj_weight, Tensor? static_k, Tensor? static_v, bool average_attn_weights=true, bool is_causal=false) -> (Tensor attn_output, Tensor attn_output_weights)",
  forms = {"nn.functional"}, composite = true,
  samples = {
    {{3, 2, 4}, {5, 2, 4}, {5, 2, 4}, 4, 2, {12, 4}, {12}, {1, 1, 4}, {1, 1, 4}, true, 0.0, {4, 4}, {4}},
  },
  doc = "Attention over num_heads parts of projected query, key and value (L, N, E), projected again; and its weights, averaged over heads.",
}
