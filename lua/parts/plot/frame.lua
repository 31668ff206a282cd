-- frame.lua: draws axes: the box, ticks and labels, the grid, and all artists in their order.
local torch = ...
local support = torch._part "support"
local font, outline, marks, style = torch._part "plot.font", torch._part "plot.outline", torch._part "plot.marks", torch._part "plot.style"

local TICK, PAD, LINE = 3.5, 3.5, 0.8
local SIDE = 14 -- the height of the text beside the ticks ("1e6"), including its distance
local BLACK, GRID = 0x000000, 0xb0b0b0

--- Draws a text on a canvas: {text, x, y, size, ha, va, rotation, color, bold, alpha, clip}. Returns its layout.
local function write(canvas, t)
  local layout = font.layout(t.text, t.x, t.y, t.size, t.ha or "left", t.va or "baseline", t.rotation or 0, t.bold)
  local rgb, alpha = marks.paint(t.color or "black", t.alpha)
  if rgb and canvas then
    canvas:text{text = t.text, x = t.x, y = t.y, ha = t.ha or "left", va = t.va or "baseline", rotation = t.rotation or 0, rgb = rgb,
      layout = layout, shape = {paths = layout.paths, stroke = rgb, stroke_alpha = alpha, width = layout.width, clip = t.clip}}
  end
  return layout
end

local function line(canvas, path, rgb, width, clip, dash, alpha)
  canvas:draw{paths = {path}, stroke = rgb, width = width, clip = clip, snap = true, cap = dash and "butt" or "square", join = "miter", dash = dash,
    stroke_alpha = alpha}
end

-- Returns how far the labels of an axis extend from the box, and how far an x axis's labels extend beyond its left and right.
-- With a canvas, also draws them.
local function draw_labels(axes, axis, places, texts, view, box, canvas)
  local own = axes[axis]
  local reach = own.no_marks and 0 or own.length or TICK
  if own.no_labels then return reach, 0, 0 end
  local size, furthest, left, right = own.label_size or 10, reach, 0, 0
  local rotation = own.rotation or 0
  for i, at in ipairs(places) do
    if texts[i] ~= "" then
      local t = {text = texts[i], size = size, rotation = rotation}
      if axis == "x" then
        t.x, t.y, t.va = view.x(at), box[4] + reach + PAD, "top"
        t.ha = own.label_anchor or "center"
        if rotation % 180 ~= 0 and rotation % 90 ~= 0 and not own.label_anchor then t.ha = rotation > 0 and "right" or "left" end
      elseif own.right then
        t.x, t.y, t.ha, t.va = box[3] + reach + PAD, view.y(at), "left", "center"
      else
        t.x, t.y, t.ha, t.va = box[1] - reach - PAD, view.y(at), "right", "center"
      end
      local layout = write(canvas, t)
      local far = axis == "x" and layout.bottom + size * 0.2 - box[4] or own.right and layout.right - box[3] or box[1] - layout.left
      furthest = math.max(furthest, far)
      if axis == "x" then left, right = math.max(left, box[1] - layout.left), math.max(right, layout.right - box[3]) end
    end
  end
  return furthest, left, right
end

local function draw_marks(axes, axis, places, view, box, canvas, length)
  if axes[axis].no_marks then return end
  for _, at in ipairs(places) do
    if axis == "x" then
      local x = view.x(at)
      line(canvas, {x, box[4], x, box[4] + length}, BLACK, LINE)
    else
      local y = view.y(at)
      local from, to = box[1], box[1] - length
      if axes.y.right then from, to = box[3], box[3] + length end
      line(canvas, {from, y, to, y}, BLACK, LINE)
    end
  end
end

local function draw_grid(axes, axis, places, view, box, canvas)
  local grid = axes.grid_lines
  if not grid or (grid.axis or "both") ~= "both" and grid.axis ~= axis then return end
  local rgb, alpha = marks.paint(grid.color or GRID, grid.alpha)
  local width = grid.linewidth or LINE
  local dash, any = marks.dash(grid.linestyle, width)
  if not rgb or not any then return end
  for _, at in ipairs(places) do
    local path
    if axis == "x" then path = {view.x(at), box[2], view.x(at), box[4]} else path = {box[1], view.y(at), box[3], view.y(at)} end
    line(canvas, path, rgb, width, box, dash, alpha)
  end
end

-- Draws the text beside the ticks ("1e6"), and the label of the axis.
local function draw_texts(axes, axis, side, reach, box, canvas)
  local own = axes[axis]
  if side ~= "" and not own.no_labels then
    if axis == "x" then
      write(canvas, {text = side, x = box[3], y = box[4] + reach + 3, size = 10, ha = "right", va = "top"})
    else
      write(canvas, {text = side, x = own.right and box[3] or box[1], y = box[2] - 3, size = 10, ha = own.right and "right" or "left"})
    end
  end
  local label = own.label
  if not label or label.text == "" then return reach end
  local pad = label.labelpad or label.pad or 4
  local t = {text = label.text, size = label.size, color = label.color, bold = style.is_bold(label)}
  if axis == "x" then
    t.x, t.y, t.ha, t.va = (box[1] + box[3]) / 2, box[4] + reach + pad, "center", "top"
    return write(canvas, t).bottom + label.size * 0.2 - box[4]
  end
  t.y, t.rotation, t.va = (box[2] + box[4]) / 2, label.rotation or 90, "center"
  if own.right then
    t.x, t.ha = box[3] + reach + pad + label.size * 0.2, "left"
    return write(canvas, t).right - box[3]
  end
  t.x, t.ha = box[1] - reach - pad - label.size * 0.2, "right"
  if t.rotation == 0 then t.x = box[1] - reach - pad end
  return box[1] - write(canvas, t).left
