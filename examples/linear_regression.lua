-- Linear regression from scratch: a straight line, a model with two parameters of its own, a training
-- loop and a testing loop, predictions, and the model saved as a state dict and loaded again.
local torch = require "torch"
local nn = torch.nn

-- 1. Data: points of a known line, most for training, the rest for testing
local weight, bias = 0.7, 0.3
local X = torch.arange(0, 1, 0.02):unsqueeze{dim = 1}
local y = weight * X + bias
print(X["0:5"])
print(y["0:5"])

local train_split = math.floor(0.8 * #X)
local X_train, y_train = X["0:" .. train_split], y["0:" .. train_split]
local X_test, y_test = X[train_split .. ":"], y[train_split .. ":"]
print(#X_train, #y_train, #X_test, #y_test)

-- 2. A model: it starts with random numbers and looks for the ones that fit
local LinearRegressionModel = nn.Module:extend "LinearRegressionModel"

function LinearRegressionModel:init()
  self.weights = nn.Parameter(torch.randn(1), {requires_grad = true})
  self.bias = nn.Parameter(torch.randn(1), {requires_grad = true})
end

function LinearRegressionModel:forward(x)
  return self.weights * x + self.bias
end

torch.manual_seed(42)
local model_0 = LinearRegressionModel()
for name, parameter in model_0:named_parameters() do print(name, parameter) end

local y_preds
do
  local _ <close> = torch.inference_mode()
  y_preds = model_0(X_test)
end
print("Number of testing samples: " .. #X_test)
print("Predicted values:\n" .. y_preds)

-- 3. Training: a loss that says how wrong the model is, an optimizer that makes it less wrong
local loss_fn = nn.L1Loss()
local optimizer = torch.optim.SGD{params = model_0:parameters(), lr = 0.01}

for epoch = 0, 99 do
  model_0:train()
  local y_pred = model_0(X_train)
  local loss = loss_fn(y_pred, y_train)
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()

  model_0:eval()
  local test_loss = torch.inference_mode(function()
    return loss_fn(model_0(X_test), y_test)
  end)
  if epoch % 10 == 0 then
    print(torch.format("Epoch: %d | train loss: %.5f | test loss: %.5f", epoch, loss, test_loss))
  end
end

-- 4. What was learned, and what it should have been
for name, parameter in model_0:named_parameters() do
  print(torch.format("%s: %.4f", name, parameter:item()))
end
print("weights: " .. weight .. ", bias: " .. bias)

-- 5. A second model takes over what the first one learned
local loaded_model_0 = LinearRegressionModel()
loaded_model_0:load_state_dict(model_0:state_dict())
loaded_model_0:eval()
local same = torch.inference_mode(function()
  return loaded_model_0(X_test):eq(model_0(X_test)):all()
end)
print("the same predictions: " .. same)
