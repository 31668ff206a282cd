-- transformer.lua: the layers of a transformer, and the whole transformer (torch.nn.Transformer and its parts).
local torch = ...
local support = torch._part "support"
local nn, F = torch.nn, torch.nn.functional
local fail = support.fail
local transformer = {}

-- --- shared by encoder and decoder -------------------------------------------------------------------------

local function activation_of(activation)
  if activation == nil or activation == "relu" then return F.relu end
  if activation == "gelu" then return F.gelu end
  if type(activation) == "string" then fail("RuntimeError", "activation should be relu/gelu, not %s", activation) end
  return activation
end

local function clones(module, count)
  local list = nn.ModuleList()
  for _ = 1, count do list:append(torch.deepcopy(module)) end
  return list
end

-- Returns a mask with -inf above the diagonal, at the positions to be ignored, and 0 elsewhere.
local function causal_mask(size, device, dtype)
  return torch.triu(torch.full({size, size}, -math.huge, {dtype = dtype, device = device}), 1)
end

-- Returns a boolean mask as numbers to be added to the scores.
local function additive(mask, dtype)
  if mask == nil or mask:is_floating_point() then return mask end
  return torch.zeros_like(mask, {dtype = dtype}):masked_fill_(mask, -math.huge)
end

local function sequence_length(x, batch_first)
  return x.shape[(x.ndim == 3 and batch_first) and 1 or 0]
end

-- Returns true if the mask is the causal one. Compares it only if the caller does not say.
local function is_causal_mask(mask, is_causal, size)
  if is_causal ~= nil then return is_causal end
  if mask == nil then return false end
  return mask.shape == torch.Size{size, size} and torch.equal(mask, causal_mask(size, mask.device, mask.dtype))
end

local layer_options = "d_model, nhead, dim_feedforward=2048, dropout=0.1, activation?, layer_norm_eps=1e-5, batch_first=false, " ..
  "norm_first=false, bias=true, device?, dtype?"

-- Makes the parts that both kinds of layers have. attentions: the names of their attentions.
local function build_layer(self, a, attentions)
  local where = {device = a.device, dtype = a.dtype}
  for _, name in ipairs(attentions) do
    self[name] = nn.MultiheadAttention{a.d_model, a.nhead, dropout = a.dropout, bias = a.bias, batch_first = a.batch_first,
      device = a.device, dtype = a.dtype}
  end
  self.linear1 = nn.Linear(a.d_model, a.dim_feedforward, a.bias, where)
  self.dropout = nn.Dropout(a.dropout)
  self.linear2 = nn.Linear(a.dim_feedforward, a.d_model, a.bias, where)
  self.norm_first = a.norm_first
  local count = #attentions + 1
  for i = 1, count do
    self["norm" .. i] = nn.LayerNorm{a.d_model, eps = a.layer_norm_eps, bias = a.bias, device = a.device, dtype = a.dtype}
  end
  for i = 1, count do self["dropout" .. i] = nn.Dropout(a.dropout) end
  self.activation = activation_of(a.activation)
end

local function attend(attention, x, memory, mask, padding, causal)
  local out = attention(x, memory, memory, {attn_mask = mask, key_padding_mask = padding, need_weights = false, is_causal = causal})
  return out
end

local function feed_forward(self, x) return self.linear2(self.dropout(self.activation(self.linear1(x)))) end

-- Returns x + block(norm(x)), or norm(x + block(x)).
local function residual(self, x, norm, dropout, block)
  if self.norm_first then return x + dropout(block(norm(x))) end
  return norm(x + dropout(block(x)))
end

-- --- layers ------------------------------------------------------------------------------------------------

local EncoderLayer = nn.Module:extend "TransformerEncoderLayer"
local read_encoder_layer = torch._define("TransformerEncoderLayer.__init__(" .. layer_options .. ")")
function EncoderLayer:init(...) build_layer(self, read_encoder_layer(...), {"self_attn"}) end

EncoderLayer.forward = torch._define("TransformerEncoderLayer.forward(self, src, src_mask?, src_key_padding_mask?, is_causal=false)",
  function(self, src, src_mask, src_key_padding_mask, is_causal)
    local padding, mask = additive(src_key_padding_mask, src.dtype), additive(src_mask, src.dtype)
    local x = residual(self, src, self.norm1, self.dropout1, function(y) return attend(self.self_attn, y, y, mask, padding, is_causal) end)
    return residual(self, x, self.norm2, self.dropout2, function(y) return feed_forward(self, y) end)
  end)
transformer.TransformerEncoderLayer = EncoderLayer

