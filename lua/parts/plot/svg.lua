-- svg.lua: a canvas that writes SVG: the same shapes as areas and strokes. Texts are strokes, too, labelled with the text
-- itself.
local torch = ...
local font = torch._part "plot.font"

local Svg = {}
Svg.__index = Svg

-- Returns a number with at most two decimals, and a point in every locale.
local function number(value)
  local text = ("%.2f"):format(value):gsub(",", "."):gsub("0+$", ""):gsub("%.$", "")
  return text == "-0" and "0" or text
end

local function path_data(paths)
  local parts = {}
  for _, path in ipairs(paths) do
    for i = 1, #path, 2 do
      parts[#parts + 1] = (i == 1 and "M" or "L") .. number(path[i]) .. " " .. number(path[i + 1])
    end
    if path.closed then parts[#parts + 1] = "Z" end
  end
  return table.concat(parts)
end

local function hex(rgb) return ("#%06x"):format(rgb) end

local function escaped(text)
  return (text:gsub("[&<>\"\n]", {["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["\n"] = " "}))
end

function Svg:add(...)
  for _, text in ipairs{...} do self.parts[#self.parts + 1] = text end
end

-- Returns the attribute of a clipping rectangle, which is defined at its first use.
function Svg:clip_of(clip)
  if not clip then return "" end
  local key = ("%s %s %s %s"):format(number(clip[1]), number(clip[2]), number(clip[3] - clip[1]), number(clip[4] - clip[2]))
  if not self.clips[key] then
    self.clip_count = self.clip_count + 1
    self.clips[key] = "clip" .. self.clip_count
    local x, y, w, h = key:match "(%S+) (%S+) (%S+) (%S+)"
    self:add(('<clipPath id="%s"><rect x="%s" y="%s" width="%s" height="%s"/></clipPath>\n'):format(self.clips[key], x, y, w, h))
  end
  return (' clip-path="url(#%s)"'):format(self.clips[key])
end

local function paint_of(shape)
  local parts = {(' fill="%s"'):format(shape.fill and hex(shape.fill) or "none")}
  if shape.fill and (shape.fill_alpha or 1) < 1 then parts[#parts + 1] = (' fill-opacity="%s"'):format(number(shape.fill_alpha)) end
  if shape.stroke and (shape.width or 1) > 0 then
    parts[#parts + 1] = (' stroke="%s" stroke-width="%s"'):format(hex(shape.stroke), number(shape.width or 1))
    if (shape.stroke_alpha or 1) < 1 then parts[#parts + 1] = (' stroke-opacity="%s"'):format(number(shape.stroke_alpha)) end
    local cap = shape.cap or "round"
    if cap ~= "butt" then parts[#parts + 1] = (' stroke-linecap="%s"'):format(cap) end
    local join = shape.join or "round"
    if join ~= "miter" then parts[#parts + 1] = (' stroke-linejoin="%s"'):format(join) end
    if shape.dash then
      local lengths = {}
      for i, length in ipairs(shape.dash) do lengths[i] = number(length) end
      parts[#parts + 1] = (' stroke-dasharray="%s"'):format(table.concat(lengths, ","))
    end
  end
  return table.concat(parts)
end

function Svg:draw(shape)
  if not shape.fill and not shape.stroke then return end
  local data = path_data(shape.paths)
  if data == "" then return end
  local clip = self:clip_of(shape.clip)
  self:add(('<path d="%s"%s%s/>\n'):format(data, paint_of(shape), clip))
end

function Svg:text(text)
  self:add(('<g role="img" aria-label="%s">'):format(escaped(font.plain(text.text))))
  self:draw(text.shape)
  self:add "</g>\n"
end

--- Draws an image as an embedded PNG file (a small one with several pixels for one, for viewers that smooth images), or as blocks
-- of colour if it has holes.
function Svg:image(image)
  if image.columns == 1 and #image.rows == 1 then return self:blocks(image) end
  local lines = {}
  local times = math.max(1, math.min(24, 600 // math.max(image.columns, #image.rows)))
  for y, row in ipairs(image.rows) do
    local parts = {}
    for x = 1, image.columns do
      if not row[x] then return self:blocks(image) end
      parts[x] = (">I3"):pack(row[x]):rep(times)
    end
    lines[y] = table.concat(parts):rep(times)
  end
  local file = torch._part "plot.png"(table.concat(lines), image.columns * times, #image.rows * times)
  local clip = self:clip_of(image.clip)
  self:add(('<image x="%s" y="%s" width="%s" height="%s" preserveAspectRatio="none" style="image-rendering:pixelated"%s%s href="data:image/png;base64,%s"/>\n')
    :format(number(image.x0), number(image.y0), number(image.x1 - image.x0), number(image.y1 - image.y0), clip,
      image.alpha and image.alpha < 1 and (' opacity="%s"'):format(number(image.alpha)) or "", torch._part "tools.base64"(file)))
end

function Svg:blocks(image)
  local width, height = (image.x1 - image.x0) / image.columns, (image.y1 - image.y0) / #image.rows
  for y, row in ipairs(image.rows) do
    for x = 1, image.columns do
      if row[x] then
        local x0, y0 = image.x0 + (x - 1) * width, image.y0 + (y - 1) * height
        self:draw{paths = {{x0, y0, x0 + width, y0, x0 + width, y0 + height, x0, y0 + height, closed = true}}, fill = row[x],
          fill_alpha = image.alpha, clip = image.clip}
      end
    end
  end
end

--- Returns the text of the file.
function Svg:finish()
  self:add "</svg>\n"
  return table.concat(self.parts)
end

--- Returns a canvas of this size in points; box: the part that is shown.
local function new(width, height, box)
  local self = setmetatable({parts = {}, clips = {}, clip_count = 0}, Svg)
  box = box or {0, 0, width, height}
  self:add('<?xml version="1.0" encoding="UTF-8"?>\n',
    ('<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="%s %s %s %s">\n'):format(number(box[3] - box[1]),
      number(box[4] - box[2]), number(box[1]), number(box[2]), number(box[3] - box[1]), number(box[4] - box[2])))
  return self
end

return {new = new}
