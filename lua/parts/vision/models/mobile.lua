-- vision/models/mobile.lua: MobileNetV2, MobileNetV3 and EfficientNet: blocks that widen, convolve each channel, and narrow
-- again.
local torch = ...
local nn = torch.nn
local blocks = torch._part "vision.models.support"
local take, done, maker, conv_norm, divisible = blocks.take, blocks.done, blocks.maker, blocks.conv_norm, blocks.divisible
local models = {}

local function pooled(self, x) return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1)) end

-- --- MobileNetV2 --------------------------------------------------------------------------------------------

local Residual2 = nn.Module:extend "InvertedResidual"
function Residual2:init(inputs, outputs, stride, expand)
  local hidden, layers = inputs * expand, {}
  if expand ~= 1 then layers[1] = conv_norm(inputs, hidden, {kernel_size = 1, activation = nn.ReLU6}) end
  layers[#layers + 1] = conv_norm(hidden, hidden, {stride = stride, groups = hidden, activation = nn.ReLU6})
  layers[#layers + 1] = nn.Conv2d(hidden, outputs, {kernel_size = 1, bias = false})
  layers[#layers + 1] = nn.BatchNorm2d(outputs)
  self.use_res_connect = stride == 1 and inputs == outputs
  self.conv = nn.Sequential(table.unpack(layers))
end
function Residual2:forward(x)
  if self.use_res_connect then return x + self.conv(x) end
  return self.conv(x)
end

local MobileNetV2 = nn.Module:extend "MobileNetV2"
models.MobileNetV2 = MobileNetV2
-- widening, channels, blocks, stride of the first
local STAGES2 = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}}
function MobileNetV2:init(o)
  local num_classes, width, dropout = take(o, "num_classes", 1000), take(o, "width_mult", 1.0), take(o, "dropout", 0.2)
  done(o, "MobileNetV2")
  local channels = divisible(32 * width, 8)
  self.last_channel = divisible(1280 * math.max(1.0, width), 8)
  local layers = {conv_norm(3, channels, {stride = 2, activation = nn.ReLU6})}
  for _, s in ipairs(STAGES2) do
    for i = 1, s[3] do
      local outputs = divisible(s[2] * width, 8)
      layers[#layers + 1] = Residual2(channels, outputs, i == 1 and s[4] or 1, s[1])
      channels = outputs
    end
  end
  layers[#layers + 1] = conv_norm(channels, self.last_channel, {kernel_size = 1, activation = nn.ReLU6})
  self.features = nn.Sequential(table.unpack(layers))
  self.classifier = nn.Sequential(nn.Dropout(dropout), nn.Linear(self.last_channel, num_classes))
  blocks.initialize(self, nil, blocks.small_linear)
end
function MobileNetV2:forward(x)
  return self.classifier(torch.flatten(nn.functional.adaptive_avg_pool2d(self.features(x), {1, 1}), 1))
end
models.mobilenet_v2 = maker("mobilenet_v2", MobileNetV2)

-- --- MobileNetV3 --------------------------------------------------------------------------------------------

local function norm3(channels) return nn.BatchNorm2d(channels, {eps = 0.001, momentum = 0.01}) end

local Residual3 = nn.Module:extend "InvertedResidual"
-- Creates the block. c: inputs, kernel, widened, outputs, true if it squeezes, true if its activation is Hardswish, stride
function Residual3:init(c)
  local inputs, kernel, widened, outputs, squeeze, hard, stride = table.unpack(c)
  local activation, layers = hard and nn.Hardswish or nn.ReLU, {}
  if widened ~= inputs then layers[1] = conv_norm(inputs, widened, {kernel_size = 1, norm = norm3, activation = activation}) end
  layers[#layers + 1] = conv_norm(widened, widened, {kernel_size = kernel, stride = stride, groups = widened, norm = norm3, activation = activation})
  if squeeze then
    layers[#layers + 1] = blocks.SqueezeExcitation(widened, divisible(widened // 4, 8), nn.ReLU(), nn.Hardsigmoid())
  end
  layers[#layers + 1] = conv_norm(widened, outputs, {kernel_size = 1, norm = norm3, activation = false})
  self.use_res_connect = stride == 1 and inputs == outputs
  self.block = nn.Sequential(table.unpack(layers))
end
function Residual3:forward(x)
  local out = self.block(x)
  return self.use_res_connect and out:add_(x) or out
end

local MobileNetV3 = nn.Module:extend "MobileNetV3"
models.MobileNetV3 = MobileNetV3
MobileNetV3.forward = pooled
function MobileNetV3:init(stages, last, o)
  local num_classes, dropout = take(o, "num_classes", 1000), take(o, "dropout", 0.2)
  done(o, "MobileNetV3")
  local layers = {conv_norm(3, stages[1][1], {stride = 2, norm = norm3, activation = nn.Hardswish})}
  for _, c in ipairs(stages) do layers[#layers + 1] = Residual3(c) end
  local channels = stages[#stages][4]
  layers[#layers + 1] = conv_norm(channels, 6 * channels, {kernel_size = 1, norm = norm3, activation = nn.Hardswish})
  self.features = nn.Sequential(table.unpack(layers))
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  self.classifier = nn.Sequential(nn.Linear(6 * channels, last), nn.Hardswish{inplace = true}, nn.Dropout{p = dropout, inplace = true},
    nn.Linear(last, num_classes))
  blocks.initialize(self, nil, blocks.small_linear)
end

local LARGE = {
  {16, 3, 16, 16, false, false, 1}, {16, 3, 64, 24, false, false, 2}, {24, 3, 72, 24, false, false, 1}, {24, 5, 72, 40, true, false, 2},
  {40, 5, 120, 40, true, false, 1}, {40, 5, 120, 40, true, false, 1}, {40, 3, 240, 80, false, true, 2}, {80, 3, 200, 80, false, true, 1},
  {80, 3, 184, 80, false, true, 1}, {80, 3, 184, 80, false, true, 1}, {80, 3, 480, 112, true, true, 1}, {112, 3, 672, 112, true, true, 1},
  {112, 5, 672, 160, true, true, 2}, {160, 5, 960, 160, true, true, 1}, {160, 5, 960, 160, true, true, 1},
}
local SMALL = {
  {16, 3, 16, 16, true, false, 2}, {16, 3, 72, 24, false, false, 2}, {24, 3, 88, 24, false, false, 1}, {24, 5, 96, 40, true, true, 2},
  {40, 5, 240, 40, true, true, 1}, {40, 5, 240, 40, true, true, 1}, {40, 5, 120, 48, true, true, 1}, {48, 5, 144, 48, true, true, 1},
  {48, 5, 288, 96, true, true, 2}, {96, 5, 576, 96, true, true, 1}, {96, 5, 576, 96, true, true, 1},
}
models.mobilenet_v3_large = maker("mobilenet_v3_large", function(o) return MobileNetV3(LARGE, 1280, o) end)
models.mobilenet_v3_small = maker("mobilenet_v3_small", function(o) return MobileNetV3(SMALL, 1024, o) end)

-- --- EfficientNet ---------------------------------------------------------------------------------------------

local MBConv = nn.Module:extend "MBConv"
function MBConv:init(inputs, outputs, kernel, stride, expand, drop)
  local widened, layers = divisible(inputs * expand, 8), {}
  if widened ~= inputs then layers[1] = conv_norm(inputs, widened, {kernel_size = 1, activation = nn.SiLU}) end
  layers[#layers + 1] = conv_norm(widened, widened, {kernel_size = kernel, stride = stride, groups = widened, activation = nn.SiLU})
  layers[#layers + 1] = blocks.SqueezeExcitation(widened, math.max(1, inputs // 4), nn.SiLU{inplace = true}, nn.Sigmoid())
  layers[#layers + 1] = conv_norm(widened, outputs, {kernel_size = 1, activation = false})
  self.use_res_connect = stride == 1 and inputs == outputs
  self.block = nn.Sequential(table.unpack(layers))
  self.stochastic_depth = blocks.StochasticDepth(drop, "row")
end
function MBConv:forward(x)
  local out = self.block(x)
  return self.use_res_connect and self.stochastic_depth(out):add_(x) or out
end

local EfficientNet = nn.Module:extend "EfficientNet"
models.EfficientNet = EfficientNet
EfficientNet.forward = pooled
-- widening, kernel, stride, inputs, outputs, blocks
local STAGES = {{1, 3, 1, 32, 16, 1}, {6, 3, 2, 16, 24, 2}, {6, 5, 2, 24, 40, 2}, {6, 3, 2, 40, 80, 3}, {6, 5, 1, 80, 112, 3}, {6, 5, 2, 112, 192, 4},
  {6, 3, 1, 192, 320, 1}}
function EfficientNet:init(o)
  local num_classes, dropout, drop = take(o, "num_classes", 1000), take(o, "dropout", 0.2), take(o, "stochastic_depth_prob", 0.2)
  done(o, "EfficientNet")
  local layers, number, total = {conv_norm(3, 32, {stride = 2, activation = nn.SiLU})}, 0, 0
  for _, s in ipairs(STAGES) do total = total + s[6] end
  for _, s in ipairs(STAGES) do
    local stage = {}
    for i = 1, s[6] do
      stage[i] = MBConv(i == 1 and s[4] or s[5], s[5], s[2], i == 1 and s[3] or 1, s[1], drop * number / total)
      number = number + 1
    end
    layers[#layers + 1] = nn.Sequential(table.unpack(stage))
  end
  layers[#layers + 1] = conv_norm(320, 1280, {kernel_size = 1, activation = nn.SiLU})
  self.features = nn.Sequential(table.unpack(layers))
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  self.classifier = nn.Sequential(nn.Dropout{p = dropout, inplace = true}, nn.Linear(1280, num_classes))
  blocks.initialize(self, nil, function(m)
    local bound = 1.0 / math.sqrt(m.out_features)
    nn.init.uniform_(m.weight, -bound, bound)
  end)
end
models.efficientnet_b0 = maker("efficientnet_b0", EfficientNet)

return models
