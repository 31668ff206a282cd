-- vision/models/attention.lua: ConvNeXt and the vision transformer.
local torch = ...
local nn = torch.nn
local blocks = torch._part "vision.models.support"
local support = torch._part "support"
local take, done, maker = blocks.take, blocks.done, blocks.maker
local models = {}

local function layer_norm(width) return nn.LayerNorm(width, {eps = 1e-6}) end

-- --- ConvNeXt -----------------------------------------------------------------------------------------------

local LayerNorm2d = nn.LayerNorm:extend "LayerNorm2d"
function LayerNorm2d:forward(x)
  x = x:permute(0, 2, 3, 1)
  return nn.functional.layer_norm(x, {x:size(-1)}, self.weight, self.bias, 1e-6):permute(0, 3, 1, 2)
end
local function norm2d(channels) return LayerNorm2d(channels, {eps = 1e-6}) end

local CNBlock = nn.Module:extend "CNBlock"
function CNBlock:init(channels, scale, drop)
  self.layer_scale = nn.Parameter(torch.ones(channels, 1, 1) * scale)
  self.block = nn.Sequential(
    nn.Conv2d(channels, channels, {kernel_size = 7, padding = 3, groups = channels}), blocks.Permute{0, 2, 3, 1}, layer_norm(channels),
    nn.Linear(channels, 4 * channels), nn.GELU(), nn.Linear(4 * channels, channels), blocks.Permute{0, 3, 1, 2})
  self.stochastic_depth = blocks.StochasticDepth(drop, "row")
end
function CNBlock:forward(x) return self.stochastic_depth(self.layer_scale * self.block(x)):add_(x) end

local ConvNeXt = nn.Module:extend "ConvNeXt"
models.ConvNeXt = ConvNeXt
function ConvNeXt:init(widths, depths, o)
  local num_classes, scale = take(o, "num_classes", 1000), take(o, "layer_scale", 1e-6)
  local drop, number, total = take(o, "stochastic_depth_prob", 0.1), 0, 0
  done(o, "ConvNeXt")
  for _, depth in ipairs(depths) do total = total + depth end
  local layers = {blocks.conv_norm(3, widths[1], {kernel_size = 4, stride = 4, padding = 0, norm = norm2d, activation = false, bias = true})}
  for i, width in ipairs(widths) do
    local stage = {}
    for k = 1, depths[i] do
      stage[k] = CNBlock(width, scale, drop * number / (total - 1.0))
      number = number + 1
    end
    layers[#layers + 1] = nn.Sequential(table.unpack(stage))
    if widths[i + 1] then
      layers[#layers + 1] = nn.Sequential(norm2d(width), nn.Conv2d(width, widths[i + 1], {kernel_size = 2, stride = 2}))
    end
  end
  self.features = nn.Sequential(table.unpack(layers))
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  self.classifier = nn.Sequential(norm2d(widths[#widths]), nn.Flatten(1), nn.Linear(widths[#widths], num_classes))
  for m in self:modules() do
    if m:isinstance(nn.Conv2d) or m:isinstance(nn.Linear) then
      nn.init.trunc_normal_(m.weight, {std = 0.02})
      if m.bias ~= nil then nn.init.zeros_(m.bias) end
    end
  end
end
function ConvNeXt:forward(x) return self.classifier(self.avgpool(self.features(x))) end
models.convnext_tiny = maker("convnext_tiny", function(o) return ConvNeXt({96, 192, 384, 768}, {3, 3, 9, 3}, o) end)

-- --- the vision transformer ------------------------------------------------------------------------------------

local MLPBlock = nn.Sequential:extend "MLPBlock"
local function mlp_block(width, inner, dropout)
  local block = MLPBlock(nn.Linear(width, inner), nn.GELU(), nn.Dropout(dropout), nn.Linear(inner, width), nn.Dropout(dropout))
  for m in block:modules() do
    if m:isinstance(nn.Linear) then
      nn.init.xavier_uniform_(m.weight)
      nn.init.normal_(m.bias, {std = 1e-6})
    end
  end
  return block
end

local EncoderBlock = nn.Module:extend "EncoderBlock"
function EncoderBlock:init(heads, width, inner, dropout, attention_dropout)
  self.ln_1 = layer_norm(width)
  self.self_attention = nn.MultiheadAttention(width, heads, {dropout = attention_dropout, batch_first = true})
  self.dropout = nn.Dropout(dropout)
  self.ln_2 = layer_norm(width)
  self.mlp = mlp_block(width, inner, dropout)
end
function EncoderBlock:forward(input)
  local x = self.ln_1(input)
  x = self.dropout((self.self_attention(x, x, x, {need_weights = false}))) + input
  return x + self.mlp(self.ln_2(x))
end

local Encoder = nn.Module:extend "Encoder"
function Encoder:init(length, layers, heads, width, inner, dropout, attention_dropout)
  self.pos_embedding = nn.Parameter(torch.empty(1, length, width):normal_{std = 0.02})
  self.dropout = nn.Dropout(dropout)
  local stack = nn.Sequential()
  for i = 0, layers - 1 do stack:add_module("encoder_layer_" .. i, EncoderBlock(heads, width, inner, dropout, attention_dropout)) end
  self.layers = stack
  self.ln = layer_norm(width)
end
function Encoder:forward(x) return self.ln(self.layers(self.dropout(x + self.pos_embedding))) end

local VisionTransformer = nn.Module:extend "VisionTransformer"
models.VisionTransformer = VisionTransformer
function VisionTransformer:init(o)
  local size, patch, width = take(o, "image_size", 224), take(o, "patch_size", 16), take(o, "hidden_dim", 768)
  local layers, heads, inner = take(o, "num_layers", 12), take(o, "num_heads", 12), take(o, "mlp_dim", 3072)
  local dropout, attention_dropout = take(o, "dropout", 0.0), take(o, "attention_dropout", 0.0)
  local num_classes = take(o, "num_classes", 1000)
  done(o, "VisionTransformer")
  if size % patch ~= 0 then support.fail("AssertionError", "Input shape indivisible by patch size!") end
  self.image_size = size
  self.patch_size = patch
  self.hidden_dim = width
  self.class_token = nn.Parameter(torch.zeros(1, 1, width))
  self.conv_proj = nn.Conv2d(3, width, {kernel_size = patch, stride = patch})
  self.encoder = Encoder((size // patch) ^ 2 // 1 + 1 | 0, layers, heads, width, inner, dropout, attention_dropout)
  self.heads = nn.Sequential{{"head", nn.Linear(width, num_classes)}}
  nn.init.trunc_normal_(self.conv_proj.weight, {std = math.sqrt(1 / (3 * patch * patch))})
  nn.init.zeros_(self.conv_proj.bias)
  nn.init.zeros_(self.heads.head.weight)
  nn.init.zeros_(self.heads.head.bias)
end
function VisionTransformer:forward(x)
  local n, size = x:size(0), self.image_size
  if x:size(2) ~= size then support.fail("AssertionError", "Wrong image height! Expected %d but got %d!", size, x:size(2)) end
  if x:size(3) ~= size then support.fail("AssertionError", "Wrong image width! Expected %d but got %d!", size, x:size(3)) end
  x = self.conv_proj(x):reshape(n, self.hidden_dim, -1):permute(0, 2, 1)
  x = self.encoder(torch.cat({self.class_token:expand(n, -1, -1), x}, 1))
  return self.heads(x:select(1, 0))
end
models.vit_b_16 = maker("vit_b_16", VisionTransformer)

return models
