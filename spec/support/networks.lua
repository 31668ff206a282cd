-- networks.lua: networks that others trained with PyTorch and distribute in their packages, written as a user would here: the
-- face detectors of MTCNN, a speaker encoder, the pitch tracker CREPE and a voice detector. Their widths can be scaled.
local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional

local networks = {}

-- --- MTCNN's three nets, with facenet-pytorch's names --------------------------------------------------------------

networks.PNet = nn.Module:extend "PNet"

function networks.PNet:init()
  self.conv1 = nn.Conv2d(3, 10, {kernel_size = 3})
  self.prelu1 = nn.PReLU(10)
  self.pool1 = nn.MaxPool2d(2, 2, {ceil_mode = true})
  self.conv2 = nn.Conv2d(10, 16, {kernel_size = 3})
  self.prelu2 = nn.PReLU(16)
  self.conv3 = nn.Conv2d(16, 32, {kernel_size = 3})
  self.prelu3 = nn.PReLU(32)
  self.conv4_1 = nn.Conv2d(32, 2, {kernel_size = 1})
  self.softmax4_1 = nn.Softmax{dim = 1}
  self.conv4_2 = nn.Conv2d(32, 4, {kernel_size = 1})
end

function networks.PNet:forward(x)
  x = self.pool1(self.prelu1(self.conv1(x)))
  x = self.prelu2(self.conv2(x))
  x = self.prelu3(self.conv3(x))
  return self.conv4_2(x), self.softmax4_1(self.conv4_1(x))
end

networks.RNet = nn.Module:extend "RNet"

function networks.RNet:init()
  self.conv1 = nn.Conv2d(3, 28, {kernel_size = 3})
  self.prelu1 = nn.PReLU(28)
  self.pool1 = nn.MaxPool2d(3, 2, {ceil_mode = true})
  self.conv2 = nn.Conv2d(28, 48, {kernel_size = 3})
  self.prelu2 = nn.PReLU(48)
  self.pool2 = nn.MaxPool2d(3, 2, {ceil_mode = true})
  self.conv3 = nn.Conv2d(48, 64, {kernel_size = 2})
  self.prelu3 = nn.PReLU(64)
  self.dense4 = nn.Linear(576, 128)
  self.prelu4 = nn.PReLU(128)
  self.dense5_1 = nn.Linear(128, 2)
  self.softmax5_1 = nn.Softmax{dim = 1}
  self.dense5_2 = nn.Linear(128, 4)
end

function networks.RNet:forward(x)
  x = self.pool1(self.prelu1(self.conv1(x)))
  x = self.pool2(self.prelu2(self.conv2(x)))
  x = self.prelu3(self.conv3(x))
  x = x:permute(0, 3, 2, 1):contiguous()
  x = self.prelu4(self.dense4(x:view(x.shape[0], -1)))
  return self.dense5_2(x), self.softmax5_1(self.dense5_1(x))
end

networks.ONet = nn.Module:extend "ONet"

function networks.ONet:init()
  self.conv1 = nn.Conv2d(3, 32, {kernel_size = 3})
  self.prelu1 = nn.PReLU(32)
  self.pool1 = nn.MaxPool2d(3, 2, {ceil_mode = true})
  self.conv2 = nn.Conv2d(32, 64, {kernel_size = 3})
  self.prelu2 = nn.PReLU(64)
  self.pool2 = nn.MaxPool2d(3, 2, {ceil_mode = true})
  self.conv3 = nn.Conv2d(64, 64, {kernel_size = 3})
  self.prelu3 = nn.PReLU(64)
  self.pool3 = nn.MaxPool2d(2, 2, {ceil_mode = true})
  self.conv4 = nn.Conv2d(64, 128, {kernel_size = 2})
  self.prelu4 = nn.PReLU(128)
  self.dense5 = nn.Linear(1152, 256)
  self.prelu5 = nn.PReLU(256)
  self.dense6_1 = nn.Linear(256, 2)
  self.softmax6_1 = nn.Softmax{dim = 1}
  self.dense6_2 = nn.Linear(256, 4)
  self.dense6_3 = nn.Linear(256, 10)
