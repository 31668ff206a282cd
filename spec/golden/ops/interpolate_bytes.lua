-- Bytes are resampled with weights of 16 bits; a dimension whose size stays is left as it is, whatever the scale.
local torch = require "torch"
local F = torch.nn.functional

for _, mode in ipairs{"bilinear", "bicubic"} do
  for _, antialias in ipairs{false, true} do
    torch.manual_seed(1)
    local x = torch.randint(0, 256, {2, 3, 6, 7}, {dtype = torch.uint8})
    for _, size in ipairs{{3, 3}, {9, 12}, {6, 10}, {2, 20}} do
      print(F.interpolate(x, size, {mode = mode, antialias = antialias})[1])
    end
    print(F.interpolate(x["1:, :1"], {scale_factor = {1.1, 0.6}, mode = mode, antialias = antialias}))
    local wide = torch.randint(0, 256, {1, 5, 40, 30}, {dtype = torch.uint8})
    print(F.interpolate(wide, {4, 6}, {mode = mode, antialias = antialias})["0, 4"])
    local y = torch.arange(12.0):view(1, 1, 3, 4)
    print(F.interpolate(y, {scale_factor = {1.2, 2.0}, mode = mode, antialias = antialias}))
    print(F.interpolate(y, {scale_factor = 1.2, mode = mode, antialias = antialias}))
  end
  local x = torch.randint(0, 256, {1, 2, 5, 4}, {dtype = torch.uint8})
  print(F.interpolate(x, {4, 7}, {mode = mode, align_corners = true}))
end
local y = torch.arange(12.0):view(1, 3, 4):requires_grad_()
print(F.interpolate(y, {scale_factor = 1.2, mode = "linear"}))
F.interpolate(y:view(1, 1, 3, 4), {scale_factor = {1.2, 2.0}, mode = "bilinear"}):pow(2):sum():backward()
print(y.grad)
