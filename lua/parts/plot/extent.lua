-- extent.lua: a canvas that draws nothing and records the box around all shapes, for savefig's bbox_inches = "tight".
local Extent = {}
Extent.__index = Extent

local function new() return setmetatable({math.huge, math.huge, -math.huge, -math.huge}, Extent) end

local function add(self, x0, y0, x1, y1, clip)
  if clip then x0, y0, x1, y1 = math.max(x0, clip[1]), math.max(y0, clip[2]), math.min(x1, clip[3]), math.min(y1, clip[4]) end
  if not (x0 <= x1 and y0 <= y1) then return end
  self[1], self[2], self[3], self[4] = math.min(self[1], x0), math.min(self[2], y0), math.max(self[3], x1), math.max(self[4], y1)
end

function Extent:draw(shape)
  if not shape.fill and not shape.stroke then return end
  local around = shape.stroke and (shape.width or 1) / 2 or 0
  for _, path in ipairs(shape.paths) do
    for i = 1, #path, 2 do add(self, path[i] - around, path[i + 1] - around, path[i] + around, path[i + 1] + around, shape.clip) end
  end
end

function Extent:text(text) self:draw(text.shape) end
function Extent:image(image) add(self, image.x0, image.y0, image.x1, image.y1, image.clip) end

--- Returns the box around all shapes with `pad` more on each side, or nil if nothing was drawn.
function Extent:box(pad)
  if self[1] > self[3] then return nil end
  return {self[1] - pad, self[2] - pad, self[3] + pad, self[4] + pad}
end

return {new = new}
