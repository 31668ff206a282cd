-- attention.lua: attention with several heads (the notation: nn/modules.lua). lua/torch/nn has the layers of a
-- transformer.

module "MultiheadAttention" {
  "(int embed_dim, int num_heads, float dropout=0.0, bool bias=true, bool add_bias_kv=false, bool add_zero_attn=false, int? kdim, int? vdim, " ..
    "bool batch_first=false, device? device, dtype? dtype)",
  call = "(Tensor query, Tensor key, Tensor value, Tensor? key_padding_mask, bool need_weights=true, Tensor? attn_mask, " ..
    "bool average_attn_weights=true, bool is_causal=false) -> (Tensor attn_output, Tensor attn_output_weights)",
  run = "attention", init = "attention", reset = "attention",
  defaults = {kdim = "embed_dim", vdim = "embed_dim"},
  check = {
    "embed_dim > 0 and num_heads > 0: embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead",
    "embed_dim % num_heads == 0: AssertionError: embed_dim must be divisible by num_heads",
  },
  details = "Called with query, key and value, (L, N, embed_dim), or (N, L, embed_dim) with batch_first; num_heads must divide embed_dim. It " ..
    "returns the result and the attention weights, averaged over the heads; need_weights = false leaves them out and is faster.",
  doc = "softmax(q k^T / sqrt(d)) v for num_heads parts of projected query, key and value (L, N, E), projected again; and the weights.",
}
