-- Linear regression with nn.Linear.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local X = torch.arange(0, 1, 0.02):unsqueeze(1)
local y = 0.7 * X + 0.3
local X_train, y_train, X_test, y_test = X[":40"], y[":40"], X["40:"], y["40:"]
local Model = nn.Module:extend "LinearRegressionModelV2"
function Model:init() self.linear_layer = nn.Linear{in_features = 1, out_features = 1} end
function Model:forward(x) return self.linear_layer(x) end
torch.manual_seed(42)
local model = Model()
print(model, model:state_dict())
local loss_fn, optimizer = nn.L1Loss(), optim.SGD{params = model:parameters(), lr = 0.01}
for epoch = 0, 999 do
  model:train()
  local loss = loss_fn(model(X_train), y_train)
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()
  if epoch % 100 == 0 then
    model:eval()
    local test_loss = torch.inference_mode(function() return loss_fn(model(X_test), y_test) end)
    print(torch.format("Epoch: %d | Train loss: %.4f | Test loss: %.4f", epoch, loss, test_loss))
  end
end
print(torch.format("%.3f %.3f", model.linear_layer.weight, model.linear_layer.bias))
