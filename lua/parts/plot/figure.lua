-- figure.lua: a figure: axes in their places, and its output to files.
local torch = ...
local support = torch._part "support"
local data, font, color = torch._part "plot.data", torch._part "plot.font", torch._part "plot.color"
local Axes, style = torch._part "plot.axes", torch._part "plot.style"

local Figure = support.class("Figure", nil, "torch.plot")

local words_of = {"num"}

--- Creates a figure: figure{figsize = {6.4, 4.8}, dpi = 100}
function Figure:init(...)
  local a = data.read("Figure", words_of, "figsize dpi facecolor layout tight_layout constrained_layout", ...)
  local size = a.figsize and data.list(a.figsize, "figsize") or {6.4, 4.8}
  for i = 1, 2 do
    if type(size[i]) ~= "number" or not (size[i] > 0 and size[i] < 200) then
      support.fail("ValueError", "figure size must be positive finite not (%s, %s)", tostring(size[1]), tostring(size[2]))
    end
  end
  self.width, self.height, self.dpi = size[1] * 72, size[2] * 72, a.dpi or 100
  self.face = color.parse(a.facecolor or "white")
  self.axes, self.number = {}, nil
  self.tight = a.layout == "tight" or a.layout == "constrained" or a.tight_layout or a.constrained_layout
  self.margins = {left = 0.125, right = 0.9, bottom = 0.11, top = 0.88, wspace = 0.2, hspace = 0.2}
