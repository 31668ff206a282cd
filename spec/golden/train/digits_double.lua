-- cpu only: trains on the CPU's digits
-- Digits in float64 with AdamW.
local torch = require "torch"
local nn, optim, data = torch.nn, torch.optim, torch.utils.data
torch.manual_seed(11)
local train, test = data.random_split(torch.datasets.Digits(), {1200, 597})
local train_loader = data.DataLoader(train, {batch_size = 50, shuffle = true, drop_last = true})
local model = nn.Sequential(nn.Flatten(), nn.Linear(64, 24), nn.ReLU(), nn.Linear(24, 10)):to(torch.float64)
local optimizer = optim.AdamW(model:parameters(), {lr = 2e-3, weight_decay = 0.05})
for epoch = 1, 5 do
  local total = 0
  for x, y in train_loader do
    local loss = nn.functional.cross_entropy(model(x:double()), y)
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    total = total + loss:item()
  end
  local correct = torch.inference_mode(function()
    local n = 0
    for x, y in data.DataLoader(test, {batch_size = 597}) do n = n + model(x:double()):argmax(1):eq(y):sum():item() end
    return n
  end)
  print(("epoch %d  loss %.6f  %d of %d"):format(epoch, total / #train_loader, correct, #test))
end
