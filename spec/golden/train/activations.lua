-- Fitting curves with every activation, mse, float32 and float64.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
for _, d in ipairs{torch.float32, torch.float64} do
  for _, name in ipairs{"ReLU", "Tanh", "Sigmoid", "LeakyReLU", "GELU", "SiLU", "ELU", "Softplus"} do
    torch.manual_seed(13)
    local X = torch.linspace(-3, 3, {steps = 80, dtype = d}):unsqueeze(1)
    local y = torch.sin(X) + 0.1 * torch.randn(80, 1, {dtype = d})
    local m = nn.Sequential(nn.Linear(1, 20), nn[name](), nn.Linear(20, 20), nn[name](), nn.Linear(20, 1)):to(d)
    local opt = optim.Adam(m:parameters(), {lr = 0.01})
    for epoch = 1, 200 do
      local loss = nn.functional.mse_loss(m(X), y)
      opt:zero_grad() loss:backward() opt:step()
      if epoch % 40 == 0 then print(name, torch.format("%d %.4f", epoch, loss)) end
    end
  end
end
