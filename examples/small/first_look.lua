-- A first look: tensors, gradients, and a small network that learns a curve.
-- A page or a notebook shows the plot at the end; in a script, call plot.show().
local torch = require "torch"
local nn, plot = torch.nn, torch.plot

-- Tensors: arithmetic on all numbers at once
local x = torch.arange(6):reshape(2, 3)
print(x * 10 + 1)
print(x:float():mean{dim = 0})

-- Gradients: d(w^3)/dw at 2 is 12
local w = torch.tensor(2.0, {requires_grad = true})
local cube = w ^ 3
cube:backward()
print("gradient", w.grad)

-- A network learns sin(t) from 200 points
torch.manual_seed(0)
local t = torch.linspace(-3, 3, 200):unsqueeze(1)
local model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
local optimizer = torch.optim.Adam(model:parameters(), {lr = 0.02})
for step = 0, 300 do
  local loss = nn.functional.mse_loss(model(t), t:sin())
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()
  if step % 100 == 0 then print(torch.format("step %3d  loss %.4f", step, loss)) end
end

plot.plot(t, t:sin(), {label = "sin t"})
plot.plot(t, model(t):detach(), {label = "what was learned"})
plot.legend();
