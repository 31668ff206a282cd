-- overlaps.lua: measures how well boxes (x1, y1, x2, y2) cover one another, for all pairs, and losses of boxes side by side, for
-- torchvision.ops.
local torch = ...
local support, define = torch._part "support", torch._define
local F = torch.nn.functional
local overlaps = {}

-- --- all pairs ---------------------------------------------------------------------------------------------------

-- Returns the weighted penalty for different aspect ratios w / h, compared as angles (Zheng et al. 2020).
local function aspect(w1, h1, w2, h2, iou, eps)
  local v = 4 / math.pi ^ 2 * (torch.atan(w1 / h1) - torch.atan(w2 / h2)) ^ 2
  return torch.no_grad(function() return v / (1 - iou + v + eps) end) * v
end

-- Returns the sizes of the smallest box around each pair.
local function around(a, b, wide)
  local low = torch.minimum(a[":, 0:2"]:unsqueeze(1), b[":, 0:2"])
  local high = torch.maximum(a[":, 2:4"]:unsqueeze(1), b[":, 2:4"])
  return wide(high - low):clamp(0)
end

local function centre(boxes, k) return (boxes[{":", k}] + boxes[{":", k + 2}]) / 2 end

--- Adds generalized_box_iou, distance_box_iou and complete_box_iou to ops. tools: the functions check, wide and overlap of ops.
function overlaps.add_pairs(ops, tools)
  local wide = tools.wide
  local function distance(a, b, eps)
    local inner, union = tools.overlap(a, b)
    local iou, size = inner / union, around(a, b, wide)
    local diagonal = size["..., 0"] ^ 2 + size["..., 1"] ^ 2 + eps
    local function apart(k) return wide(centre(a, k):unsqueeze(1) - centre(b, k)) ^ 2 end
    return iou - (apart(0) + apart(1)) / diagonal, iou
  end
  local function measure(name, signature, f)
    ops[name] = define(name .. "(Tensor boxes1, Tensor boxes2" .. signature .. ")", function(a, b, eps)
      tools.check(a, name)
      tools.check(b, name)
      return f(a, b, eps)
    end)
  end
  measure("generalized_box_iou", "", function(a, b)
    local inner, union = tools.overlap(a, b)
    local size = around(a, b, wide)
    local whole = size["..., 0"] * size["..., 1"]
    return inner / union - (whole - union) / whole
  end)
  measure("distance_box_iou", ", float eps=1e-7", function(a, b, eps) return (distance(a, b, eps)) end)
  measure("complete_box_iou", ", float eps=1e-7", function(a, b, eps)
    a, b = wide(a), wide(b)
    local diou, iou = distance(a, b, eps)
    local function side(boxes, k) return boxes[{":", k + 2}] - boxes[{":", k}] end
    return diou - aspect(side(a, 0):unsqueeze(1), side(a, 1):unsqueeze(1), side(b, 0), side(b, 1), iou, eps)
  end)
end

-- --- losses ------------------------------------------------------------------------------------------------------

local function reduce(loss, reduction)
  if reduction == "none" then return loss end
  if reduction == "mean" then return loss:numel() > 0 and loss:mean() or 0.0 * loss:sum() end
  if reduction == "sum" then return loss:sum() end
  support.fail("ValueError", "Invalid Value for arg 'reduction': '%s \n Supported reduction modes: 'none', 'mean', 'sum'", reduction)
end

local function floating(t) return t.dtype.is_floating_point and t or t:float() end

-- Returns the parts of the losses: intersection, union, and the smallest box around both boxes.
local function side_by_side(a, b)
  local x1, y1, x2, y2 = table.unpack(a:unbind(-1))
  local u1, v1, u2, v2 = table.unpack(b:unbind(-1))
  local width = torch.minimum(x2, u2) - torch.maximum(x1, u1)
  local height = torch.minimum(y2, v2) - torch.maximum(y1, v1)
  local inner = torch.where(width:gt(0):logical_and(height:gt(0)), width * height, torch.zeros_like(width))
  local union = (x2 - x1) * (y2 - y1) + (u2 - u1) * (v2 - v1) - inner
  return inner, union, torch.maximum(x2, u2) - torch.minimum(x1, u1), torch.maximum(y2, v2) - torch.minimum(y1, v1)
end

local function generalized(a, b, eps)
  local inner, union, width, height = side_by_side(a, b)
  local whole = width * height
  return 1 - (inner / (union + eps) - (whole - union) / (whole + eps))
end

local function distance_loss(a, b, eps)
  local inner, union, width, height = side_by_side(a, b)
  local iou = inner / (union + eps)
  local x1, y1, x2, y2 = table.unpack(a:unbind(-1))
  local u1, v1, u2, v2 = table.unpack(b:unbind(-1))
  local apart = ((x2 + x1) / 2 - (u1 + u2) / 2) ^ 2 + ((y2 + y1) / 2 - (v1 + v2) / 2) ^ 2
  return 1 - iou + apart / (width ^ 2 + height ^ 2 + eps), iou
end

local function complete(a, b, eps)
  local loss, iou = distance_loss(a, b, 1e-7)
  local x1, y1, x2, y2 = table.unpack(a:unbind(-1))
  local u1, v1, u2, v2 = table.unpack(b:unbind(-1))
  return loss + aspect(u2 - u1, v2 - v1, x2 - x1, y2 - y1, iou, eps)
end

--- Adds the losses of boxes, and sigmoid_focal_loss, to ops.
function overlaps.add_losses(ops)
  for name, f in pairs {generalized = generalized, distance = distance_loss, complete = complete} do
    name = name .. "_box_iou_loss"
    ops[name] = define(name .. "(Tensor boxes1, Tensor boxes2, string reduction='none', float eps=1e-7)", function(a, b, reduction, eps)
      return reduce((f(floating(a), floating(b), eps)), reduction)
    end)
  end
  ops.sigmoid_focal_loss = define("sigmoid_focal_loss(Tensor inputs, Tensor targets, float alpha=0.25, float gamma=2, string reduction='none')",
    function(inputs, targets, alpha, gamma, reduction)
      if not (alpha >= 0 and alpha <= 1) and alpha ~= -1 then
        support.fail("ValueError", "Invalid alpha value: %s. alpha must be in the range [0,1] or -1 for ignore.", support.python(alpha))
      end
      local p = torch.sigmoid(inputs)
      local right = p * targets + (1 - p) * (1 - targets)
      local loss = F.binary_cross_entropy_with_logits(inputs, targets, {reduction = "none"}) * (1 - right) ^ gamma
      if alpha >= 0 then loss = (alpha * targets + (1 - alpha) * (1 - targets)) * loss end
      return reduce(loss, reduction)
    end)
end

return overlaps
