-- cpu only: cuSOLVER chooses other signs
-- digits: the signs of eigenvectors of small matrices are those that MKL chooses.
local torch = require "torch"

local function show(a, uplo)
  local L, V = torch.linalg.eigh(a, uplo)
  print(V:sign():to(torch.int64), (L * 1000):round():to(torch.int64))
end

for _, dtype in ipairs{torch.float32, torch.float64} do
  for n = 2, 7 do
    torch.manual_seed(n)
    local b = torch.randn(2, n, n, {dtype = dtype})
    show(b + b.mT, "L")
    show(b, "U")
  end
end
torch.manual_seed(12)
show(torch.randn(12, 12, {dtype = torch.float64}), "L")
torch.manual_seed(20)
show(torch.randn(20, 20, {dtype = torch.float64}), "U")
show(torch.tensor{{2., -1., 0., 0.}, {-1., 2., 0., 0.}, {0., 0., 3., 1.}, {0., 0., 1., 3.}}, "L")     -- two blocks
show(torch.diag(torch.tensor{3., 1., 2., 1.}), "L")
show(torch.tensor{{0., 1., 0.}, {1., 0., 1.}, {0., 1., 1.}}, "U")
