-- cpu only: multiplies integer matrices, which PyTorch refuses there
-- matmul of every combination of ranks.
local torch = require "torch"
local a = {torch.arange(1., 4.), torch.arange(1., 7.):reshape(2, 3), torch.arange(1., 13.):reshape(2, 2, 3), torch.arange(1., 13.):reshape(2, 1, 2, 3)}
local b = {torch.arange(1., 4.), torch.arange(1., 7.):reshape(3, 2), torch.arange(1., 13.):reshape(2, 3, 2), torch.arange(1., 13.):reshape(1, 2, 3, 2)}
for i, x in ipairs(a) do
  for j, y in ipairs(b) do
    local z = torch.matmul(x, y)
    print(i, j, z.shape)
    print(z)
  end
end
print(torch.arange(6):reshape(2, 3):matmul(torch.arange(6):reshape(3, 2)))
print(torch.ones(2, 0):matmul(torch.ones(0, 3)), torch.ones(0, 2):matmul(torch.ones(2, 3)).shape)
