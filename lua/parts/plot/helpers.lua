-- helpers.lua: plots that every course uses: a decision boundary, predictions beside data, a confusion matrix, loss curves,
-- images in a grid.
local torch = ...
local support = torch._part "support"
local data = torch._part "plot.data"

local helpers = {}

-- Returns a model's classes for points (N, 2).
local function classes_of(model, points)
  local parameter
  if torch.nn.Module and type(model) ~= "function" and model.parameters then
    parameter = model:parameters()()
  end
  if parameter then points = points:to(parameter.device):to(parameter.dtype) end
  local training = type(model) ~= "function" and model.training
  if training then model:eval() end
  local logits = torch.no_grad(function() return model(points) end)
  if training then model:train() end
  if logits:dim() == 2 and logits.shape[1] > 1 then return logits:argmax{dim = 1} end
  return logits:reshape(-1):sigmoid():round()
end

local boundary_positions = {"model", "X", "y"}

return function(plt)
  --- plot_decision_boundary(model, X, y): plots the classes that a model assigns to the plane, and the points.
  function helpers.plot_decision_boundary(...)
    local a = data.read("plot_decision_boundary", boundary_positions, "ax cmap steps alpha", ...)
    local X, y = data.tensor(a.X):double(), data.tensor(a.y):double():reshape(-1)
    if X:dim() ~= 2 or X.shape[1] ~= 2 then support.fail("ValueError", "plot_decision_boundary() needs points (N, 2), got %s", tostring(X.shape)) end
    local steps = a.steps or 101
    local low, high = X:amin{dim = 0} - 0.1, X:amax{dim = 0} + 0.1
    local xs = torch.linspace(low[0]:item(), high[0]:item(), steps, {dtype = torch.float64})
    local ys = torch.linspace(low[1]:item(), high[1]:item(), steps, {dtype = torch.float64})
    local grid = torch.stack({xs:repeat_interleave(1):unsqueeze(0):expand(steps, steps):reshape(-1), ys:repeat_interleave(steps)}, 1)
    local z = classes_of(a.model, grid:float()):reshape(steps, steps)
    local axes, map = a.ax or plt.gca(), a.cmap or "RdYlBu"
    axes:contourf{xs, ys, z, cmap = map, alpha = a.alpha or 0.7}
    axes:scatter{X[{":", 0}], X[{":", 1}], c = y, s = 40, cmap = map}
    axes:set_xlim(low[0]:item(), high[0]:item())
    axes:set_ylim(low[1]:item(), high[1]:item())
    return axes
  end

  local prediction_positions = {"train_data", "train_labels", "test_data", "test_labels", "predictions"}

  --- plot_predictions(train_data, train_labels, test_data, test_labels, predictions): plots the data and the predictions.
  function helpers.plot_predictions(...)
    local a = data.read("plot_predictions", prediction_positions, "ax", ...)
    local axes = a.ax or plt.figure{figsize = {10, 7}}:gca()
    axes:scatter(a.train_data, a.train_labels, {c = "b", s = 4, label = "Training data"})
    axes:scatter(a.test_data, a.test_labels, {c = "g", s = 4, label = "Testing data"})
    if a.predictions ~= nil then axes:scatter(a.test_data, a.predictions, {c = "r", s = 4, label = "Predictions"}) end
    axes:legend{size = 14}
    return axes
  end

  local confusion_positions = {"conf_mat"}

  --- plot_confusion_matrix(matrix, {class_names = {...}}): plots how often each class (row) was taken for each other (column).
  function helpers.plot_confusion_matrix(...)
    local a = data.read("plot_confusion_matrix", confusion_positions, "class_names cmap ax show_normed colorbar figsize", ...)
    local rows = data.matrix(a.conf_mat, "conf_mat")
    local axes = a.ax or plt.figure{figsize = a.figsize}:gca()
    local image = axes:imshow(torch.tensor(rows), {cmap = a.cmap or "Blues"})
    local maximum = 0
    for _, row in ipairs(rows) do maximum = math.max(maximum, table.unpack(row)) end
    for i, row in ipairs(rows) do
      local total = 0
      for _, value in ipairs(row) do total = total + value end
      for j, value in ipairs(row) do
        local text = support.number("%g", value)
        if a.show_normed then text = text .. support.number("\n(%.2f)", total > 0 and value / total or 0) end
        axes:text(j - 1, i - 1, text, {ha = "center", va = "center", color = value > maximum / 2 and "white" or "black"})
      end
    end
    local numbers = {}
    for i = 1, #rows do numbers[i] = i - 1 end
    if a.class_names then
      axes:set_xticks(numbers, a.class_names, {rotation = 45, ha = "right"})
      axes:set_yticks(numbers, a.class_names)
    else
      axes:set_xticks(numbers)
      axes:set_yticks(numbers)
    end
    axes:set_xlabel "predicted label"
    axes:set_ylabel "true label"
    if a.colorbar then axes.figure:colorbar(image) end
    return axes
  end

  local loss_positions = {"results"}

  --- plot_loss_curves{train_loss = {...}, train_acc = {...}, test_loss = {...}, test_acc = {...}}: plots the curves of a
  -- training.
  function helpers.plot_loss_curves(...)
    local first = ...
    local results = support.is_plain(first) and not first.results and first or data.read("plot_loss_curves", loss_positions, "", ...).results
    local figure, axes = plt.subplots(1, 2, {figsize = {15, 7}})
    for i, kind in ipairs{"loss", "acc"} do
      for _, set in ipairs{"train", "test"} do
        local values = results[set .. "_" .. kind]
        if values then axes[i]:plot(values, {label = set .. (kind == "loss" and "_loss" or "_accuracy")}) end
      end
      axes[i]:set_title(kind == "loss" and "Loss" or "Accuracy")
      axes[i]:set_xlabel "Epochs"
      axes[i]:legend()
    end
    return figure, axes
  end

  local image_positions = {"images", "titles"}

  --- plot_images(images, titles, {columns = 5}): shows images in a grid.
  function helpers.plot_images(...)
    local a = data.read("plot_images", image_positions, "columns cmap figsize title_colors", ...)
    local n = torch.is_tensor(a.images) and a.images.shape[0] or #a.images
    local columns = math.min(a.columns or 5, n)
    local rows = math.ceil(n / columns)
    local figure = plt.figure{figsize = a.figsize or {1.8 * columns, 2 * rows}}
    for i = 1, n do
      local axes = figure:add_subplot(rows, columns, i)
      axes:imshow(torch.is_tensor(a.images) and a.images[i - 1] or a.images[i], {cmap = a.cmap or "gray"})
      axes:axis "off"
      local title = a.titles and (torch.is_tensor(a.titles) and a.titles[i - 1]:item() or a.titles[i])
      if title then axes:set_title(tostring(title), {size = 10, color = a.title_colors and a.title_colors[i]}) end
    end
    return figure
  end

  return helpers
end
