-- cpu only: asks what autocast does on the CPU
-- Training in bfloat16: losses to two digits.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local F = nn.functional
local function train(title, net, make_optimizer, loss_fn, x, y, dtype)
  local optimizer = make_optimizer(net)
  for step = 1, 20 do
    local loss
    do
      local _ <close> = torch.autocast("cpu", {dtype = dtype})
      loss = loss_fn(net(x), y)
    end
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    if step % 10 == 0 then print(title, step, torch.format("%.2f", loss:item()), loss.dtype) end
  end
end
local function net(i, o)
  torch.manual_seed(3)
  return nn.Sequential(nn.Linear(i, 32), nn.ReLU(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, o))
end
torch.manual_seed(1)
local x = torch.randn(64, 10)
local values, labels = x:sum{dim = 1, keepdim = true} * 0.3, x["0:64, 0"]:gt(0):long()
local function sgd(n) return optim.SGD(n:parameters(), {lr = 0.1, momentum = 0.9}) end
local function adam(n) return optim.Adam(n:parameters(), {lr = 0.01}) end
for _, dtype in ipairs{torch.bfloat16, torch.float16} do
  train("mse " .. dtype, net(10, 1), sgd, nn.MSELoss(), x, values, dtype)
  train("l1 " .. dtype, net(10, 1), adam, nn.L1Loss(), x, values, dtype)
  train("cross entropy " .. dtype, net(10, 2), adam, nn.CrossEntropyLoss(), x, labels, dtype)
  train("with logits " .. dtype, net(10, 1), sgd, nn.BCEWithLogitsLoss(), x, labels:float():unsqueeze(1), dtype)
  train("smooth l1 " .. dtype, net(10, 1), adam, nn.SmoothL1Loss(), x, values, dtype)
end
