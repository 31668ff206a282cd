-- vision/transforms/geometry.lua: the functions of torchvision.transforms.functional that move pixels: sizes, crops, turns, blur.
local torch = ...
local image = torch._part "vision.transforms.support"
local support, define = torch._part "support", torch._define
local fail, is_list = support.fail, image.is_list
local geometry = {}

function geometry.get_dimensions(img) return {image.dimensions(img)} end
function geometry.get_image_size(img)
  local _, height, width = image.dimensions(img)
  return {width, height}
end
function geometry.get_image_num_channels(img) return (image.dimensions(img)) end

local function is_float(dtype) return dtype == torch.float32 or dtype == torch.float64 end

-- --- padding and crops -----------------------------------------------------------------------------------

local PADDINGS = {constant = "constant", edge = "replicate", reflect = "reflect", symmetric = "symmetric"}

-- Returns left, right, top, bottom of a number, or a list of 1, 2 (sides; top and bottom) or 4 (left, top, right, bottom).
local function sides(padding)
  if type(padding) == "number" then padding = {padding} end
  if not is_list(padding) then fail("TypeError", "Got inappropriate padding arg") end
  local n, p = #padding, padding
  if n == 1 then return {p[1], p[1], p[1], p[1]} end
  if n == 2 then return {p[1], p[1], p[2], p[2]} end
  if n == 4 then return {p[1], p[3], p[2], p[4]} end
  return fail("ValueError", "Padding must be an int or a 1, 2, or 4 element tuple, not a %d element tuple", n)
end

