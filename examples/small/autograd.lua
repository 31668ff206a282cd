-- Gradients without a network: two ways down Rosenbrock's valley, whose lowest point is (1, 1); and derivatives of derivatives.
-- A page or a notebook shows the plot at the end; in a script, call plot.show().
local torch = require "torch"
local plot = torch.plot

local function valley(x, y) return (1 - x) ^ 2 + 20 * (y - x ^ 2) ^ 2 end

local function descend(name, optimizer_of)
  local place = torch.tensor({-1.5, 1.5}, {requires_grad = true})
  local optimizer, path = optimizer_of{place}, {}
  for step = 0, 400 do
    local height = valley(place[0], place[1])
    path[#path + 1] = place:tolist()
    optimizer:zero_grad()
    height:backward()
    optimizer:step()
    if step % 100 == 0 then print(torch.format("%-4s step %3d  height %8.4f", name, step, height)) end
  end
  return torch.tensor(path)
end

local sgd = descend("SGD", function(parameters) return torch.optim.SGD(parameters, {lr = 0.003}) end)
local adam = descend("Adam", function(parameters) return torch.optim.Adam(parameters, {lr = 0.05}) end)

-- The second and the third derivative of sin at 0.5 are -sin and -cos of it
local x = torch.tensor(0.5, {requires_grad = true})
local derivative = x:sin()
for order = 1, 3 do
  derivative = torch.autograd.grad(derivative, x, {create_graph = true})
  print(torch.format("derivative %d of sin: %.4f", order, derivative))
end

local X, Y = table.unpack(torch.meshgrid(torch.linspace(-2, 2, 80), torch.linspace(-1, 3, 80), {indexing = "xy"}))
plot.contourf(X, Y, valley(X, Y):log1p(), {levels = 16, cmap = "viridis"})
plot.plot(sgd[":, 0"], sgd[":, 1"], {color = "white", label = "SGD"})
plot.plot(adam[":, 0"], adam[":, 1"], {color = "red", label = "Adam"})
plot.legend()
plot.title "Two ways down";
