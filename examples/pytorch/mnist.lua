-- mnist.lua: PyTorch's example "mnist": a convolutional network reads handwritten digits.
--
--   tocha examples/pytorch/mnist.lua [folder]     with MNIST's files in folder/MNIST/raw (they are downloaded if they are not there),
--                                                 else on torch's own digits
local torch = require "torch"
local nn, F, optim, data = torch.nn, torch.nn.functional, torch.optim, torch.utils.data

local Net = nn.Module:extend "Net"

function Net:init()
  self.conv1 = nn.Conv2d(1, 32, 3, 1)
  self.conv2 = nn.Conv2d(32, 64, 3, 1)
  self.dropout1 = nn.Dropout(0.25)
  self.dropout2 = nn.Dropout(0.5)
  self.fc1 = nn.Linear(9216, 128)
  self.fc2 = nn.Linear(128, 10)
end

function Net:forward(x)
  x = F.relu(self.conv1(x))
  x = F.relu(self.conv2(x))
  x = self.dropout1(F.max_pool2d(x, 2))
  x = torch.flatten(x, 1)
  x = self.dropout2(F.relu(self.fc1(x)))
  return F.log_softmax(self.fc2(x), {dim = 1})
end

local function train(model, loader, optimizer, epoch)
  model:train()
  for batch_idx, images, target in loader:enumerate() do
    optimizer:zero_grad()
    local loss = F.nll_loss(model(images), target)
    loss:backward()
    optimizer:step()
    print(torch.format("Train Epoch: %d [%d/%d] Loss: %.6f", epoch, batch_idx * #images, #loader.dataset, loss))
  end
end

local function test(model, loader)
  model:eval()
  local test_loss, correct = 0, 0
  torch.no_grad(function()
    for images, target in loader do
      local output = model(images)
      test_loss = test_loss + F.nll_loss(output, target, {reduction = "sum"}):item()
      local pred = output:argmax{dim = 1, keepdim = true}
      correct = correct + pred:eq(target:view_as(pred)):sum():item()
    end
  end)
  print(("Test set: Average loss: %.3f, Accuracy: %d/%d"):format(test_loss / #loader.dataset, correct, #loader.dataset))
end

-- the data: MNIST from a folder, or the digits that come with torch, at MNIST's size
local function datasets(folder)
  if folder then
    local vision = require "torchvision"
    local transform = vision.transforms.Compose{vision.transforms.ToTensor(), vision.transforms.Normalize({0.1307}, {0.3081})}
    return vision.datasets.MNIST(folder, {train = true, download = true, transform = transform}),
      vision.datasets.MNIST(folder, {train = false, transform = transform})
  end
  local digits = torch.datasets.Digits()
  local images = F.interpolate(digits.data, {size = {28, 28}, mode = "bilinear"})
  local set = data.TensorDataset((images - 0.1307) / 0.3081, digits.targets)
  return data.Subset(set, torch.arange(640):tolist()), data.Subset(set, torch.arange(1500, 1797):tolist())
end

torch.manual_seed(1)
local train_set, test_set = datasets(arg and arg[1])
local train_loader = data.DataLoader(train_set, {batch_size = 64, shuffle = true})
local test_loader = data.DataLoader(test_set, {batch_size = 100})

local model = Net()
local optimizer = optim.Adadelta(model:parameters(), {lr = 1.0})
local scheduler = optim.lr_scheduler.StepLR(optimizer, {step_size = 1, gamma = 0.7})
for epoch = 1, 2 do
  train(model, train_loader, optimizer, epoch)
  test(model, test_loader)
  scheduler:step()
end
