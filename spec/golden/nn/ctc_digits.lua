-- The gradient of ctc_loss, to the digits that hang on its order of additions.
local torch = require "torch"
local F = torch.nn.functional
torch.manual_seed(0)
for _ = 1, 3 do
  local x = (-8 * torch.rand(50, 3, 15)):requires_grad_(true)
  local loss = F.ctc_loss(x, torch.randint(1, 15, {3, 30}), torch.tensor{50, 50, 50}, torch.tensor{30, 25, 20}, {reduction = "sum"})
  loss:backward()
  print(("%.4f"):format(loss:item()))
  for _, t in ipairs {0, 10, 25, 49} do
    for _, v in ipairs(x.grad[t][0]:tolist()) do print(("%.6f"):format(v)) end
  end
end
