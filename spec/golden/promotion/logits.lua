-- binary_cross_entropy_with_logits of two dtypes: one part is computed in the input's, one in the target's
local torch = require "torch"
local F = torch.nn.functional
local x = torch.tensor {-1.5, -0.3, 0.2, 2.7, 0.0}
local y = torch.tensor {0.1, 0.9, 0.5, 0.77, 0.3}
for _, pair in ipairs {{"bfloat16", "float32"}, {"float32", "bfloat16"}, {"float16", "float32"}, {"float64", "float32"}, {"float32", "float64"}} do
  local input, target = x:to(torch[pair[1]]), y:to(torch[pair[2]])
  print(F.binary_cross_entropy_with_logits(input, target, {reduction = "none"}))
  print(F.binary_cross_entropy_with_logits(input, target, {reduction = "none", weight = y}))
  print(F.binary_cross_entropy_with_logits(input, target, {reduction = "none", pos_weight = y}))
  print(F.binary_cross_entropy_with_logits(input, target))
end
