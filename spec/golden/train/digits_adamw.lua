-- cpu only: trains on the CPU's digits
-- Digits: seed 3, batch 64, hidden 33, optim.AdamW(model:parameters(), {lr = 3e-3, weight_decay = 0.1}).
local torch = require "torch"
local nn, optim, data = torch.nn, torch.optim, torch.utils.data
torch.manual_seed(3)
local digits = torch.datasets.Digits()
local train, test = data.random_split(digits, {1500, 297})
local train_loader = data.DataLoader(train, {batch_size = 64, shuffle = true})
local test_loader = data.DataLoader(test, {batch_size = 297})
local model = nn.Sequential(nn.Flatten(), nn.Linear(64, 33), nn.ReLU(), nn.Linear(33, 10))
local loss_fn, optimizer = nn.CrossEntropyLoss(), optim.AdamW(model:parameters(), {lr = 3e-3, weight_decay = 0.1})
for epoch = 1, 10 do
  model:train()
  local train_loss, last = 0
  for x, y in train_loader do
    
    local loss = loss_fn(model(x), y)
    optimizer:zero_grad() loss:backward() optimizer:step()
    train_loss, last = train_loss + loss:item(), loss
  end
  model:eval()
  local correct, total = 0, 0
  do
    local _ <close> = torch.no_grad()
    for x, y in test_loader do  local z = model(x) total = total + loss_fn(z, y):item() correct = correct + z:argmax{dim = 1}:eq(y):sum():item() end
  end
  print(("epoch %2d loss %.4f last %.4f test %.4f accuracy %.1f%%"):format(epoch, train_loss / #train_loader, last:item(), total, 100 * correct / #test))
end