local DecoderLayer = nn.Module:extend "TransformerDecoderLayer"
local read_decoder_layer = torch._define("TransformerDecoderLayer.__init__(" .. layer_options .. ")")
function DecoderLayer:init(...) build_layer(self, read_decoder_layer(...), {"self_attn", "multihead_attn"}) end

DecoderLayer.forward = torch._define("TransformerDecoderLayer.forward(self, tgt, memory, tgt_mask?, memory_mask?, tgt_key_padding_mask?, " ..
  "memory_key_padding_mask?, tgt_is_causal=false, memory_is_causal=false)",
  function(self, tgt, memory, tgt_mask, memory_mask, tgt_padding, memory_padding, tgt_is_causal, memory_is_causal)
    local x = residual(self, tgt, self.norm1, self.dropout1,
      function(y) return attend(self.self_attn, y, y, tgt_mask, tgt_padding, tgt_is_causal) end)
    x = residual(self, x, self.norm2, self.dropout2,
      function(y) return attend(self.multihead_attn, y, memory, memory_mask, memory_padding, memory_is_causal) end)
    return residual(self, x, self.norm3, self.dropout3, function(y) return feed_forward(self, y) end)
  end)
transformer.TransformerDecoderLayer = DecoderLayer

-- --- stacks of layers --------------------------------------------------------------------------------------

-- Returns the reason why the encoder cannot skip padding, or nil if it can, in evaluation.
local function why_padding_stays(layer)
  if not layer:isinstance(EncoderLayer) then return "encoder_layer was not TransformerEncoderLayer" end
  local attention = layer.self_attn
  if layer.norm_first then return "encoder_layer.norm_first was True" end
  if not attention.batch_first then
    return "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)"
  end
  if attention.in_proj_weight == nil then return "encoder_layer.self_attn._qkv_same_embed_dim was not True" end
  if attention.in_proj_bias == nil then return "encoder_layer.self_attn was passed bias=False" end
  if layer.activation ~= F.relu and layer.activation ~= F.gelu and not nn.Module.isinstance(layer.activation, {nn.ReLU, nn.GELU}) then
    return "encoder_layer.activation_relu_or_gelu was not True"
  end
  if layer.norm1.eps ~= layer.norm2.eps then return "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps" end
  if attention.num_heads % 2 == 1 then return "encoder_layer.self_attn.num_heads is odd" end
end

local Encoder = nn.Module:extend "TransformerEncoder"
local read_encoder = torch._define("TransformerEncoder.__init__(encoder_layer, num_layers, norm?, enable_nested_tensor=true, mask_check=true)")
function Encoder:init(...)
  local a = read_encoder(...)
  self.layers = clones(a.encoder_layer, a.num_layers)
  self.num_layers = a.num_layers
  self.norm = a.norm
  local why = why_padding_stays(a.encoder_layer)
  self.use_nested_tensor = a.enable_nested_tensor and not why
  self.mask_check = a.mask_check
  if a.enable_nested_tensor and why then
    torch._warn("enable_nested_tensor is True, but self.use_nested_tensor is False because " .. why)
  end
end

-- Returns true if PyTorch would compute only the valid positions, so that the rest of the output is zeros.
local function leaves_padding_out(self, src, mask, padding)
  if not self.use_nested_tensor or self.layers[0].training or src.ndim ~= 3 or not padding or mask or torch.is_autocast_enabled() then
    return false
  end
  if torch.is_grad_enabled() then
    for p in self.layers[0]:parameters() do if p.requires_grad then return false end end
    if src.requires_grad then return false end
  end
  local valid = padding:eq(0)
  return not self.mask_check or torch.equal(valid, valid:to(torch.int64):cumprod(1):to(torch.bool))
end

Encoder.forward = torch._define("TransformerEncoder.forward(self, src, mask?, src_key_padding_mask?, is_causal?)",
  function(self, src, mask, src_key_padding_mask, is_causal)
    local padding = additive(src_key_padding_mask, src.dtype)
    mask = additive(mask, src.dtype)
    local batch_first = self.layers[0].self_attn.batch_first
    is_causal = is_causal_mask(mask, is_causal, sequence_length(src, batch_first))
    local output = src
    for _, layer in pairs(self.layers) do
      output = layer(output, {src_mask = mask, is_causal = is_causal, src_key_padding_mask = padding})
    end
    if leaves_padding_out(self, src, mask, padding) then output = output:masked_fill(padding:ne(0):unsqueeze(-1), 0) end
    return self.norm and self.norm(output) or output
  end)
