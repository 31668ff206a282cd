-- contour.lua: where a grid of heights crosses a level: areas at or above it, and lines along it, in the grid's own numbers.
local contour = {}

-- The part of a polygon {x, y, z, x, y, z, ...} where z is at least `level` (sign 1) or at most it (sign -1).
local function clip(polygon, level, sign)
  local result = {}
  local n = #polygon
  local x0, y0, z0 = polygon[n - 2], polygon[n - 1], polygon[n]
  local inside0 = (z0 - level) * sign >= 0
  for i = 1, n, 3 do
    local x1, y1, z1 = polygon[i], polygon[i + 1], polygon[i + 2]
    local inside1 = (z1 - level) * sign >= 0
    if inside0 ~= inside1 then
      local t = (level - z0) / (z1 - z0)
      table.move({x0 + (x1 - x0) * t, y0 + (y1 - y0) * t, level}, 1, 3, #result + 1, result)
    end
    if inside1 then table.move({x1, y1, z1}, 1, 3, #result + 1, result) end
    x0, y0, z0, inside0 = x1, y1, z1, inside1
  end
  return result
end

local function add(paths, polygon)
  if #polygon < 9 then return end
  local path = {closed = true}
  for i = 1, #polygon, 3 do path[#path + 1], path[#path + 2] = polygon[i], polygon[i + 1] end
  paths[#paths + 1] = path
end

-- One cell: its four triangles about the middle.
local function cell(paths, x0, x1, y0, y1, a, b, c, d, low, high)
  local xm, ym, zm = (x0 + x1) / 2, (y0 + y1) / 2, (a + b + c + d) / 4
  for _, triangle in ipairs{{x0, y0, a, x1, y0, b, xm, ym, zm}, {x1, y0, b, x1, y1, c, xm, ym, zm}, {x1, y1, c, x0, y1, d, xm, ym, zm},
    {x0, y1, d, x0, y0, a, xm, ym, zm}} do
    local part = clip(triangle, low, 1)
    if high and #part > 0 then part = clip(part, high, -1) end
    add(paths, part)
  end
end

--- The areas where low <= z (<= high, if given): paths over x, y. Cells that lie within whole are joined along a row.
function contour.areas(x, y, z, low, high)
  local paths = {}
  for row = 1, #y - 1 do
    local lower, upper = z[row], z[row + 1]
    local first
    for column = 1, #x do
      local a, b, c, d = lower[column], lower[column + 1], upper[column + 1], upper[column]
      local whole, least, most = false, nil, nil
      if column < #x then
        least, most = math.min(a, b, c, d), math.max(a, b, c, d)
        whole = least >= low and (not high or most <= high) and least == least
      end
      if whole then
        first = first or column
      else
        if first then paths[#paths + 1] = {x[first], y[row], x[column], y[row], x[column], y[row + 1], x[first], y[row + 1], closed = true} end
        first = nil
        if column < #x and a == a and b == b and c == c and d == d and most >= low and not (high and least > high) then
          cell(paths, x[column], x[column + 1], y[row], y[row + 1], a, b, c, d, low, high)
        end
      end
    end
  end
  return paths
end

-- Segments joined to lines by their ends, which are equal numbers.
local function joined(segments)
  local at, lines, used = {}, {}, {}
  local function key(px, py) return ("%.9g %.9g"):format(px, py) end
  for i, s in ipairs(segments) do
    for _, k in ipairs{key(s[1], s[2]), key(s[3], s[4])} do
      at[k] = at[k] or {}
      table.insert(at[k], i)
    end
  end
  local function next_of(k)
    for _, i in ipairs(at[k] or {}) do
      if not used[i] then return i end
    end
  end
  local function follow(line, k)
    local i = next_of(k)
    while i do
      used[i] = true
      local s = segments[i]
      local forward = key(s[1], s[2]) == k
      line[#line + 1], line[#line + 2] = forward and s[3] or s[1], forward and s[4] or s[2]
      k = key(line[#line - 1], line[#line])
      i = next_of(k)
    end
  end
  for i, s in ipairs(segments) do
    if not used[i] then
      used[i] = true
      local line, back = {s[1], s[2], s[3], s[4]}, {s[1], s[2]}
      follow(line, key(s[3], s[4]))
      follow(back, key(s[1], s[2]))
      local whole = {}
      for k = #back - 1, 3, -2 do whole[#whole + 1], whole[#whole + 2] = back[k], back[k + 1] end
      lines[#lines + 1] = table.move(line, 1, #line, #whole + 1, whole)
    end
  end
  return lines
end

--- The lines along which z equals a level.
function contour.lines(x, y, z, level)
  local segments = {}
  local function edge(found, x0, y0, z0, x1, y1, z1)
    if (z0 >= level) ~= (z1 >= level) then
      local t = (level - z0) / (z1 - z0)
      found[#found + 1], found[#found + 2] = x0 + (x1 - x0) * t, y0 + (y1 - y0) * t
    end
  end
  for row = 1, #y - 1 do
    for column = 1, #x - 1 do
      local a, b, c, d = z[row][column], z[row][column + 1], z[row + 1][column + 1], z[row + 1][column]
      local x0, x1, y0, y1 = x[column], x[column + 1], y[row], y[row + 1]
      if a == a and b == b and c == c and d == d then
        local f = {}
        edge(f, x0, y0, a, x1, y0, b)
        edge(f, x1, y0, b, x1, y1, c)
        edge(f, x0, y1, d, x1, y1, c)
        edge(f, x0, y0, a, x0, y1, d)
        if #f == 4 then
          segments[#segments + 1] = f
        elseif #f == 8 then -- a saddle: by the middle
          local together = ((a + b + c + d) / 4 >= level) == (a >= level)
          segments[#segments + 1] = together and {f[1], f[2], f[3], f[4]} or {f[1], f[2], f[7], f[8]}
          segments[#segments + 1] = together and {f[5], f[6], f[7], f[8]} or {f[3], f[4], f[5], f[6]}
        end
      end
    end
  end
  return joined(segments)
end

return contour
