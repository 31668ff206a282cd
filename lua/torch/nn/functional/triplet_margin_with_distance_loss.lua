-- triplet_margin_with_distance_loss.lua: the function of torch.nn.functional of that name, which calls a Lua function for the
-- distance.
local torch = ...
local support = torch._part "support"

local read = torch._define("triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function?, margin=1.0, swap=false, reduction='mean')")

local function euclidean(a, b) return (a - b + 1e-6):norm(2.0, -1) end
local reductions = {
  none = function(loss) return loss end,
  mean = function(loss) return loss:mean() end,
  sum = function(loss) return loss:sum() end,
}

return function(...)
  local a = read(...)
  local anchor, positive, negative = a.anchor, a.positive, a.negative
  local reduce = reductions[a.reduction]
  if not reduce then support.fail("ValueError", "%s is not a valid value for reduction", a.reduction) end
  if a.margin <= 0 then support.fail("ValueError", "margin must be greater than 0, got %s", support.python(a.margin)) end
  if anchor.ndim ~= positive.ndim or anchor.ndim ~= negative.ndim then
    support.fail("RuntimeError", "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: " ..
      "anchor %dD, positive %dD, and negative %dD inputs", anchor.ndim, positive.ndim, negative.ndim)
  end
  local distance = a.distance_function or euclidean
  local near, far = distance(anchor, positive), distance(anchor, negative)
  if a.swap then far = torch.minimum(far, distance(positive, negative)) end
  return reduce((a.margin + near - far):clamp_min(0))
end
