-- super_resolution.lua: PyTorch's example "super_resolution": sub-pixel convolutions make small pictures large.
--
--   tocha examples/pytorch/super_resolution.lua
local torch = require "torch"
local nn, F, optim, data = torch.nn, torch.nn.functional, torch.optim, torch.utils.data
local init = nn.init

local Net = nn.Module:extend "Net"

function Net:init(upscale_factor)
  self.relu = nn.ReLU()
  self.conv1 = nn.Conv2d(1, 64, {5, 5}, {1, 1}, {2, 2})
  self.conv2 = nn.Conv2d(64, 64, {3, 3}, {1, 1}, {1, 1})
  self.conv3 = nn.Conv2d(64, 32, {3, 3}, {1, 1}, {1, 1})
  self.conv4 = nn.Conv2d(32, upscale_factor * upscale_factor, {3, 3}, {1, 1}, {1, 1})
  self.pixel_shuffle = nn.PixelShuffle(upscale_factor)
  self:_initialize_weights()
end

function Net:forward(x)
  x = self.relu(self.conv1(x))
  x = self.relu(self.conv2(x))
  x = self.relu(self.conv3(x))
  return self.pixel_shuffle(self.conv4(x))
end

function Net:_initialize_weights()
  init.orthogonal_(self.conv1.weight, init.calculate_gain "relu")
  init.orthogonal_(self.conv2.weight, init.calculate_gain "relu")
  init.orthogonal_(self.conv3.weight, init.calculate_gain "relu")
  init.orthogonal_(self.conv4.weight)
end

torch.manual_seed(123)
-- large pictures, and the same at half their size
local target = F.interpolate(torch.datasets.Digits().data[":96"], {scale_factor = 2, mode = "bicubic"}):clamp(0, 1)
local input = F.interpolate(target, {scale_factor = 0.5, mode = "bilinear"})
local training_data_loader = data.DataLoader(data.TensorDataset(input[":80"], target[":80"]), {batch_size = 4, shuffle = true})
local testing_data_loader = data.DataLoader(data.TensorDataset(input["80:"], target["80:"]), {batch_size = 8})

local model = Net(2)
local criterion = nn.MSELoss()
local optimizer = optim.Adam(model:parameters(), {lr = 0.001})

local function train(epoch)
  local epoch_loss = 0
  for iteration, x, y in training_data_loader:enumerate() do
    optimizer:zero_grad()
    local loss = criterion(model(x), y)
    epoch_loss = epoch_loss + loss:item()
    loss:backward()
    optimizer:step()
    print(("===> Epoch[%d](%d/%d): Loss: %.6f"):format(epoch, iteration + 1, #training_data_loader, loss:item()))
  end
  print(("===> Epoch %d Complete: Avg. Loss: %.4f"):format(epoch, epoch_loss / #training_data_loader))
end

local function test()
  local avg_psnr = 0
  torch.no_grad(function()
    for x, y in testing_data_loader do
      local mse = criterion(model(x), y)
      avg_psnr = avg_psnr + 10 * math.log(1 / mse:item(), 10)
    end
  end)
  print(("===> Avg. PSNR: %.3f dB"):format(avg_psnr / #testing_data_loader))
end

for epoch = 1, 2 do
  train(epoch)
  test()
end