end

local function draw_title(axes, box, canvas)
  local title = axes.title
  if not title or title.text == "" then return 0 end
  local ha = title.loc or "center"
  local x = ha == "left" and box[1] or ha == "right" and box[3] or (box[1] + box[3]) / 2
  local layout = write(canvas, {text = title.text, x = x, y = box[2] - (title.pad or 6), size = title.size, ha = ha, color = title.color,
    bold = style.is_bold(title)})
  return box[2] - layout.top
end

local SIDES = {left = {1, 2, 1, 4}, right = {3, 2, 3, 4}, top = {1, 2, 3, 2}, bottom = {1, 4, 3, 4}}

local function draw_spines(axes, box, canvas)
  if axes.no_face then return end
  for side, at in pairs(SIDES) do
    if not (axes.hidden_spines and axes.hidden_spines[side]) then
      line(canvas, {box[at[1]], box[at[2]], box[at[3]], box[at[4]]}, BLACK, LINE)
    end
  end
end

local function sorted_artists(axes)
  local order = {}
  for i, artist in ipairs(axes.artists) do
    if not artist.hidden then order[#order + 1] = {artist = artist, z = artist.zorder, i = i} end
  end
  table.sort(order, function(a, b)
    if a.z ~= b.z then return a.z < b.z end
    return a.i < b.i
  end)
  return order
end

return function(Axes)
  Axes.write = function(_, canvas, t) return write(canvas, t) end

  --- Returns how far labels and title extend from the box: left, top, right, bottom.
  function Axes:reach()
    local box = self:box()
    if self.off then return {0, draw_title(self, box), 0, 0} end
    local view = self:view(box)
    local reach, left, right, above = {}, 0, 0, 0
    for _, axis in ipairs{"x", "y"} do
      local places, texts, side = self:ticks_of(axis, axis == "x" and box[3] - box[1] or box[4] - box[2])
      local far, before, after = draw_labels(self, axis, places, texts, view, box)
      reach[axis] = draw_texts(self, axis, side, far, box)
      local beside = side ~= "" and not self[axis].no_labels and SIDE or 0
      if axis == "x" then
        reach.x, left, right = math.max(reach.x, beside > 0 and far + beside or 0), before, after
      else
        above = beside
      end
    end
    return {math.max(left, self.y.right and 0 or reach.y), math.max(above, draw_title(self, box)), math.max(right, self.y.right and reach.y or 0), reach.x}
  end

  function Axes:draw_axis_parts(canvas, view, box)
    for _, axis in ipairs{"x", "y"} do
      local places, texts, side, small = self:ticks_of(axis, axis == "x" and box[3] - box[1] or box[4] - box[2])
      draw_grid(self, axis, places, view, box, canvas)
      draw_marks(self, axis, places, view, box, canvas, self[axis].length or TICK)
      draw_marks(self, axis, small, view, box, canvas, 2)
      local far = draw_labels(self, axis, places, texts, view, box, canvas)
      draw_texts(self, axis, side, far, box, canvas)
    end
  end

  --- Draws the axes on a canvas.
  function Axes:draw(canvas)
    local box = self:box()
    local view = self:view(box)
    if not self.off and not self.no_face and not self.clear then
      canvas:draw{paths = {outline.rectangle(table.unpack(box))}, fill = self.face or 0xffffff, snap = true}
    end
    local axis_drawn, spines_drawn = self.off, self.off
    for _, entry in ipairs(sorted_artists(self)) do
      if not axis_drawn and entry.z > 1.5 then
        self:draw_axis_parts(canvas, view, box)
        axis_drawn = true
      end
      if not spines_drawn and entry.z > 2.5 then
        draw_spines(self, box, canvas)
        spines_drawn = true
      end
      entry.artist:draw(canvas, view)
    end
    if not axis_drawn then self:draw_axis_parts(canvas, view, box) end
    if not spines_drawn then draw_spines(self, box, canvas) end
    draw_title(self, box, canvas)
    if self.legend_words then self:draw_legend(canvas, view, box) end
  end

  --- ax:spines_visible{top = false, right = false}: shows or hides the lines of the box.
  function Axes:spines_visible(sides)
    self.hidden_spines = self.hidden_spines or {}
    for side, visible in pairs(sides) do
      if not SIDES[side] then support.fail("KeyError", "'%s'", tostring(side)) end
      self.hidden_spines[side] = not visible
    end
  end
end
