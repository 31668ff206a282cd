-- vision/models/classic.lua: LeNet, AlexNet, VGG.
local torch = ...
local nn = torch.nn
local blocks = torch._part "vision.models.support"
local take, done, maker = blocks.take, blocks.done, blocks.maker
local models = {}

-- torchvision has no LeNet: this is LeNet-5 for images of 28 x 28 or, with padding = 0, of 32 x 32.
local LeNet = nn.Module:extend "LeNet"
models.LeNet = LeNet
function LeNet:init(options)
  local o = options or {}
  self.features = nn.Sequential(
    nn.Conv2d(o.in_channels or 1, 6, {kernel_size = 5, padding = o.padding or 2}), nn.Tanh(), nn.AvgPool2d(2),
    nn.Conv2d(6, 16, {kernel_size = 5}), nn.Tanh(), nn.AvgPool2d(2))
  self.classifier = nn.Sequential(nn.Linear(400, 120), nn.Tanh(), nn.Linear(120, 84), nn.Tanh(), nn.Linear(84, o.num_classes or 10))
end
function LeNet:forward(x) return self.classifier(torch.flatten(self.features(x), 1)) end
function models.lenet(options) return LeNet(options) end

-- --- AlexNet ------------------------------------------------------------------------------------------------

local function relu() return nn.ReLU{inplace = true} end

local AlexNet = nn.Module:extend "AlexNet"
models.AlexNet = AlexNet
function AlexNet:init(o)
  local num_classes, dropout = take(o, "num_classes", 1000), take(o, "dropout", 0.5)
  done(o, "AlexNet")
  local function pool() return nn.MaxPool2d{kernel_size = 3, stride = 2} end
  self.features = nn.Sequential(
    nn.Conv2d(3, 64, {kernel_size = 11, stride = 4, padding = 2}), relu(), pool(),
    nn.Conv2d(64, 192, {kernel_size = 5, padding = 2}), relu(), pool(),
    nn.Conv2d(192, 384, {kernel_size = 3, padding = 1}), relu(),
    nn.Conv2d(384, 256, {kernel_size = 3, padding = 1}), relu(),
    nn.Conv2d(256, 256, {kernel_size = 3, padding = 1}), relu(), pool())
  self.avgpool = nn.AdaptiveAvgPool2d{6, 6}
  self.classifier = nn.Sequential(nn.Dropout(dropout), nn.Linear(256 * 6 * 6, 4096), relu(), nn.Dropout(dropout), nn.Linear(4096, 4096), relu(),
    nn.Linear(4096, num_classes))
end
local function forward(self, x) return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1)) end
AlexNet.forward = forward
models.alexnet = maker("alexnet", AlexNet)

-- --- VGG ------------------------------------------------------------------------------------------------------

local VGG = nn.Module:extend "VGG"
models.VGG = VGG
VGG.forward = forward
function VGG:init(features, o)
  local num_classes, dropout, init_weights = take(o, "num_classes", 1000), take(o, "dropout", 0.5), take(o, "init_weights", true)
  done(o, "VGG")
  self.features = features
  self.avgpool = nn.AdaptiveAvgPool2d{7, 7}
  self.classifier = nn.Sequential(nn.Linear(512 * 7 * 7, 4096), relu(), nn.Dropout(dropout), nn.Linear(4096, 4096), relu(), nn.Dropout(dropout),
    nn.Linear(4096, num_classes))
  if init_weights then blocks.initialize(self, "relu", blocks.small_linear) end
end

-- The number of convolutions of 64, 128, 256, 512 and 512 channels before each pooling.
local DEPTHS = {vgg11 = {1, 1, 2, 2, 2}, vgg13 = {2, 2, 2, 2, 2}, vgg16 = {2, 2, 3, 3, 3}, vgg19 = {2, 2, 4, 4, 4}}
local WIDTHS = {64, 128, 256, 512, 512}

local function vgg_layers(depths, norm)
  local layers, inputs = {}, 3
  for stage, depth in ipairs(depths) do
    for _ = 1, depth do
      layers[#layers + 1] = nn.Conv2d(inputs, WIDTHS[stage], {kernel_size = 3, padding = 1})
      if norm then layers[#layers + 1] = nn.BatchNorm2d(WIDTHS[stage]) end
      layers[#layers + 1] = relu()
      inputs = WIDTHS[stage]
    end
    layers[#layers + 1] = nn.MaxPool2d{kernel_size = 2, stride = 2}
  end
  return nn.Sequential(table.unpack(layers))
end
for name, depths in pairs(DEPTHS) do
  models[name] = maker(name, function(o) return VGG(vgg_layers(depths, false), o) end)
  models[name .. "_bn"] = maker(name .. "_bn", function(o) return VGG(vgg_layers(depths, true), o) end)
end

return models
