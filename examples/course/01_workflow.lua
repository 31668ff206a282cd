-- 01_workflow.lua: the course's "PyTorch workflow": data, a model, training, evaluation, saving and loading.
--
--   tocha examples/course/01_workflow.lua
local torch = require "torch"
local nn = torch.nn

-- 1. data: a straight line with known parameters
local weight, bias = 0.7, 0.3
local X = torch.arange(0, 1, 0.02):unsqueeze{dim = 1}
local y = weight * X + bias
local train_split = 0.8 * #X // 1 | 0
local X_train, y_train = X[":" .. train_split], y[":" .. train_split]
local X_test, y_test = X[train_split .. ":"], y[train_split .. ":"]
print(#X_train, #y_train, #X_test, #y_test)

-- 2. a model
local LinearRegressionModel = nn.Module:extend "LinearRegressionModel"

function LinearRegressionModel:init()
  self.weights = nn.Parameter(torch.randn(1, {dtype = torch.float}), {requires_grad = true})
  self.bias = nn.Parameter(torch.randn(1, {dtype = torch.float}), {requires_grad = true})
end

function LinearRegressionModel:forward(x)
  return self.weights * x + self.bias
end

torch.manual_seed(42)
local model_0 = LinearRegressionModel()
for name, value in pairs(model_0:state_dict()) do print(name, value) end

-- 3. training
local loss_fn = nn.L1Loss()
local optimizer = torch.optim.SGD{params = model_0:parameters(), lr = 0.01}
local epochs = 100
for epoch = 0, epochs - 1 do
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
  if epoch < 20 or epoch % 10 == 0 then
    print(torch.format("Epoch: %d | MAE Train Loss: %.6f | MAE Test Loss: %.6f", epoch, loss, test_loss))
  end
end

-- 4. saving and loading
local path = os.tmpname()
torch.save{obj = model_0:state_dict(), f = path}
local loaded_model_0 = LinearRegressionModel()
print(loaded_model_0:load_state_dict(torch.load{f = path}))
os.remove(path)
loaded_model_0:eval()
local _ <close> = torch.inference_mode()
print(model_0(X_test):eq(loaded_model_0(X_test)):all():item())
