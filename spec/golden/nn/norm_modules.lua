-- Normalization as modules: members, running statistics in training and evaluation, errors.
local torch = require "torch"
local nn = torch.nn
local function try(f, ...)
  local ok, e = pcall(f, ...)
  print(ok, (tostring(e):match "^[^\n]*"))
end
local x = torch.arange(24.0):reshape(2, 3, 2, 2)
for _, norm in ipairs{nn.BatchNorm2d(3), nn.BatchNorm2d(3, {momentum = 0.5, affine = false}), nn.InstanceNorm2d(3),
  nn.InstanceNorm2d(3, {affine = true, track_running_stats = true}), nn.GroupNorm(3, 3), nn.LayerNorm{2, 2}, nn.LayerNorm({2, 2}, {bias = false}),
  nn.RMSNorm(2), nn.LocalResponseNorm(2), nn.BatchNorm2d(3, {track_running_stats = false}), nn.CrossMapLRN2d(2)} do
  print(norm)
  for name, t in pairs(norm:state_dict()) do print(name, t) end
  print(norm(x))
  norm(x * 2)
  for name, t in norm:named_buffers() do print(name, t) end
  print(norm:eval()(x))
end
try(nn.BatchNorm2d(3), torch.ones(2, 3))
try(nn.BatchNorm1d(3), torch.ones(2, 3, 2, 2))
try(nn.InstanceNorm1d(3, {affine = true}), torch.ones(2, 4, 5))
try(nn.GroupNorm, 2, 3)
print(nn.InstanceNorm1d(3)(torch.arange(12.0):reshape(3, 4)))
print(nn.BatchNorm1d(3).bias, nn.BatchNorm1d(3, {affine = false}).weight)
