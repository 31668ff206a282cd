-- course.lua: the pictures of a course: data and predictions, learning curves, classes in the plane, digits, a confusion matrix,
-- distributions, learning rates.
--
--   tocha examples/pictures/course.lua [FOLDER]      writes PNG and SVG files there (default: the current folder)
local torch = require "torch"
local plt = require "torch.pyplot"
local nn = torch.nn

local folder = (arg and arg[1] or ".") .. "/"

local function save(name)
  plt.savefig(folder .. name .. ".png")
  plt.savefig(folder .. name .. ".svg")
  plt.close()
  print(name .. ".png " .. name .. ".svg")
end

-- Trains a model with one loss for all rows; returns the losses.
local function train(model, X, y, loss_fn, lr, epochs)
  local optimizer, losses = torch.optim.Adam(model:parameters(), {lr = lr}), {}
  for epoch = 1, epochs do
    local loss = loss_fn(model(X):squeeze(), y)
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    losses[epoch] = loss:item()
    plt.live{loss = loss} -- a curve in the terminal while it trains
  end
  plt.live()
  return losses
end

torch.manual_seed(42)

-- A straight line, and what a model makes of it.
local X = torch.arange(0, 1, 0.02):unsqueeze{dim = 1}
local y = 0.7 * X + 0.3
local X_train, y_train, X_test, y_test = X[":40"], y[":40"], X["40:"], y["40:"]
local line = nn.Linear(1, 1)
local line_losses = train(line, X_train, y_train:squeeze(), nn.L1Loss(), 0.01, 60)
plt.plot_predictions(X_train, y_train, X_test, y_test, line(X_test):detach())
save "predictions"

plt.plot(line_losses, {label = "train loss"})
plt.title "Learning curve"
plt.xlabel "epoch"
plt.ylabel "loss"
plt.legend()
plt.grid(true, {alpha = 0.3})
save "loss"

-- Two circles, before and after training.
local points, classes = torch.datasets.make_circles(500, {noise = 0.03, random_state = 42})
points, classes = points:float(), classes:float()
local function network() return nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1)) end
local fresh, trained = network(), network()
train(trained, points, classes, nn.BCEWithLogitsLoss(), 0.02, 150)
local fig, axes = plt.subplots(1, 2, {figsize = {12, 6}})
for i, model in ipairs{fresh, trained} do
  plt.plot_decision_boundary(model, points, classes, {ax = axes[i]})
  axes[i]:set_title(i == 1 and "Before training" or "After training")
end
save "boundary"

-- Digits, and which are taken for which.
local digits = torch.datasets.Digits()
local images, labels = digits.data:float():reshape(-1, 64), digits.targets
local reader = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
train(reader, images[":1000"], labels[":1000"], nn.CrossEntropyLoss(), 0.01, 60)
local predicted = reader(images["1000:"]):argmax{dim = 1}
local titles, colors = {}, {}
for i = 0, 9 do
  local right = predicted[i]:item() == labels[1000 + i]:item()
  titles[i + 1] = ("%d read as %d"):format(labels[1000 + i]:item(), predicted[i]:item())
  colors[i + 1] = right and "g" or "r"
end
plt.plot_images(images["1000:1010"]:reshape(-1, 8, 8), titles, {columns = 5, title_colors = colors})
save "digits"

local matrix = torch.zeros(10, 10)
for i = 0, #predicted - 1 do
  local row, column = labels[1000 + i]:item(), predicted[i]:item()
  matrix[{row, column}] = matrix[{row, column}] + 1
end
plt.plot_confusion_matrix(matrix, {figsize = {7, 7}})
save "confusion"

-- Distributions, bars, a filled band, annotations.
local fig, axes = plt.subplots(2, 2, {figsize = {10, 8}})
axes[1][1]:hist(torch.randn(2000), {bins = 40, density = true, alpha = 0.6, label = "randn"})
local t = torch.linspace(-4, 4, 200)
axes[1][1]:plot(t, torch.exp(-t ^ 2 / 2) / math.sqrt(2 * math.pi), "k--", {label = "density"})
axes[1][1]:legend()
axes[1][1]:set_title "Histogram"
local bars = axes[1][2]:bar({"SGD", "Adam", "AdamW", "RMSprop"}, {0.82, 0.95, 0.96, 0.91}, {color = {"C0", "C1", "C2", "C3"}})
axes[1][2]:bar_label(bars, {fmt = "%.2f"})
axes[1][2]:set_ylim(0, 1.1)
axes[1][2]:set_title "Accuracy by optimizer"
local epochs = torch.arange(1, 31):double()
local mean = 2 * torch.exp(-epochs / 8) + 0.1
axes[2][1]:plot(epochs, mean, {label = "mean of 5 runs"})
axes[2][1]:fill_between(epochs, mean * 0.8, mean * 1.2, {alpha = 0.2, label = "deviation"})
axes[2][1]:annotate("lowest", {xy = {30, mean[29]:item()}, xytext = {22, 0.9}, arrowprops = {arrowstyle = "->"}})
axes[2][1]:legend()
axes[2][1]:set{title = "Runs", xlabel = "epoch", ylabel = "loss"}
local rates = torch.logspace(-5, 0, 60)
axes[2][2]:semilogx(rates, (torch.log10(rates) + 2.5) ^ 2 / 4 + 0.3, "o-", {markersize = 3, color = "tab:purple"})
axes[2][2]:axvline(10 ^ -2.5, {linestyle = ":", color = "gray"})
axes[2][2]:text(1e-5, 0.4, "$lr = 10^{-2.5}$")
axes[2][2]:set{title = "Learning rates", xlabel = "lr", ylabel = "loss"}
plt.tight_layout()
save "panels"

-- A field: colours, contours, a colour bar.
local u = torch.linspace(-2, 2, 80)
local grid = torch.meshgrid({u, u}, {indexing = "xy"})
local field = (1 - grid[1]) ^ 2 + 5 * (grid[2] - grid[1] ^ 2) ^ 2
local shown = plt.contourf(grid[1], grid[2], torch.log1p(field), {levels = 12, cmap = "viridis"})
plt.contour(grid[1], grid[2], torch.log1p(field), {levels = 12, colors = "white", linewidths = 0.5})
plt.plot({1}, {1}, "r*", {markersize = 14, label = "minimum"})
plt.colorbar(shown, {label = "log(1 + loss)"})
plt.legend{loc = "lower left"}
plt.title "A loss and its valley"
save "field"
