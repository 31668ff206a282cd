-- Regression in float64, printed to many digits.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
local X = torch.linspace(-1, 1, 21):unsqueeze(1)
local y = X ^ 2 - 0.5 * X
local model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
local optimizer = optim.Adam(model:parameters(), {lr = 0.02})
for epoch = 1, 60 do
  local loss = nn.functional.mse_loss(model(X), y)
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()
  if epoch % 20 == 0 then print(torch.format("%d %.8f", epoch, loss)) end
end
print(model[2].weight.dtype)
