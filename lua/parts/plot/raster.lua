-- raster.lua: an image of pixels, and areas filled on it with smooth edges. A polygon's edge stores in each cell that it crosses
-- how much of the cell is right of it; sums along the rows are the coverage.
local torch = ...
local outline = torch._part "plot.outline"

local Raster = {}
Raster.__index = Raster

local floor, abs, min, max = math.floor, math.abs, math.min, math.max

--- Returns a canvas of a figure: width and height in points (1/72 inch), `scale` pixels a point; box: the part that is shown,
-- else all.
local function new(width, height, scale, background, box)
  local function pixel(points) return floor(points * scale + 0.5) end
  box = box or {0, 0, width, height}
  local self = setmetatable({scale = scale, left = pixel(box[1]), top = pixel(box[2]), width = pixel(box[3] - box[1]), height = pixel(box[4] - box[2])},
    Raster)
  local pixels = {}
  for i = 1, self.width * self.height do pixels[i] = background or 0xffffff end
  self.pixels = pixels
  return self
end

-- --- coverage -------------------------------------------------------------------------------------------

-- Stores the coverage of an edge within one row of pixels, from x0 to x1. d: the edge's height in the row, with its sign.
local function cell_row(row, x0, x1, d)
  if x0 > x1 then x0, x1 = x1, x0 end
  local first, last = floor(x0), floor(x1)
  if first < row.first then row.first = first end
  if last + 1 > row.last then row.last = last + 1 end
  if first == last then
    local part = (x0 + x1) / 2 - first
    row[first] = (row[first] or 0) + d * (1 - part)
    row[first + 1] = (row[first + 1] or 0) + d * part
    return
  end
  local slope = d / (x1 - x0) -- height gained a column
  local before = 0 -- the area right of the edge in the cells so far
  local gained = 0
  for column = first, last do
    local a, b = max(x0, column), min(x1, column + 1)
    local share = slope * (b - a)
    local area = gained + share * (1 - ((a + b) / 2 - column))
    row[column] = (row[column] or 0) + area - before
    before = area
    gained = gained + share
  end
  row[last + 1] = (row[last + 1] or 0) + d - before
end

local function new_row() return {first = math.huge, last = -math.huge} end

-- Stores an edge with both ends inside the box's width.
local function edge_within(rows, box, x0, y0, x1, y1)
  local sign = 1
  if y0 > y1 then x0, y0, x1, y1, sign = x1, y1, x0, y0, -1 end
  if y0 >= box.y1 or y1 <= box.y0 or y0 == y1 then return end
  local slope = (x1 - x0) / (y1 - y0)
  if y0 < box.y0 then x0, y0 = x0 + slope * (box.y0 - y0), box.y0 end
  y1 = min(y1, box.y1)
  for y = floor(y0), math.ceil(y1) - 1 do
    local from, to = max(y0, y), min(y1, y + 1)
    local a, b = x0 + slope * (from - y0), x0 + slope * (to - y0)
    local row = rows[y]
    if not row then
      row = new_row()
      rows[y] = row
    end
    cell_row(row, a, b, sign * (to - from))
  end
end

