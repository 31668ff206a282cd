-- vision/models/resnet.lua: ResNet 18 to 152, and the wide ones.
local torch = ...
local nn = torch.nn
local blocks = torch._part "vision.models.support"
local take, done, maker = blocks.take, blocks.done, blocks.maker
local models = {}

local function conv3x3(inputs, outputs, stride, groups)
  return nn.Conv2d(inputs, outputs, {kernel_size = 3, stride = stride, padding = 1, groups = groups or 1, bias = false})
end
local function conv1x1(inputs, outputs, stride) return nn.Conv2d(inputs, outputs, {kernel_size = 1, stride = stride or 1, bias = false}) end

local BasicBlock = nn.Module:extend "BasicBlock"
BasicBlock.expansion = 1
function BasicBlock:init(inputs, planes, stride, downsample)
  self.conv1 = conv3x3(inputs, planes, stride)
  self.bn1 = nn.BatchNorm2d(planes)
  self.relu = nn.ReLU{inplace = true}
  self.conv2 = conv3x3(planes, planes, 1)
  self.bn2 = nn.BatchNorm2d(planes)
  if downsample then self.downsample = downsample end
end
function BasicBlock:forward(x)
  local out = self.relu(self.bn1(self.conv1(x)))
  out = self.bn2(self.conv2(out))
  return self.relu(out:add_(self.downsample and self.downsample(x) or x))
end

local Bottleneck = nn.Module:extend "Bottleneck"
Bottleneck.expansion = 4
function Bottleneck:init(inputs, planes, stride, downsample, groups, base_width)
  groups = groups or 1
  local width = math.floor(planes * ((base_width or 64) / 64)) * groups
  self.conv1 = conv1x1(inputs, width)
  self.bn1 = nn.BatchNorm2d(width)
  self.conv2 = conv3x3(width, width, stride, groups)
  self.bn2 = nn.BatchNorm2d(width)
  self.conv3 = conv1x1(width, planes * 4)
  self.bn3 = nn.BatchNorm2d(planes * 4)
  self.relu = nn.ReLU{inplace = true}
  if downsample then self.downsample = downsample end
end
function Bottleneck:forward(x)
  local out = self.relu(self.bn1(self.conv1(x)))
  out = self.relu(self.bn2(self.conv2(out)))
  out = self.bn3(self.conv3(out))
  return self.relu(out:add_(self.downsample and self.downsample(x) or x))
end

local ResNet = nn.Module:extend "ResNet"
models.ResNet, models.BasicBlock, models.Bottleneck = ResNet, BasicBlock, Bottleneck

-- Returns a stage of `count` blocks and its number of channels.
local function stage(block, inputs, planes, count, stride, groups, base_width)
  local outputs, downsample, layers = planes * block.expansion, nil, {}
  if stride ~= 1 or inputs ~= outputs then downsample = nn.Sequential(conv1x1(inputs, outputs, stride), nn.BatchNorm2d(outputs)) end
  layers[1] = block(inputs, planes, stride, downsample, groups, base_width)
  for i = 2, count do layers[i] = block(outputs, planes, 1, nil, groups, base_width) end
  return nn.Sequential(table.unpack(layers)), outputs
end

function ResNet:init(block, counts, o)
  local num_classes, zero_init = take(o, "num_classes", 1000), take(o, "zero_init_residual", false)
  local groups, base_width = take(o, "groups", 1), take(o, "width_per_group", 64)
  done(o, "ResNet")
  self.conv1 = nn.Conv2d(3, 64, {kernel_size = 7, stride = 2, padding = 3, bias = false})
  self.bn1 = nn.BatchNorm2d(64)
  self.relu = nn.ReLU{inplace = true}
  self.maxpool = nn.MaxPool2d{kernel_size = 3, stride = 2, padding = 1}
  local channels = 64
  for i = 1, 4 do
    self["layer" .. i], channels = stage(block, channels, 32 << i, counts[i], i == 1 and 1 or 2, groups, base_width)
  end
  self.avgpool = nn.AdaptiveAvgPool2d{1, 1}
  self.fc = nn.Linear(channels, num_classes)
  blocks.initialize(self, "relu")
  if not zero_init then return end
  for m in self:modules() do -- each block begins as the identity
    if m:isinstance(Bottleneck) then nn.init.zeros_(m.bn3.weight)
    elseif m:isinstance(BasicBlock) then nn.init.zeros_(m.bn2.weight) end
  end
end
function ResNet:forward(x)
  x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
  x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
  return self.fc(torch.flatten(self.avgpool(x), 1))
end

local KINDS = {
  resnet18 = {BasicBlock, {2, 2, 2, 2}}, resnet34 = {BasicBlock, {3, 4, 6, 3}}, resnet50 = {Bottleneck, {3, 4, 6, 3}},
  resnet101 = {Bottleneck, {3, 4, 23, 3}}, resnet152 = {Bottleneck, {3, 8, 36, 3}},
  wide_resnet50_2 = {Bottleneck, {3, 4, 6, 3}, width_per_group = 128}, wide_resnet101_2 = {Bottleneck, {3, 4, 23, 3}, width_per_group = 128},
  resnext50_32x4d = {Bottleneck, {3, 4, 6, 3}, width_per_group = 4, groups = 32},
}
for name, kind in pairs(KINDS) do
  models[name] = maker(name, function(o)
    o.width_per_group, o.groups = o.width_per_group or kind.width_per_group, o.groups or kind.groups
    return ResNet(kind[1], kind[2], o)
  end)
end

return models
