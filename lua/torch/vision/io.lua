-- vision/io.lua: torchvision.io: image files as uint8 tensors (channels, height, width).
local torch = ...
local support, define = torch._part "support", torch._define
local fail, C = support.fail, torch._io

local io_part = {ImageReadMode = {UNCHANGED = 0, GRAY = 1, GRAY_ALPHA = 2, RGB = 3, RGB_ALPHA = 4, RGBA = 4}}

local function number_of(mode)
  if type(mode) == "string" then mode = io_part.ImageReadMode[mode:upper()] or fail("KeyError", "'%s'", mode:upper()) end
  if math.type(mode) ~= "integer" then fail("TypeError", "mode must be an ImageReadMode, not %s", torch._python_type(mode)) end
  return mode
end

local function open(path, how)
  local file, message, number = io.open(path, how)
  if not file then fail("RuntimeError", "[Errno %d] %s: '%s'", number or 0, (message or ""):match "([^:]+)$":gsub("^ ", ""), path) end
  return file
end

--- Returns the bytes of a file.
io_part.read_file = define("read_file(string path)", function(path)
  local file <close> = open(path, "rb")
  local bytes = file:read "a"
  if not bytes then fail("RuntimeError", "cannot read '%s'", path) end
  if #bytes == 0 then fail("RuntimeError", "Expected a non empty file") end
  return torch.frombuffer(bytes, {dtype = torch.uint8})
end)

io_part.write_file = define("write_file(string filename, Tensor data)", function(filename, data)
  if data.dtype ~= torch.uint8 then fail("RuntimeError", "Input tensor dtype should be uint8") end
  if data:dim() ~= 1 then fail("RuntimeError", "Input data should be a 1-dimensional tensor") end
  local ok, problem = pcall(support.write_whole, filename, data:tostring_bytes())
  if not ok then fail("RuntimeError", "%s", problem.message or problem) end
end)

-- Calls a decoder and adds the file's name to errors.
local function of_file(path, decode, ...)
  local results = table.pack(pcall(decode, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  support.in_file(path, results[2])
end

local function decoder(name)
  return define(name .. "(input, mode=0, apply_exif_orientation=false)", function(input, mode, exif)
    local path = type(input) == "string" and input
    if not path then return C[name](input, number_of(mode), exif) end
    return of_file(path, C[name], io_part.read_file(path), number_of(mode), exif)
  end)
end
for _, name in ipairs{"decode_image", "decode_png", "decode_jpeg", "decode_webp"} do io_part[name] = decoder(name) end
io_part.read_image = define("read_image(string path, mode=0, apply_exif_orientation=false)", function(path, mode, exif)
  return of_file(path, C.decode_image, io_part.read_file(path), number_of(mode), exif)
end)

io_part.encode_png = define("encode_png(Tensor input, int compression_level=6)", C.encode_png)
io_part.encode_jpeg = define("encode_jpeg(Tensor input, int quality=75)", C.encode_jpeg)
io_part.write_png = define("write_png(Tensor input, string filename, int compression_level=6)", function(input, filename, level)
  io_part.write_file(filename, C.encode_png(input, level))
end)
io_part.write_jpeg = define("write_jpeg(Tensor input, string filename, int quality=75)", function(input, filename, quality)
  io_part.write_file(filename, C.encode_jpeg(input, quality))
end)

return torch._namespace(io_part, "torch.vision.io")
