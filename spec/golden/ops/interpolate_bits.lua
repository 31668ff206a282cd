-- cpu only: has the bits of the CPU
-- The bits of interpolate: images that become small or large, with few channels, with vectors of them, and with channels last.
local torch = require "torch"
local F = torch.nn.functional
local function bits(t) return t:contiguous():view(torch.int32):long():remainder(1000003):sum():item() end
torch.manual_seed(0)
for _, case in ipairs {{"linear", {2, 3, 9}, {20}}, {"linear", {1, 2, 9}, {4}}, {"bilinear", {2, 1, 9, 11}, {16, 17}},
  {"bilinear", {1, 3, 9, 11}, {150, 40}}, {"bilinear", {2, 5, 9, 11}, {5, 7}}, {"bilinear", {1, 17, 9, 11}, {20, 20}},
  {"bilinear", {1, 17, 9, 11}, {150, 40}}, {"bilinear", {1, 2, 9, 11}, {150, 40}}, {"bicubic", {1, 2, 9, 11}, {16, 17}},
  {"bicubic", {1, 2, 9, 11}, {150, 5}}, {"trilinear", {1, 2, 4, 5, 6}, {7, 9, 8}}} do
  local mode, sizes, size = table.unpack(case)
  local x = torch.rand(sizes)
  for _, align in ipairs {false, true} do
    print(mode, align, bits(F.interpolate(x, {size = size, mode = mode, align_corners = align})))
    if #sizes == 4 then
      local last = x:contiguous {memory_format = torch.channels_last}
      print(mode, align, "channels last", bits(F.interpolate(last, {size = size, mode = mode, align_corners = align})))
    end
  end
  if mode ~= "linear" then print(mode, bits(F.interpolate(x, {scale_factor = 1.7, mode = mode}))) end
end
