-- mnist_rnn.lua: PyTorch's example "mnist_rnn": an LSTM reads a digit line by line.
--
--   tocha examples/pytorch/mnist_rnn.lua
local torch = require "torch"
local nn, F, optim, data = torch.nn, torch.nn.functional, torch.optim, torch.utils.data

local Net = nn.Module:extend "Net"

function Net:init()
  self.rnn = nn.LSTM{input_size = 28, hidden_size = 64, batch_first = true}
  self.batchnorm = nn.BatchNorm1d(64)
  self.dropout1 = nn.Dropout2d(0.25)
  self.dropout2 = nn.Dropout2d(0.5)
  self.fc1 = nn.Linear(64, 32)
  self.fc2 = nn.Linear(32, 10)
end

function Net:forward(input)
  input = input:reshape(-1, 28, 28)
  local output, hidden = self.rnn(input)
  output = output[":, -1, :"]                       -- the last line's output
  output = self.batchnorm(output)
  output = F.dropout(output, 0.25, self.training)
  output = F.relu(self.fc1(output))
  output = F.dropout(output, 0.5, self.training)
  return F.log_softmax(self.fc2(output), {dim = 1})
end

torch.manual_seed(1)
local digits = torch.datasets.Digits()
local images = F.interpolate(digits.data, {size = {28, 28}, mode = "bilinear"})
local train_set = data.TensorDataset(images[":1280"], digits.targets[":1280"])
local train_loader = data.DataLoader(train_set, {batch_size = 64, shuffle = true})
local test_loader = data.DataLoader(data.TensorDataset(images["1500:"], digits.targets["1500:"]), {batch_size = 100})

local model = Net()
local optimizer = optim.Adadelta(model:parameters(), {lr = 0.5})
local scheduler = optim.lr_scheduler.StepLR(optimizer, {step_size = 1, gamma = 0.7})

for epoch = 1, 2 do
  model:train()
  for i, images, target in train_loader:enumerate() do
    optimizer:zero_grad()
    local loss = F.nll_loss(model(images), target)
    loss:backward()
    optimizer:step()
    print(torch.format("Train Epoch: %d [%d] Loss: %.6f", epoch, i, loss))
  end

  model:eval()
  local _ <close> = torch.no_grad()
  local correct = 0
  for images, target in test_loader do
    correct = correct + model(images):argmax(1):eq(target):sum():item()
  end
  print(("Test set: Accuracy: %d/%d"):format(correct, #test_loader.dataset))
  scheduler:step()
end
