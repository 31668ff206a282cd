-- XOR: no straight line separates its two classes, a network with one hidden layer does. The plot shows where it decides.
-- A page or a notebook shows the plot at the end; in a script, call plot.show().
local torch = require "torch"
local nn, plot = torch.nn, torch.plot

torch.manual_seed(1)
local corners = torch.tensor{{0.0, 0.0}, {0.0, 1.0}, {1.0, 0.0}, {1.0, 1.0}}
local labels = torch.tensor{0.0, 1.0, 1.0, 0.0}
local points = corners:repeat_interleave(25, 0) + 0.1 * torch.randn(100, 2)
local targets = labels:repeat_interleave(25)

local model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1), nn.Flatten(0))
local loss_fn = nn.BCEWithLogitsLoss()
local optimizer = torch.optim.Adam(model:parameters(), {lr = 0.05})

for epoch = 0, 200 do
  local loss = loss_fn(model(points), targets)
  optimizer:zero_grad()
  loss:backward()
  optimizer:step()
  if epoch % 50 == 0 then print(torch.format("epoch %3d  loss %.4f", epoch, loss)) end
end

local probabilities = torch.no_grad(function() return model(corners):sigmoid() end)
for i = 0, 3 do
  print(torch.format("%.0f xor %.0f: probability of 1 is %.2f", corners[i][0], corners[i][1], probabilities[i]))
end

-- The probability on a grid over the square
local line = torch.linspace(-0.5, 1.5, 60)
local X, Y = table.unpack(torch.meshgrid(line, line, {indexing = "xy"}))
local grid = torch.stack({X:flatten(), Y:flatten()}, 1)
local height = torch.no_grad(function() return model(grid):sigmoid():reshape(60, 60) end)
plot.contourf(X, Y, height, {levels = 12, cmap = "coolwarm"})
plot.scatter(points[":, 0"], points[":, 1"], {c = targets, cmap = "coolwarm", edgecolors = "white"})
plot.title "Where the network decides";
