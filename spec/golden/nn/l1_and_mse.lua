-- L1Loss and MSELoss.
local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional
local x, y = torch.tensor({{1.0, 2.0}, {3.0, -4.0}}, {requires_grad = true}), torch.tensor{{0.0, 2.5}, {5.0, -4.0}}
for _, reduction in ipairs{"mean", "sum", "none"} do
  local l1, mse = nn.L1Loss{reduction = reduction}, nn.MSELoss{reduction = reduction}
  print(reduction, l1(x, y):detach(), mse(x, y):detach())
  x.grad = nil
  l1(x, y):sum():backward()
  print(x.grad)
  x.grad = nil
  mse(x, y):sum():backward()
  print(x.grad)
end
print(nn.L1Loss()(x, y), nn.MSELoss()(x, y))
print(F.l1_loss(x, y, {reduction = "sum"}):item(), F.mse_loss(x, y):item())
print(F.mse_loss(torch.ones(2):double(), torch.zeros(2)), F.l1_loss(torch.zeros(0), torch.zeros(0)))
