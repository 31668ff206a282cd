-- numpy/print.lua: arrays as numpy 2 prints them: repr, with numpy's default print options.
local torch = ...
local number = torch._part "support".number
local THRESHOLD, EDGE, WIDTH, PRECISION = 1000, 3, 75, 8

-- --- one number -----------------------------------------------------------------------------------------

local mantissa_bits = {float64 = 52, float32 = 23, float16 = 10}
local minimum_exponent = {float64 = -1022, float32 = -126, float16 = -14}
local decimal_digits = {float64 = 15, float32 = 6, float16 = 3}

-- Returns true if the number written as `text` is nearer to `value` than to any other number of that dtype.
local function is_unique(text, value, dtype)
  local other = tonumber(text)
  if dtype == "float64" then return other == value end
  local fraction = math.abs(value)
  local exponent = minimum_exponent[dtype]
  while 2.0 ^ (exponent + 1) <= fraction do exponent = exponent + 1 end
  local gap = 2.0 ^ (exponent - mantissa_bits[dtype])
  local below = math.abs(other) < fraction -- the gap below a power of two is half the one above it
  if below and fraction == 2.0 ^ exponent and exponent > minimum_exponent[dtype] then gap = gap / 2 end
  local distance = math.abs(other - value)
  return distance < gap / 2 or (distance == gap / 2 and (fraction / gap) % 2 == 0) -- ties go to the even number
end

-- Returns the fewest digits that identify the number, and the exponent of the first digit.
local function shortest(value, dtype)
  for digits = 0, 17 do
    local text = number("%." .. digits .. "e", value)
    local found = digits == 17 or is_unique(text, value, dtype)
    if not found and dtype ~= "float64" then -- halfway between two texts, the upper one may be right
      text = number("%." .. digits .. "e", value * (1 + 0x1p-52))
      found = is_unique(text, value, dtype)
    end
    if found then
      local mantissa, exponent = text:match "^%-?(.-)e(.*)$"
      return (mantissa:gsub("%.", ""):gsub("0+$", "")), math.tointeger(tonumber(exponent))
    end
  end
end

local function is_negative(value) return value < 0 or (value == 0 and 1 / value < 0) end

