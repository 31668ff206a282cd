-- cpu only: asks what autocast does on the CPU
-- 200 scripted steps, some with infinities: the state after each.
local torch = require "torch"
local optim = torch.optim
local w = torch.nn.Parameter(torch.ones(3))
local v = torch.nn.Parameter(torch.ones(2, 2))
local a, b = optim.SGD({w}, {lr = 0.01}), optim.Adam({v}, {lr = 0.01})
local scaler = torch.amp.GradScaler{device = "cpu", init_scale = 1024, growth_factor = 3.1, backoff_factor = 0.37, growth_interval = 7}
for step = 1, 200 do
  a:zero_grad()
  b:zero_grad()
  local factor = step % 23 == 0 and math.huge or step % 41 == 0 and 0 / 0 or 1.0 + step % 5
  local loss = (w * factor):sum() + (v * (step % 17 == 0 and -math.huge or 0.25)):sum()
  scaler:scale(loss):backward()
  if step % 3 == 0 then scaler:unscale_(a) end
  scaler:step(a)
  if step % 10 ~= 0 then scaler:step(b) end
  if step % 60 == 0 then scaler:update(512.0) else scaler:update() end
  print(step, scaler:get_scale(), scaler:state_dict()._growth_tracker, torch.format("%.4f %.4f", w[0]:item(), v[{0, 1}]:item()))
end
local state = scaler:state_dict()
for _, key in ipairs{"scale", "growth_factor", "backoff_factor", "growth_interval", "_growth_tracker"} do print(key, state[key]) end
local again = torch.amp.GradScaler("cpu")
again:load_state_dict(state)
print(again:get_scale(), again:get_growth_factor(), again:get_backoff_factor(), again:get_growth_interval())
-- the scale never becomes infinite
local high = torch.amp.GradScaler{device = "cpu", init_scale = 2.0 ^ 126, growth_interval = 1}
for _ = 1, 4 do
  a:zero_grad()
  high:scale((w * 0):sum()):backward()
  high:step(a)
  high:update()
  print(high:get_scale(), high:state_dict()._growth_tracker)
end
