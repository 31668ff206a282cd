-- cpu only: arrays are on the CPU
-- Tensors that cannot become arrays.
local torch = require "torch"
local function say(f)
  local _, problem = pcall(f)
  print((tostring(problem):match "[^\n]*"))
end
say(function() return torch.ones(2, {device = "meta"}):numpy() end)
say(function() return torch.ones(2, {requires_grad = true}):numpy() end)
say(function() return torch.ones(2, {dtype = torch.bfloat16}):numpy() end)
say(function() return torch.from_numpy(3) end)
print(torch.ones(2, {requires_grad = true}):detach():numpy())
print(torch.ones(2, {requires_grad = true}):numpy{force = true})
-- Seeds that the generator has not.
local np = require "torch.numpy"
for _, seed in ipairs {1.5, -1, 1 << 32, {1, 2.5}, {1, -1}, {}, (1 << 32) - 1} do say(function() np.random.seed(seed) end) end
print(np.random.randint(0, 1000))
