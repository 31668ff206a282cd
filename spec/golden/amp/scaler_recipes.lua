-- cpu only: asks what autocast does on the CPU
-- The recipes of PyTorch's guide: clipping, accumulation, two losses and optimizers, penalty; and every optimizer.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
torch.set_printoptions{precision = 3}
torch.manual_seed(5)
local x, y = torch.randn(16, 4), torch.randn(16, 1)
local function model() torch.manual_seed(7); return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)) end
local function loss_of(net)
  local _ <close> = torch.autocast("cpu")
  return nn.functional.mse_loss(net(x), y)
end
do
  local net = model()
  local opt, scaler = optim.SGD(net:parameters(), {lr = 0.1}), torch.amp.GradScaler{device = "cpu", init_scale = 128.0, growth_interval = 3}
  for i = 1, 8 do
    opt:zero_grad()
    scaler:scale(loss_of(net)):backward()
    scaler:unscale_(opt)
    local norm = nn.utils.clip_grad_norm_(net:parameters(), 0.5)
    scaler:step(opt)
    scaler:update()
    print(i, torch.format("%.3g", norm:item()), scaler:get_scale())
  end
  print(net[0].weight.grad.dtype, torch.format("%.3g", loss_of(net):item()))
end
do
  local net = model()
  local opt, scaler = optim.Adam(net:parameters()), torch.amp.GradScaler("cpu")
  for i = 1, 6 do
    scaler:scale(loss_of(net) / 2):backward()
    if i % 2 == 0 then
      scaler:step(opt)
      scaler:update()
      opt:zero_grad()
    end
  end
  print("accumulation", torch.format("%.3g", loss_of(net):item()), scaler:get_scale())
end
do
  local a, b = model(), model()
  local oa, ob = optim.SGD(a:parameters(), {lr = 0.1}), optim.Adam(b:parameters(), {lr = 0.1})
  local scaler = torch.amp.GradScaler{device = "cpu", init_scale = 64}
  for i = 1, 5 do
    oa:zero_grad(); ob:zero_grad()
    local la, lb = loss_of(a), loss_of(b) * (i == 3 and math.huge or 1)
    scaler:scale(la + lb * 0.5):backward({retain_graph = true})
    scaler:step(oa)
    scaler:step(ob)
    scaler:update()
    print("two", i, torch.format("%.3g %.3g", loss_of(a):item(), loss_of(b):item()), scaler:get_scale())
  end
end
do
  local net = model()
  local opt, scaler = optim.SGD(net:parameters(), {lr = 0.1}), torch.amp.GradScaler{device = "cpu", init_scale = 64.0}
  for i = 1, 3 do
    opt:zero_grad()
    local loss = loss_of(net)
    local parameters = {}
    for p in net:parameters() do parameters[#parameters + 1] = p end
    local grads = torch.autograd.grad{scaler:scale(loss), parameters, create_graph = true}
    if type(grads) ~= "table" or torch.is_tensor(grads) then
      grads = table.pack(torch.autograd.grad{scaler:scale(loss), parameters, create_graph = true})
    end
    local inverse, norm = 1.0 / scaler:get_scale(), 0
    for k = 1, #parameters do norm = norm + (grads[k] * inverse):pow(2):sum() end
    loss = loss + norm:sqrt()
    scaler:scale(loss):backward()
    scaler:step(opt)
    scaler:update()
    print("penalty", i, torch.format("%.3g", loss:item()))
  end
end
for _, name in ipairs{"SGD", "Adam", "AdamW", "Adagrad", "RMSprop", "Adadelta"} do
  local net = model()
  local opt, scaler = optim[name](net:parameters(), {lr = 0.05}), torch.amp.GradScaler{device = "cpu", init_scale = 256.0}
  for i = 1, 6 do
    opt:zero_grad()
    scaler:scale(loss_of(net) * (i == 4 and math.huge or 1)):backward()
    scaler:step(opt)
    scaler:update()
  end
  print(name, torch.format("%.3g", loss_of(net):item()), scaler:get_scale())
end
