-- Slices of one dimension.
local torch = require "torch"
local x = torch.arange(10)
for _, s in ipairs{"2:5", ":3", "7:", "::3", "1::2", "-3:", ":-3", "-5:-2", "2:9:3", "5:2", "20:", "-20:3", "::100", ":"} do
  print(s, x[s])
end
print(x["2:5"].shape, x["5:2"].shape)
