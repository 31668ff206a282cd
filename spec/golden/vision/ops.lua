-- torchvision.ops: boxes.
local torch = require "torch"
local ops = require "torchvision.ops"
torch.manual_seed(9)
local function boxes(n)
  local corner = torch.rand(n, 2) * 20
  return torch.cat({corner, corner + torch.rand(n, 2) * 15}, 1)
end
local a, b = boxes(5), boxes(4)
print(ops.box_area(a))
print(ops.box_iou(a, b))
print(ops.box_iou(a:int(), b:int()))
local many, scores = boxes(60), torch.rand(60)
for _, threshold in ipairs {0.1, 0.3, 0.5, 0.9} do print(ops.nms(many, scores, threshold)) end
print(ops.nms(torch.zeros(0, 4), torch.zeros(0), 0.5))
print(ops.box_convert(a, "xyxy", "cxcywh"))
print(ops.box_convert(a, "xyxy", "xywh"))
print(ops.box_convert(a, "cxcywh", "xywh"))
print(ops.clip_boxes_to_image(a, {15, 12}))
for _, f in ipairs {
  function() return ops.box_convert(a, "xyxy", "polar") end,
} do
  local _, e = pcall(f)
  print((tostring(e):gsub("\n.*", "")))
end
