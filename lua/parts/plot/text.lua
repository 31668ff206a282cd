-- text.lua: torch.plot's plots in text, which need no other part: image, lines, histogram.
--
--   plot.image(tensor, {labels, columns, low, high})   one image (H, W) or (1, H, W), or several side by
--                                                     side: (N, H, W), (N, 1, H, W), a table of them
--   plot.lines(values, {title, x, width, height})      one curve, or several: {loss = {...}, test = {...}}
--   plot.histogram(values, {bins, title, width})
--
-- They write to io.stdout: greys and colours if it is a terminal, else shades and letters.
local torch = ...
local support = torch._part "support"

local plot = {}

local function columns_of_output() return torch._terminal "stdout" or 80 end
local function write(lines) io.write(table.concat(lines, "\n"), "\n") end

-- --- images ---------------------------------------------------------------------------------------------

local SHADES = {" ", "░", "▒", "▓", "█"}

-- Returns a table of pixel rows for each image.
local function pictures_of(images)
  if support.is_array(images) then images = torch.from_numpy(images) end
  if support.is_plain(images) then
    local list = {}
    for i, image in ipairs(images) do list[i] = image:detach():cpu():squeeze():double():tolist() end
    return list
  end
  local t = images:detach():cpu():double()
  if t.ndim == 2 then return {t:tolist()} end
  if t.ndim == 3 and t.shape[0] == 1 then return t:tolist() end
  if t.ndim == 4 and t.shape[1] == 1 then t = t:squeeze(1) end
  if t.ndim ~= 3 then
    support.fail("ValueError", "image(): expected (H, W), (N, H, W) or (N, 1, H, W), got %s", tostring(images.shape))
  end
  return t:tolist()
end

local function range_of(pictures, low, high)
  local minimum, maximum = math.huge, -math.huge
  for _, picture in ipairs(pictures) do
    for _, row in ipairs(picture) do
      minimum, maximum = math.min(minimum, table.unpack(row)), math.max(maximum, table.unpack(row))
    end
  end
  low, high = low or minimum, high or maximum
  return low, high > low and high or low + 1
end

local function level(value, low, high) return math.max(0, math.min(1, (value - low) / (high - low))) end