-- Returns an image mirrored at the edges of `dim`, including the edge itself.
local function mirrored(img, dim, before, after)
  local size, places = img:size(dim), {}
  if before < 0 then img, size, before = img:narrow(dim, -before, size + before), size + before, 0 end
  if after < 0 then img, size, after = img:narrow(dim, 0, size + after), size + after, 0 end
  if before > size or after > size then fail("IndexError", "index out of range in symmetric padding") end
  for i = before - 1, 0, -1 do places[#places + 1] = i end
  for i = 0, size - 1 do places[#places + 1] = i end
  for i = 1, after do places[#places + 1] = size - i end
  return img:index_select(dim, torch.tensor(places, {dtype = torch.int64}))
end

local function pad(img, padding, fill, mode)
  image.check(img)
  if fill == nil then fill = 0 end
  if is_list(fill) and #fill == 1 then fill = fill[1] end
  if type(fill) ~= "number" then fail("TypeError", "Got inappropriate fill arg") end
  if type(mode) ~= "string" then fail("TypeError", "Got inappropriate padding_mode arg") end
  local p = sides(padding)
  local way = PADDINGS[mode] or fail("ValueError", "Padding mode should be either constant, edge, reflect or symmetric")
  if way == "symmetric" then return mirrored(mirrored(img, -1, p[1], p[2]), -2, p[3], p[4]) end
  local batch, back = image.batch(img, function(own) return way == "constant" or is_float(own) end, torch.float32)
  if way == "constant" then return back(torch.nn.functional.pad(batch, p, {mode = way, value = fill})) end
  return back(torch.nn.functional.pad(batch, p, {mode = way}))
end
geometry.pad = define("pad(Tensor img, padding, fill=0, padding_mode='constant')", pad)

local function crop(img, top, left, height, width)
  local _, h, w = image.dimensions(img)
  local right, bottom = left + width, top + height
  local row, column = math.min(math.max(top, 0), h), math.min(math.max(left, 0), w)
  local inner = img:narrow(-2, row, math.max(math.min(bottom, h) - row, 0)):narrow(-1, column, math.max(math.min(right, w) - column, 0))
  if left >= 0 and top >= 0 and right <= w and bottom <= h then return inner end
  return pad(inner, {math.max(-left + math.min(0, right), 0), math.max(-top + math.min(0, bottom), 0),
    math.max(right - math.max(w, left), 0), math.max(bottom - math.max(h, top), 0)}, 0, "constant")
end
geometry.crop = define("crop(Tensor img, int top, int left, int height, int width)", crop)

local ONLY_TWO = "Please provide only two dimensions (h, w) for size."

local function center_crop(img, output_size)
  local size = image.pair(output_size, ONLY_TWO)
  local _, h, w = image.dimensions(img)
  local more_h, more_w = math.max(size[1] - h, 0), math.max(size[2] - w, 0)
  if more_h > 0 or more_w > 0 then
    img = pad(img, {more_w // 2, more_h // 2, (more_w + 1) // 2, (more_h + 1) // 2}, 0, "constant")
    h, w = img:size(-2), img:size(-1)
  end
  return crop(img, image.round((h - size[1]) / 2.0), image.round((w - size[2]) / 2.0), size[1], size[2])
end
geometry.center_crop = define("center_crop(Tensor img, output_size)", center_crop)

local function five_crop(img, size)
  size = image.pair(size, ONLY_TWO)
  local _, h, w = image.dimensions(img)
  local height, width = size[1], size[2]
  if width > w or height > h then
    fail("ValueError", "Requested crop size %s is bigger than input size %s", image.show(size), image.show{h, w})
  end
  return {crop(img, 0, 0, height, width), crop(img, 0, w - width, height, width), crop(img, h - height, 0, height, width),
    crop(img, h - height, w - width, height, width), center_crop(img, size)}
end
--- Returns a table of five images.
geometry.five_crop = define("five_crop(Tensor img, size)", five_crop)
geometry.ten_crop = define("ten_crop(Tensor img, size, vertical_flip=false)", function(img, size, vertical_flip)
  local crops = five_crop(img, size)
  table.move(five_crop(img:flip(vertical_flip and -2 or -1), size), 1, 5, 6, crops)
  return crops
end)

local function flip(dim)
  return function(img)
    image.check(img)
    return img:flip(dim)
  end
end
geometry.hflip, geometry.vflip = define("hflip(Tensor img)", flip(-1)), define("vflip(Tensor img)", flip(-2))

-- --- sizes -----------------------------------------------------------------------------------------------

-- Returns the height and width of resize's result.
local function output_size(h, w, size, max_size)
  if #size == 2 then return size[1], size[2] end
  local short, long = math.min(h, w), math.max(h, w)
  local new_short, new_long = size[1], image.truncate(size[1] * long / short)
  if max_size then
    if max_size <= size[1] then
      fail("ValueError", "max_size = %d must be strictly greater than the requested size for the smaller edge size = %s", max_size,
        image.show(size, "["))
    end
    if new_long > max_size then new_short, new_long = image.truncate(max_size * new_short / new_long), max_size end
  end
  if w <= h then return new_long, new_short end
  return new_short, new_long
end

-- Returns a function that is true for dtypes that need no conversion: floats, and in v2 bytes if torchvision has kernels for
-- them.
local function is_float_or_byte(mode)
  local bytes = mode == "bicubic" or torch.backends.cpu.get_cpu_capability() ~= "DEFAULT"
  return function(own) return is_float(own) or bytes and own == torch.uint8 end
end

local function resize(img, size, interpolation, max_size, antialias, v2)
  local mode = image.mode(interpolation)
  if type(size) == "userdata" and not torch.is_tensor(size) then size = {size[0], size[1]} end -- a torch.Size
  if type(size) == "number" then size = {size} end
  if not is_list(size) or #size < 1 or #size > 2 then
    fail("ValueError", "Size must be an int or a 1 or 2 element tuple/list, not a %d element tuple/list", is_list(size) and #size or 0)
  end
  if max_size and #size ~= 1 then
    fail("ValueError", "max_size should only be passed if size specifies the length of the smaller edge, "
      .. "i.e. size should be an int or a sequence of length 1 in torchscript mode.")
  end
  local _, h, w = image.dimensions(img)
  local height, width = output_size(h, w, size, max_size)
  if height == h and width == w then return img end
  local smooth = mode == "bilinear" or mode == "bicubic"
  local kept = v2 and smooth and img.device.type == "cpu" and is_float_or_byte(mode) or is_float
  local batch, back = image.batch(img, kept, torch.float32)
  local options = {size = {height, width}, mode = mode}
  if smooth then options.align_corners, options.antialias = false, antialias end
  local out = torch.nn.functional.interpolate(batch, options)
  if mode == "bicubic" and img.dtype == torch.uint8 and out.dtype ~= torch.uint8 then out = out:clamp(0, 255) end
  return back(out)
end
-- Defines resize and resized_crop, of v1 or v2.
local function define_resize(functions, v2)
  functions.resize = define("resize(Tensor img, size, interpolation='bilinear', max_size?, antialias=true)",
    function(img, size, interpolation, max_size, antialias) return resize(img, size, interpolation, max_size, antialias, v2) end)
  functions.resized_crop =
    define("resized_crop(Tensor img, int top, int left, int height, int width, size, interpolation='bilinear', antialias=true)",
      function(img, top, left, height, width, size, interpolation, antialias)
        return resize(crop(img, top, left, height, width), size, interpolation, nil, antialias, v2)
      end)
end
define_resize(geometry, false)
geometry.v2 = {}
define_resize(geometry.v2, true)

-- --- grids ---------------------------------------------------------------------------------------------

-- Returns the pixels of a batch of images at the points of `grid`. Outside of an image they are `fill`: nil, a number or one for
-- each channel.
local function sample(img, grid, mode, fill)
  local batch, back = image.batch(img, function(own) return own == grid.dtype end, grid.dtype)
  local n, channels = batch:size(0), batch:size(1)
  if n > 1 then grid = grid:expand(n, grid:size(1), grid:size(2), grid:size(3)) end
  if fill ~= nil then -- a plane of ones becomes 0 outside of the image
    batch = torch.cat({batch, torch.ones({n, 1, batch:size(2), batch:size(3)}, {dtype = batch.dtype})}, 1)
  end
  local out = torch.nn.functional.grid_sample(batch, grid, {mode = mode, padding_mode = "zeros", align_corners = false})
  if fill ~= nil then
    local mask = out:narrow(1, channels, 1):expand(n, channels, out:size(2), out:size(3))
    out = out:narrow(1, 0, channels)
    local values = torch.tensor(is_list(fill) and fill or {fill + 0.0}, {dtype = out.dtype}):view(1, -1, 1, 1):expand(out.shape)
    if mode == "nearest" then out = torch.where(mask:lt(0.5), values, out)
    else out = out * mask + (1.0 - mask) * values end
  end
  return back(out)
end

local function check_sampling(img, mode, fill)
  local channels = image.dimensions(img)
  if is_list(fill) and #fill > 1 and #fill ~= channels then
    fail("ValueError", "The number of elements in 'fill' cannot broadcast to match the number of channels of the image (%d != %d)", #fill, channels)
  end
  if mode ~= "nearest" and mode ~= "bilinear" then
    fail("ValueError", "Interpolation mode '%s' is unsupported with Tensor input", mode)
  end
end

-- Returns the coordinates x and y of an image's pixels, of which the first is at `left`, `top`.
local function places(height, width, left, top, dtype)
  local function line(first, n) return torch.linspace(first, first + n - 1, n):to(dtype) end
  return line(left, width):unsqueeze(0), line(top, height):unsqueeze(1)
end

-- Applies a row of a matrix to the points (x, y, 1). Every product is rounded, as in PyTorch's small batches of products.
local function turned(row, x, y) return x * row[0] + y * row[1] + row[2] end

local function affine_grid(matrix, h, w, height, width, dtype)
  local theta = torch.tensor(matrix, {dtype = dtype}):view(2, 3) / torch.tensor({{0.5 * w}, {0.5 * h}}, {dtype = dtype})
  local x, y = places(height, width, -width * 0.5 + 0.5, -height * 0.5 + 0.5, dtype)
  return torch.stack({turned(theta[0], x, y), turned(theta[1], x, y)}, -1):unsqueeze(0)
end

local function of_pictures(img) return img.dtype.is_floating_point and img.dtype or torch.float32 end

-- Returns the inverse of: move the centre to 0, shear, scale, turn, move back, translate.
local function inverse_matrix(center, angle, translate, scale, shear)
  local turn, sx, sy = math.rad(angle), math.rad(shear[1]), math.rad(shear[2])
  local a = math.cos(turn - sy) / math.cos(sy)
  local b = -math.cos(turn - sy) * math.tan(sx) / math.cos(sy) - math.sin(turn)
  local c = math.sin(turn - sy) / math.cos(sy)
  local d = -math.sin(turn - sy) * math.tan(sx) / math.cos(sy) + math.cos(turn)
  local m = {d / scale, -b / scale, 0.0, -c / scale, a / scale, 0.0}
  local x, y = -center[1] - translate[1], -center[2] - translate[2]
  m[3] = m[3] + (m[1] * x + m[2] * y) + center[1]
  m[6] = m[6] + (m[4] * x + m[5] * y) + center[2]
  return m
end

-- Returns a centre in pixels, counted from the middle of the image.
local function from_middle(img, center)
  if center == nil then return {0.0, 0.0} end
  if not is_list(center) then fail("TypeError", "Argument center should be a sequence") end
  local _, height, width = image.dimensions(img)
  return {center[1] - width * 0.5, center[2] - height * 0.5}
end

-- Returns the width and height of the smallest image that contains all of a turned image.
local function expanded_size(matrix, w, h)
  local corners = torch.tensor{{-0.5 * w, -0.5 * h, 1.0}, {-0.5 * w, 0.5 * h, 1.0}, {0.5 * w, 0.5 * h, 1.0}, {0.5 * w, -0.5 * h, 1.0}}
  local moved = torch.matmul(corners, torch.tensor(matrix, {dtype = torch.float32}):view(2, 3).T)
  local half = torch.tensor{w * 0.5, h * 0.5}
  local minimum, maximum = moved:amin(0) + half, moved:amax(0) + half
  local tolerance = 1e-4 -- a number slightly above a whole number is rounded down
  local size = torch.ceil((maximum / tolerance):trunc() * tolerance) - torch.floor((minimum / tolerance):trunc() * tolerance)
  return image.truncate(size[0]:item()), image.truncate(size[1]:item())
end

geometry.rotate = define("rotate(Tensor img, float angle, interpolation='nearest', expand=false, center?, fill?)",
  function(img, angle, interpolation, expand, center, fill)
    local mode = image.mode(interpolation)
    check_sampling(img, mode, fill)
    local matrix = inverse_matrix(from_middle(img, center), -angle, {0.0, 0.0}, 1.0, {0.0, 0.0})
    local _, h, w = image.dimensions(img)
    local width, height = w, h
    if expand then width, height = expanded_size(matrix, w, h) end
    return sample(img, affine_grid(matrix, h, w, height, width, of_pictures(img)), mode, fill)
  end)

geometry.affine = define("affine(Tensor img, float angle, translate, float scale, shear, interpolation='nearest', fill?, center?)",
  function(img, angle, translate, scale, shear, interpolation, fill, center)
    local mode = image.mode(interpolation)
    if not is_list(translate) then fail("TypeError", "Argument translate should be a sequence") end
    if #translate ~= 2 then fail("ValueError", "Argument translate should be a sequence of length 2") end
    if scale <= 0 then fail("ValueError", "Argument scale should be positive") end
    if type(shear) == "number" then shear = {shear, 0.0} end
    if not is_list(shear) then fail("TypeError", "Shear should be either a single value or a sequence of two values") end
    if #shear == 1 then shear = {shear[1], shear[1]} end
    if #shear ~= 2 then fail("ValueError", "Shear should be a sequence containing two values. Got %s", image.show(shear, "[")) end
    check_sampling(img, mode, fill)
    local matrix = inverse_matrix(from_middle(img, center), angle, translate, scale, shear)
    local _, h, w = image.dimensions(img)
    return sample(img, affine_grid(matrix, h, w, h, w, of_pictures(img)), mode, fill)
  end)

-- Returns the eight numbers of a perspective that maps endpoints to startpoints.
local function perspective_numbers(startpoints, endpoints)
  if #startpoints ~= 4 or #endpoints ~= 4 then
    fail("ValueError", "Please provide exactly four corners, got %d startpoints and %d endpoints.", #startpoints, #endpoints)
  end
  local rows, right = {}, {}
  for i = 1, 4 do
    local e, s = endpoints[i], startpoints[i]
    rows[2 * i - 1] = {e[1], e[2], 1, 0, 0, 0, -s[1] * e[1], -s[1] * e[2]}
    rows[2 * i] = {0, 0, 0, e[1], e[2], 1, -s[2] * e[1], -s[2] * e[2]}
    right[2 * i - 1], right[2 * i] = s[1], s[2]
  end
  local f64 = {dtype = torch.float64}
  return torch.linalg.solve(torch.tensor(rows, f64), torch.tensor(right, f64)):to(torch.float32):tolist()
end

geometry.perspective = define("perspective(Tensor img, startpoints, endpoints, interpolation='bilinear', fill?)",
  function(img, startpoints, endpoints, interpolation, fill)
    local c, mode = perspective_numbers(startpoints, endpoints), image.mode(interpolation)
    check_sampling(img, mode, fill)
    local _, height, width = image.dimensions(img)
    local dtype = of_pictures(img)
    local x, y = places(height, width, 0.5, 0.5, dtype)
    local above = torch.tensor({{c[1], c[2], c[3]}, {c[4], c[5], c[6]}}, {dtype = dtype})
    above = above / torch.tensor({{0.5 * width}, {0.5 * height}}, {dtype = dtype})
    local below = turned(torch.tensor({c[7], c[8], 1.0}, {dtype = dtype}), x, y)
    local grid = torch.stack({turned(above[0], x, y) / below, turned(above[1], x, y) / below}, -1) - 1.0
    return sample(img, grid:unsqueeze(0), mode, fill)
  end)

geometry.elastic_transform = define("elastic_transform(Tensor img, Tensor displacement, interpolation='bilinear', fill?)",
  function(img, displacement, interpolation, fill)
    local _, height, width = image.dimensions(img)
    local function line(n) return torch.linspace((1 - n) / n, (n - 1) / n, n) end
    local y, x = table.unpack(torch.meshgrid({line(height), line(width)}, {indexing = "ij"}))
    return sample(img, torch.stack({x, y}, -1):unsqueeze(0) + displacement, image.mode(interpolation), fill)
  end)

-- --- blur ------------------------------------------------------------------------------------------------

local function gaussian(size, sigma, dtype)
  local half = (size - 1) * 0.5
  local x = torch.linspace(-half, half, size, {dtype = dtype})
  local density = torch.exp((x / sigma):pow(2) * -0.5)
  return density / density:sum()
end

local function two_numbers(value, name)
  if type(value) == "number" then return {value + 0.0, value + 0.0} end
  if is_list(value) and #value == 1 then return {value[1], value[1]} end
  if not is_list(value) or #value ~= 2 then
    fail("ValueError", "If %s is a sequence, its length should be 2. Got %d", name, is_list(value) and #value or 0)
  end
  return value
end

geometry.gaussian_blur = define("gaussian_blur(Tensor img, kernel_size, sigma?)", function(img, kernel_size, sigma)
  local size = type(kernel_size) == "number" and {kernel_size, kernel_size} or kernel_size
  if not is_list(size) or #size ~= 2 then
    fail("ValueError", "If kernel_size is a sequence its length should be 2. Got %d", is_list(size) and #size or 0)
  end
  for _, n in ipairs(size) do
    if math.type(n) ~= "integer" or n % 2 == 0 or n < 0 then
      fail("ValueError", "kernel_size should have odd and positive integers. Got %s", image.show(size, "["))
    end
  end
  sigma = two_numbers(sigma or {size[1] * 0.15 + 0.35, size[2] * 0.15 + 0.35}, "sigma")
  for _, s in ipairs(sigma) do
    if s <= 0 then fail("ValueError", "sigma should have positive values. Got %s", image.show(sigma, "[")) end
  end
  image.check(img)
  local dtype, channels = of_pictures(img), img:size(-3)
  local kernel = torch.mm(gaussian(size[2], sigma[2], dtype):unsqueeze(1), gaussian(size[1], sigma[1], dtype):unsqueeze(0))
  local batch, back = image.batch(img, function(own) return own == dtype end, dtype)
  batch = torch.nn.functional.pad(batch, {size[1] // 2, size[1] // 2, size[2] // 2, size[2] // 2}, {mode = "reflect"})
  return back(torch.nn.functional.conv2d(batch, kernel:expand(channels, 1, size[2], size[1]), {groups = channels}))
end)

return geometry
