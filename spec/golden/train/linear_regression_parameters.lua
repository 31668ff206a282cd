-- Linear regression with parameters of one's own.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local weight, bias = 0.7, 0.3
local X = torch.arange(0, 1, 0.02):unsqueeze{dim = 1}
local y = weight * X + bias
local train_split = 40
local X_train, y_train, X_test, y_test = X["0:40"], y["0:40"], X["40:"], y["40:"]
print(#X_train, #y_train, #X_test, #y_test)

local LinearRegressionModel = nn.Module:extend "LinearRegressionModel"
function LinearRegressionModel:init()
  self.weights = nn.Parameter(torch.randn(1, {dtype = torch.float}), {requires_grad = true})
  self.bias = nn.Parameter(torch.randn(1, {dtype = torch.float}), {requires_grad = true})
end
function LinearRegressionModel:forward(x) return self.weights * x + self.bias end

torch.manual_seed(42)
local model_0 = LinearRegressionModel()
for p in model_0:parameters() do print(p) end
print(model_0:state_dict())
local y_preds = torch.inference_mode(function() return model_0(X_test) end)
print(y_preds)

local loss_fn = nn.L1Loss()
local optimizer = optim.SGD{params = model_0:parameters(), lr = 0.01}
torch.manual_seed(42)
for epoch = 0, 100 do
  model_0:train()
  local y_pred = model_0(X_train)
  local loss = loss_fn(y_pred, y_train)
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()
  model_0:eval()
  do
    local _ <close> = torch.inference_mode()
    local test_pred = model_0(X_test)
    local test_loss = loss_fn(test_pred, y_test:type(torch.float))
    if epoch % 10 == 0 then
      print(torch.format("Epoch: %d | MAE Train Loss: %.5f | MAE Test Loss: %.5f", epoch, loss, test_loss))
    end
  end
end
print(torch.format("%.4f %.4f", model_0.weights, model_0.bias))
local copy = LinearRegressionModel()
print(copy:load_state_dict(model_0:state_dict()))
print(torch.equal(copy(X_test), model_0(X_test)))
