-- png_spec.lua: PNG files of every kind, which a small writer here makes: all types of colors, depths, filters, interlaced or not. Their
-- pixels must be what was written, converted as libpng converts them.
local torch = require "torch"
local image = require "torchvision.io"
local hostile_files = require "hostile_files"

local CHANNELS = {[0] = 1, [2] = 3, [3] = 1, [4] = 2, [6] = 4}
local DEPTHS = {[0] = {1, 2, 4, 8, 16}, [2] = {8, 16}, [3] = {1, 2, 4, 8}, [4] = {8, 16}, [6] = {8, 16}}
local PASSES = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}
local SIGNATURE = "\x89PNG\r\n\x1a\n"

local seed = 1
local function random(n)
  seed = (seed * 1103515245 + 12345) & 0x7fffffff
  return (seed >> 12) % n
end

local function bytes(text) return torch.frombuffer(text, {dtype = torch.uint8}) end

local function chunk(name, data)
  local crc = 0xffffffff
  for c in (name .. data):gmatch "." do
    crc = crc ~ c:byte()
    for _ = 1, 8 do crc = crc & 1 == 1 and crc >> 1 ~ 0xedb88320 or crc >> 1 end
  end
  return (">I4"):pack(#data) .. name .. data .. (">I4"):pack(crc ~ 0xffffffff)
end

-- Returns bytes in zlib's format, stored; the checksum at the end, which libpng does not read, is left out.
local function stored(text)
  local blocks = {"\x78\x01"}
  for at = 1, #text, 65535 do
    local part = text:sub(at, at + 65534)
    blocks[#blocks + 1] = ("<BI2I2"):pack(at + 65535 > #text and 1 or 0, #part, ~#part & 0xffff) .. part
  end
  return table.concat(blocks)
end

local function paeth(a, b, c)
  local p = a + b - c
  local pa, pb, pc = math.abs(p - a), math.abs(p - b), math.abs(p - c)
  return pa <= pb and pa <= pc and a or pb <= pc and b or c
end

local PREDICT = {[0] = function() return 0 end, function(a) return a end, function(_, b) return b end, function(a, b) return (a + b) // 2 end, paeth}

local function filtered(kind, row, above, pixel)
  local out = {string.char(kind)}
  for i = 1, #row do
    local a, c = i > pixel and row:byte(i - pixel) or 0, i > pixel and above:byte(i - pixel) or 0
    out[#out + 1] = string.char((row:byte(i) - PREDICT[kind](a, above:byte(i), c)) & 255)
  end
  return table.concat(out)
end

local function packed(values, depth)
  local out, held, count = {}, 0, 0
  for _, v in ipairs(values) do
    held, count = held << depth | v, count + depth
    while count >= 8 do
      out[#out + 1] = string.char(held >> (count - 8) & 255)
      count = count - 8
    end
  end
  if count > 0 then out[#out + 1] = string.char(held << (8 - count) & 255) end
  return table.concat(out)
end

-- Returns a file and its samples: samples[y][x] is a list of the pixel's.
local function make(kind, before, after)
  local samples, rows = {}, {}
  for y = 0, kind.height - 1 do
    samples[y] = {}
    for x = 0, kind.width - 1 do
      local pixel = {}
      for c = 1, CHANNELS[kind.color] do pixel[c] = random(math.min(1 << kind.depth, kind.most or 1 << 16)) end
      samples[y][x] = pixel
    end
  end
  for _, pass in ipairs(kind.interlaced and PASSES or {{0, 0, 1, 1}}) do
    local above
    for y = pass[2], kind.height - 1, pass[4] do
      local values = {}
      for x = pass[1], kind.width - 1, pass[3] do table.move(samples[y][x], 1, #samples[y][x], #values + 1, values) end
      if #values > 0 then
        local row = packed(values, kind.depth)
        rows[#rows + 1] = filtered(random(5), row, above or ("\0"):rep(#row), math.max(1, CHANNELS[kind.color] * kind.depth // 8))
        above = row
      end
    end
  end
  local data, parts = stored(table.concat(rows)), {}
  for at = 1, #data, 37 do parts[#parts + 1] = chunk("IDAT", data:sub(at, at + 36)) end
  local head = (">I4I4BBBBB"):pack(kind.width, kind.height, kind.depth, kind.color, 0, 0, kind.interlaced and 1 or 0)
  return SIGNATURE .. chunk("IHDR", head) .. (before or "") .. (after or "") .. table.concat(parts) .. chunk("IEND", ""), samples
end

-- Returns the gray of a color by libpng's formula. light: from a sample to light, and back.
local function gray(r, g, b, depth, light)
  if r == g and g == b then return r end
  local function sum(x, y, z, half) return (9794 * x + 19234 * y + 3740 * z + half) >> 15 end
  if not light then return sum(r, g, b, depth == 16 and 16384 or 0) end
  return light(sum(light(r, 1), light(g, 1), light(b, 1), 16384), -1)
end

-- Returns the channels of a pixel of so many channels in the file, in a mode of the number `mode`.
local function converted(pixel, mode, depth, light)
  if mode == 0 then return pixel end
  local colors = #pixel >= 3
  local alpha = #pixel % 2 == 0 and pixel[#pixel] or depth == 16 and 65535 or 255
  local out = {colors and gray(pixel[1], pixel[2], pixel[3], depth, light) or pixel[1]}
  if mode >= 3 then out = colors and {pixel[1], pixel[2], pixel[3]} or {pixel[1], pixel[1], pixel[1]} end
  if mode % 2 == 0 then out[#out + 1] = alpha end
  return out
end

local function check(kind, file, samples, palette, light)
  for mode = 0, 4 do
    local found = image.decode_png(bytes(file), mode):permute(1, 2, 0):tolist()
    local expected = {}
    for y = 0, kind.height - 1 do
      expected[y + 1] = {}
      for x = 0, kind.width - 1 do
        local pixel = {}
        for c, v in ipairs(samples[y][x]) do
          pixel[c] = kind.color ~= 3 and kind.depth < 8 and v * (255 // ((1 << kind.depth) - 1)) or v
        end
        if palette and mode > 0 then pixel = palette[pixel[1]] end
        expected[y + 1][x + 1] = converted(pixel, mode, kind.depth, light)
      end
    end
    assert.are.same(expected, found, ("color %d, depth %d, mode %d"):format(kind.color, kind.depth, mode))
  end
end

-- Returns the chunk of a palette of n colors and the colors, from 0. alpha: the alphas of the first colors.
local function palette_of(n, alpha)
  local colors, text = {}, {}
  for i = 0, n - 1 do
    colors[i] = {random(256), random(256), random(256), alpha and (alpha[i + 1] or 255) or nil}
    text[#text + 1] = string.char(table.unpack(colors[i], 1, 3))
  end
  local chunks = chunk("PLTE", table.concat(text))
  if alpha then chunks = chunks .. chunk("tRNS", string.char(table.unpack(alpha))) end
  return chunks, colors
end

describe("PNG files", function()
  for color, depths in pairs(DEPTHS) do
    for _, depth in ipairs(depths) do
      it(("of color type %d and depth %d"):format(color, depth), function()
        for _, size in ipairs{{1, 1}, {13, 9}, {3, 2}, {2, 11}, {17, 5}} do
          for _, interlaced in ipairs{false, true} do
            local kind = {color = color, depth = depth, width = size[1], height = size[2], interlaced = interlaced}
            local chunks, colors
            if color == 3 then chunks, colors = palette_of(1 << depth) end
            local file, samples = make(kind, chunks)
            check(kind, file, samples, colors)
          end
        end
      end)
    end
  end

  it("with transparent colors of the palette", function()
    for _, depth in ipairs{1, 2, 4, 8} do
      local kind = {color = 3, depth = depth, width = 9, height = 7}
      local chunks, colors = palette_of(1 << depth, {0, 77})
      local file, samples = make(kind, chunks)
      check(kind, file, samples, colors)
    end
  end)

  it("of fewer colors than the samples could name", function()
    local kind = {color = 3, depth = 8, width = 9, height = 7, most = 20}
    local chunks, colors = palette_of(20)
    local file, samples = make(kind, chunks)
    check(kind, file, samples, colors)
  end)

  it("become gray in linear light if they state a gamma", function()
    for _, depth in ipairs{8, 16} do
      local top = (1 << depth) - 1
      local function light(v, way)
        local exponent = way == 1 and 2.19998 or 0.45455   -- libpng's, in parts of 100,000
        return math.floor(top * (v / top) ^ exponent + 0.5)
      end
      local kind = {color = 2, depth = depth, width = 20, height = 10}
      for _, chunks in ipairs{chunk("gAMA", (">I4"):pack(45455)), chunk("sRGB", "\0"), chunk("sRGB", "\0") .. chunk("gAMA", (">I4"):pack(90000))} do
        local file, samples = make(kind, chunks)
        check(kind, file, samples, nil, light)
      end
      local file, samples = make(kind, chunk("gAMA", (">I4"):pack(100000)))
      check(kind, file, samples)
    end
  end)

  local function message(file) return select(2, pcall(image.decode_png, bytes(file))).message end

  it("are refused with the chunk that is wrong", function()
    local kind = {color = 2, depth = 8, width = 4, height = 3}
    local file = make(kind)
    local head = (">I4I4BBBBB"):pack(4, 3, 8, 2, 0, 0, 0)
    assert.are.equal("decode_png: PNG file is truncated", message(file:sub(1, -20)))
    assert.are.equal("decode_png: IHDR: CRC error", message(file:sub(1, 20) .. "\9" .. file:sub(22)))
    assert.are.equal("decode_png: IDAT: CRC error", message(file:sub(1, 50) .. "\9" .. file:sub(52)))
    assert.are.equal("decode_png: Not a PNG file", message("\x89PNGrubbish"))
    assert.are.equal("decode_png: Invalid IHDR data", message(SIGNATURE .. chunk("IHDR", (">I4I4BBBBB"):pack(4, 3, 7, 2, 0, 0, 0))))
    assert.are.equal("decode_png: Invalid IHDR data", message(SIGNATURE .. chunk("IHDR", (">I4I4BBBBB"):pack(0, 3, 8, 2, 0, 0, 0))))
    assert.are.equal("decode_png: bad adaptive filter value",
      message(SIGNATURE .. chunk("IHDR", head) .. chunk("IDAT", stored(("\5" .. ("\0"):rep(12)):rep(3)))))
    assert.are.equal("decode_png: IDAT: not enough image data, or damaged data",
      message(SIGNATURE .. chunk("IHDR", head) .. chunk("IDAT", stored(("\0"):rep(38)))))
    assert.are.equal("decode_png: IDAT: Missing PLTE before IDAT", message((make{color = 3, depth = 8, width = 1, height = 1})))
    assert.are.equal("decode_png: ABCD: unhandled critical chunk", message(SIGNATURE .. chunk("IHDR", head) .. chunk("ABCD", "")))
  end)

  it("may have damaged notes, and bytes after the image", function()
    local kind = {color = 2, depth = 8, width = 4, height = 3}
    local note = chunk("tEXt", "Title\0x")
    local file, samples = make(kind, note:sub(1, -2) .. "?")
    check(kind, file .. "rubbish", samples)
  end)

  it("are read or refused, whatever their bytes are", function()
    hostile_files.seed(5)
    local read = 0
    for color, depths in pairs(DEPTHS) do
      for _, depth in ipairs(depths) do
        for interlaced = 0, 1 do
          local kind = {color = color, depth = depth, width = 5, height = 6, interlaced = interlaced == 1}
          local whole = make(kind, color == 3 and palette_of(1 << depth) or "")
          for _ = 1, 40 do
            local text = hostile_files.change(whole)
            if random(2) == 0 then   -- a head that differs, with its right checksum
              local at = random(13)
              local head = whole:sub(17, 16 + at) .. string.char(random(9)) .. whole:sub(18 + at, 29)
              text = SIGNATURE .. chunk("IHDR", head) .. whole:sub(34)
            end
            if text == "" then text = SIGNATURE end
            local ok, e = pcall(image.decode_png, bytes(text), random(5), true)
            if ok then read = read + 1 else assert.are.equal("string", type(e.message)) end
          end
        end
      end
    end
    assert.is_true(read > 20)
  end)

  it("hold what was encoded, at each level of compression", function()
    local picture = torch.arange(3 * 40 * 30):reshape(3, 40, 30):remainder(251):to(torch.uint8)
    for level = 0, 9 do assert.is_true(torch.equal(picture, image.decode_png(image.encode_png(picture, level)))) end
    for channels = 1, 4 do
      local pixels = torch.arange(20 * channels):reshape(4, 5, channels):to(torch.uint8)
      local back = image.decode_png(torch._io.encode_pixels(pixels, 6, 0))
      assert.is_true(torch.equal(pixels, back:permute(1, 2, 0)))
    end
    assert.is_true(image.encode_png(torch.full({3, 300, 300}, 7, {dtype = torch.uint8})):numel() < 1500)
  end)
end)
