-- rounding.lua: compares two printed answers up to the rounding of their numbers.
local rounding = {}

-- Returns the words and numbers of a text, without the brackets, commas and blanks between them.
local function words(text)
  local found = {}
  for word in text:gmatch "[^%s%[%](),;=<>{}]+" do found[#found + 1] = word end
  return found
end

local special = {inf = math.huge, ["-inf"] = -math.huge, nan = 0 / 0, ["-nan"] = 0 / 0}
local function number(word) return special[word] or tonumber(word) end

-- Returns one unit in the last printed place.
local function unit(word)
  local mantissa, exponent = word:match "^([^e]*)e?(.*)$"
  return 10.0 ^ ((tonumber(exponent) or 0) - #(mantissa:match "%.(%d*)" or ""))
end

local function is_finite(x) return x == x and x ~= math.huge and x ~= -math.huge end

-- Returns true if two printed numbers a and b are equal up to rounding. scale: the largest magnitude printed with them; half:
-- true for 16-bit tensors.
local function is_close(a, b, scale, half)
  local x, y = number(a), number(b)
  if x ~= x or y ~= y then return x ~= x and y ~= y end
  if x == y then return true end
  if not (is_finite(x) and is_finite(y)) then return false end
  if math.type(x) == "integer" and math.type(y) == "integer" then return false end
  local distance, size = math.abs(x - y), math.max(math.abs(x), math.abs(y))
  if distance <= 1.01 * math.max(unit(a), unit(b)) or distance <= 2e-6 * size then return true end
  if a:find "e" and b:find "e" and distance <= 2e-4 * size then return true end
  if distance <= 3e-6 * math.max(scale, 1) then return true end -- after cancellation the error is that of the terms
  return half and distance <= math.max(0.02 * size, 0.01 * scale)
end

-- Returns the lines of shape, dtype, strides and so on.
local function fields(text)
  local found = {}
  for line in text:gmatch "  ~ [^\n]*" do found[#found + 1] = line end
  return table.concat(found, "\n")
end
local function without_strides(text) return (text:gsub(" stride %S*", "")) end

-- Returns nil if got equals want up to rounding, else the kind of difference: "failure" (one of them is an error), "message",
-- "strides", "fields", "words", "value".
function rounding.difference(want, got)
  if want == got then return nil end
  local fails, failed = want:find "^error: ", got:find "^error: "
  if fails or failed then return fails and failed and "message" or "failure" end
  local a, b = fields(want), fields(got)
  if a ~= b then return without_strides(a) == without_strides(b) and "strides" or "fields" end
  a, b = words(want), words(got)
  if #a ~= #b then return "words" end
  local scale = 0
  for _, word in ipairs(a) do
    local x = number(word)
    if x and is_finite(x) then scale = math.max(scale, math.abs(x)) end
  end
  local half = want:find "torch%.b?float16" ~= nil
  for i, word in ipairs(a) do
    local is_number = number(word) and number(b[i])
    if not is_number and word ~= b[i] then return "words" end
    if is_number and not is_close(word, b[i], scale, half) then return "value" end
  end
  return nil
end

return rounding