transformer.TransformerEncoder = Encoder

local Decoder = nn.Module:extend "TransformerDecoder"
local read_decoder = torch._define("TransformerDecoder.__init__(decoder_layer, num_layers, norm?)")
function Decoder:init(...)
  local a = read_decoder(...)
  self.layers = clones(a.decoder_layer, a.num_layers)
  self.num_layers = a.num_layers
  self.norm = a.norm
end

Decoder.forward = torch._define("TransformerDecoder.forward(self, tgt, memory, tgt_mask?, memory_mask?, tgt_key_padding_mask?, " ..
  "memory_key_padding_mask?, tgt_is_causal?, memory_is_causal=false)",
  function(self, tgt, memory, tgt_mask, memory_mask, tgt_padding, memory_padding, tgt_is_causal, memory_is_causal)
    tgt_is_causal = is_causal_mask(tgt_mask, tgt_is_causal, sequence_length(tgt, self.layers[0].self_attn.batch_first))
    local output = tgt
    for _, layer in pairs(self.layers) do
      output = layer(output, memory, {tgt_mask = tgt_mask, memory_mask = memory_mask, tgt_key_padding_mask = tgt_padding,
        memory_key_padding_mask = memory_padding, tgt_is_causal = tgt_is_causal, memory_is_causal = memory_is_causal})
    end
    return self.norm and self.norm(output) or output
  end)
transformer.TransformerDecoder = Decoder

-- --- the complete transformer ------------------------------------------------------------------------------

local Transformer = nn.Module:extend "Transformer"
local read_transformer = torch._define("Transformer.__init__(d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, " ..
  "dropout=0.1, activation?, custom_encoder?, custom_decoder?, layer_norm_eps=1e-5, batch_first=false, norm_first=false, bias=true, " ..
  "device?, dtype?)")

local function stack(a, Layer, Stack, count)
  local layer = Layer{a.d_model, a.nhead, a.dim_feedforward, a.dropout, activation = a.activation, layer_norm_eps = a.layer_norm_eps,
    batch_first = a.batch_first, norm_first = a.norm_first, bias = a.bias, device = a.device, dtype = a.dtype}
  return Stack(layer, count, nn.LayerNorm{a.d_model, eps = a.layer_norm_eps, bias = a.bias, device = a.device, dtype = a.dtype})
end

function Transformer:init(...)
  local a = read_transformer(...)
  self.encoder = a.custom_encoder or stack(a, EncoderLayer, Encoder, a.num_encoder_layers)
  self.decoder = a.custom_decoder or stack(a, DecoderLayer, Decoder, a.num_decoder_layers)
  for p in self:parameters() do
    if p.ndim > 1 then nn.init.xavier_uniform_(p) end
  end
  self.d_model, self.nhead, self.batch_first = a.d_model, a.nhead, a.batch_first
end

Transformer.forward = torch._define("Transformer.forward(self, src, tgt, src_mask?, tgt_mask?, memory_mask?, src_key_padding_mask?, " ..
  "tgt_key_padding_mask?, memory_key_padding_mask?, src_is_causal?, tgt_is_causal?, memory_is_causal=false)",
  function(self, src, tgt, src_mask, tgt_mask, memory_mask, src_padding, tgt_padding, memory_padding, src_is_causal, tgt_is_causal,
    memory_is_causal)
    local batch = self.batch_first and 0 or 1
    if src.ndim == 3 and src.shape[batch] ~= tgt.shape[batch] then fail("RuntimeError", "the batch number of src and tgt must be equal") end
    if src.shape[-1] ~= self.d_model or tgt.shape[-1] ~= self.d_model then
      fail("RuntimeError", "the feature number of src and tgt must be equal to d_model")
    end
    local memory = self.encoder(src, {mask = src_mask, src_key_padding_mask = src_padding, is_causal = src_is_causal})
    return self.decoder(tgt, memory, {tgt_mask = tgt_mask, memory_mask = memory_mask, tgt_key_padding_mask = tgt_padding,
      memory_key_padding_mask = memory_padding, tgt_is_causal = tgt_is_causal, memory_is_causal = memory_is_causal})
  end)

--- Returns the mask that hides later positions from each position. Also a method.
local read_mask = torch._define("generate_square_subsequent_mask(sz, device?, dtype?)")
function Transformer.generate_square_subsequent_mask(...)
  local a = nn.Module.isinstance((...), nn.Module) and read_mask(select(2, ...)) or read_mask(...)
  return causal_mask(a.sz, a.device, a.dtype)
end
transformer.Transformer = Transformer

return transformer
