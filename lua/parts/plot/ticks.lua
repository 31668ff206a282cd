-- ticks.lua: chooses the ticks of an axis and their labels, by matplotlib's rules.
local ticks = {}

local STEPS = {1, 2, 2.5, 5, 10}
--- Steps of contours, which need not be as round.
ticks.FINE = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10}

local function floor_log(x) return math.floor(math.log(x, 10) + (math.abs(x) < 1 and 0 or 1e-15)) end

-- Returns 10^exponent, exactly if possible.
local function power(exponent) return tonumber("1e" .. math.tointeger(exponent)) end

-- Returns the power of ten of a step, and the offset that is subtracted from large numbers close to each other.
local function scale_of(low, high, bins)
  local width, middle = math.abs(high - low), (low + high) / 2
  local offset = 0
  if math.abs(middle) / width >= 100 then offset = power(floor_log(math.abs(middle))) * (middle < 0 and -1 or 1) end
  return power(floor_log(width / bins)), offset
end

-- Returns a function that is true if a number of steps is a whole number up to rounding. A large offset makes the rounding
-- worse.
local function closeness(step, offset)
  local tolerance = 1e-10
  if offset ~= 0 then
    local digits = math.log(math.abs(offset) / step, 10)
    tolerance = math.min(0.4999, math.max(1e-10, 10 ^ (digits - 12)))
  end
  return function(part, whole) return math.abs(part - whole) < tolerance end
end

