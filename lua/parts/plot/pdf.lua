-- pdf.lua: a canvas that writes a page of PDF: shapes as areas and strokes, images as images. Texts are strokes, as in SVG.
local torch = ...

local Pdf = {}
Pdf.__index = Pdf

local CAPS, JOINS = {butt = 0, round = 1, square = 2}, {miter = 0, round = 1, bevel = 2}

-- Returns a number with at most three decimals, and a point in every locale.
local function number(value)
  local text = ("%.3f"):format(value):gsub(",", "."):gsub("0+$", ""):gsub("%.$", "")
  return text == "-0" and "0" or text
end

local function numbers(...)
  local parts = {...}
  for i, value in ipairs(parts) do parts[i] = number(value) end
  return table.concat(parts, " ")
end

local function channels(rgb) return numbers((rgb >> 16) / 255, (rgb >> 8 & 255) / 255, (rgb & 255) / 255) end

function Pdf:add(text) self.parts[#self.parts + 1] = text end

-- Sets the opacities of areas and strokes. Each combination is defined at its first use.
function Pdf:opacity(fill, stroke)
  local key = ("/ca %s /CA %s"):format(number(fill), number(stroke))
  if key == "/ca 1 /CA 1" and not self.states[1] then return end
  if not self.states[key] then
    self.states[#self.states + 1] = key
    self.states[key] = "/G" .. #self.states
  end
  self:add(self.states[key] .. " gs")
end

function Pdf:begin_clipped(clip)
  self:add "q"
  if clip then self:add(numbers(clip[1], clip[2], clip[3] - clip[1], clip[4] - clip[2]) .. " re W n") end
end

function Pdf:draw(shape)
  if not shape.fill and not shape.stroke then return end
  self:begin_clipped(shape.clip)
  self:opacity(shape.fill_alpha or 1, shape.stroke_alpha or 1)
  if shape.fill then self:add(channels(shape.fill) .. " rg") end
  if shape.stroke then
    self:add(("%s RG %s w %d J %d j"):format(channels(shape.stroke), number(shape.width or 1), CAPS[shape.cap or "round"], JOINS[shape.join or "round"]))
    if shape.dash then self:add(("[%s] 0 d"):format(numbers(table.unpack(shape.dash)))) end
  end
  for _, path in ipairs(shape.paths) do
    for i = 1, #path, 2 do self:add(numbers(path[i], path[i + 1]) .. (i == 1 and " m" or " l")) end
    if path.closed then self:add "h" end
  end
  self:add(shape.fill and shape.stroke and "B" or shape.fill and "f" or "S")
  self:add "Q"
end

function Pdf:text(text) self:draw(text.shape) end

-- Adds a stream object; `words` describe it.
function Pdf:stream(words, bytes)
  return self:object(("<< %s /Length %d >>\nstream\n%s\nendstream"):format(words, #bytes, bytes))
end

-- Adds a stream object with the bytes compressed.
function Pdf:pixels(words, bytes)
  local packed = torch._io.compress(torch.frombuffer(bytes, {dtype = torch.uint8}), 6)
  return self:stream(words .. " /Filter /FlateDecode", packed:tostring_bytes())
end

-- Adds an object and returns its number.
function Pdf:object(text)
  self.objects[#self.objects + 1] = text
  return #self.objects
end

function Pdf:image(image)
  local colors, mask, holes = {}, {}, false
  for y, row in ipairs(image.rows) do
    for x = 1, image.columns do
      local k = (y - 1) * image.columns + x
      colors[k], mask[k] = (">I3"):pack(row[x] or 0xffffff), row[x] and "\255" or "\0"
      holes = holes or not row[x]
    end
  end
  local size = ("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 8"):format(image.columns, #image.rows)
  local soft = holes and (" /SMask %d 0 R"):format(self:pixels(size .. " /ColorSpace /DeviceGray", table.concat(mask))) or ""
  self.images[#self.images + 1] = self:pixels(size .. " /ColorSpace /DeviceRGB" .. soft, table.concat(colors))
  self:begin_clipped(image.clip)
  self:opacity(image.alpha or 1, 1)
  self:add(("%s cm /I%d Do Q"):format(numbers(image.x1 - image.x0, 0, 0, image.y0 - image.y1, image.x0, image.y1), #self.images))
end

-- Returns the file's text: the objects in their order, and the table of their offsets.
local function assembled(objects, root)
  local parts, offsets, at = {"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"}, {}, 15
  for i, text in ipairs(objects) do
    offsets[i] = at
    parts[#parts + 1] = ("%d 0 obj\n%s\nendobj\n"):format(i, text)
    at = at + #parts[#parts]
  end
  parts[#parts + 1] = ("xref\n0 %d\n0000000000 65535 f \n"):format(#objects + 1)
  for _, offset in ipairs(offsets) do parts[#parts + 1] = ("%010d 00000 n \n"):format(offset) end
  parts[#parts + 1] = ("trailer\n<< /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"):format(#objects + 1, root, at)
  return table.concat(parts)
end

--- Returns the bytes of the file.
function Pdf:finish()
  local content = self:stream("", table.concat(self.parts, "\n"))
  local states, images = {}, {}
  for i, key in ipairs(self.states) do states[i] = ("/G%d << %s >>"):format(i, key) end
  for i, id in ipairs(self.images) do images[i] = ("/I%d %d 0 R"):format(i, id) end
  local box = self.box
  local page = self:object(("<< /Type /Page /Parent %d 0 R /MediaBox [%s] /Contents %d 0 R /Resources << /ExtGState << %s >> /XObject << %s >> >> >>")
    :format(#self.objects + 2, numbers(box[1], self.height - box[4], box[3], self.height - box[2]), content, table.concat(states, " "),
      table.concat(images, " ")))
  local pages = self:object(("<< /Type /Pages /Kids [%d 0 R] /Count 1 >>"):format(page))
  return assembled(self.objects, self:object(("<< /Type /Catalog /Pages %d 0 R >>"):format(pages)))
end

--- Returns a canvas of this size in points; y grows downwards.
local function new(width, height, box)
  local self = setmetatable({parts = {}, objects = {}, images = {}, states = {}, box = box or {0, 0, width, height}, height = height}, Pdf)
  self:add(numbers(1, 0, 0, -1, 0, height) .. " cm")
  return self
end

return {new = new}