end
Figure.__tostring = function(self) return ("<Figure size %gx%g with %d Axes>"):format(self.width / 72 * self.dpi, self.height / 72 * self.dpi, #self.axes) end

function Figure:add_axes(rect)
  local axes = Axes(self, rect)
  self.axes[#self.axes + 1] = axes
  self.current = axes
  return axes
end

-- Returns the place of a cell in a grid, as fractions of the figure.
local function cell_of(figure, rows, columns, row, column)
  local m = figure.margins
  local width = (m.right - m.left) / (columns + m.wspace * (columns - 1))
  local height = (m.top - m.bottom) / (rows + m.hspace * (rows - 1))
  return {m.left + (column - 1) * width * (1 + m.wspace), m.top - row * height - (row - 1) * height * m.hspace, width, height}
end

-- Moves all axes of a grid to their places.
local function arrange(figure)
  for _, axes in ipairs(figure.axes) do
    local g = axes.grid_place
    if g then
      local old, new = g.rect, cell_of(figure, g.rows, g.columns, g.row, g.column)
      for _, other in ipairs(figure.axes) do -- the axes and their colour bars
        local r = other.rect
        if other == axes or other.is_colorbar and r[1] >= old[1] - 1e-9 and r[1] + r[3] <= old[1] + old[3] + 1e-9 and r[2] >= old[2] - 1e-9
          and r[2] + r[4] <= old[2] + old[4] + 1e-9 then
          other.moved = {new[1] + (r[1] - old[1]) / old[3] * new[3], new[2] + (r[2] - old[2]) / old[4] * new[4], r[3] / old[3] * new[3], r[4] / old[4] * new[4]}
        end
      end
      g.new = new
    end
  end
  for _, axes in ipairs(figure.axes) do
    axes.rect, axes.moved = axes.moved or axes.rect, nil
    if axes.grid_place and axes.grid_place.new then axes.grid_place.rect, axes.grid_place.new = axes.grid_place.new, nil end
  end
end

function Figure:subplots_adjust(margins)
  for name, value in pairs(margins) do
    if not self.margins[name] then support.fail("TypeError", "Figure.subplots_adjust() got an unexpected keyword argument '%s'", tostring(name)) end
    self.margins[name] = value
  end
  arrange(self)
end

local function whole(value, name)
  if math.type(value) ~= "integer" or value < 1 or value > 100 then
    support.fail("ValueError", "Number of %s must be a positive integer, not %s", name, tostring(value))
  end
  return value
end

--- Adds the axes of one cell of a grid: add_subplot(2, 3, 1), or add_subplot(231).
function Figure:add_subplot(rows, columns, index)
  if rows and not columns and rows >= 111 and rows <= 999 then rows, columns, index = rows // 100, rows // 10 % 10, rows % 10 end
  rows, columns, index = whole(rows or 1, "rows"), whole(columns or 1, "columns"), index or 1
  if math.type(index) ~= "integer" or index < 1 or index > rows * columns then
    support.fail("ValueError", "num must be an integer with 1 <= num <= %d, not %s", rows * columns, tostring(index))
  end
  for _, axes in ipairs(self.axes) do
    local g = axes.grid_place
    if g and g.rows == rows and g.columns == columns and g.index == index then
      self.current = axes
      return axes
    end
  end
  local row, column = (index - 1) // columns + 1, (index - 1) % columns + 1
  local axes = self:add_axes(cell_of(self, rows, columns, row, column))
  axes.grid_place = {rows = rows, columns = columns, row = row, column = column, index = index, rect = axes.rect}
  return axes
end

local grid_positions = {"nrows", "ncols"}
local GRID = {__index = {}}

--- Returns all axes of a table of rows, one after the other.
function GRID.__index.flatten(grid)
  local list = {}
  for _, row in ipairs(grid) do
    if row.add_axes or row.artists then list[#list + 1] = row else table.move(row, 1, #row, #list + 1, list) end
  end
  return setmetatable(list, GRID)
end
GRID.__index.ravel = GRID.__index.flatten

local function share(list, axis, mode, rows, columns)
  for i, axes in ipairs(list) do
    local row, column = (i - 1) // columns + 1, (i - 1) % columns + 1
    axes[axis].shared = list
    if mode == "row" or mode == "col" then
      axes[axis].shared = {}
      for k, other in ipairs(list) do
        local same = mode == "row" and (k - 1) // columns + 1 == row or mode == "col" and (k - 1) % columns + 1 == column
        if same then table.insert(axes[axis].shared, other) end
      end
    end
    if axis == "x" and row < rows and mode ~= "row" or axis == "y" and column > 1 and mode ~= "col" then axes[axis].no_labels = true end
  end
end

--- Adds a grid of axes and returns it: one, a list if there is one row or column, or a table of rows (counted from 1).
function Figure:subplots(...)
  local a = data.read("Figure.subplots", grid_positions, "sharex sharey squeeze gridspec_kw", ...)
  local rows, columns = whole(a.nrows or 1, "rows"), whole(a.ncols or 1, "columns")
  if a.gridspec_kw then self:subplots_adjust(a.gridspec_kw) end
  local list, grid = {}, {}
  for i = 1, rows * columns do
    list[i] = self:add_subplot(rows, columns, i)
    local row = (i - 1) // columns + 1
    grid[row] = grid[row] or setmetatable({}, GRID)
    table.insert(grid[row], list[i])
  end
  if a.sharex then share(list, "x", a.sharex, rows, columns) end
  if a.sharey then share(list, "y", a.sharey, rows, columns) end
  self.current = list[#list]
  if a.squeeze == false then return setmetatable(grid, GRID) end
  if #list == 1 then return list[1] end
  if rows == 1 or columns == 1 then return setmetatable(list, GRID) end
  return setmetatable(grid, GRID)
end

function Figure:gca() return self.current or self:add_subplot(1, 1, 1) end
function Figure:sca(axes) self.current = axes end
function Figure:clf() self.axes, self.current, self.title = {}, nil, nil end
Figure.clear = Figure.clf
function Figure:get_size_inches() return self.width / 72, self.height / 72 end
function Figure:set_size_inches(width, height) self.width, self.height = width * 72, height * 72 end

local title_positions = {"t"}
function Figure:suptitle(...)
  local a = data.read("Figure.suptitle", title_positions, "size fontweight weight color x y", ...)
  a.text, a.size = tostring(a.t), style.size(a.size, 12)
  self.title = a
end
function Figure:colorbar(...) return Axes.colorbar_in(self, ...) end

--- Widens the margins so that all labels have room.
function Figure:tight_layout()
  local pad = 10.8
  local need = {left = 0, right = 0, top = 0, bottom = 0, x = 0, above = 0, below = 0}
  local rows, columns = 1, 1
  for _, axes in ipairs(self.axes) do
    local g = axes.grid_place
    if g then
      rows, columns = math.max(rows, g.rows), math.max(columns, g.columns)
      local r = axes:reach()
      for _, other in ipairs(self.axes) do
        if other.twin_of == axes then r[3] = math.max(r[3], other:reach()[3]) end
      end
      for _, other in ipairs(self.axes) do
        if other.is_colorbar and other.rect[1] > g.rect[1] and other.rect[1] < g.rect[1] + g.rect[3] and math.abs(other.rect[2] - g.rect[2]) < g.rect[4] then
          local box = other:box()
          r[3] = math.max(r[3], box[3] + other:reach()[3] - (g.rect[1] + g.rect[3]) * self.width)
        end
      end
      if g.column == 1 then need.left = math.max(need.left, r[1]) else need.x = math.max(need.x, r[1]) end
      if g.column == g.columns then need.right = math.max(need.right, r[3]) end
      if g.row == 1 then need.top = math.max(need.top, r[2]) else need.above = math.max(need.above, r[2]) end
      if g.row == g.rows then need.bottom = math.max(need.bottom, r[4]) else need.below = math.max(need.below, r[4]) end
    end
  end
  local m = self.margins
  m.left, m.right = (pad + need.left) / self.width, 1 - (pad + need.right) / self.width
  m.bottom, m.top = (pad + need.bottom) / self.height, 1 - (pad + need.top + (self.title and self.title.size * 1.3 + 4 or 0)) / self.height
  if columns > 1 then
    local space, total = (need.x + need.right + pad) / self.width, m.right - m.left
    m.wspace = space / math.max(0.01, (total - space * (columns - 1)) / columns)
  end
  if rows > 1 then
    local space, total = (need.above + need.below + pad) / self.height, m.top - m.bottom
    m.hspace = space / math.max(0.01, (total - space * (rows - 1)) / rows)
  end
  arrange(self)
end

--- Draws the figure on a canvas.
function Figure:draw(canvas)
  if self.tight then self:tight_layout() end
  for _, axes in ipairs(self.axes) do axes:draw(canvas) end
  local title = self.title
  if title then
    Axes.write(nil, canvas, {text = title.text, x = (title.x or 0.5) * self.width, y = (1 - (title.y or 0.98)) * self.height, size = title.size, ha = "center",
      va = "top", color = title.color, bold = style.is_bold(title)})
  end
end

-- --- files ----------------------------------------------------------------------------------------------

--- Returns a raster of the figure with `dpi` pixels an inch; box: a part of it, in points; ground: its colour.
function Figure:raster(dpi, box, ground)
  dpi = dpi or self.dpi
  local width, height = box and box[3] - box[1] or self.width, box and box[4] - box[2] or self.height
  local pixels = type(dpi) == "number" and width * height * (dpi / 72) ^ 2 or 0
  if pixels ~= pixels or pixels < 1 or pixels > 1e8 or dpi <= 0 then
    support.fail("ValueError", "an image with %s dots an inch is too large or too small", tostring(dpi))
  end
  local canvas = torch._part "plot.raster".new(self.width, self.height, dpi / 72, ground or self.face, box)
  self:draw(canvas)
  return canvas
end

--- Returns the bytes of a PNG file; box: a part of the figure.
function Figure:png(dpi, transparent, box)
  local png = torch._part "plot.png"
  if transparent then
    local canvas, other = self:raster(dpi, box, 0x000000), self:raster(dpi, box, 0xffffff)
    return png(canvas:bytes_with_alpha(other), canvas.width, canvas.height, dpi or self.dpi)
  end
  local canvas = self:raster(dpi, box)
  return png(canvas:bytes(), canvas.width, canvas.height, dpi or self.dpi)
end

-- Returns the text or bytes of the figure drawn on a canvas of shapes.
local function drawn(self, kind, transparent, box)
  local canvas = torch._part("plot." .. kind).new(self.width, self.height, box)
  box = box or {0, 0, self.width, self.height}
  if not transparent then canvas:draw{paths = {torch._part "plot.outline".rectangle(table.unpack(box))}, fill = self.face} end
  self:draw(canvas)
  return canvas:finish()
end

--- Returns the text of an SVG file.
function Figure:svg(_, transparent, box) return drawn(self, "svg", transparent, box) end

--- Returns the bytes of a PDF file.
function Figure:pdf(_, transparent, box) return drawn(self, "pdf", transparent, box) end

-- Returns the box around everything drawn, with a margin.
local function tight_box(self, pad)
  if pad ~= nil and (type(pad) ~= "number" or pad ~= pad) then support.fail("TypeError", "pad_inches must be a number") end
  local extent = torch._part "plot.extent".new()
  self:draw(extent)
  return extent:box((pad or 0.1) * 72)
end

local save_positions = {"fname"}

--- savefig("loss.png", {dpi = 200}) writes a file. The name's end selects the format: .png (added if there is none), .svg or
-- .pdf. If a format is given, the name stays as it is.
function Figure:savefig(...)
  local a = data.read("Figure.savefig", save_positions, "dpi format bbox_inches facecolor transparent pad_inches", ...)
  if type(a.fname) ~= "string" then support.fail("TypeError", "savefig() needs a file name, not %s", torch._python_type(a.fname)) end
  local kind = a.format or (a.fname:match "%.(%w+)$" or "png"):lower()
  local path = (a.format or a.fname:match "%.%w+$") and a.fname or a.fname .. ".png"
  if kind ~= "png" and kind ~= "svg" and kind ~= "pdf" then
    support.fail("ValueError", "Format '%s' is not supported (supported formats: pdf, png, svg)", kind)
  end
  local face = self.face
  if a.facecolor then self.face = color.parse(a.facecolor) end
  for _, axes in ipairs(self.axes) do axes.clear = a.transparent end
  local box = a.bbox_inches == "tight" and tight_box(self, a.pad_inches) or nil
  local ok, bytes = pcall(self[kind], self, a.dpi, a.transparent, box)
  for _, axes in ipairs(self.axes) do axes.clear = nil end
  self.face = face
  if not ok then error(bytes, 0) end
  support.write_whole(path, bytes)
  self.saved = path
end
Figure.measure = font.measure

local MAX_SVG = 300000 -- bytes of SVG, beyond which a page shows a figure as PNG. Lines and text take some 20,000.

--- Returns the forms in which a notebook shows the figure (see display.lua).
function Figure:_repr_mimebundle_()
  local formats, bundle = torch._part "plot.display".formats, {}
  if not formats then
    local svg = self:svg()
    if #svg <= MAX_SVG then return {["image/svg+xml"] = svg} end
    formats = {"png"}
  end
  for _, kind in ipairs(formats) do
    if kind == "png" then bundle["image/png"] = self:png() else bundle["image/svg+xml"] = self:svg() end
  end
  return bundle
end

return Figure
