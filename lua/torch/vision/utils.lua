-- vision/utils.lua: torchvision.utils: grids of images, and boxes and masks drawn into them.
local torch = ...
local support, define = torch._part "support", torch._define
local fail, is_plain = support.fail, support.is_plain

local utils = {}

-- --- grids -------------------------------------------------------------------------------------------------

-- Maps the range, or the values from the smallest to the largest, to 0 to 1, in place.
local function normalize(t, range)
  local low, high = t:min():item() + 0.0, t:max():item() + 0.0
  if range then low, high = range[1], range[2] end
  t:clamp_(low, high)
  t:sub_(low):div_(math.max(high - low, 1e-5))
end

-- Returns a batch of images with several channels. A list is stacked; a single image is a batch of one.
local function batch_of(t)
  if is_plain(t) then
    for _, one in ipairs(t) do
      if not torch.is_tensor(one) then
        fail("TypeError", "tensor or list of tensors expected, got a list containing %s", support.python_class(one))
      end
    end
    t = torch.stack(t, 0)
  elseif not torch.is_tensor(t) then
    fail("TypeError", "tensor or list of tensors expected, got %s", support.python_class(t))
  end
  if t:dim() == 2 then t = t:unsqueeze(0) end
  if t:dim() == 3 then t = (t:size(0) == 1 and torch.cat({t, t, t}, 0) or t):unsqueeze(0) end
  if t:dim() == 4 and t:size(1) == 1 then t = torch.cat({t, t, t}, 1) end
  if t:dim() ~= 4 then fail("RuntimeError", "a batch of images has 4 dimensions, not %d", t:dim()) end
  return t
end

local function make_grid(t, nrow, padding, normalized, range, scale_each, pad_value)
  local _ <close> = torch.no_grad()
  t = batch_of(t)
  if normalized then
    t = t:clone()
    if range ~= nil and not is_plain(range) then
      fail("TypeError", "value_range has to be a tuple (min, max) if specified. min and max are numbers")
    end
    if scale_each then
      for i = 0, t:size(0) - 1 do normalize(t[i], range) end
    else
      normalize(t, range)
    end
  end
  local count, channels = t:size(0), t:size(1)
  if count == 1 then return t:squeeze(0) end
  if nrow < 1 then fail("ValueError", "nrow must be at least 1, not %d", nrow) end
  if padding < 0 then fail("ValueError", "padding must not be negative") end
  local columns = math.min(nrow, count)
  local rows = columns > 0 and (count + columns - 1) // columns or 0
  local height, width = t:size(2) + padding, t:size(3) + padding
  local grid = t:new_full({channels, height * rows + padding, width * columns + padding}, pad_value)
  for k = 0, count - 1 do
    local y, x = k // columns * height + padding, k % columns * width + padding
    grid:narrow(1, y, height - padding):narrow(2, x, width - padding):copy_(t[k])
  end
  return grid
end
utils.make_grid = define("make_grid(tensor, int nrow=8, int padding=2, normalize=false, value_range?, scale_each=false, pad_value=0.0)", make_grid)

--- Writes a grid of images to a PNG or JPEG file. The path's end selects the format if none is given.
utils.save_image = define(
  "save_image(tensor, string fp, format?, int nrow=8, int padding=2, normalize=false, value_range?, scale_each=false, pad_value=0.0)",
  function(tensor, fp, format, ...)
    local grid = make_grid(tensor, ...)
    local bytes = grid:mul(255):add_(0.5):clamp_(0, 255):to("cpu", torch.uint8)
    local kind = (format or fp:match "%.([^./]+)$" or ""):lower()
    local io = torch._part "torch.vision.io"
    if kind == "png" then return io.write_png(bytes, fp) end
    if kind == "jpg" or kind == "jpeg" then return io.write_jpeg(bytes, fp) end
    return fail("ValueError", "unknown file extension: %s", fp:match "%.[^./]+$" or "")
  end)

