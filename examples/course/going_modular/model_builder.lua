-- model_builder.lua: TinyVGG for pictures of 32x32 pixels.
local torch = require "torch"
local nn = torch.nn

local TinyVGG = nn.Module:extend "TinyVGG"

function TinyVGG:init(input_shape, hidden_units, output_shape)
  self.conv_block_1 = nn.Sequential(
    nn.Conv2d{in_channels = input_shape, out_channels = hidden_units, kernel_size = 3, stride = 1, padding = 0},
    nn.ReLU(),
    nn.Conv2d{in_channels = hidden_units, out_channels = hidden_units, kernel_size = 3, stride = 1, padding = 0},
    nn.ReLU(),
    nn.MaxPool2d{kernel_size = 2, stride = 2}
  )
  self.conv_block_2 = nn.Sequential(
    nn.Conv2d(hidden_units, hidden_units, {kernel_size = 3, padding = 0}),
    nn.ReLU(),
    nn.Conv2d(hidden_units, hidden_units, {kernel_size = 3, padding = 0}),
    nn.ReLU(),
    nn.MaxPool2d(2)
  )
  self.classifier = nn.Sequential(
    nn.Flatten(),
    nn.Linear{in_features = hidden_units * 5 * 5, out_features = output_shape}
  )
end

function TinyVGG:forward(x)
  return self.classifier(self.conv_block_2(self.conv_block_1(x)))
end

return {TinyVGG = TinyVGG}
