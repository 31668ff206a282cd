-- regions.lua: regions of feature maps, resampled to one size: torchvision.ops.roi_align and roi_pool.
local torch = ...
local support, define = torch._part "support", torch._define
local fail = support.fail
local regions = {}

local function pair(size) return type(size) == "number" and {size, size} or size end

-- Returns boxes as rows (number of the image, x1, y1, x2, y2), from such a tensor, or from a list of boxes for each image.
local function rows_of(boxes, input)
  if torch.is_tensor(boxes) then
    if boxes:dim() ~= 2 or boxes:size(1) ~= 5 then
      fail("AssertionError", "The boxes tensor shape is not correct as Tensor[K, 5]")
    end
  else
    local rows = {}
    for i, list in ipairs(boxes) do
      if list:dim() ~= 2 or list:size(1) ~= 4 then
        fail("AssertionError", "The shape of the tensor in the boxes list is not correct as List[Tensor[L, 4]]")
      end
      rows[i] = torch.cat({torch.full_like(list[":, :1"], i - 1), list}, 1)
    end
    boxes = torch.cat(rows, 0)
  end
  local last = boxes:numel() > 0 and boxes[":, 0"]:max():item() or 0
  if last >= input:size(0) or (boxes:numel() > 0 and boxes[":, 0"]:min():item() < 0) then
    fail("IndexError", "a box is of picture %d, but there are %d", last // 1 | 0, input:size(0))
  end
  return boxes
end

-- Returns the matrix (bins, size) that maps a row of pixels to the mean of each bin's samples, each interpolated between two
-- pixels.
local function sampling(start, bin, bins, samples, size, like)
  local options = {dtype = like.dtype, device = like.device}
  local at = torch.arange(bins, options):unsqueeze(1) * bin + start
    + (torch.arange(samples, options) + 0.5) * (bin / samples)                          -- (bins, samples)
  local inside = at:ge(-1):logical_and(at:le(size)):to(like.dtype)
  local distance = (at:clamp(0, size - 1):unsqueeze(-1) - torch.arange(size, options)):abs()
  return ((1 - distance):clamp(0) * inside:unsqueeze(-1)):sum(1) / samples              -- (bins, size)
end

local function align_one(input, row, size, o)
  local offset = o.aligned and 0.5 or 0.0
  local function edge(k) return row[k] * o.scale - offset end
  local x, y, x2, y2 = edge(2), edge(3), edge(4), edge(5)
  local width, height = x2 - x, y2 - y
  if not o.aligned then width, height = math.max(width, 1.0), math.max(height, 1.0) end
  local function samples(length, bins)
    return o.ratio > 0 and o.ratio or math.max(math.ceil(length / bins), 1)
  end
  local down = sampling(y, height / size[1], size[1], samples(height, size[1]), input:size(2), input)
  local across = sampling(x, width / size[2], size[2], samples(width, size[2]), input:size(3), input)
  return down:matmul(input[row[1] // 1 | 0]):matmul(across:t())
end

local function pool_one(input, row, size, o)
  local function edge(k) return math.floor(math.abs(row[k] * o.scale) + 0.5) * (row[k] < 0 and -1 or 1) end
  local x, y = edge(2), edge(3)
  local picture, H, W = input[row[1] // 1 | 0], input:size(2), input:size(3)
  local function bounds(start, length, bins, i, maximum)
    local bin = math.max(length, 1) / bins
    local function within(v) return math.min(math.max(v + start, 0), maximum) end
    return within(math.floor(i * bin)), within(math.ceil((i + 1) * bin))
  end
  local out = {}
  for i = 0, size[1] - 1 do
    local top, bottom = bounds(y, edge(5) - y + 1, size[1], i, H)
    for j = 0, size[2] - 1 do
      local left, right = bounds(x, edge(4) - x + 1, size[2], j, W)
      local empty = bottom <= top or right <= left
      out[#out + 1] = empty and input:new_zeros(input:size(1))
        or picture[{":", ("%d:%d"):format(top, bottom), ("%d:%d"):format(left, right)}]:flatten(1):amax(1)
    end
  end
  return torch.stack(out, 1):view(input:size(1), size[1], size[2])
end

local function each(one, input, boxes, size, o)
  if input:dim() ~= 4 then fail("ValueError", "input must have the shape (N, C, H, W), got %s", tostring(input.shape)) end
  size = pair(size)
  local out = {}
  for i, row in ipairs(rows_of(boxes, input):detach():tolist()) do out[i] = one(input, row, size, o) end
  if #out == 0 then return input:new_zeros(0, input:size(1), size[1], size[2]) end
  return torch.stack(out)
end

--- Adds roi_align, roi_pool and their modules to ops.
function regions.add(ops)
  local function align(input, boxes, size, scale, ratio, aligned)
    return each(align_one, input, boxes, size, {scale = scale, ratio = ratio, aligned = aligned})
  end
  ops.roi_align = define("roi_align(Tensor input, boxes, output_size, float spatial_scale=1, int sampling_ratio=-1, bool aligned=false)", align)
  ops.roi_pool = define("roi_pool(Tensor input, boxes, output_size, float spatial_scale=1)", function(input, boxes, size, scale)
    return each(pool_one, input, boxes, size, {scale = scale})
  end)

  local function shown(size) return type(size) == "number" and tostring(size) or ("(%d, %d)"):format(size[1], size[2]) end
  local Align = torch.nn.Module:extend "RoIAlign"
  Align.init = define("RoIAlign.__init__(self, output_size, float spatial_scale, int sampling_ratio, bool aligned=false)",
    function(self, size, scale, ratio, aligned)
      self.output_size, self.spatial_scale, self.sampling_ratio, self.aligned = size, scale, ratio, aligned
    end)
  function Align:forward(input, boxes)
    return align(input, boxes, self.output_size, self.spatial_scale, self.sampling_ratio, self.aligned)
  end
  function Align:extra_repr()
    return ("output_size=%s, spatial_scale=%s, sampling_ratio=%d, aligned=%s"):format(shown(self.output_size),
      support.python(self.spatial_scale), self.sampling_ratio, support.python(self.aligned))
  end
  local Pool = torch.nn.Module:extend "RoIPool"
  Pool.init = define("RoIPool.__init__(self, output_size, float spatial_scale)", function(self, size, scale)
    self.output_size, self.spatial_scale = size, scale
  end)
  function Pool:forward(input, boxes) return ops.roi_pool(input, boxes, self.output_size, self.spatial_scale) end
  function Pool:extra_repr()
    return ("output_size=%s, spatial_scale=%s"):format(shown(self.output_size), support.python(self.spatial_scale))
  end
  ops.RoIAlign, ops.RoIPool = Align, Pool
end

return regions
