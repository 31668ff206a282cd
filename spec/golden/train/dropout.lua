-- A network with dropout.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
torch.manual_seed(9)
local X = torch.randn(64, 8)
local y = X["..., :2"]:sum{dim = 1, keepdim = true}
local model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.25), nn.Linear(16, 1))
local optimizer = optim.SGD(model:parameters(), {lr = 0.05})
for epoch = 1, 30 do
  model:train()
  local loss = nn.functional.mse_loss(model(X), y)
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()
  if epoch % 10 == 0 then
    model:eval()
    local evaluation = torch.no_grad(function() return nn.functional.mse_loss(model(X), y) end)
    print(torch.format("%d %.4f %.4f", epoch, loss, evaluation))
  end
end
