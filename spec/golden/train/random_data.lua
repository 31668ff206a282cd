-- The workflow of tutorial 05 with another seed and Adam.
local torch = require "torch"
local nn, optim, data = torch.nn, torch.optim, torch.utils.data
torch.manual_seed(3)
local MyModel = nn.Module:extend "MyModel"
function MyModel:init()
  self.hidden = nn.Linear(10, 30)
  self.output = nn.Linear(30, 2)
end
function MyModel:forward(x) return self.output(torch.relu(self.hidden(x))) end
local model = MyModel()
local X, y = torch.randn(300, 10), torch.randint(0, 2, {300})
local loader = data.DataLoader(data.TensorDataset(X, y), {batch_size = 32, shuffle = true})
local criterion, optimizer = nn.CrossEntropyLoss(), optim.Adam(model:parameters(), {lr = 0.01})
for epoch = 1, 5 do
  local total = 0
  for inputs, labels in loader do
    optimizer:zero_grad()
    local loss = criterion(model(inputs), labels)
    loss:backward()
    optimizer:step()
    total = total + loss:item()
  end
  print(("Epoch [%d/5], Loss: %.4f"):format(epoch, total / #loader))
end
