-- models_spec.lua: the networks of torch.vision have torchvision's names, weights and answers (spec/golden/models).
local torch = require "torch"

if pcall(function() return torch.nn.Conv2d, torch.nn.BatchNorm2d, torch.nn.MultiheadAttention end) then
  require "golden" {"models"}
else
  describe("torch.vision.models", function()
    it("has its modules", function() pending "torch.nn has no Conv2d, BatchNorm2d or MultiheadAttention" end)
  end)
end