-- Returns both sides of the point of "12.5", "3.", with at most PRECISION digits after the point.
local function positional(value, dtype)
  local sign = is_negative(value) and "-" or ""
  if value == 0 then return sign .. "0", "" end
  local digits, exponent = shortest(value, dtype)
  if #digits - 1 - exponent > PRECISION then
    local whole, fraction = number("%." .. PRECISION .. "f", math.abs(value)):match "^(%d+)%.(%d+)$"
    return sign .. whole, (fraction:gsub("0+$", ""))
  end
  if exponent < 0 then return sign .. "0", ("0"):rep(-exponent - 1) .. digits end
  digits = digits .. ("0"):rep(exponent + 1 - #digits)
  return sign .. digits:sub(1, exponent + 1), digits:sub(exponent + 2)
end

-- Returns the parts of "1.25e-05": "1", "25", "05".
local function scientific(value, dtype)
  local sign = is_negative(value) and "-" or ""
  if value == 0 then return sign .. "0", "", "00" end
  local digits, exponent = shortest(value, dtype)
  if #digits - 1 > PRECISION then
    local mantissa, power = number("%." .. PRECISION .. "e", math.abs(value)):match "^(.-)e(.*)$"
    digits, exponent = mantissa:gsub("%.", ""):gsub("0+$", ""), math.tointeger(tonumber(power))
  end
  return sign .. digits:sub(1, 1), digits:sub(2), ("%02d"):format(math.abs(exponent))
end

local function is_finite(value) return value == value and value ~= math.huge and value ~= -math.huge end

local function pad_left(text, width) return (" "):rep(width - #text) .. text end
local function pad_right(text, width) return text .. (" "):rep(width - #text) end

-- --- all numbers of an array alike ----------------------------------------------------------------------

-- Returns the number as the dtype holds it, because numpy compares in the array's own precision.
local function rounded(value, dtype)
  if dtype == "float32" then return (string.unpack("f", string.pack("f", value))) end
  if dtype == "float64" or value == 0 or value == math.huge then return value end
  local exponent = minimum_exponent.float16
  while 2.0 ^ (exponent + 1) <= value do exponent = exponent + 1 end
  local gap = 2.0 ^ (exponent - mantissa_bits.float16)
  local steps = value / gap
  local whole = math.floor(steps + 0.5)
  if whole - steps == 0.5 and whole % 2 == 1 then whole = whole - 1 end
  return whole * gap > 65504 and math.huge or whole * gap
end

local function needs_exponents(values, dtype)
  local largest, smallest
  for _, value in ipairs(values) do
    local size = math.abs(value)
    if is_finite(value) and size > 0 then
      largest, smallest = math.max(largest or size, size), math.min(smallest or size, size)
    end
  end
  local limit = 10.0 ^ math.min(8, decimal_digits[dtype])
  if not largest then return false end
  return largest >= limit or smallest < rounded(0.0001, dtype) or rounded(largest / smallest, dtype) > 1000
end

local function special(value) return value ~= value and "nan" or value > 0 and "inf" or "-inf" end

local function float_formatter(values, dtype)
  local exponents = needs_exponents(values, dtype)
  local split = exponents and scientific or positional
  local left, digits, power_width, specials = 0, 0, 0, {}
  for _, value in ipairs(values) do
    if is_finite(value) then
      local whole, fraction, power = split(value, dtype)
      left, digits = math.max(left, #whole), math.max(digits, #fraction)
      if exponents then power_width = math.max(power_width, #power) end
    else
      specials[#specials + 1] = special(value)
    end
  end
  local right = exponents and power_width + 2 + digits or digits
  for _, text in ipairs(specials) do left = math.max(left, #text - right - 1) end
  return function(value)
    if not is_finite(value) then return pad_left(special(value), left + right + 1) end
    if not exponents then
      local whole, fraction = positional(value, dtype)
      return pad_left(whole, left) .. "." .. pad_right(fraction, digits)
    end
    -- numbers with fewer digits than the longest one show further digits of their exact value
    local mantissa, sign, power = number("%." .. digits .. "e", value):match "^(.-)e(.)(%d+)$"
    local whole, fraction = mantissa:match "^([^.]+)%.?(%d*)$"
    return pad_left(whole, left) .. "." .. fraction .. "e" .. sign .. ("0"):rep(power_width - #power) .. power
  end
end

local function integer_formatter(values)
  local width = 0
  for _, value in ipairs(values) do width = math.max(width, #tostring(value)) end
  return function(value) return pad_left(tostring(value), width) end
end

local function formatter(values, dtype, ndim)
  if dtype == "bool" then
    return function(value) return value and (ndim > 0 and " True" or "True") or "False" end
  end
  if mantissa_bits[dtype] then return float_formatter(values, dtype) end
  return integer_formatter(values)
end

-- --- rows -----------------------------------------------------------------------------------------------

-- Returns the values that are shown, nested. `gap` marks a list whose middle is omitted.
local function shown(tensor, summarize)
  if not summarize or tensor.ndim == 0 then return tensor.ndim == 0 and tensor:item() or tensor:tolist() end
  local n, rows = #tensor, {}
  rows.gap = n > 2 * EDGE
  for i = 0, (rows.gap and EDGE or n) - 1 do rows[#rows + 1] = shown(tensor[i], true) end
  for i = n - (rows.gap and EDGE or 0), n - 1 do rows[#rows + 1] = shown(tensor[i], true) end
  return rows
end

local function flatten(values, into)
  if type(values) ~= "table" then
    into[#into + 1] = values
  else
    for _, value in ipairs(values) do flatten(value, into) end
  end
  return into
end

local function last_row(values, format, indent, width)
  local lines, line = {}, indent
  local function add(word, separator)
    if #line + #word > width - 1 and #line > #indent then
      lines[#lines + 1] = line:gsub("%s+$", "")
      line = indent
    end
    line = line .. word .. separator
  end
  for k, value in ipairs(values) do
    if values.gap and k == EDGE + 1 then add("...", ", ") end
    add(format(value), k < #values and ", " or "")
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

local function rows(values, format, depth, indent, width)
  if depth == 0 then return format(values) end
  local text
  if depth == 1 then
    text = last_row(values, format, indent, width)
  else
    local parts = {}
    for k, value in ipairs(values) do
      if values.gap and k == EDGE + 1 then parts[#parts + 1] = indent .. "..." end
      parts[#parts + 1] = indent .. rows(value, format, depth - 1, indent .. " ", width - 1)
    end
    text = table.concat(parts, "," .. ("\n"):rep(depth - 1))
  end
  return "[" .. text:sub(#indent + 1) .. "]"
end

local implied = {float64 = true, int64 = true, bool = true}

--- Returns repr(array) of its tensor, the name of its dtype, and its shape as text.
return function(tensor, dtype, shape)
  local size, ndim = tensor:numel(), tensor.ndim
  local text = "[]"
  if size > 0 then
    local values = shown(tensor, size > THRESHOLD)
    local format = formatter(flatten(values, {}), dtype, ndim)
    text = rows(values, format, ndim, (" "):rep(#"array(" + 1), WIDTH - 1)
  end
  local extras = {}
  if (size == 0 and shape ~= "(0,)") or size > THRESHOLD then extras[1] = "shape=" .. shape end
  if not implied[dtype] or size == 0 then extras[#extras + 1] = "dtype=" .. dtype end
  text = "array(" .. text
  if #extras == 0 then return text .. ")" end
  text = text .. ","
  local extra = table.concat(extras, ", ") .. ")"
  local last = #text:match "[^\n]*$"
  return text .. (last + #extra + 1 > WIDTH and "\n" .. (" "):rep(#"array(") or " ") .. extra
end
