-- cpu only: multiplies integer matrices, which PyTorch refuses there
-- Integers of other widths: contraction over sizes of 1, places of narrow indices, names of kernels.
local torch = require "torch"
local F = torch.nn.functional
local function try(f) print((tostring(select(2, pcall(f))):match "^[^\n]*")) end
for _, dtype in ipairs {torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64} do
  local a, b = torch.arange(6):to(dtype):reshape(2, 3), torch.arange(2):to(dtype):reshape(1, 2)
  print(torch.tensordot(a, b, {{1}, {0}}), torch.tensordot(b, a, {{0}, {1}}))
  local places = torch.unravel_index(torch.tensor({{3, 100}, {7, 90}}, {dtype = dtype}), {20, 300})
  print(places[1], places[2], table.concat(places[1]:stride(), " "))
end
print(#torch.unravel_index(torch.tensor(5), {7}), torch.unravel_index(torch.empty({0}, {dtype = torch.int64}), {2, 0})[2])
for space = 1, 3 do
  local sizes = {1, 1, 4, 4, 4}
  local x = torch.ones({table.unpack(sizes, 1, 2 + space)}, {dtype = torch.int64})
  try(function() return F.interpolate(x, 3, {mode = "nearest"}) end)
  try(function() return F.interpolate(x, 3, {mode = "nearest-exact"}) end)
end
for _, k in ipairs {1, 2} do
  local x, w = torch.ones(1, 2, 4, 4, 4, {dtype = torch.bool}), torch.ones(2, 2, k, k, k, {dtype = torch.bool})
  try(function() return F.conv3d(x, w) end)
  try(function() return F.conv3d(x, w, nil, {padding = 1}) end)
  try(function() return F.conv3d(x, w["0:2, 0:1"], nil, {groups = 2}) end)
end
