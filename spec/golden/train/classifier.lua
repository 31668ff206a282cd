-- A three-layer classifier of points in two dimensions.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
torch.manual_seed(42)
local n = 60
local angle = torch.rand(n) * 6.2831853
local radius = torch.cat{torch.ones(n // 2), torch.ones(n // 2) * 0.4} + torch.randn(n) * 0.05
local X = torch.stack({radius * torch.cos(angle), radius * torch.sin(angle)}, {dim = 1})
local y = torch.cat{torch.zeros(n // 2), torch.ones(n // 2)}:long()
local model = nn.Sequential(nn.Linear(2, 10), nn.ReLU(), nn.Linear(10, 10), nn.ReLU(), nn.Linear(10, 2))
print(model)
local loss_fn, optimizer = nn.CrossEntropyLoss(), optim.Adam(model:parameters(), {lr = 0.01})
for epoch = 1, 100 do
  local logits = model(X)
  local loss = loss_fn(logits, y)
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()
  if epoch % 20 == 0 then
    local accuracy = logits:argmax{dim = 1}:eq(y):float():mean()
    print(torch.format("epoch %3d  loss %.3f  accuracy %.2f", epoch, loss, accuracy))
  end
end
