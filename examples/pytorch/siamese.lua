-- siamese.lua: PyTorch's example "siamese_network": do two pictures show the same digit?
--
--   tocha examples/pytorch/siamese.lua
local torch = require "torch"
local nn, F, optim, data = torch.nn, torch.nn.functional, torch.optim, torch.utils.data

-- Both pictures pass through the same layers; a small network compares what comes out.
local SiameseNetwork = nn.Module:extend "SiameseNetwork"

function SiameseNetwork:init()
  self.features = nn.Sequential(
    nn.Conv2d(1, 8, {kernel_size = 3, padding = 1}), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(8, 16, {kernel_size = 3, padding = 1}), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d({2, 2}))
  self.fc = nn.Sequential(nn.Linear(16 * 4 * 2, 64), nn.ReLU(), nn.Linear(64, 1))
  self.sigmoid = nn.Sigmoid()
  self.features:apply(self.init_weights)
  self.fc:apply(self.init_weights)
end

function SiameseNetwork.init_weights(m)
  if m:isinstance(nn.Linear) then
    nn.init.xavier_uniform_(m.weight)
    m.bias.data:fill_(0.01)
  end
end

function SiameseNetwork:forward_once(x)
  return self.features(x):view(x:size(0), -1)
end

function SiameseNetwork:forward(input1, input2)
  local output1, output2 = self:forward_once(input1), self:forward_once(input2)
  local output = torch.cat({output1, output2}, 1)
  return self.sigmoid(self.fc(output))
end

-- Pairs of digits: every other one of the same class.
local Pairs = data.Dataset:extend "Pairs"

function Pairs:init(images, targets)
  self.images, self.targets = images, targets
  self.of_class = {}
  for class = 0, 9 do self.of_class[class] = targets:eq(class):nonzero():flatten() end
end

function Pairs:__len() return #self.images end

function Pairs:getitem(index)
  local class = self.targets[index]:item()
  local other = class
  if index % 2 == 1 then
    other = (class + torch.randint(1, 10, {1}):item()) % 10
  end
  local candidates = self.of_class[other]
  local second = candidates[torch.randint(0, #candidates, {1}):item()]:item()
  return self.images[index], self.images[second], torch.tensor(other == class and 1.0 or 0.0)
end

torch.manual_seed(1)
local digits = torch.datasets.Digits()
local train_loader = data.DataLoader(Pairs(digits.data[":640"], digits.targets[":640"]), {batch_size = 32, shuffle = true})
local test_loader = data.DataLoader(Pairs(digits.data["1400:"], digits.targets["1400:"]), {batch_size = 100})

local model = SiameseNetwork()
local optimizer = optim.Adadelta(model:parameters(), {lr = 1.0})
local criterion = nn.BCELoss()

for epoch = 1, 2 do
  model:train()
  for batch_idx, images_1, images_2, targets in train_loader:enumerate() do
    optimizer:zero_grad()
    local outputs = model(images_1, images_2):squeeze()
    local loss = criterion(outputs, targets)
    loss:backward()
    optimizer:step()
    print(torch.format("Train Epoch: %d [%d] Loss: %.6f", epoch, batch_idx, loss))
  end

  model:eval()
  torch.no_grad(function()
    local correct = 0
    for images_1, images_2, targets in test_loader do
      local outputs = model(images_1, images_2):squeeze()
      local pred = torch.where(outputs:gt(0.5), 1, 0)
      correct = correct + pred:eq(targets:view_as(pred)):sum():item()
    end
    print(("Test set: Accuracy: %d/%d"):format(correct, #test_loader.dataset))
  end)
end