end

function networks.ONet:forward(x)
  x = self.pool1(self.prelu1(self.conv1(x)))
  x = self.pool2(self.prelu2(self.conv2(x)))
  x = self.pool3(self.prelu3(self.conv3(x)))
  x = self.prelu4(self.conv4(x))
  x = x:permute(0, 3, 2, 1):contiguous()
  x = self.prelu5(self.dense5(x:view(x.shape[0], -1)))
  return self.dense6_2(x), self.dense6_3(x), self.softmax6_1(self.dense6_1(x))
end

-- --- a speaker encoder: three layers of LSTM, an embedding of length 1 -----------------------------------------------

networks.VoiceEncoder = nn.Module:extend "VoiceEncoder"

function networks.VoiceEncoder:init(channels, hidden)
  self.lstm = nn.LSTM(channels, hidden, 3, {batch_first = true})
  self.linear = nn.Linear(hidden, hidden)
  self.relu = nn.ReLU()
end

function networks.VoiceEncoder:forward(mels)
  local _, state = self.lstm(mels)
  local hidden = state[1]
  local raw = self.relu(self.linear(hidden[-1]))
  return raw / torch.norm(raw, {dim = 1, keepdim = true})
end

-- --- CREPE ----------------------------------------------------------------------------------------------------------

networks.Crepe = nn.Module:extend "Crepe"

-- Creates the network. channels: of the six convolutions; bins: the number of pitches.
function networks.Crepe:init(channels, bins)
  local before = 1
  for i, n in ipairs(channels) do
    self["conv" .. i] = nn.Conv2d(before, n, {kernel_size = {i == 1 and 512 or 64, 1}, stride = {i == 1 and 4 or 1, 1}})
    self["conv" .. i .. "_BN"] = nn.BatchNorm2d(n, {eps = 0.0010000000474974513, momentum = 0.0})
    before = n
  end
  self.in_features = 4 * before
  self.classifier = nn.Linear(self.in_features, bins)
end

function networks.Crepe:layer(x, i)
  x = F.pad(x, i == 1 and {0, 0, 254, 254} or {0, 0, 31, 32})
  x = self["conv" .. i .. "_BN"](F.relu(self["conv" .. i](x)))
  return F.max_pool2d(x, {2, 1}, {2, 1})
end

function networks.Crepe:forward(x)
  x = x[":, None, :, None"]
  for i = 1, 6 do x = self:layer(x, i) end
  x = x:permute(0, 2, 1, 3):reshape(-1, self.in_features)
  return torch.sigmoid(self.classifier(x))
end

-- --- a voice detector: a Fourier transform as a convolution, four convolutions, one cell of an LSTM -------------------

networks.VoiceDetector = nn.Module:extend "VoiceDetector"

-- Creates the network. window: of the transform; channels: of the four convolutions, the last of which is also the cell's size.
function networks.VoiceDetector:init(window, channels)
  local before = window // 2 + 1
  self.window, self.bins = window, before
  self.stft_conv = nn.Conv1d(1, 2 * before, window, {stride = window // 2, bias = false})
  for i, n in ipairs(channels) do
    self["conv" .. i] = nn.Conv1d(before, n, 3, {stride = (i == 2 or i == 3) and 2 or 1, padding = 1})
    before = n
  end
  self.lstm_cell = nn.LSTMCell(before, before)
  self.final_conv = nn.Conv1d(before, 1, 1)
end

function networks.VoiceDetector:forward(x, state)
  x = F.pad(x, {0, self.window // 4}, "reflect"):unsqueeze(1)
  x = self.stft_conv(x)
  x = torch.sqrt(x[{":", ":" .. self.bins}]:pow(2) + x[{":", self.bins .. ":"}]:pow(2))
  for i = 1, 4 do x = self["conv" .. i](x):relu() end
  local h, c = self.lstm_cell(x:squeeze(-1), state)
  x = self.final_conv(h:unsqueeze(-1):relu()):sigmoid()
  return x:squeeze(1):mean(1, {keepdim = true}), {h, c}
end

return networks
