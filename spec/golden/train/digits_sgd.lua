-- cpu only: trains on the CPU's digits
-- Digits, another seed, SGD with momentum.
local torch = require "torch"
local nn, optim, data = torch.nn, torch.optim, torch.utils.data
torch.manual_seed(7)
local train, test = data.random_split(torch.datasets.Digits(), {1500, 297})
local train_loader = data.DataLoader(train, {batch_size = 64, shuffle = true})
local test_loader = data.DataLoader(test, {batch_size = 100})
local model = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
local loss_fn, optimizer = nn.CrossEntropyLoss(), optim.SGD(model:parameters(), {lr = 0.1, momentum = 0.9})
for epoch = 1, 5 do
  model:train()
  local total = 0
  for x, y in train_loader do
    local loss = loss_fn(model(x), y)
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    total = total + loss:item()
  end
  model:eval()
  local correct = 0
  torch.no_grad(function()
    for x, y in test_loader do correct = correct + model(x):argmax(1):eq(y):sum():item() end
  end)
  print(("epoch %d  loss %.4f  test accuracy %.1f%%"):format(epoch, total / #train_loader, 100 * correct / #test))
end
