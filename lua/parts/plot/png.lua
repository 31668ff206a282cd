-- png.lua: PNG files of RGB pixels: by libpng if torch.vision has it, else by a small writer of our own, which compresses runs.
local torch = ...

local png = {}

-- --- the small writer -----------------------------------------------------------------------------------

local crc_table

local function crc(bytes)
  if not crc_table then
    crc_table = {}
    for i = 0, 255 do
      local value = i
      for _ = 1, 8 do value = value & 1 == 1 and 0xedb88320 ~ value >> 1 or value >> 1 end
      crc_table[i] = value
    end
  end
  local value = 0xffffffff
  for first = 1, #bytes, 4096 do
    for _, byte in ipairs{bytes:byte(first, first + 4095)} do value = crc_table[(value ~ byte) & 255] ~ value >> 8 end
  end
  return value ~ 0xffffffff
end

local function adler(bytes)
  local a, b = 1, 0
  for first = 1, #bytes, 4096 do
    for _, byte in ipairs{bytes:byte(first, first + 4095)} do
      a = a + byte
      b = b + a
    end
    a, b = a % 65521, b % 65521
  end
  return b << 16 | a
end

-- Returns a writer of bits, lowest first. Codes of the fixed Huffman tree are written highest first.
local function bit_writer()
  local parts, held, count = {}, 0, 0
  local writer = {}
  function writer.bits(value, width)
    held = held | value << count
    count = count + width
    while count >= 8 do
      parts[#parts + 1] = string.char(held & 255)
      held, count = held >> 8, count - 8
    end
  end
  function writer.code(value, width)
    local turned = 0
    for _ = 1, width do
      turned = turned << 1 | value & 1
      value = value >> 1
    end
    writer.bits(turned, width)
  end
  function writer.finish()
    if count > 0 then parts[#parts + 1] = string.char(held & 255) end
    return table.concat(parts)
  end
  return writer
end

local function symbol(writer, value)
  if value < 144 then return writer.code(0x30 + value, 8) end
  if value < 256 then return writer.code(0x190 + value - 144, 9) end
  if value < 280 then return writer.code(value - 256, 7) end
  return writer.code(0xc0 + value - 280, 8)
end

-- Writes a copy of the byte before, `length` times (3 to 258).
local function run(writer, length)
  if length == 258 then
    symbol(writer, 285)
  elseif length < 11 then
    symbol(writer, 254 + length)
  else
    local extra = 1
    while length >= 3 + (8 << extra) do extra = extra + 1 end
    local base = 3 + (4 << extra)
    symbol(writer, 261 + 4 * extra + (length - base >> extra))
    writer.bits(length - base & (1 << extra) - 1, extra)
  end
  writer.code(0, 5)
end

-- Returns bytes in zlib's format, as one block of the fixed tree. Only runs of one byte are compressed, which are frequent in
-- filtered plots.
local function deflate(bytes)
  local writer = bit_writer()
  writer.bits(3, 3) -- the last block, of the fixed tree
  local at, n = 1, #bytes
  while at <= n do
    local byte = bytes:byte(at)
    symbol(writer, byte)
    at = at + 1
    local stop = at
    while stop <= n and stop - at < 258 and bytes:byte(stop) == byte do stop = stop + 1 end
    if stop - at >= 3 then
      run(writer, stop - at)
      at = stop
    end
  end
  symbol(writer, 256)
  return "\x78\x01" .. writer.finish() .. (">I4"):pack(adler(bytes))
end

local function chunk(kind, data) return (">I4"):pack(#data) .. kind .. data .. (">I4"):pack(crc(kind .. data)) end

-- Returns each row as its difference to the row above.
local function filtered(bytes, stride)
  local rows = {}
  local above = ("\0"):rep(stride)
  for first = 1, #bytes, stride do
    local row = bytes:sub(first, first + stride - 1)
    local parts = {"\2"}
    if row == above then
      parts[2] = ("\0"):rep(stride)
    else
      for i = 1, stride do parts[i + 1] = string.char(row:byte(i) - above:byte(i) & 255) end
    end
    rows[#rows + 1] = table.concat(parts)
    above = row
  end
  return table.concat(rows)
end

png.deflate = deflate

--- Returns a PNG file's bytes, made without any library; resolution: pixels an inch; alpha: true for RGBA pixels.
function png.plain(bytes, width, height, resolution, alpha)
  local metre = math.floor((resolution or 100) / 0.0254 + 0.5)
  return "\x89PNG\r\n\x1a\n" .. chunk("IHDR", (">I4I4BBBBB"):pack(width, height, 8, alpha and 6 or 2, 0, 0, 0))
    .. chunk("pHYs", (">I4I4B"):pack(metre, metre, 1)) .. chunk("IDAT", deflate(filtered(bytes, width * (alpha and 4 or 3)))) .. chunk("IEND", "")
end

-- --- with libpng ----------------------------------------------------------------------------------------

--- Returns a PNG file's bytes of RGB pixels.
function png.encode(bytes, width, height, resolution)
  local ok, data = pcall(function()
    local pixels = torch.frombuffer(bytes, {dtype = torch.uint8}):reshape(height, width, 3):permute(2, 0, 1):contiguous()
    return torch._io.encode_png(pixels, 6):tostring_bytes()
  end)
  return ok and data or png.plain(bytes, width, height, resolution)
end

return png
