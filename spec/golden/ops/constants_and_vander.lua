-- cpu only: prints get_device()
-- Names beside the operators: constants, functions that are methods too, vander.
local torch = require "torch"

local function attempt(f, ...)
  local ok, e = pcall(f, ...)
  print(ok, ok or (e.message:match "^[^\n]*"))
end

print(torch.tensor{torch.pi, torch.e, torch.inf, -torch.inf, torch.nan})
print(torch.xlogy_(torch.tensor{0., 1., 2.}, torch.tensor{0., 2., 3.}), torch.xlogy_(torch.tensor{0., 1., 2.}, 2))
print(torch.addmv_(torch.ones(2), torch.ones(2, 3), torch.ones(3), {alpha = 2}))
print(torch.is_signed(torch.ones(2)), torch.is_signed(torch.ones({2}, {dtype = torch.uint8})), torch.is_same_size(torch.ones(2), torch.ones(3)))
print(torch.get_device(torch.ones(2)), torch.ones(2).is_cpu, torch.detach_(torch.ones(2)))
attempt(torch.is_signed, 3)
attempt(torch.get_device, 3)
local x = torch.tensor{1, 2, 3}
print(torch.vander(x), torch.vander(x, 4, true), torch.vander(x:double(), {N = 2}))
print(torch.vander(x, 0).shape, torch.vander(x, 1), torch.vander(torch.tensor{true, false}))
attempt(torch.vander, torch.ones(2, 2))
attempt(torch.vander, x, -1)
