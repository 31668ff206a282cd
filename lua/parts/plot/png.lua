-- png.lua: PNG files of pixels.
local torch = ...

local LEVEL = 6 -- of compression, as zlib's default
local INCH = 0.0254 -- metres

--- Returns the bytes of a PNG file. bytes: the pixels row by row, 3 (RGB) or 4 (RGB and alpha) bytes each; resolution: pixels an inch.
return function(bytes, width, height, resolution)
  local pixels = torch.frombuffer(bytes, {dtype = torch.uint8}):reshape(height, width, -1)
  return torch._io.encode_pixels(pixels, LEVEL, math.floor((resolution or 100) / INCH + 0.5)):tostring_bytes()
end