local function candidates(scale, low, high, bins, multiples)
  local wider = {}
  for i = 1, #multiples - 1 do wider[#wider + 1] = 0.1 * multiples[i] * scale end
  for i = 1, #multiples do wider[#wider + 1] = multiples[i] * scale end
  wider[#wider + 1] = 10 * multiples[2] * scale
  local raw = (high - low) / bins
  for i, step in ipairs(wider) do
    if step >= raw then return wider, i end
  end
  return wider, #wider
end

--- Widens a range that is empty or nearly so.
function ticks.nonsingular(low, high, expander, tiny)
  if not (low == low and high == high) or math.abs(low) == math.huge or math.abs(high) == math.huge then return -expander, expander end
  if low > high then low, high = high, low end
  local maximum = math.max(math.abs(low), math.abs(high))
  if maximum < 1e6 / tiny * 2.2250738585072014e-308 then return -expander, expander end
  if high - low <= maximum * tiny then
    if high == 0 and low == 0 then return -expander, expander end
    return low - expander * math.abs(low), high + expander * math.abs(high)
  end
  return low, high
end

--- Returns ticks that cover low to high: at most `bins` intervals, at least `min_ticks` ticks within.
function ticks.locate(low, high, bins, min_ticks, multiples)
  min_ticks = min_ticks or 2
  low, high = ticks.nonsingular(low, high, 1e-13, 1e-14)
  local scale, offset = scale_of(low, high, bins)
  low, high = low - offset, high - offset
  local steps, first = candidates(scale, low, high, bins, multiples or STEPS)
  local found
  for i = first, 1, -1 do
    local step = steps[i]
    local close, base = closeness(step, offset), low // step * step
    local from, to = (low - base) // step, (high - base) // step
    if close(((low - base) - from * step) / step, 1) then from = from + 1 end
    if not close(((high - base) - to * step) / step, 0) then to = to + 1 end
    found = {}
    local within = 0
    for k = from, to do
      local at = k * step + base
      if at >= low and at <= high then within = within + 1 end
      found[#found + 1] = at + offset
    end
    if within >= min_ticks then break end
  end
  return found
end

--- Returns the ticks within a view of an axis that has room for `max_labels` labels.
function ticks.linear(low, high, max_labels)
  return ticks.locate(math.min(low, high), math.max(low, high), math.max(1, math.min(9, max_labels)), 2)
end

--- Returns decades, every n-th if there are many; second: the minor ticks between them, without labels.
function ticks.logarithmic(low, high, max_labels)
  local from, to = math.floor(math.log(low, 10) + 1e-9), math.ceil(math.log(high, 10) - 1e-9)
  local stride = math.max(1, math.ceil((to - from) / math.max(1, math.min(9, max_labels))))
  local major, minor = {}, {}
  for exponent = from, to, stride do major[#major + 1] = 10.0 ^ exponent end
  if stride == 1 then
    for exponent = from - 1, to do
      for k = 2, 9 do minor[#minor + 1] = k * 10.0 ^ exponent end
    end
  end
  return major, minor
end

-- --- labels ---------------------------------------------------------------------------------------------

local function within(list, low, high)
  if low > high then low, high = high, low end
  local inner = {}
  for _, at in ipairs(list) do
    if at >= low and at <= high then inner[#inner + 1] = at end
  end
  return inner
end

-- Returns the number that all long labels have in common: 12340000 of 12340001, 12340002.
local function common_part(list)
  local minimum, maximum = math.min(table.unpack(list)), math.max(table.unpack(list))
  if minimum == maximum or minimum <= 0 and maximum >= 0 then return 0 end
  local small, large = math.min(math.abs(minimum), math.abs(maximum)), math.max(math.abs(minimum), math.abs(maximum))
  local sign = minimum < 0 and -1 or 1
  local top = math.ceil(math.log(large, 10) - 1e-12)
  local digits = top
  while small // power(digits) == large // power(digits) do digits = digits - 1 end
  digits = digits + 1
  if (large - small) / power(digits) <= 1e-2 then
    digits = top
    while large // power(digits) - small // power(digits) <= 1 do digits = digits - 1 end
    digits = digits + 1
  end
  if large // power(digits) < 1000 then return 0 end
  return sign * (large // power(digits)) * power(digits)
end

local function magnitude(list, low, high, offset)
  local value = math.abs(high - low)
  if offset == 0 then
    value = 0
    for _, at in ipairs(list) do value = math.max(value, math.abs(at)) end
  end
  local exponent = value == 0 and 0 or floor_log(value)
  return (offset ~= 0 or exponent <= -5 or exponent >= 6) and (exponent <= -5 or exponent >= 6) and exponent or 0
end

local function decimals(list)
  local minimum, maximum = math.min(table.unpack(list)), math.max(table.unpack(list))
  local range = maximum - minimum
  if range == 0 then range = math.max(math.abs(minimum), math.abs(maximum)) end
  if range == 0 then range = 1 end
  local exponent = floor_log(range)
  local count = math.max(0, 3 - exponent)
  local threshold = 1e-3 * 10.0 ^ exponent
  while count >= 0 do
    local worst = 0
    for _, at in ipairs(list) do
      worst = math.max(worst, math.abs(at - math.floor(at * 10.0 ^ count + 0.5) / 10.0 ^ count))
    end
    if worst >= threshold then break end
    count = count - 1
  end
  return math.max(0, count + 1)
end

local MINUS = "\u{2212}"

-- Returns a number's text with a point and a true minus, in every locale.
local function text_of(format, value)
  local text = format:format(value):gsub(",", ".")
  if tonumber((text:gsub("^-", ""))) == 0 then text = text:gsub("^-", "") end
  return (text:gsub("-", MINUS))
end

--- Returns the labels of ticks in a view, and the text beside the axis ("1e6", "+1.2e3", or "").
function ticks.labels(list, low, high)
  local inner = within(list, low, high)
  if #inner == 0 then inner = list end
  if #inner == 0 then return {}, "" end
  local offset = common_part(inner)
  local exponent = magnitude(inner, low, high, offset)
  local shown = {}
  for i, at in ipairs(#list > 1 and list or {list[1], low, high}) do shown[i] = (at - offset) / 10.0 ^ exponent end
  local format = ("%%.%df"):format(decimals(shown))
  local labels = {}
  for i, at in ipairs(list) do labels[i] = text_of(format, (at - offset) / 10.0 ^ exponent) end
  local side = ""
  if exponent ~= 0 then side = text_of("1e%d", exponent) end
  if offset ~= 0 then
    local power_of = floor_log(math.abs(offset))
    local text = text_of("%.10g", offset / 10.0 ^ power_of) .. (power_of ~= 0 and text_of("e%d", power_of) or "")
    side = side .. (offset > 0 and "+" or "") .. text
  end
  return labels, side
end

--- Returns the labels of decades, in font.lua's notation for raised text.
function ticks.decade_labels(list)
  local labels = {}
  for i, at in ipairs(list) do
    labels[i] = ("$10^{%s}$"):format((("%d"):format(math.floor(math.log(at, 10) + 0.5)):gsub("-", MINUS)))
  end
  return labels
end

return ticks
