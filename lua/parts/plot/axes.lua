-- axes.lua: the class of axes: limits, scales, labels and ticks. The methods that draw (lines.lua, bars.lua, fields.lua) are
-- added to it.
local torch = ...
local support = torch._part "support"
local data, ticks, color = torch._part "plot.data", torch._part "plot.ticks", torch._part "plot.color"

local Axes = support.class("Axes", nil, "torch.plot")

-- --- artists --------------------------------------------------------------------------------------------

local Artist = support.class("Artist", nil, "torch.plot")
function Artist:set_label(label) self.label = label end
function Artist:get_label() return self.label end
function Artist:set_color(value)
  color.parse(value)
  self.color = value
end
function Artist:get_color() return self.color end
function Artist:set_alpha(alpha) self.alpha = alpha end
function Artist:set_visible(visible) self.hidden = not visible end
function Artist:set_linewidth(width) self.linewidth = width end
function Artist:set_linestyle(style) self.linestyle = style end
function Artist:set_data(x, y) self:update(data.list(x), data.list(y)) end
function Artist:remove()
  for i, artist in ipairs(self.axes.artists) do
    if artist == self then return table.remove(self.axes.artists, i) end
  end
end

--- Adds an artist: a table with draw(artist, canvas, view), zorder, extent {x0, x1, y0, y1}, sticky edges, and a function that
-- draws its symbol in a legend.
function Axes:add(fields)
  local artist = Artist()
  for key, value in pairs(fields) do artist[key] = value end
  artist.axes, artist.zorder = self, fields.zorder or 2
  self.artists[#self.artists + 1] = artist
  return artist
end

-- --- axes -----------------------------------------------------------------------------------------------

function Axes:init(figure, rect)
  self.figure, self.rect, self.artists = figure, rect, {}
  self.x = {name = "x", scale = "linear", margin = 0.05}
  self.y = {name = "y", scale = "linear", margin = 0.05}
  self.colors_used = {}
end

Axes.__tostring = function(self)
  return ("<Axes: title=%s, %d artists>"):format(self.title and ("'%s'"):format(self.title.text) or "none", #self.artists)
end

--- Returns the next colour of the cycle. Lines have a cycle of their own, and so have areas, bars and points.
function Axes:next_color(kind)
  kind = kind or "lines"
  self.colors_used[kind] = (self.colors_used[kind] or 0) + 1
  return "C" .. (self.colors_used[kind] - 1) % 10
end

-- --- limits ---------------------------------------------------------------------------------------------

local FORWARD = {linear = function(v) return v end, log = function(v) return v > 0 and math.log(v, 10) or -math.huge end}
local BACK = {linear = function(v) return v end, log = function(v) return 10.0 ^ v end}

local function each_sharing(self, axis, f)
  f(self)
  for _, other in ipairs(self[axis].shared or {}) do
    if other ~= self then f(other) end
  end
end

-- Returns the range of all artists, in the axis's own scale, and the edges at which no margin is added.
local function extent_of(self, axis)
  local low, high, sticky = math.huge, -math.huge, {}
  local forward, first = FORWARD[self[axis].scale], axis == "x" and 1 or 3
  each_sharing(self, axis, function(axes)
    for _, artist in ipairs(axes.artists) do
      local extent = artist.extent
      for i = first, first + 1 do
        local value = extent and extent[i]
        value = value and forward(value)
        if value and data.is_finite(value) then low, high = math.min(low, value), math.max(high, value) end
      end
      if self[axis].scale == "log" and extent and extent.positive and extent.positive[axis] then
        low = math.min(low, forward(extent.positive[axis]))
      end
      for _, value in ipairs(artist["sticky_" .. axis] or {}) do sticky[#sticky + 1] = forward(value) end
    end
  end)
  return low, high, sticky
end

-- Returns the limits that matplotlib's autoscaling chooses.
local function automatic(self, axis)
  local low, high, sticky = extent_of(self, axis)
  if low > high then low, high = 0, 1 end
  low, high = ticks.nonsingular(low, high, 0.05, 1e-15)
  local delta, slack = (high - low) * self[axis].margin, 1e-5 * (high - low)
  local minimum, maximum = low - delta, high + delta
  for _, edge in ipairs(sticky) do
    if edge <= low + slack then minimum = math.max(minimum, edge) end
    if edge >= high - slack then maximum = math.min(maximum, edge) end
  end
  local back = BACK[self[axis].scale]
  minimum, maximum = back(minimum), back(maximum)
  if self[axis].ticks and #self[axis].ticks > 0 then -- ticks that the user set are always in view
    local first, last = data.range(self[axis].ticks)
    minimum, maximum = math.min(minimum, first), math.max(maximum, last)
  end
  return minimum, maximum
end

--- Returns both ends of an axis in the order shown: left and right, or bottom and top.
function Axes:limits(axis)
  local own = self[axis]
  local low, high = own.low, own.high
  if not low or not high then
    each_sharing(self, axis, function(axes) low, high = low or axes[axis].low, high or axes[axis].high end)
  end
  if not low or not high then
    local minimum, maximum = automatic(self, axis)
    if own.inverted then minimum, maximum = maximum, minimum end
    low, high = low or minimum, high or maximum
  end
  if low == high then
    low, high = ticks.nonsingular(low, high, 0.05, 1e-15)
  end
  return low, high
end

local function set_limits(axis, words)
  local positions = {words[1], words[2]}
  return function(self, ...)
    local a = data.read("Axes.set_" .. axis .. "lim", positions, "", ...)
    local low, high = a[words[1]], a[words[2]]
    if type(low) == "table" then low, high = low[1], low[2] end
    local own = self[axis]
    for _, value in ipairs{low or 0, high or 0} do
      if type(value) ~= "number" or not data.is_finite(value) then support.fail("ValueError", "Axis limits cannot be NaN or Inf") end
    end
    if self[axis].scale == "log" then
      if low and low <= 0 then low = nil end
      if high and high <= 0 then high = nil end
    end
    own.low, own.high = low or own.low, high or own.high
    return self:limits(axis)
  end
end
Axes.set_xlim, Axes.set_ylim = set_limits("x", {"left", "right"}), set_limits("y", {"bottom", "top"})
function Axes:get_xlim() return self:limits "x" end
function Axes:get_ylim() return self:limits "y" end
function Axes:invert_xaxis() self.x.inverted, self.x.low, self.x.high = not self.x.inverted, self.x.high, self.x.low end
function Axes:invert_yaxis() self.y.inverted, self.y.low, self.y.high = not self.y.inverted, self.y.high, self.y.low end

function Axes:margins(...)
  local a = data.read("Axes.margins", {"x", "y"}, "tight", ...)
  if a.count == 1 then a.y = a.x end
  self.x.margin, self.y.margin = a.x or self.x.margin, a.y or self.y.margin
end

local function set_scale(axis)
  return function(self, scale)
    if not FORWARD[scale] then support.fail("ValueError", "'%s' is not a valid value for scale; supported values are 'linear', 'log'", tostring(scale)) end
    self[axis].scale = scale
  end
end
Axes.set_xscale, Axes.set_yscale = set_scale "x", set_scale "y"

--- Returns functions from values to positions in a box {left, top, right, bottom} in points.
function Axes:view(box)
  local function along(axis, from, to)
    local low, high = self:limits(axis)
    local forward = FORWARD[self[axis].scale]
    local a, b = forward(low), forward(high)
    local slope = (to - from) / (b - a)
    if self[axis].scale == "linear" then return function(v) return from + (v - a) * slope end end
    return function(v)
      v = forward(v)
      return v == -math.huge and from - slope * 1e3 or from + (v - a) * slope
    end
  end
  return {x = along("x", box[1], box[3]), y = along("y", box[4], box[2]), clip = box, axes = self}
end

-- --- place ----------------------------------------------------------------------------------------------

local function span(self, axis)
  local low, high = self:limits(axis)
  local forward = FORWARD[self[axis].scale]
  return math.abs(forward(high) - forward(low))
end

-- Widens the limits so that a unit is equally long on both axes.
local function widen(self, width, height)
  local dx, dy = span(self, "x"), span(self, "y")
  local unit = math.max(dx / width, dy / height)
  for axis, wanted in pairs{x = unit * width, y = unit * height} do
    local low, high = self:limits(axis)
    local more = (wanted - math.abs(high - low)) / 2 * (high < low and -1 or 1)
    if math.abs(more) > 1e-12 then self[axis].low, self[axis].high = low - more, high + more end
  end
end

--- Returns the box of the axes in points: left, top, right, bottom.
function Axes:box()
  local rect, width, height = (self.twin_of or self).rect, self.figure.width, self.figure.height
  local box = {rect[1] * width, (1 - rect[2] - rect[4]) * height, (rect[1] + rect[3]) * width, (1 - rect[2]) * height}
  local w, h = box[3] - box[1], box[4] - box[2]
  if self.aspect and self.adjustable == "datalim" then
    widen(self, w, h)
  elseif self.aspect then
    local ratio = span(self, "y") / span(self, "x") * self.aspect
    local fitting = math.min(w, h / ratio)
    local dx, dy = (w - fitting) / 2, (h - fitting * ratio) / 2
    return {box[1] + dx, box[2] + dy, box[3] - dx, box[4] - dy}
  elseif self.box_aspect then -- a colour bar: as high as its cell, narrower by the aspect, at the cell's left side
    box[3] = math.min(box[3], box[1] + h / self.box_aspect)
    if self.bar_below then
      box = {box[1], box[2], box[1] + w, math.min(box[4], box[2] + w / self.box_aspect)}
    end
  end
  return box
end

function Axes:set_aspect(aspect, adjustable)
  if aspect == "equal" then aspect = 1 elseif aspect == "auto" then aspect = nil end
  self.aspect, self.adjustable = aspect, type(adjustable) == "string" and adjustable or "box"
end
function Axes:set_position(rect) self.rect = rect end

function Axes:axis(given)
  if given == "off" or given == false then
    self.off = true
  elseif given == "on" or given == true then
    self.off = false
  elseif given == "equal" then
    self.aspect, self.adjustable = 1, "datalim"
  elseif given == "scaled" or given == "image" or given == "square" then
    self.aspect, self.adjustable = 1, "box"
    if given == "image" then self.x.margin, self.y.margin = 0, 0 end
  elseif given == "tight" then
    self.x.margin, self.y.margin = 0, 0
  elseif given == "auto" then
    self.aspect, self.x.low, self.x.high, self.y.low, self.y.high = nil, nil, nil, nil, nil
  elseif type(given) == "table" then
    self:set_xlim(given[1], given[2])
    self:set_ylim(given[3], given[4])
  elseif given ~= nil then
    support.fail("ValueError", "Unrecognized string '%s' to axis; try 'on' or 'off'", tostring(given))
  end
  local x0, x1 = self:limits "x"
  local y0, y1 = self:limits "y"
  return x0, x1, y0, y1
end
function Axes:set_axis_off() self.off = true end
function Axes:set_axis_on() self.off = false end

-- --- texts ----------------------------------------------------------------------------------------------

local TEXT = "size fontweight weight color pad labelpad loc rotation"

local function set_text(name, position, field, size)
  local positions = {position}
  return function(self, ...)
    local a = data.read("Axes." .. name, positions, TEXT .. " x y horizontalalignment verticalalignment", ...)
    if a[position] == nil then support.fail("TypeError", "Axes.%s() missing 1 required positional argument: '%s'", name, position) end
    a.text, a.size = tostring(a[position]), torch._part "plot.style".size(a.size, size)
    local target = self
    if #field == 2 then target = self[field[1]] end
    target[field[#field]] = a
    return a
  end
end
Axes.set_title = set_text("set_title", "label", {"title"}, 12)
Axes.set_xlabel = set_text("set_xlabel", "xlabel", {"x", "label"}, 10)
Axes.set_ylabel = set_text("set_ylabel", "ylabel", {"y", "label"}, 10)
function Axes:get_title() return self.title and self.title.text or "" end
function Axes:get_xlabel() return self.x.label and self.x.label.text or "" end
function Axes:get_ylabel() return self.y.label and self.y.label.text or "" end

-- --- ticks ----------------------------------------------------------------------------------------------

local TICK_WORDS = "rotation size color horizontalalignment minor"

local function set_ticks(axis)
  local positions = {"ticks", "labels"}
  return function(self, ...)
    local a = data.read("Axes.set_" .. axis .. "ticks", positions, TICK_WORDS, ...)
    local own = self[axis]
    if a.ticks then
      own.ticks, own.labels = data.list(a.ticks), nil
    end
    if a.labels then
      own.labels = {}
      for i, label in ipairs(a.labels) do own.labels[i] = tostring(label) end
      if own.ticks and #own.labels ~= #own.ticks then
        support.fail("ValueError", "The number of FixedLocator locations (%d), usually from a call to set_ticks, does not match the number of labels (%d).",
          #own.ticks, #own.labels)
      end
    end
    own.rotation, own.label_size = a.rotation or own.rotation, a.size and torch._part "plot.style".size(a.size, 10) or own.label_size
    own.label_anchor = a.horizontalalignment or own.label_anchor
  end
end
Axes.set_xticks, Axes.set_yticks = set_ticks "x", set_ticks "y"

local function set_labels(axis)
  local set = set_ticks(axis)
  return function(self, labels, words)
    local keywords = {labels = labels}
    for key, value in pairs(words or {}) do keywords[key] = value end
    return set(self, keywords)
  end
end
Axes.set_xticklabels, Axes.set_yticklabels = set_labels "x", set_labels "y"

--- Returns the ticks of an axis that are in view: positions, labels, the text beside them, and the minor ticks.
function Axes:ticks_of(axis, length)
  local own = self[axis]
  local low, high = self:limits(axis)
  local list, minor, labels, side = own.ticks, {}, own.labels, ""
  local max_labels = math.floor(length / ((own.label_size or 10) * (axis == "x" and 3 or 2)))
  if not list then
    if own.scale == "log" then list, minor = ticks.logarithmic(math.min(low, high), math.max(low, high), max_labels)
    else list = ticks.linear(low, high, max_labels) end
  end
  if not labels then
    if own.scale == "log" then labels = ticks.decade_labels(list) else labels, side = ticks.labels(list, low, high) end
  end
  local minimum, maximum = math.min(low, high), math.max(low, high)
  local slack = (maximum - minimum) * 1e-10
  local from, to = minimum - slack, maximum + slack
  if own.scale == "log" then from, to = minimum * (1 - 1e-10), maximum * (1 + 1e-10) end
  local function inside(v) return v >= from and v <= to end
  local places, texts, small = {}, {}, {}
  for i, at in ipairs(list) do
    if inside(at) then
      places[#places + 1] = at
      texts[#places] = labels[i] or ""
    end
  end
  for _, at in ipairs(minor) do
    if inside(at) then small[#small + 1] = at end
  end
  return places, texts, side, small
end
function Axes:get_xticks() return (self:ticks_of("x", self:box()[3] - self:box()[1])) end
function Axes:get_yticks() return (self:ticks_of("y", self:box()[4] - self:box()[2])) end

function Axes:tick_params(...)
  local a = data.read("Axes.tick_params", {"axis"},
    "labelsize rotation labelrotation length width labelbottom labelleft bottom left which color labelcolor direction", ...)
  for _, axis in ipairs{"x", "y"} do
    if (a.axis or "both") == "both" or a.axis == axis then
      local own = self[axis]
      own.label_size = a.labelsize and torch._part "plot.style".size(a.labelsize, 10) or own.label_size
      own.rotation = a.rotation or a.labelrotation or own.rotation
      own.length = a.length or own.length
      local show, marks = a[axis == "x" and "labelbottom" or "labelleft"], a[axis == "x" and "bottom" or "left"]
      if show ~= nil then own.no_labels = not show end
      if marks ~= nil then own.no_marks = not marks end
    end
  end
end

function Axes:grid(...)
  local a = data.read("Axes.grid", {"visible"}, "which axis color linestyle linewidth alpha", ...)
  if a.visible == false then
    self.grid_lines = nil
  else
    self.grid_lines = a
  end
end

--- Returns another pair of axes in the same place, with its own y axis at the right side.
function Axes:twinx()
  local twin = self.figure:add_axes(self.rect)
  twin.twin_of, twin.x.shared = self, {self, twin}
  self.x.shared = twin.x.shared
  twin.y.right, twin.no_face, twin.x.no_labels, twin.x.no_marks = true, true, true, true
  return twin
end

local SETTERS = {title = "set_title", xlabel = "set_xlabel", ylabel = "set_ylabel", xlim = "set_xlim", ylim = "set_ylim", xticks = "set_xticks",
  yticks = "set_yticks", xscale = "set_xscale", yscale = "set_yscale", xticklabels = "set_xticklabels", yticklabels = "set_yticklabels",
  aspect = "set_aspect"}

--- ax:set{title = "loss", ylim = {0, 1}}: sets several properties at once.
function Axes:set(properties)
  for name, value in pairs(properties) do
    local setter = SETTERS[name]
    if not setter then support.fail("AttributeError", "Axes.set() got an unexpected keyword argument '%s'", tostring(name)) end
    self[setter](self, value)
  end
end

--- Removes everything from the axes.
function Axes:cla() self:init(self.figure, self.rect) end
Axes.clear = Axes.cla

for _, name in ipairs{"lines", "bars", "shapes", "statistics", "fields", "legend", "frame"} do torch._part("plot." .. name)(Axes) end

return Axes
