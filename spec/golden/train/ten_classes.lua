-- Ten classes, SGD with Nesterov momentum and weight decay.
local torch = require "torch"
local nn, optim, data = torch.nn, torch.optim, torch.utils.data
torch.manual_seed(5)
local MyModel = nn.Module:extend "MyModel"
function MyModel:init() self.hidden = nn.Linear(100, 200) self.output = nn.Linear(200, 10) end
function MyModel:forward(x) return self.output(torch.relu(self.hidden(x))) end
local model = MyModel()
local X, y = torch.randn(2000, 100), torch.randint(0, 10, {2000})
local dataloader = data.DataLoader(data.TensorDataset(X, y), {batch_size = 100, shuffle = true})
local criterion = nn.CrossEntropyLoss()
local optimizer = optim.SGD(model:parameters(), {lr = 0.05, momentum = 0.9, nesterov = true, weight_decay = 0.01})
for epoch = 1, 15 do
  local total = 0
  for inputs, labels in dataloader do
    optimizer:zero_grad()
    local loss = criterion(model(inputs), labels)
    loss:backward()
    optimizer:step()
    total = total + loss:item()
  end
  print(("Epoch [%d/15], Loss: %.4f"):format(epoch, total / #dataloader))
end
print(model:state_dict()["output.bias"])