-- Stores any edge. The part left of the box counts at its left side, the part right of it at its right side.
local function edge(rows, box, x0, y0, x1, y1)
  if x0 >= box.x0 and x1 >= box.x0 and x0 <= box.x1 and x1 <= box.x1 then return edge_within(rows, box, x0, y0, x1, y1) end
  local cuts = {0}
  for _, side in ipairs{box.x0, box.x1} do
    local at = (side - x0) / (x1 - x0)
    if at > 0 and at < 1 then cuts[#cuts + 1] = at end
  end
  table.sort(cuts)
  cuts[#cuts + 1] = 1
  for i = 2, #cuts do
    local a, b = cuts[i - 1], cuts[i]
    local xa, xb = x0 + (x1 - x0) * a, x0 + (x1 - x0) * b
    xa, xb = max(box.x0, min(box.x1, xa)), max(box.x0, min(box.x1, xb))
    edge_within(rows, box, xa, y0 + (y1 - y0) * a, xb, y0 + (y1 - y0) * b)
  end
end

local function fill_span(pixels, base, from, to, rgb)
  for i = base + from, base + to do pixels[i] = rgb end
end

local function mix(old, red, green, blue, part)
  local r, g, b = old >> 16, old >> 8 & 255, old & 255
  return floor(r + (red - r) * part + 0.5) << 16 | floor(g + (green - g) * part + 0.5) << 8 | floor(b + (blue - b) * part + 0.5)
end

-- Paints the rows of coverage.
local function paint(self, rows, box, rgb, alpha)
  local pixels, width = self.pixels, self.width
  local red, green, blue = rgb >> 16, rgb >> 8 & 255, rgb & 255
  for y, row in pairs(rows) do
    local sum, base, column = 0, y * width + 1, row.first
    local last = min(row.last, box.x1 - 1)
    while column <= last do
      local change = row[column]
      if change then sum = sum + change end
      local covered = abs(sum)
      if covered > 0.002 then
        local stop = column -- up to the next change
        while stop < last and not row[stop + 1] do stop = stop + 1 end
        local part = covered > 0.998 and alpha or covered * alpha
        if part >= 0.999 then
          fill_span(pixels, base, column, stop, rgb)
        else
          for i = base + column, base + stop do pixels[i] = mix(pixels[i], red, green, blue, part) end
        end
        column = stop
      end
      column = column + 1
    end
  end
end

-- Returns a rectangle of points in whole pixels.
local function pixels_of(self, x0, y0, x1, y1)
  local scale, left, top = self.scale, self.left, self.top
  return floor(x0 * scale + 0.5) - left, floor(y0 * scale + 0.5) - top, floor(x1 * scale + 0.5) - left, floor(y1 * scale + 0.5) - top
end

-- Returns the pixels inside a clip: left, top, right, bottom.
local function clipped(self, clip)
  if not clip then return 0, 0, self.width, self.height end
  local x0, y0, x1, y1 = pixels_of(self, clip[1], clip[2], clip[3], clip[4])
  return max(0, x0), max(0, y0), min(self.width, x1), min(self.height, y1)
end

-- Fills polygons (paths in pixels) in one step.
local function fill(self, polygons, rgb, alpha, clip)
  local box = {}
  box.x0, box.y0, box.x1, box.y1 = clipped(self, clip)
  if box.x1 <= box.x0 or box.y1 <= box.y0 then return end
  local rows = {}
  for _, path in ipairs(polygons) do
    local n = #path
    local x, y = path[n - 1], path[n]
    for i = 1, n, 2 do
      local x1, y1 = path[i], path[i + 1]
      if y ~= y1 then edge(rows, box, x, y, x1, y1) end
      x, y = x1, y1
    end
  end
  paint(self, rows, box, rgb, alpha)
end

-- --- the methods of a canvas ----------------------------------------------------------------------------

local function scaled(self, path)
  local result, scale, left, top = {closed = path.closed}, self.scale, self.left, self.top
  for i = 1, #path, 2 do result[i], result[i + 1] = path[i] * scale - left, path[i + 1] * scale - top end
  return result
end

-- Returns a path whose straight lines along the axes are moved to whole pixels, so that they are sharp; odd: the line's width is
-- odd.
local function snapped(path, odd)
  local shift = odd and 0.5 or 0
  for i = 1, #path do path[i] = floor(path[i] - shift + 0.5) + shift end
  return path
end

--- Draws a shape: {paths, fill, fill_alpha, stroke, stroke_alpha, width, dash, cap, join, clip, snap}.
function Raster:draw(shape)
  local scale = self.scale
  local width = (shape.width or 1) * scale
  if shape.snap then width = max(1, floor(width + 0.5)) end
  if self.least_width then width = max(width, self.least_width) end
  local odd = shape.stroke and width % 2 == 1
  local paths = {}
  for i, path in ipairs(shape.paths) do
    paths[i] = scaled(self, path)
    if shape.snap then snapped(paths[i], odd) end
  end
  if shape.fill then fill(self, paths, shape.fill, shape.fill_alpha or 1, shape.clip) end
  if not shape.stroke or (shape.width or 1) <= 0 then return end
  local areas = {}
  for _, path in ipairs(paths) do
    local pieces = {path}
    if shape.dash then
      local lengths = {}
      for i, length in ipairs(shape.dash) do lengths[i] = length * scale end
      pieces = outline.dashed(path, lengths)
    end
    for _, piece in ipairs(pieces) do
      for _, area in ipairs(outline.stroke(piece, width, shape.cap or "round", shape.join or "round")) do areas[#areas + 1] = area end
    end
  end
  fill(self, areas, shape.stroke, shape.stroke_alpha or 1, shape.clip)
end

--- Draws an image of colours (rows of 0xRRGGBB, false: nothing) into a rectangle. Each colour is a sharp block.
function Raster:image(image)
  local pixels = self.pixels
  local x0, y0, x1, y1 = pixels_of(self, image.x0, image.y0, image.x1, image.y1)
  local left, top, right, bottom = clipped(self, image.clip)
  left, top, right, bottom = max(left, x0), max(top, y0), min(right, x1), min(bottom, y1)
  local columns = {}
  for x = left, right - 1 do columns[x] = floor((x - x0 + 0.5) / (x1 - x0) * image.columns) + 1 end
  local alpha = image.alpha or 1
  for y = top, bottom - 1 do
    local row = image.rows[floor((y - y0 + 0.5) / (y1 - y0) * #image.rows) + 1]
    local base = y * self.width + 1
    for x = left, right - 1 do
      local rgb = row[columns[x]]
      if rgb then
        pixels[base + x] = alpha == 1 and rgb or mix(pixels[base + x], rgb >> 16, rgb >> 8 & 255, rgb & 255, alpha)
      end
    end
  end
end

--- Draws the strokes of a text.
function Raster:text(text) self:draw(text.shape) end

-- Returns numbers packed in `bytes` bytes each.
local function packed(list, bytes)
  local rows, formats = {}, {}
  local CHUNK = 200
  for first = 1, #list, CHUNK do
    local last = min(first + CHUNK - 1, #list)
    local n = last - first + 1
    formats[n] = formats[n] or ">" .. ("I" .. bytes):rep(n)
    rows[#rows + 1] = string.pack(formats[n], table.unpack(list, first, last))
  end
  return table.concat(rows)
end

--- Returns the bytes of the pixels, three each, row by row.
function Raster:bytes() return packed(self.pixels, 3) end

-- Returns a channel of a colour that is `dark` on black, if `alpha` of 255 covers the ground.
local function channel(dark, alpha) return alpha == 0 and 0 or min(255, (dark * 255 + alpha // 2) // alpha) end

--- Returns the bytes with the coverage of the ground as the fourth channel. Needs two canvases with the same drawing: this one on
-- black, the other on white.
function Raster:bytes_with_alpha(on_white)
  local out, light = {}, on_white.pixels
  for i, dark in ipairs(self.pixels) do
    local alpha = 255 - ((light[i] >> 8 & 255) - (dark >> 8 & 255))
    out[i] = channel(dark >> 16, alpha) << 24 | channel(dark >> 8 & 255, alpha) << 16 | channel(dark & 255, alpha) << 8 | alpha
  end
  return packed(out, 4)
end

return {new = new}
