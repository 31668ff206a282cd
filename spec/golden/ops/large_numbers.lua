-- Numbers that no shape has: pivots that LAPACK would follow, factors whose square is too large.
local torch = require "torch"
local F = torch.nn.functional

local function try(f, ...)
  local done, message = pcall(f, ...)
  print(done and "done" or tostring(message):match "[^\n]*")
end

local LU = torch.eye(3)
for _, list in ipairs {{0, 1, 2}, {4, 2, 3}, {-1, 2, 3}, {1, 2, 3}} do
  local pivots = torch.tensor(list, {dtype = torch.int32})
  try(torch.linalg.lu_solve, LU, pivots, torch.ones(3, 2))
  try(torch.lu_unpack, LU, pivots)
end
for _, list in ipairs {{1, 2}, {1, 2, 3, 3}, {{1, 2, 3}}} do
  try(torch.lu_unpack, LU, torch.tensor(list, {dtype = torch.int32}))
end
try(torch.lu_unpack, torch.ones(2, 3, 4), torch.ones(2, 4, {dtype = torch.int32}))

local x = torch.zeros(2, 8, 2, 3)
for _, n in ipairs {math.maxinteger, 1 << 32, 3037000500, 3037000499, 0} do
  try(F.pixel_shuffle, x, n)
  try(F.pixel_unshuffle, x, n)
  try(F.channel_shuffle, x, n)
end

for _, n in ipairs {1 << 40, math.maxinteger} do
  for _, pool in ipairs {"max_pool2d", "avg_pool2d", "max_pool3d", "avg_pool3d"} do
    local image = torch.zeros(1, 3, 5, 5)
    try(F[pool], image, n)
    try(F[pool], image, 2, n)
    try(F[pool], image, 2, 2, n)
  end
end
local three = torch.tensor{{2., 0.}, {0., 0.5}}
print(torch.matrix_power(three, 62), torch.matrix_power(three, -62))
