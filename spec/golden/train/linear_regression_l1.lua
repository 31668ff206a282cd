-- cpu only: calls numpy()
-- A line fitted with L1Loss, its parameters in a module of one's own.
local torch = require "torch"
local nn = torch.nn
for seed = 3, 3 do
  local X = torch.arange(0, 1, 0.02):unsqueeze{dim = 1}
  local y = (0.3 + seed * 0.1) * X + 0.9
  local split = math.floor(0.8 * #X)
  local X_train, y_train, X_test, y_test = X[":" .. split], y[":" .. split], X[split .. ":"], y[split .. ":"]
  local M = nn.Module:extend "LinearRegressionModel"
  function M:init()
    self.weights = nn.Parameter(torch.randn(1), {requires_grad = true})
    self.bias = nn.Parameter(torch.randn(1), {requires_grad = true})
  end
  function M:forward(x) return self.weights * x + self.bias end
  torch.manual_seed(seed)
  local m = M()
  print(m, m:state_dict())
  for n, p in m:named_parameters() do print(n, p) end
  local loss_fn, optimizer = nn.L1Loss(), torch.optim.SGD(m:parameters(), {lr = 0.01})
  local train, test = {}, {}
  for epoch = 0, 199 do
    m:train()
    local loss = loss_fn(m(X_train), y_train)
    optimizer:zero_grad() loss:backward() optimizer:step()
    m:eval()
    local _ <close> = torch.inference_mode()
    local test_loss = loss_fn(m(X_test), y_test:type(torch.float))
    if epoch % 10 == 0 then
      train[#train + 1] = loss:detach():numpy() test[#test + 1] = test_loss:detach():numpy()
      print("Epoch: " .. epoch .. " | MAE Train Loss: " .. loss .. " | MAE Test Loss: " .. test_loss .. " ")
    end
  end
  print(m:state_dict())
  print(m.weights.grad, m.bias.grad)
  print(torch.inference_mode(function() return m(X_test) end))
end
