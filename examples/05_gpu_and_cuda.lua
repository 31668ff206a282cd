-- GPU and CUDA: the standard workflow, its pitfalls, data parallelism.
local torch = require "torch"
local nn, optim, data = torch.nn, torch.optim, torch.utils.data
torch.manual_seed(0)

-- 1. define the device
local device = torch.device(torch.cuda.is_available() and "cuda" or "cpu")
print("Using device: " .. device)

local MyModel = nn.Module:extend "MyModel"
function MyModel:init()
  self.hidden = nn.Linear(20, 50)
  self.output = nn.Linear(50, 2)
end
function MyModel:forward(x)
  return self.output(torch.relu(self.hidden(x)))
end

-- 2. move the model; with several GPUs, share the batch among them
local model = MyModel()
if torch.cuda.device_count() > 1 then
  print(("Using %d GPUs!"):format(torch.cuda.device_count()))
  model = nn.DataParallel(model)
end
model:to(device)                              -- in place, as for every module

-- 3. move the data, batch by batch
local X, y = torch.randn(1000, 20), torch.randint(0, 2, {1000})
local dataloader = data.DataLoader(data.TensorDataset(X, y), {batch_size = 64, shuffle = true})
local criterion = nn.CrossEntropyLoss()
local optimizer = optim.SGD(model:parameters(), {lr = 0.1, momentum = 0.9})
for epoch = 1, 3 do
  local total = 0
  for inputs, labels in dataloader do
    inputs, labels = inputs:to(device), labels:to(device)
    optimizer:zero_grad()
    local loss = criterion(model(inputs), labels)
    loss:backward()
    optimizer:step()
    total = total + loss:item()
  end
  print(("Epoch [%d/3], Loss: %.4f"):format(epoch, total / #dataloader))
end

-- Pitfall: an array on the host needs a tensor on the host
local gpu_tensor = torch.randn(3, 3):to(device)
local ok, err = pcall(gpu_tensor.numpy, gpu_tensor)
print(ok, not ok and (tostring(err):match("can't convert[^\n]*")) or "")
print(gpu_tensor:cpu():numpy().shape)