-- Returns lines with two pixels in a character, the upper one as foreground, the lower one as background, in 24 steps of grey.
local function grey_rows(picture, low, high)
  local lines = {}
  for y = 1, #picture, 2 do
    local parts = {}
    for x, upper in ipairs(picture[y]) do
      local lower = picture[y + 1] and picture[y + 1][x] or low
      local front = 232 + math.floor(level(upper, low, high) * 23 + 0.5)
      local back = 232 + math.floor(level(lower, low, high) * 23 + 0.5)
      parts[x] = ("\27[38;5;%d;48;5;%dm▀"):format(front, back)
    end
    lines[#lines + 1] = table.concat(parts) .. "\27[0m"
  end
  return lines
end

-- Returns lines with two characters a pixel.
local function shade_rows(picture, low, high)
  local lines = {}
  for y, row in ipairs(picture) do
    local parts = {}
    for x, value in ipairs(row) do
      parts[x] = SHADES[1 + math.floor(level(value, low, high) * (#SHADES - 1) + 0.5)]:rep(2)
    end
    lines[y] = table.concat(parts)
  end
  return lines
end

local function centered(text, width)
  local length = utf8.len(text) or #text
  local left = math.max(0, (width - length) // 2)
  return (" "):rep(left) .. text .. (" "):rep(math.max(0, width - length - left))
end

local read_image = torch._define "image(images, labels?, columns?, low?, high?, width?)"

--- Shows images side by side, as many in a row as fit; labels: a table of texts below them.
function plot.image(...)
  local a = read_image(...)
  local pictures = pictures_of(a.images)
  local low, high = range_of(pictures, a.low, a.high)
  local coloured = torch._terminal "stdout" ~= nil
  local width = #pictures[1][1] * (coloured and 1 or 2)
  local fitting = math.max(1, ((a.width or columns_of_output()) + 2) // (width + 2))
  local columns = math.max(1, math.min(a.columns or fitting, fitting))
  local lines = {}
  for first = 1, #pictures, columns do
    local block, names = {}, {}
    for i = first, math.min(first + columns - 1, #pictures) do
      local rows = (coloured and grey_rows or shade_rows)(pictures[i], low, high)
      for y, row in ipairs(rows) do
        block[y] = block[y] or {}
        table.insert(block[y], row)
      end
      if a.labels then names[#names + 1] = centered(tostring(a.labels[i] or ""), width) end
    end
    for _, row in ipairs(block) do lines[#lines + 1] = table.concat(row, "  ") end
    if a.labels then lines[#lines + 1] = (table.concat(names, "  "):gsub("%s+$", "")) end
  end
  write(lines)
end

-- --- curves ---------------------------------------------------------------------------------------------

local COLOURS = {36, 33, 35, 32, 31, 34}
local MARKS = {"•", "+", "x", "o", "*", "="}
local DOTS = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}} -- of a braille character, by row and column

local function numbers_of(values)
  if support.is_array(values) then values = torch.from_numpy(values) end
  if torch.is_tensor(values) then return values:detach():cpu():double():reshape(-1):tolist() end
  local numbers = {}
  for i, value in ipairs(values) do numbers[i] = torch.is_tensor(value) and value:item() or value end
  return numbers
end

local function is_finite(value) return value == value and math.abs(value) ~= math.huge end

-- Returns {{name, numbers}, ...} in the order of the names.
local function curves_of(values)
  local single = torch.is_tensor(values) or support.is_array(values)
  if single or type(values[1]) == "number" or torch.is_tensor(values[1]) then
    return {{name = "", numbers = numbers_of(values)}}
  end
  local curves = {}
  for name, numbers in pairs(values) do curves[#curves + 1] = {name = tostring(name), numbers = numbers_of(numbers)} end
  table.sort(curves, function(a, b) return a.name < b.name end)
  return curves
end

local function extent(curves, x)
  local low, high, longest = math.huge, -math.huge, 0
  for _, curve in ipairs(curves) do
    longest = math.max(longest, #curve.numbers)
    for _, value in ipairs(curve.numbers) do
      if is_finite(value) then low, high = math.min(low, value), math.max(high, value) end
    end
  end
  if low > high then low, high = 0, 1 end
  if low == high then low, high = low - 0.5, high + 0.5 end
  local first, last = 1, longest
  if x and #x > 0 then first, last = x[1], x[#x] end
  return {low = low, high = high, first = first, last = last > first and last or first + 1}
end

-- Calls dot(column, row) along the straight line between two points.
local function join(column, row, to_column, to_row, dot)
  local steps = math.ceil(math.max(math.abs(to_column - column), math.abs(to_row - row), 1))
  for k = 0, steps do
    local part = k / steps
    dot(math.floor(column + (to_column - column) * part + 0.5), math.floor(row + (to_row - row) * part + 0.5))
  end
end

-- Calls dot(column, row) for the points of a curve on a raster and for those between neighbours.
local function trace(curve, x, box, width, height, dot)
  local last_column, last_row
  for i, value in ipairs(curve.numbers) do
    local column, row
    if is_finite(value) then
      column = ((x and x[i] or i) - box.first) / (box.last - box.first) * (width - 1)
      row = (box.high - value) / (box.high - box.low) * (height - 1)
      join(last_column or column, last_row or row, column, row, dot)
    end
    last_column, last_row = column, row
  end
end

-- Returns the characters of the chart: in braille, or (several curves without colours) a mark for each.
local function canvas(curves, x, box, width, height, coloured)
  local braille = coloured or #curves == 1
  local cells, owners = {}, {}
  for k, curve in ipairs(curves) do
    local across, down = braille and 2 or 1, braille and 4 or 1
    trace(curve, x, box, width * across, height * down, function(column, row)
      local cell = (row // down) * width + column // across
      if braille then
        cells[cell] = (cells[cell] or 0) | DOTS[row % 4 + 1][column % 2 + 1]
      else
        cells[cell] = MARKS[(k - 1) % #MARKS + 1]
      end
      owners[cell] = k
    end)
  end
  local lines = {}
  for row = 0, height - 1 do
    local parts = {}
    for column = 0, width - 1 do
      local cell = row * width + column
      local text = cells[cell] or " "
      if math.type(text) then text = utf8.char(0x2800 + text) end
      if coloured and owners[cell] then
        text = ("\27[%dm%s\27[0m"):format(COLOURS[(owners[cell] - 1) % #COLOURS + 1], text)
      end
      parts[column + 1] = text
    end
    lines[row + 1] = table.concat(parts)
    if not coloured then lines[row + 1] = lines[row + 1]:gsub("%s+$", "") end
  end
  return lines
end

local function legend(curves, coloured)
  local parts = {}
  for k, curve in ipairs(curves) do
    local mark = coloured and ("\27[%dm━━\27[0m"):format(COLOURS[(k - 1) % #COLOURS + 1])
      or MARKS[(k - 1) % #MARKS + 1]
    if curve.name ~= "" then parts[#parts + 1] = mark .. " " .. curve.name end
  end
  return table.concat(parts, "   ")
end

-- Returns true if the only argument is a table of curves by name, not keywords.
local function is_curves(given, ...)
  return select("#", ...) == 0 and support.is_plain(given) and given.values == nil and #given == 0
end

local read_lines = torch._define "lines(values, title?, x?, width=72, height=10)"

--- Plots curves over 1, 2, 3, ... or over options.x.
function plot.lines(...)
  local a = is_curves(...) and read_lines{values = (...)} or read_lines(...)
  local curves, coloured = curves_of(a.values), torch._terminal "stdout" ~= nil
  local x = a.x and numbers_of(a.x)
  local box = extent(curves, x)
  local height = a.height
  local labels = {[1] = support.number("%.4g", box.high), [height] = support.number("%.4g", box.low)}
  local margin = math.max(#labels[1], #labels[height])
  local width = math.max(10, math.min(a.width, columns_of_output()) - margin - 2)
  local lines, names = {}, legend(curves, coloured)
  if a.title then lines[1] = (" "):rep(margin + 2) .. a.title end
  for row, text in ipairs(canvas(curves, x, box, width, height, coloured)) do
    lines[#lines + 1] = ("%" .. margin .. "s %s%s"):format(labels[row] or "", labels[row] and "┤" or "│", text)
  end
  local left, right = support.number("%.4g", box.first), support.number("%.4g", box.last)
  lines[#lines + 1] = (" "):rep(margin + 1) .. "└" .. ("─"):rep(width)
  lines[#lines + 1] = (" "):rep(margin + 2) .. left .. (" "):rep(math.max(1, width - #left - #right)) .. right
  if names ~= "" then lines[#lines + 1] = (" "):rep(margin + 2) .. names end
  write(lines)
end

-- --- histograms -----------------------------------------------------------------------------------------

local EIGHTHS = {"▏", "▎", "▍", "▌", "▋", "▊", "▉"}

local read_histogram = torch._define "histogram(values, bins=10, title?, width=72)"

--- Plots how often values occur, one bar a bin.
function plot.histogram(...)
  local a = read_histogram(...)
  local numbers, bins = numbers_of(a.values), a.bins
  local box = extent({{numbers = numbers}})
  local counts, maximum = {}, 1
  for k = 1, bins do counts[k] = 0 end
  for _, value in ipairs(numbers) do
    if is_finite(value) then
      local k = math.min(bins, 1 + math.floor((value - box.low) / (box.high - box.low) * bins))
      counts[k] = counts[k] + 1
      maximum = math.max(maximum, counts[k])
    end
  end
  local width = math.max(10, math.min(a.width, columns_of_output()) - 20)
  local lines = {a.title}
  for k, count in ipairs(counts) do
    local eighths = math.floor(count / maximum * width * 8 + 0.5)
    lines[#lines + 1] = ("%s ┤%s%s %d"):format(support.number("%10.4g", box.low + (k - 1) * (box.high - box.low) / bins),
      ("█"):rep(eighths // 8), EIGHTHS[eighths % 8] or "", count)
  end
  write(lines)
end

return plot
