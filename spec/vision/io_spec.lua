-- io_spec.lua: pictures in files: what torchvision has no word for, and files that are damaged: an error, never a crash.
local torch = require "torch"
local image = require "torchvision.io"
local programs = require "programs"

local FOLDER = "spec/vision/files/"
local function bytes(text) return torch.frombuffer(text, {dtype = torch.uint8}) end

local function message(f, ...) return select(2, pcall(f, ...)).message end

-- Damages each file in 60 ways, and returns how many were refused.
local function refusals(names)
  local seed = 12345
  local function random(n)
    seed = (seed * 6364136223846793005 + 1442695040888963407)
    return (seed >> 33) % n
  end
  local refused = 0
  for _, name in ipairs(names) do
    local whole = programs.read(FOLDER .. name)
    for round = 1, 60 do
      local text = whole
      if round % 3 == 0 then text = whole:sub(1, 1 + random(#whole - 1)) end
      for _ = 1, random(4) + (round % 3 == 0 and 0 or 1) do
        local at = 1 + random(#text)
        text = text:sub(1, at - 1) .. string.char(random(256)) .. text:sub(at + 1)
      end
      local ok, e = pcall(image.decode_image, bytes(text), random(5), random(2) == 1)
      if not ok then
        refused = refused + 1
        assert.are.equal("string", type(e.message))
      end
    end
  end
  return refused
end

describe("torch.vision.io", function()
  it("reads 16 bits a channel as int32", function()
    local t = image.read_image(FOLDER .. "g16.png")
    assert.are.equal("torch.int32", tostring(t.dtype))
    assert.is_true(t:max():item() > 255)
    assert.is_true(t:remainder(257):eq(0):all():item()) -- each is a byte, twice
  end)

  it("makes opaque what has no alpha", function()
    local gray = image.encode_png(torch.zeros(1, 2, 2, {dtype = torch.uint8}))
    assert.are.equal(255, image.decode_png(gray, "GRAY_ALPHA")[1]:min():item())
  end)

  it("says what is wrong", function()
    local colors = torch.zeros(3, 2, 2, {dtype = torch.uint8})
    assert.are.equal("Content is not png!", message(image.decode_png, bytes "nothing"))
    assert.are.equal("Unsupported image file. Only jpeg and png are currently supported.", message(image.decode_image, bytes "GIF89a"))
    assert.are.equal("Input tensor must have uint8 data type, got float32", message(image.decode_png, torch.zeros(3)))
    assert.are.equal("The number of channels should be 1 or 3, got: 2", message(image.encode_png, colors["0:2"]))
    assert.are.equal("Compression level should be between 0 and 9", message(image.encode_png, colors, 10))
    assert.are.equal("[Errno 2] No such file or directory: 'no/such.png'", message(image.read_image, "no/such.png"))
    assert.is_false(pcall(image.encode_png, torch.zeros(3, 0, 4, {dtype = torch.uint8})))
  end)

  it("does not ask for the memory that a small file claims", function()
    local png = image.encode_png(torch.zeros(1, 2, 2, {dtype = torch.uint8})):tostring_bytes()
    local head = "IHDR" .. (">I4I4BBBBB"):pack(60000, 60000, 8, 0, 0, 0, 0)
    local crc = 0xffffffff
    for c in head:gmatch "." do
      crc = crc ~ c:byte()
      for _ = 1, 8 do crc = crc & 1 == 1 and crc >> 1 ~ 0xedb88320 or crc >> 1 end
    end
    local ok, e = pcall(image.decode_png, bytes(png:sub(1, 12) .. head .. (">I4"):pack(crc ~ 0xffffffff) .. png:sub(34)))
    assert.is_false(ok)
    assert.is_truthy(e.message:find "cannot hold 60000 x 60000 pixels")
  end)

  it("survives damaged files", function() assert.is_true(refusals {"pal8.png", "g16.png", "rgba.png"} > 50) end)
end)

describe("torch.vision.io of JPEG", function()
  if not torch._io.jpeg_version() then
    it("is there", function() pending "built without libjpeg" end)
    return
  end

  it("says what is wrong", function()
    local colors = torch.zeros(3, 2, 2, {dtype = torch.uint8})
    assert.are.equal("Input data should be a 3-dimensional tensor", message(image.encode_jpeg, colors[0]))
    assert.are.equal("The provided mode is not supported for JPEG files", message(image.decode_jpeg, image.encode_jpeg(colors), "RGB_ALPHA"))
    assert.is_false(pcall(image.encode_jpeg, torch.zeros(3, 0, 4, {dtype = torch.uint8})))
  end)

  it("does not ask for the memory that a small file claims", function()
    local jpeg = image.encode_jpeg(torch.zeros(1, 8, 8, {dtype = torch.uint8})):tostring_bytes()
    local at = jpeg:find "\xff\xc0"
    local ok, e = pcall(image.decode_jpeg, bytes(jpeg:sub(1, at + 4) .. (">I2I2"):pack(65000, 65000) .. jpeg:sub(at + 9)))
    assert.is_false(ok)
    assert.is_truthy(e.message:find "cannot hold 65000 x 65000 pixels")
  end)

  it("survives damaged files", function()
    assert.is_true(refusals {"rgb.jpg", "cmyk.jpg", "prog.jpg", "ex6.jpg"} > 50)
  end)
end)
