-- plot.lua: torch.plot (also torch.pyplot): matplotlib's pyplot. A call draws on the current axes of the current figure. Figures
-- are written to PNG and SVG files, or shown in the terminal. The parts are in lua/parts/plot/, loaded at the first call.
local torch = ...
local support = torch._part "support"

local plot = {}

local figures, current, made = {}, nil, 0

local function part(name) return torch._part("plot." .. name) end

-- --- figures --------------------------------------------------------------------------------------------

--- Creates a figure, or selects the one of a number.
function plot.figure(...)
  local first = ...
  if math.type(first) == "integer" and figures[first] then
    current = figures[first]
    return current
  end
  local figure = part "figure"(...)
  made = math.type(first) == "integer" and first or made + 1
  figure.number, figures[made], current = made, figure, figure
  return figure
end

function plot.gcf() return current or plot.figure() end
function plot.gca() return plot.gcf():gca() end
function plot.sca(axes)
  current = axes.figure
  current:sca(axes)
end

local FIGURE_WORDS = {figsize = true, dpi = true, facecolor = true, layout = true, tight_layout = true, constrained_layout = true, num = true}

--- Creates a figure and its axes: local fig, ax = plt.subplots(); local fig, axes = plt.subplots(2, 3, {figsize = {9, 6}}).
function plot.subplots(...)
  local given, count = {...}, select("#", ...)
  local keywords = support.is_plain(given[count]) and given[count] or {}
  local of_figure, of_grid = {}, {}
  for key, value in pairs(keywords) do
    if FIGURE_WORDS[key] then of_figure[key] = value else of_grid[key] = value end
  end
  if keywords == given[count] then
    given[count] = next(of_grid) and of_grid or nil
    count = next(of_grid) and count or count - 1
  end
  local figure = plot.figure(of_figure)
  return figure, figure:subplots(table.unpack(given, 1, count))
end

function plot.subplot(...)
  local given = {...}
  return plot.gcf():add_subplot(table.unpack(given, 1, math.min(3, #given)))
end

function plot.close(which)
  if which == "all" then
    figures, current, made = {}, nil, 0
    return
  end
  local figure = which == nil and current or figures[which] or which
  for number, known in pairs(figures) do
    if known == figure then figures[number] = nil end
  end
  if current == figure then
    current = nil
    for _, known in pairs(figures) do
      if not current or known.number > current.number then current = known end
    end
  end
end
function plot.clf() plot.gcf():clf() end
function plot.cla() plot.gca():cla() end
function plot.get_fignums()
  local numbers = {}
  for number in pairs(figures) do numbers[#numbers + 1] = number end
  table.sort(numbers)
  return numbers
end

-- --- drawing on the current axes and figure -------------------------------------------------------------

for _, name in ipairs{"plot", "scatter", "bar", "barh", "hist", "contour", "contourf", "fill_between", "errorbar", "axhline", "axvline", "axhspan",
  "axvspan", "step", "stem", "vlines", "hlines",
  "pie", "boxplot", "violinplot", "clabel", "text",
  "annotate", "legend", "axis", "grid", "semilogx", "semilogy", "loglog", "margins", "tick_params", "bar_label", "twinx"} do
  plot[name] = function(...)
    local axes = plot.gca()
    return axes[name](axes, ...)
  end
end

-- Remembers the artist that a colour bar without a mappable is for.
local function image_of(axes, artist)
  axes.figure.latest = artist
  return artist
end
for _, name in ipairs{"imshow", "matshow", "scatter", "contour", "contourf", "pcolormesh", "quiver"} do
  plot[name] = function(...)
    local axes = plot.gca()
    return image_of(axes, axes[name](axes, ...))
  end
end

function plot.hist2d(...)
  local axes = plot.gca()
  local counts, xedges, yedges, mesh = axes:hist2d(...)
  return counts, xedges, yedges, image_of(axes, mesh)
end

for name, method in pairs{title = "set_title", xlabel = "set_xlabel", ylabel = "set_ylabel", xlim = "set_xlim", ylim = "set_ylim", xticks = "set_xticks",
  yticks = "set_yticks", xscale = "set_xscale", yscale = "set_yscale"} do
  plot[name] = function(...)
    local axes = plot.gca()
    return axes[method](axes, ...)
  end
end

for _, name in ipairs{"suptitle", "tight_layout", "subplots_adjust", "savefig"} do
  plot[name] = function(...)
    local figure = plot.gcf()
    return figure[name](figure, ...)
  end
end

function plot.colorbar(first, ...)
  local figure = plot.gcf()
  if first == nil then return figure:colorbar(figure.latest, ...) end
  if support.is_plain(first) and not first.cmap and not first[1] then
    if first.mappable then return figure:colorbar(first) end
    return figure:colorbar(figure.latest, first)
  end
  return figure:colorbar(first, ...)
end

--- Returns the names of all colormaps. A name with _r is the reversed map.
function plot.colormaps() return part "color".names() end
function plot.get_cmap(name) return part "color".map(name) end

-- plt.cm.RdYlBu
plot.cm = setmetatable({}, {__index = function(_, name) return part "color".map(name) end})

-- --- showing --------------------------------------------------------------------------------------------

--- Shows all figures (or the given one) in the terminal, as images or characters. If stdout is not a terminal, writes the file
-- figure_N.png, unless the figure was saved, and prints its name.
function plot.show(figure)
  local numbers = plot.get_fignums()
  if figure == nil or support.class_of(figure) == nil then
    for _, number in ipairs(numbers) do part "terminal".show(figures[number]) end
    plot.close "all"
  else
    part "terminal".show(figure)
    plot.close(figure)
  end
end

--- set_display_formats("svg"), or "png", or both: sets the formats in which notebooks show figures.
function plot.set_display_formats(...)
  local formats = {...}
  for i = 1, math.max(1, select("#", ...)) do
    if formats[i] ~= "png" and formats[i] ~= "svg" then
      support.fail("ValueError", "supported formats are: 'png', 'svg', not %s", tostring(formats[i]))
    end
  end
  part "display".formats = formats
end

-- --- helpers, and plots in text -------------------------------------------------------------------------

for _, name in ipairs{"plot_decision_boundary", "plot_predictions", "plot_confusion_matrix", "plot_loss_curves", "plot_images"} do
  plot[name] = function(...) return part "helpers"(plot)[name](...) end
end
function plot.live(...) return part "live"(...) end
for _, name in ipairs{"image", "lines", "histogram"} do
  plot[name] = function(...) return part "text"[name](...) end
end

return torch._namespace(plot, "torch.plot")
