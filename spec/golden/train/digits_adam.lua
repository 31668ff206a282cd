-- cpu only: trains on the CPU's digits
-- Digits, three layers, Adam, seed 123.
local torch = require "torch"
local nn, optim, data = torch.nn, torch.optim, torch.utils.data
torch.manual_seed(123)
local train, test = data.random_split(torch.datasets.Digits(), {0.8, 0.2})
print(#train, #test)
local loader = data.DataLoader(train, {batch_size = 128, shuffle = true})
local model = nn.Sequential(nn.Flatten(), nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 10))
local optimizer = optim.Adam(model:parameters(), {lr = 0.005})
for epoch = 1, 4 do
  for i, x, y in loader:enumerate() do
    local loss = nn.functional.cross_entropy(model(x), y)
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    if i == #loader - 1 then print(("epoch %d  batch %d  loss %.4f"):format(epoch, i, loss:item())) end
  end
end
