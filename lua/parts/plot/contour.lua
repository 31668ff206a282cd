-- contour.lua: finds where a grid of heights crosses a level: the areas at or above it, and the lines along it, in the grid's
-- coordinates. A line crosses a cell straight, between the points on the cell's sides that have the level. A cell with a NaN
-- corner has no line.
local contour = {}

-- The contours found on a grid. `following` leads from each point to the next one, with the area at the left side. A point is
-- numbered by its place: on the side between two neighbours, in a row (2 * corner) or in a column (2 * corner + 1), or at a
-- corner (-1 - corner). Corners are counted row by row.
local Trace = {}
Trace.__index = Trace

local function new_trace(x, y, z, level) return setmetatable({x = x, y = y, z = z, level = level, width = #x, following = {}, more = {}, ends = {}}, Trace) end

-- Adds a step from one point to the next. A corner at which cells meet diagonally has two steps.
function Trace:add(from, to)
  if self.following[from] then self.more[from] = to else self.following[from] = to end
  self.ends[to] = true
end

function Trace:place(id)
  local x, y, z, width = self.x, self.y, self.z, self.width
  local corner = id < 0 and -1 - id or id // 2
  local row, column = corner // width + 1, corner % width + 1
  if id < 0 then return x[column], y[row] end
  local here = z[row][column]
  if id % 2 == 0 then
    return x[column] + (x[column + 1] - x[column]) * (self.level - here) / (z[row][column + 1] - here), y[row]
  end
  return x[column], y[row] + (y[row + 1] - y[row]) * (self.level - here) / (z[row + 1][column] - here)
end

-- The sides by which a line leaves the inside and returns to it, by the corners that are inside (bits 1, 2, 4, 8, in turn; side
-- i leads from corner i to the next one). If two opposite corners are inside there are two lines: round each of them, or (16)
-- round the two others.
local CROSSINGS = {[0] = {}, {1, 4}, {2, 1}, {2, 4}, {3, 2}, {1, 4, 3, 2}, {3, 1}, {3, 4}, {4, 3}, {1, 3}, {2, 1, 4, 3}, {2, 3}, {4, 2}, {1, 2}, {4, 1}, {},
  [16 + 5] = {1, 2, 3, 4}, [16 + 10] = {2, 3, 4, 1}}

-- Returns the number of the crossing on side `i` of the cell with this first corner.
function Trace:crossing(corner, i)
  return 2 * corner + (i == 1 and 0 or i == 2 and 3 or i == 3 and 2 * self.width or 1)
end

-- Adds the part of side `i` of a cell, from one corner to the next, that is inside.
function Trace:border(mask, corner, i)
  local function point(k) -- the number of a corner
    return -1 - corner - ((k == 2 or k == 3) and 1 or 0) - (k > 2 and self.width or 0)
  end
  local next_one = i % 4 + 1
  local a, b = mask >> (i - 1) & 1 == 1, mask >> (next_one - 1) & 1 == 1
  if a or b then self:add(a and point(i) or self:crossing(corner, i), b and point(next_one) or self:crossing(corner, i)) end
end

-- Returns true if all corners of a cell are finite.
local function is_cell(z, row, column)
  local lower, upper = z[row], z[row + 1]
  local a, b, c, d = lower and lower[column], lower and lower[column + 1], upper and upper[column + 1], upper and upper[column]
  return a ~= nil and b ~= nil and c ~= nil and d ~= nil and a - a == 0 and b - b == 0 and c - c == 0 and d - d == 0
end

-- Adds the lines of one cell that is partly inside; bordered: also its sides that have no neighbouring cell.
function Trace:cell(row, column, mask, bordered)
  local z, corner = self.z, (row - 1) * self.width + column - 1
  if not is_cell(z, row, column) then return end
  if mask == 5 or mask == 10 then
    local middle = (z[row][column] + z[row][column + 1] + z[row + 1][column + 1] + z[row + 1][column]) / 4
    mask = middle >= self.level and mask + 16 or mask
  end
  local sides = CROSSINGS[mask]
  for i = 1, #sides, 2 do self:add(self:crossing(corner, sides[i]), self:crossing(corner, sides[i + 1])) end
  if not bordered then return end
  if not is_cell(z, row - 1, column) then self:border(mask, corner, 1) end
  if not is_cell(z, row, column + 1) then self:border(mask, corner, 2) end
  if not is_cell(z, row + 1, column) then self:border(mask, corner, 3) end
  if not is_cell(z, row, column - 1) then self:border(mask, corner, 4) end
end

-- Returns true if some cells have no lines, so that a border may be anywhere.
local function holes_of(z)
  for _, row in ipairs(z) do
    for _, value in ipairs(row) do
      if value - value ~= 0 then return true end
    end
  end
  return false
end

function Trace:scan(bordered)
  local z, level, width, height = self.z, self.level, self.width, #self.y
  local holes = bordered and holes_of(z)
  for row = 1, height - 1 do
    local lower, upper = z[row], z[row + 1]
    local at_edge = bordered and (holes or row == 1 or row == height - 1)
    local left = (lower[1] >= level and 1 or 0) + (upper[1] >= level and 8 or 0)
    for column = 1, width - 1 do
      local right = (lower[column + 1] >= level and 2 or 0) + (upper[column + 1] >= level and 4 or 0)
      local mask = left + right
      local border = at_edge or bordered and (column == 1 or column == width - 1)
      if mask > 0 and (mask < 15 or border) then self:cell(row, column, mask, border) end
      left = (right & 2) // 2 + (right & 4) * 2
    end
  end
  return self
end

-- Returns the line that begins at a point, and removes its steps.
function Trace:follow(from)
  local path, id = {}, from
  path[1], path[2] = self:place(id)
  repeat
    local to = self.following[id]
    self.following[id], self.more[id] = self.more[id], nil
    id = to
    if id and id ~= from then path[#path + 1], path[#path + 2] = self:place(id) end
  until not id or id == from
  path.closed = id == from
  return path
end

function Trace:paths()
  local paths, starts = {}, {}
  for id in next, self.following do starts[#starts + 1] = id end
  table.sort(starts)
  for _, id in ipairs(starts) do -- open lines first
    if not self.ends[id] then paths[#paths + 1] = self:follow(id) end
  end
  for _, id in ipairs(starts) do
    while self.following[id] do paths[#paths + 1] = self:follow(id) end
  end
  return paths
end

local function reversed(path)
  local result, n = {closed = path.closed}, #path
  for i = 1, n, 2 do result[i], result[i + 1] = path[n - i], path[n - i + 1] end
  return result
end

--- Returns the areas where low <= z (< high, if given): closed paths over x, y. The paths of holes have the opposite direction.
function contour.areas(x, y, z, low, high)
  local paths = new_trace(x, y, z, low):scan(true):paths()
  for _, path in ipairs(high and new_trace(x, y, z, high):scan(true):paths() or {}) do paths[#paths + 1] = reversed(path) end
  return paths
end

--- Returns the lines along which z equals a level.
function contour.lines(x, y, z, level)
  local lines = new_trace(x, y, z, level):scan(false):paths()
  for _, line in ipairs(lines) do -- a closed line returns to its first point
    if line.closed then line[#line + 1], line[#line + 2] = line[1], line[2] end
    line.closed = nil
  end
  return lines
end

return contour
