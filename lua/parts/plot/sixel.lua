-- sixel.lua: an image as sixels, which many terminals show: bands of six rows, in each band a line for each colour.

local max_colors = 256

-- Reduces colours to as many bits as leave few enough of them. Returns a table from pixels to numbers from 0, and the colours in
-- their order.
local function palette_of(pixels)
  for bits = 8, 1, -1 do
    local mask, known, list = ((0xff << (8 - bits)) & 0xff) * 0x010101, {}, {}
    for i = 1, #pixels do
      local rgb = pixels[i] & mask
      if not known[rgb] then
        known[rgb], list[#list + 1] = #list, rgb
        if #list > max_colors then break end
      end
    end
    if #list <= max_colors then return known, list, mask, bits end
  end
end

local function percent(byte) return (byte * 100 + 127) // 255 end

-- Returns the definitions of the colours. A colour reduced to a few bits is shown by the middle of its range.
local function definitions(list, bits)
  local parts, middle = {}, bits < 8 and (1 << (7 - bits)) or 0
  for i, rgb in ipairs(list) do
    local r, g, b = (rgb >> 16) + middle, (rgb >> 8 & 255) + middle, (rgb & 255) + middle
    if rgb == ((0xff << (8 - bits)) & 0xff) * 0x010101 then r, g, b = 255, 255, 255 end -- white stays white
    if rgb == 0 then r, g, b = 0, 0, 0 end
    parts[i] = ("#%d;2;%d;%d;%d"):format(i - 1, percent(r), percent(g), percent(b))
  end
  return table.concat(parts)
end

-- Returns a line of sixels with repetitions counted.
local function packed(line, width)
  local parts, x = {}, 1
  while x <= width do
    local value, first = line[x] or 0, x
    while x <= width and (line[x] or 0) == value do x = x + 1 end
    local letter, n = string.char(63 + value), x - first
    parts[#parts + 1] = n > 3 and ("!%d%s"):format(n, letter) or letter:rep(n)
  end
  return table.concat(parts)
end

--- Returns the text that shows an image: width * height pixels 0xRRGGBB in a list.
return function(pixels, width, height)
  local known, list, mask, bits = palette_of(pixels)
  local out = {("\27P0;1;0q\"1;1;%d;%d"):format(width, height), definitions(list, bits)}
  for top = 0, height - 1, 6 do
    local lines, order = {}, {}
    for row = top, math.min(top + 5, height - 1) do
      local base, bit = row * width, 1 << (row - top)
      for x = 1, width do
        local color = known[pixels[base + x] & mask]
        local line = lines[color]
        if not line then
          line = {}
          lines[color], order[#order + 1] = line, color
        end
        line[x] = (line[x] or 0) | bit
      end
    end
    for i, color in ipairs(order) do out[#out + 1] = ("%s#%d%s"):format(i > 1 and "$" or "", color, packed(lines[color], width)) end
    out[#out + 1] = "-"
  end
  out[#out + 1] = "\27\\\n"
  return table.concat(out)
end
