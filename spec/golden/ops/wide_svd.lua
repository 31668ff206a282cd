-- cpu only: cuSOLVER chooses other signs
-- digits: the signs of singular vectors: of wide matrices too they are those that MKL chooses, and so are those of pca_lowrank.
local torch = require "torch"

for _, dtype in ipairs{torch.float32, torch.float64} do
  for _, shape in ipairs{{2, 3}, {3, 5}, {4, 9}, {3, 59}, {3, 60}, {9, 4}} do
    torch.manual_seed(3)
    local a = torch.randn(shape[1], shape[2], {dtype = dtype})
    for _, full in ipairs{false, true} do
      local U, S, Vh = torch.linalg.svd(a, full)
      print(U:sign():to(torch.int64), Vh[{":", ":8"}]:sign():to(torch.int64), S)
    end
  end
  local x = torch.randn(20, 6, {dtype = dtype})
  local U, S, V = torch.pca_lowrank(x, 3)
  print((U[":3"] * 1000):round(), S, (V * 1000):round())
  U, S, V = torch.svd_lowrank(x:t(), 2)
  print((U[":3"] * 1000):round(), S, (V[":3"] * 1000):round())
  U = torch.linalg.svd(torch.randn(2, 3, 4, {dtype = dtype}), false)
  print(U:sign())
end
