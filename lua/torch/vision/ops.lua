-- vision/ops.lua: torchvision.ops: boxes (x1, y1, x2, y2), regions, and a few layers.
local torch = ...
local support, define = torch._part "support", torch._define
local fail = support.fail
local ops = {}

local function check(boxes, name)
  if boxes:dim() ~= 2 or boxes:size(1) ~= 4 then
    fail("ValueError", "%s: boxes must have the shape (N, 4), got %s", name, tostring(boxes.shape))
  end
end

-- Returns a tensor in a dtype wide enough for areas.
local function wide(t)
  if t.dtype.is_floating_point then return (t.dtype == torch.float32 or t.dtype == torch.float64) and t or t:float() end
  return (t.dtype == torch.int32 or t.dtype == torch.int64) and t or t:int()
end
local function area(boxes)
  boxes = wide(boxes)
  return (boxes[":, 2"] - boxes[":, 0"]) * (boxes[":, 3"] - boxes[":, 1"])
end
ops.box_area = define("box_area(Tensor boxes)", function(boxes)
  check(boxes, "box_area")
  return area(boxes)
end)

local function overlap(a, b)
  local low = torch.maximum(a[":, 0:2"]:unsqueeze(1), b[":, 0:2"])
  local high = torch.minimum(a[":, 2:4"]:unsqueeze(1), b[":, 2:4"])
  local size = wide(high - low):clamp(0)
  local inner = size["..., 0"] * size["..., 1"]
  return inner, area(a):unsqueeze(1) + area(b) - inner
end
ops.box_iou = define("box_iou(Tensor boxes1, Tensor boxes2)", function(a, b)
  check(a, "box_iou")
  check(b, "box_iou")
  local inner, union = overlap(a, b)
  return inner / union
end)

--- Returns the indices of the boxes that remain, best first, if none may overlap a better one by more than the threshold.
ops.nms = define("nms(Tensor boxes, Tensor scores, float iou_threshold)", function(boxes, scores, threshold)
  if boxes:dim() ~= 2 then fail("RuntimeError", "boxes should be a 2d tensor, got %dD", boxes:dim()) end
  if boxes:size(1) ~= 4 then fail("RuntimeError", "boxes should have 4 elements in dimension 1, got %d", boxes:size(1)) end
  if scores:dim() ~= 1 then fail("RuntimeError", "scores should be a 1d tensor, got %dD", scores:dim()) end
  if boxes:size(0) ~= scores:size(0) then
    fail("RuntimeError", "boxes and scores should have same number of elements in dimension 0, got %d and %d", boxes:size(0), scores:size(0))
  end
  local _, order = scores:sort{stable = true, dim = 0, descending = true}
  local kept = {}
  while order:numel() > 0 do
    local best = order["0:1"]
    kept[#kept + 1] = best:item()
    order = order["1:"]
    local inner, union = overlap(boxes:index_select(0, best), boxes:index_select(0, order))
    order = order[(inner / union)[0]:gt(threshold):logical_not()]
  end
  return torch.tensor(kept, {dtype = torch.int64})
end)

local CONVERSIONS = {
  xywh = {function(a, b, c, d) return a, b, a + c, b + d end, function(a, b, c, d) return a, b, c - a, d - b end},
  cxcywh = {function(a, b, c, d) return a - 0.5 * c, b - 0.5 * d, a + 0.5 * c, b + 0.5 * d end,
    function(a, b, c, d) return (a + c) / 2, (b + d) / 2, c - a, d - b end},
  xyxy = {function(...) return ... end, function(...) return ... end},
}
ops.box_convert = define("box_convert(Tensor boxes, string in_fmt, string out_fmt)", function(boxes, in_fmt, out_fmt)
  local from, to = CONVERSIONS[in_fmt], CONVERSIONS[out_fmt]
  if not from or not to then fail("ValueError", "Unsupported Bounding Box Conversions for given in_fmt %s and out_fmt %s", in_fmt, out_fmt) end
  if in_fmt == out_fmt then return boxes:clone() end
  return torch.stack({to[2](from[1](table.unpack(boxes:unbind(-1))))}, -1)
end)

ops.clip_boxes_to_image = define("clip_boxes_to_image(Tensor boxes, size)", function(boxes, size)
  local height, width = size[1], size[2]
  local limits = torch.tensor({width, height, width, height}, {dtype = boxes.dtype})
  return torch.minimum(boxes:clamp(0), limits)
end)

-- Applies nms to each class separately: the boxes of a class are moved to a place of their own in the plane.
ops.batched_nms = define("batched_nms(Tensor boxes, Tensor scores, Tensor idxs, float iou_threshold)", function(boxes, scores, classes, threshold)
  if boxes:numel() == 0 then return torch.empty({0}, {dtype = torch.int64}) end
  local apart = classes:to(boxes.dtype) * (boxes:max() + 1)
  return ops.nms(boxes + apart:unsqueeze(1), scores, threshold)
end)

ops.remove_small_boxes = define("remove_small_boxes(Tensor boxes, float min_size)", function(boxes, min_size)
  local wide_enough = (boxes[":, 2"] - boxes[":, 0"]):ge(min_size)
  return torch.where(wide_enough:logical_and((boxes[":, 3"] - boxes[":, 1"]):ge(min_size)))[1]
end)

--- Returns the smallest box around the true elements of each mask (N, H, W).
ops.masks_to_boxes = define("masks_to_boxes(Tensor masks)", function(masks)
  local boxes = torch.zeros(masks:size(0), 4)
  for i = 0, masks:size(0) - 1 do
    local y, x = table.unpack(torch.where(masks[i]:ne(0)))
    boxes[i] = torch.stack{x:min(), y:min(), x:max(), y:max()}:float()
  end
  return boxes
end)

local overlaps = torch._part "vision.ops.overlaps"
overlaps.add_pairs(ops, {check = check, wide = wide, overlap = overlap})
overlaps.add_losses(ops)
torch._part("vision.ops.regions").add(ops)
torch._part("vision.ops.layers").add(ops)

return torch._namespace(ops, "torch.vision.ops")
