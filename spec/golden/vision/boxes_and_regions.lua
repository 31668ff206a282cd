-- torchvision.ops: measures and losses of boxes, regions of feature maps with their gradients, layers.
local torch = require "torch"
local ops = require "torchvision.ops"
torch.manual_seed(9)
local function boxes(n)
  local corner = torch.rand(n, 2) * 20
  return torch.cat({corner, corner + torch.rand(n, 2) * 15}, 1)
end
local a, b = boxes(5), boxes(4)
print(ops.generalized_box_iou(a, b))
print(ops.distance_box_iou(a, b))
print(ops.complete_box_iou(a, b))
print(ops.generalized_box_iou(a:int(), b:int()))
print(ops.batched_nms(boxes(40), torch.rand(40), torch.randint(0, 3, {40}), 0.2))
print(ops.remove_small_boxes(boxes(12), 5.0))
local masks = torch.zeros(2, 6, 7)
masks["0, 1:4, 2:5"] = 1
masks["1, 5, 0"] = 1
print(ops.masks_to_boxes(masks))
for _, name in ipairs {"generalized_box_iou_loss", "distance_box_iou_loss", "complete_box_iou_loss"} do
  local x = a[":4"]:clone():requires_grad_(true)
  print(ops[name](x, b))
  ops[name](x, b, {reduction = "mean"}):backward()
  print(x.grad)
end
local logits = torch.randn(3, 4):requires_grad_(true)
local loss = ops.sigmoid_focal_loss(logits, torch.rand(3, 4):round(), {reduction = "sum"})
loss:backward()
print(loss, logits.grad)
print(ops.sigmoid_focal_loss(torch.randn(3), torch.ones(3), {alpha = -1, gamma = 1.5}))
local map = torch.randn(2, 3, 9, 11):requires_grad_(true)
local rows = torch.cat({torch.tensor({{0.}, {1.}, {1.}, {0.}, {1.}}), a}, 1)
for _, aligned in ipairs {false, true} do
  for _, ratio in ipairs {-1, 2} do
    local out = ops.roi_align(map, rows, {2, 3}, {spatial_scale = 0.5, sampling_ratio = ratio, aligned = aligned})
    print(out.shape, out[1], out:sum())
    print(torch.autograd.grad(out:pow(2):sum(), map):sum({1, 2}))
  end
end
print(ops.roi_align(map, {a[":2"], b[":1"]}, 2):sum({1, 2, 3}))
local pooled = ops.roi_pool(map, rows, {3, 2}, 0.4)
print(pooled.shape, pooled[0])
print(torch.autograd.grad(pooled:sum(), map):sum({1, 2}))
print(ops.RoIAlign(3, {spatial_scale = 0.5, sampling_ratio = 2}), ops.RoIPool(3, 0.5))
local frozen = ops.FrozenBatchNorm2d(3)
print(frozen, frozen(map):sum())
print(ops.MLP(4, {8, 2}, {dropout = 0.1}))
print(ops.stochastic_depth(torch.ones(6, 2), 0.5, "row"))
