-- cpu only: names types of the CPU
-- Products with an addend: what is checked first, and addbmm_, which changes the shape of self.
local torch = require "torch"
local function attempt(f, ...)
  local ok, result = pcall(f, ...)
  if ok then return print(result) end
  print((tostring(result):match "[^\n]*"))
end
local function ones(...) return torch.ones({...}) end
for _, name in ipairs {"addbmm", "addbmm_", "baddbmm", "baddbmm_"} do
  local function try(self, a, b, options) attempt(self[name], self:clone(), a, b, options or {alpha = 1}) end
  try(ones(2), ones(2), ones(2, 3))
  try(ones(2), ones(2, 3), ones(2, 3))
  try(torch.tensor(1.0), torch.tensor(1.0), ones(2))
  try(ones(2, 2), ones(2, 2, 2), ones(2, 2))
  try(ones(2, 2), ones(2, 3, 3), ones(3, 3, 3))
  try(ones(3, 3), ones(2, 3, 3), ones(3, 3, 3))
  try(ones(3, 3), ones(2, 3, 3), ones(2, 4, 3))
  try(ones(3, 3), ones(2, 3, 3, 1), ones(2, 3, 3))
  try(ones(2, 2, 2, 2), ones(2, 3), ones(2, 3, 3))
  try(ones(2, 2, 2, 2):gt(0), ones(2, 3), ones(2, 3, 3))
  try(ones(2, 2, 2, 2):bfloat16(), ones(2, 3), ones(2, 3, 3))
  try(ones(2, 3, 3):bool()[0], ones(2, 3, 3):bool(), ones(2, 3, 3):bool())
  try(ones(3, 3), ones(2, 3, 3):double(), ones(2, 3, 3):double())
  try(ones(3, 3):long(), ones(2, 3, 3):long(), ones(2, 3, 3):long(), {beta = 0 / 0})
  try(ones(3, 3):long(), ones(2, 3, 3):long(), ones(2, 4, 3):long(), {alpha = math.huge})
  try(ones(3), ones(2, 3, 3), ones(2, 3, 3))
  try(torch.tensor(2.0), ones(2, 1, 3), ones(2, 3, 2), {beta = 3})
end
attempt(torch.baddbmm, ones(2, 3, 3), ones(2, 3, 3), ones(2, 3, 3):double())
local x = torch.arange(3.0)
print(x:addbmm_(ones(2, 2, 1), ones(2, 1, 3)), x, x:stride(0), x:stride(1))
local leaf = torch.arange(2.0, {requires_grad = true})
local y = leaf * 2
y:addbmm_(ones(1, 3, 2), ones(1, 2, 2), {beta = 3})
print(y)
y:sum():backward()
print(leaf.grad)
attempt(function() return torch.tensor(1.0):expand(3, 3):addbmm_(ones(2, 3, 1), ones(2, 1, 3)) end)
attempt(function() return torch.ones(2, 2):gt(0):expand(3) end)
attempt(function() return torch.ones(2, 2):bfloat16():expand(3) end)
attempt(function() return torch.ones(2, 2):expand(3) end)
