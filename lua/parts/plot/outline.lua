-- outline.lua: turns lines into areas: curves as polylines, dashes, and the outline of a stroke as polygons that the rasterizer
-- fills by their winding number. A path is {x1, y1, x2, y2, ..., closed = bool}.
local outline = {}

local pi, cos, sin, sqrt, abs = math.pi, math.cos, math.sin, math.sqrt, math.abs

--- Adds an arc of an ellipse to a path, from angle a to angle b (radians, towards growing y if b > a).
function outline.arc(path, cx, cy, rx, ry, a, b, steps)
  steps = steps or math.max(4, math.ceil(abs(b - a) / (pi / 16)))
  local n = #path
  for i = 0, steps do
    local angle = a + (b - a) * i / steps
    path[n + 1], path[n + 2] = cx + rx * cos(angle), cy + ry * sin(angle)
    n = n + 2
  end
  return path
end

--- Adds a cubic curve from the path's last point.
function outline.curve(path, x1, y1, x2, y2, x3, y3, steps)
  steps = steps or 10
  local n = #path
  local x0, y0 = path[n - 1], path[n]
  for i = 1, steps do
    local t = i / steps
    local s = 1 - t
    local a, b, c, d = s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t
    path[n + 1], path[n + 2] = a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3
    n = n + 2
  end
  return path
end

function outline.rectangle(x0, y0, x1, y1) return {x0, y0, x1, y0, x1, y1, x0, y1, closed = true} end

function outline.rounded(x0, y0, x1, y1, r)
  local path = {closed = true}
  outline.arc(path, x1 - r, y0 + r, r, r, -pi / 2, 0, 5)
  outline.arc(path, x1 - r, y1 - r, r, r, 0, pi / 2, 5)
  outline.arc(path, x0 + r, y1 - r, r, r, pi / 2, pi, 5)
  outline.arc(path, x0 + r, y0 + r, r, r, pi, 3 * pi / 2, 5)
  return path
end

--- Returns the dashes of a path: a list of open paths. lengths: on, off, on, off, ...
function outline.dashed(path, lengths)
  local dashes, current = {}, {path[1], path[2]}
  local k, left, on = 1, lengths[1], true
  local n = #path
  local points = path
  if path.closed then
    points = table.move(path, 1, n, 1, {})
    points[n + 1], points[n + 2] = path[1], path[2]
  end
  for i = 3, #points, 2 do
    local x0, y0, x1, y1 = points[i - 2], points[i - 1], points[i], points[i + 1]
    local length, at = sqrt((x1 - x0) ^ 2 + (y1 - y0) ^ 2), 0
    while length - at > left do
      at = at + left
      local x, y = x0 + (x1 - x0) * at / length, y0 + (y1 - y0) * at / length
      if on then
        current[#current + 1], current[#current + 2] = x, y
        dashes[#dashes + 1] = current
      end
      current = {x, y}
      k, on = k % #lengths + 1, not on
      left = lengths[k]
    end
    left = left - (length - at)
    if on then current[#current + 1], current[#current + 2] = x1, y1 end
  end
  if on and #current >= 4 then dashes[#dashes + 1] = current end
  return dashes
end

-- --- strokes --------------------------------------------------------------------------------------------

-- Returns the points of a path without repetitions.
local function distinct(path)
  local xs, ys, n = {}, {}, 0
  for i = 1, #path, 2 do
    local x, y = path[i], path[i + 1]
    if n == 0 or abs(x - xs[n]) > 1e-6 or abs(y - ys[n]) > 1e-6 then
      n = n + 1
      xs[n], ys[n] = x, y
    end
  end
  if path.closed and n > 1 and abs(xs[1] - xs[n]) < 1e-6 and abs(ys[1] - ys[n]) < 1e-6 then n = n - 1 end
  return xs, ys, n
end

-- Adds the side of a corner at (x, y) between the directions (ux, uy) and (vx, vy); h: half the width.
local function corner(out, x, y, ux, uy, vx, vy, h, join)
  local turn, along = ux * vy - uy * vx, ux * vx + uy * vy
  local n = #out
  out[n + 1], out[n + 2] = x - uy * h, y + ux * h
  if turn > 1e-9 then -- an inner corner: through the point itself, so that the winding stays positive
    out[n + 3], out[n + 4] = x, y
  elseif join == "miter" and along > -0.9 then
    local scale = h / (1 + along)
    out[n + 3], out[n + 4] = x + (-uy - vy) * scale, y + (ux + vx) * scale
  elseif join ~= "bevel" and along < 0.97 then
    local a = math.atan(ux, -uy)
    local b = math.atan(vx, -vy)
    if b > a then b = b - 2 * pi end
    outline.arc(out, x, y, h, h, a, b, math.max(2, math.ceil((a - b) * sqrt(h + 1) * 1.5)))
  end
  n = #out
  out[n + 1], out[n + 2] = x - vy * h, y + vx * h
end

local function cap_end(out, x, y, ux, uy, h, cap)
  local n = #out
  if cap == "round" then
    local a = math.atan(ux, -uy)
    outline.arc(out, x, y, h, h, a, a - pi, math.max(4, math.ceil(4 * sqrt(h))))
  else
    local more = cap == "square" and h or 0
    x, y = x + ux * more, y + uy * more
    out[n + 1], out[n + 2], out[n + 3], out[n + 4] = x - uy * h, y + ux * h, x + uy * h, y - ux * h
  end
end

local function directions(xs, ys, n, closed)
  local us, vs = {}, {}
  for i = 1, closed and n or n - 1 do
    local j = i % n + 1
    local dx, dy = xs[j] - xs[i], ys[j] - ys[i]
    local length = sqrt(dx * dx + dy * dy)
    us[i], vs[i] = dx / length, dy / length
  end
  return us, vs
end

--- Returns the polygons that cover a stroke of this width along a path.
function outline.stroke(path, width, cap, join)
  local xs, ys, n = distinct(path)
  local h = width / 2
  if n == 0 then return {} end
  if n == 1 then
    if cap == "butt" then return {} end
    if cap == "square" then return {outline.rectangle(xs[1] - h, ys[1] - h, xs[1] + h, ys[1] + h)} end
    return {outline.arc({}, xs[1], ys[1], h, h, 0, -2 * pi, math.max(8, math.ceil(8 * sqrt(h))))}
  end
  local closed = path.closed and n > 2
  local us, vs = directions(xs, ys, n, closed)
  local out = {}
  if closed then
    local back = {}
    for i = 1, n do
      local before = (i - 2) % n + 1
      corner(out, xs[i], ys[i], us[before], vs[before], us[i], vs[i], h, join)
    end
    for i = n, 1, -1 do
      local before = (i - 2) % n + 1
      corner(back, xs[i], ys[i], -us[i], -vs[i], -us[before], -vs[before], h, join)
    end
    return {out, back}
  end
  out[1], out[2] = xs[1] - vs[1] * h, ys[1] + us[1] * h
  for i = 2, n - 1 do corner(out, xs[i], ys[i], us[i - 1], vs[i - 1], us[i], vs[i], h, join) end
  cap_end(out, xs[n], ys[n], us[n - 1], vs[n - 1], h, cap)
  for i = n - 1, 2, -1 do corner(out, xs[i], ys[i], -us[i], -vs[i], -us[i - 1], -vs[i - 1], h, join) end
  cap_end(out, xs[1], ys[1], -us[1], -vs[1], h, cap)
  return {out}
end

return outline
