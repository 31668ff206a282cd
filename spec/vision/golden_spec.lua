-- golden_spec.lua: programs about torch.vision and torch.datasets print what torchvision and scikit-learn print (spec/golden).
local torch = require "torch"
require "golden" {"vision"}

-- networks need modules that a build may not have yet
if pcall(function() return torch.nn.Conv2d, torch.nn.BatchNorm2d, torch.nn.MultiheadAttention end) then
  require "golden" {"models"}
else
  it("makes networks", function() pending "torch.nn has no Conv2d, BatchNorm2d or MultiheadAttention" end)
end
