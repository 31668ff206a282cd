-- transformer.lua: the layers of a transformer and the whole transformer (the notation: nn/modules.lua). In Lua an activation may
-- be any function, and layers any modules: lua/parts/nn/transformer.lua has classes of these names.

local layer = "(int d_model, int nhead, int dim_feedforward=2048, float dropout=0.1, string activation='relu', float layer_norm_eps=1e-5, " ..
  "bool batch_first=false, bool norm_first=false, bool bias=true, device? device, dtype? dtype)"
local doc = " The activation is 'relu', 'gelu', or a child named activation."

module "TransformerEncoderLayer" {
  layer, lua = true, init = "transformer_layer", run = "encoder_layer",
  call = "(Tensor src, Tensor? src_mask, Tensor? src_key_padding_mask, bool is_causal=false) -> Tensor",
  doc = "Attention of a sequence (L, N, E) to itself, then two linear layers, each added to its input and normalized." .. doc,
}
module "TransformerDecoderLayer" {
  layer, lua = true, init = "transformer_layer", run = "decoder_layer",
  call = "(Tensor tgt, Tensor memory, Tensor? tgt_mask, Tensor? memory_mask, Tensor? tgt_key_padding_mask, Tensor? memory_key_padding_mask, " ..
    "bool tgt_is_causal=false, bool memory_is_causal=false) -> Tensor",
  doc = "Attention of a sequence (L, N, E) to itself, then to the memory (S, N, E), then two linear layers, each added and normalized." .. doc,
}
module "TransformerEncoder" {
  "(Module encoder_layer, int num_layers, Module? norm, bool enable_nested_tensor=true, bool mask_check=true)",
  lua = true, init = "encoder", run = "encoder",
  call = "(Tensor src, Tensor? mask, Tensor? src_key_padding_mask, bool? is_causal) -> Tensor",
  doc = "num_layers copies of an encoder layer, one after the other, and norm behind them.",
}
module "TransformerDecoder" {
  "(Module decoder_layer, int num_layers, Module? norm)",
  lua = true, init = "decoder", run = "decoder",
  call = "(Tensor tgt, Tensor memory, Tensor? tgt_mask, Tensor? memory_mask, Tensor? tgt_key_padding_mask, Tensor? memory_key_padding_mask, " ..
    "bool? tgt_is_causal, bool memory_is_causal=false) -> Tensor",
  doc = "num_layers copies of a decoder layer, one after the other, and norm behind them.",
}
module "Transformer" {
  "(int d_model=512, int nhead=8, int num_encoder_layers=6, int num_decoder_layers=6, int dim_feedforward=2048, float dropout=0.1, " ..
    "string activation='relu', Module? custom_encoder, Module? custom_decoder, float layer_norm_eps=1e-5, bool batch_first=false, " ..
    "bool norm_first=false, bool bias=true, device? device, dtype? dtype)",
  lua = true, init = "transformer", reset = "transformer", run = "transformer",
  call = "(Tensor src, Tensor tgt, Tensor? src_mask, Tensor? tgt_mask, Tensor? memory_mask, Tensor? src_key_padding_mask, " ..
    "Tensor? tgt_key_padding_mask, Tensor? memory_key_padding_mask, bool? src_is_causal, bool? tgt_is_causal, " ..
    "bool memory_is_causal=false) -> Tensor",
  doc = "An encoder of src (S, N, E) and a decoder of tgt (T, N, E) that attends to what the encoder gives: (T, N, E).",
}
