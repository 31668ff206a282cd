-- cpu only: samples at places that are no numbers, which are 0 there
-- Samples of planes, between the four nearest elements: places outside, far away and that are no numbers.
local torch = require "torch"
local F = torch.nn.functional
torch.manual_seed(1)
for _, dtype in ipairs {torch.float32, torch.float64} do
  local image, grid = torch.randn(2, 2, 5, 7, {dtype = dtype}), torch.randn(2, 9, 11, 2, {dtype = dtype}) * 1.2
  grid["0, 0, 0, 0"], grid["1, 2, 3, 1"], grid["1, 4, 4, 0"] = 0 / 0, 1 / 0, -40.25
  image["0, 0, 0, 0"], image["1, 1, 2, 2"] = 1 / 0, 0 / 0
  for _, padding in ipairs {"zeros", "border", "reflection"} do
    for _, align in ipairs {false, true} do
      local sampled = F.grid_sample(image, grid, {padding_mode = padding, align_corners = align})
      print(dtype, padding, align, sampled:isnan():sum(), sampled:isinf():sum())
      print(sampled:nan_to_num(0, 0, 0):double():abs():sum(), sampled[1])
    end
  end
end
