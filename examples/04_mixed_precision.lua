-- autocast and GradScaler.  On a GPU the forward pass runs in float16
-- where that is safe; on the CPU the same script runs in bfloat16.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim

local device = torch.cuda.is_available() and "cuda" or "cpu"
torch.manual_seed(42)

-- a straight line to learn
local X = torch.arange(0, 1, 0.02):unsqueeze{dim = 1}
local y = 0.7 * X + 0.3
local X_train, y_train, X_test, y_test = X["0:40"], y["0:40"], X["40:"], y["40:"]

local model_2 = nn.Sequential(
  nn.Linear{in_features = 1, out_features = 10},
  nn.Linear{in_features = 10, out_features = 10},
  nn.Linear{in_features = 10, out_features = 1}
):to(device)
X_train, y_train = X_train:to(device), y_train:to(device)
X_test, y_test = X_test:to(device), y_test:to(device)

local loss_fn = nn.L1Loss()
local optimizer = optim.SGD{params = model_2:parameters(), lr = 0.01}
local scaler = torch.cuda.amp.GradScaler{enabled = device == "cuda"}

for epoch = 0, 200 do
  model_2:train()
  optimizer:zero_grad()
  local loss
  do
    local _ <close> = torch.autocast{device_type = device}
    local y_pred = model_2(X_train)
    if epoch == 0 then print("inside autocast: " .. y_pred.dtype) end
    loss = loss_fn(y_pred, y_train)
  end
  scaler:scale(loss):backward()
  scaler:step(optimizer)
  scaler:update()

  if epoch % 100 == 0 then
    model_2:eval()
    local test_loss = torch.inference_mode(function()
      return loss_fn(model_2(X_test), y_test)
    end)
    print(("epoch %d | train loss %.3f | test loss %.3f"):format(
      epoch, loss:item(), test_loss:item()))
  end
end

-- The older spelling.  Without a GPU it warns on stderr and stays off.
do
  local _ <close> = torch.cuda.amp.autocast()
  print("autocast on: " .. tostring(torch.is_autocast_enabled()))
end

-- What GradScaler is for: an overflow skips the step and halves the scale.
local w = torch.nn.Parameter(torch.ones(1, {device = device}))
local opt = optim.SGD({w}, {lr = 1})
local s = torch.amp.GradScaler{device = device, init_scale = 1024, growth_interval = 2}
s:scale((w * math.huge):sum()):backward()
s:step(opt); s:update()
print(w:item(), s:get_scale())
for _ = 1, 2 do
  opt:zero_grad()
  s:scale((w * 0.5):sum()):backward()
  s:step(opt); s:update()
end
print(w:item(), s:get_scale())