-- --- colours -------------------------------------------------------------------------------------------------

local NAMED = {black = 0x000000, white = 0xffffff, red = 0xff0000, green = 0x008000, blue = 0x0000ff, yellow = 0xffff00, cyan = 0x00ffff,
  magenta = 0xff00ff, gray = 0x808080, grey = 0x808080, orange = 0xffa500, purple = 0x800080, pink = 0xffc0cb, brown = 0xa52a2a, lime = 0x00ff00,
  navy = 0x000080, teal = 0x008080, olive = 0x808000, maroon = 0x800000, silver = 0xc0c0c0, gold = 0xffd700, violet = 0xee82ee, turquoise = 0x40e0d0,
  salmon = 0xfa8072, indigo = 0x4b0082, coral = 0xff7f50, aqua = 0x00ffff, fuchsia = 0xff00ff, crimson = 0xdc143c, khaki = 0xf0e68c}

local function color_of(value)
  if is_plain(value) then return value end
  local text = tostring(value):lower()
  local number = NAMED[text]
  local digits = text:match "^#(%x+)$"
  if digits and #digits == 3 then digits = digits:gsub("%x", "%0%0") end
  if digits and #digits == 6 then number = tonumber(digits, 16) end
  if not number then fail("ValueError", "unknown color specifier: '%s'", tostring(value)) end
  return {number >> 16, number >> 8 & 255, number & 255}
end

