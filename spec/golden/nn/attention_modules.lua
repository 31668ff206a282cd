-- MultiheadAttention and the layers of a transformer: members, masks, evaluation, the copies that a stack makes.
local torch = require "torch"
local nn = torch.nn
local function sum(t) return torch.format("%.4f", t:sum()) end
torch.manual_seed(7)
local x = torch.rand(2, 3, 4)
for _, attention in ipairs{nn.MultiheadAttention(4, 2, {batch_first = true}), nn.MultiheadAttention(4, 2, {bias = false, add_zero_attn = true}),
  nn.MultiheadAttention(4, 2, {kdim = 4, vdim = 4, add_bias_kv = true})} do
  print(attention)
  for name, p in attention:named_parameters() do print(name, p.shape, sum(p)) end
  local out, weights = attention(x, x, x)
  print(out.shape, weights.shape, sum(out))
  out, weights = attention(x, x, x, {need_weights = false})
  print(out.shape, weights)
  local _, each = attention(x, x, x, {average_attn_weights = false})
  print(each.shape)
end
local cross = nn.MultiheadAttention(4, 2, {kdim = 3, vdim = 5})
for name, p in cross:named_parameters() do print(name, p.shape) end
print(cross(x, torch.rand(6, 3, 3), torch.rand(6, 3, 5)).shape)
local layer = nn.TransformerEncoderLayer(4, 2, 8, {batch_first = true, dropout = 0.0, activation = "gelu"})
local encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(4))
print(encoder)
local padding = torch.tensor{{false, false, true}, {false, false, false}}
print(encoder(x, {src_key_padding_mask = padding}))
encoder:eval()
torch.no_grad(function() print(encoder(x, {src_key_padding_mask = padding})) end)
local mask = nn.Transformer.generate_square_subsequent_mask(3)
print(mask, encoder(x, {mask = mask}))
local model = nn.Transformer{d_model = 4, nhead = 2, num_encoder_layers = 1, num_decoder_layers = 2, dim_feedforward = 8, dropout = 0.0,
  norm_first = true, batch_first = true}
print(model(x, x, {tgt_mask = mask, tgt_is_causal = true}))
for name, p in model.decoder:named_parameters() do print(name, p.shape, sum(p)) end
local decoder = nn.TransformerDecoderLayer{d_model = 4, nhead = 2, dim_feedforward = 8, dropout = 0.0}
print(decoder(x, x, {memory_key_padding_mask = torch.tensor{{false, true}, {false, false}, {true, false}}}))
