-- nn/TripletMarginWithDistanceLoss.lua: torch.nn.TripletMarginWithDistanceLoss, which calls a Lua function for the distance.
local torch = ...
local nn = torch.nn

local Loss = nn.Module:extend "TripletMarginWithDistanceLoss"
local read = torch._define("TripletMarginWithDistanceLoss.__init__(*, distance_function?, margin=1.0, swap=false, reduction='mean')")
function Loss:init(...)
  local a = read(...)
  if a.margin <= 0 then
    torch._part "support".fail("ValueError", "TripletMarginWithDistanceLoss: expected margin to be greater than 0, got %s instead",
      torch._part "support".python(a.margin))
  end
  self.distance_function = a.distance_function or nn.PairwiseDistance()
  self.margin, self.swap, self.reduction = a.margin, a.swap, a.reduction
end
Loss.forward = torch._define("TripletMarginWithDistanceLoss.forward(self, anchor, positive, negative)", function(self, anchor, positive, negative)
  return nn.functional.triplet_margin_with_distance_loss(anchor, positive, negative, {distance_function = self.distance_function,
    margin = self.margin, swap = self.swap, reduction = self.reduction})
end)
return Loss