-- Returns a colour for each of `count` objects: given ones, one for all, or a palette.
local function colors_of(colors, count)
  local out = {}
  local one = type(colors) == "string" or (is_plain(colors) and type(colors[1]) == "number")
  if colors ~= nil and not one and not is_plain(colors) then
    fail("ValueError", "colors must be a tuple or a string, or a list thereof, but got %s.", support.python(colors))
  end
  if one and is_plain(colors) and #colors ~= 3 then fail("ValueError", "If passed as tuple, colors should be an RGB triplet, but got %d numbers.", #colors) end
  if colors ~= nil and not one and #colors < count then
    fail("ValueError", "Number of colors must be equal or larger than the number of objects, but got %d < %d.", #colors, count)
  end
  for i = 1, count do
    local k = i - 1
    if colors == nil then out[i] = {k * (2 ^ 25 - 1) % 255 // 1 | 0, k * (2 ^ 15 - 1) % 255 // 1 | 0, k * (2 ^ 21 - 1) % 255 // 1 | 0}
    else out[i] = color_of(one and colors or colors[i]) end
  end
  return out
end

-- --- boxes and masks -------------------------------------------------------------------------------------------

local function check_image(img, ...)
  if not torch.is_tensor(img) then fail("TypeError", "Tensor expected, got %s", support.python_class(img)) end
  if img.dtype ~= torch.uint8 and not img.dtype.is_floating_point then
    fail("ValueError", "The image dtype must be uint8 or float, got %s", tostring(img.dtype))
  end
  if img:dim() ~= 3 then fail("ValueError", "Pass individual images, not batches") end
  for _, channels in ipairs{...} do
    if img:size(0) == channels then return end
  end
  fail("ValueError", select("#", ...) == 2 and "Only grayscale and RGB images are supported"
    or "Pass an RGB image. Other Image formats are not supported")
end

-- Fills rows top to bottom and columns left to right, inside the image; blend: the opacity of the colour, of 255.
local function paint(img, left, top, right, bottom, color, blend)
  left, top = math.max(left, 0), math.max(top, 0)
  right, bottom = math.min(right, img:size(2) - 1), math.min(bottom, img:size(1) - 1)
  if right < left or bottom < top then return end
  local part = img:narrow(1, top, bottom - top + 1):narrow(2, left, right - left + 1)
  local ink = torch.tensor(color, {dtype = torch.uint8}):view(3, 1, 1)
  if blend == 255 then return part:copy_(ink:expand(part.shape)) end
  -- as Pillow mixes bytes: the sum divided by 255, rounded to the nearest
  local sum = part:to(torch.int32) * (255 - blend) + ink:to(torch.int32) * blend + 128
  return part:copy_(((sum + sum:div(256, {rounding_mode = "floor"})):div(256, {rounding_mode = "floor"})):to(torch.uint8))
end

local function draw_box(img, box, color, width, fill)
  local left, top, right, bottom = table.unpack(box)
  if fill then paint(img, left + width, top + width, right - width, bottom - width, color, 100) end
  for i = 0, width - 1 do
    local l, t, r, b = left + i, top + i, right - i, bottom - i
    if r < l or b < t then break end
    paint(img, l, t, r, t, color, 255)
    paint(img, l, b, r, b, color, 255)
    paint(img, l, t, l, b, color, 255)
    paint(img, r, t, r, b, color, 255)
  end
end

utils.draw_bounding_boxes = define("draw_bounding_boxes(image, Tensor boxes, labels?, colors?, fill=false, int width=1)",
  function(img, boxes, labels, colors, fill, width)
    local _ <close> = torch.no_grad()
    check_image(img, 1, 3)
    if labels ~= nil then fail("NotImplementedError", "draw_bounding_boxes: labels need a font, which Tocha does not have") end
    if boxes:dim() ~= 2 or boxes:size(1) ~= 4 then fail("ValueError", "boxes must have the shape (N, 4)") end
    if boxes:size(0) == 0 then
      warn "boxes doesn't contain any box. No box was drawn"
      return img
    end
    if boxes[":, 0"]:gt(boxes[":, 2"]):any():item() or boxes[":, 1"]:gt(boxes[":, 3"]):any():item() then
      fail("ValueError", "Boxes need to be in (xmin, ymin, xmax, ymax) format. Use torchvision.ops.box_convert to convert them")
    end
    local F = torch._part "torch.vision.transforms.functional"
    local dtype = img.dtype
    local out = F.convert_image_dtype(img, torch.uint8):expand(3, img:size(1), img:size(2)):clone()
    local list = boxes:to(torch.int64):tolist()
    for i, color in ipairs(colors_of(colors, #list)) do
      if list[i] then draw_box(out, list[i], color, width, fill) end
    end
    return F.convert_image_dtype(out, dtype)
  end)

utils.draw_segmentation_masks = define("draw_segmentation_masks(image, Tensor masks, float alpha=0.8, colors?)", function(img, masks, alpha, colors)
  local _ <close> = torch.no_grad()
  if not torch.is_tensor(img) then fail("TypeError", "The image must be a tensor, got %s", support.python_class(img)) end
  check_image(img, 3)
  if masks:dim() == 2 then masks = masks:unsqueeze(0) end
  if masks:dim() ~= 3 then fail("ValueError", "masks must be of shape (H, W) or (batch_size, H, W)") end
  if masks.dtype ~= torch.bool then fail("ValueError", "The masks must be of dtype bool. Got %s", tostring(masks.dtype)) end
  if masks:size(1) ~= img:size(1) or masks:size(2) ~= img:size(2) then
    fail("ValueError", "The image and the masks must have the same height and width")
  end
  local count = masks:size(0)
  if count == 0 then
    warn "masks doesn't contain any mask. No mask was drawn"
    return img
  end
  local drawn, dtype = img, img.dtype
  for i, color in ipairs(colors_of(colors, count)) do
    if i > count then break end
    local ink = torch.tensor(color, {dtype = torch.float64})
    if dtype.is_floating_point then ink = ink / 255 end
    drawn = torch.where(masks[i - 1], ink:to(dtype):view(3, 1, 1), drawn)
  end
  drawn = drawn:masked_fill(masks:sum(0):gt(1), 0)
  return (img * (1 - alpha) + drawn * alpha):to(dtype)
end)

return torch._namespace(utils, "torch.vision.utils")
