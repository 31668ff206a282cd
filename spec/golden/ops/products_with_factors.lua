-- Products with an addend: outer, baddbmm, multi_dot, factors of 0 and NaN, what out= records.
local torch = require "torch"
local x, y, v = torch.arange(4.):reshape(2, 2), torch.tensor{{1.0, -1.0}, {0.5, 2.0}}, torch.tensor{1.0, -2.0}
print(torch.outer(v, v), torch.ger(v, v), torch.inner(v, v))
print(torch.baddbmm(x, x:unsqueeze(0), y:unsqueeze(0)))
print(torch.linalg.multi_dot{x, y, x})
-- a product times 0 is not computed, where nothing is added either; a factor that is nan
local nan, huge = 0/0, torch.full({2, 2}, math.huge)
for _, factors in ipairs{{alpha = 0}, {alpha = 0, beta = 0}, {beta = nan}, {alpha = 0, beta = nan}, {beta = math.huge}} do
  print(torch.addmm(x, -huge, y, factors), torch.addmm(x, -x, y, factors), torch.addmv(v, x, -v, factors))
  print(torch.addbmm(x, -huge:unsqueeze(0), y:unsqueeze(0), factors), torch.baddbmm(x, -x:unsqueeze(0), y:unsqueeze(0), factors))
end
-- what out= of inner and tensordot has a graph of
do
  local g = torch.ones({2}, {requires_grad = true})
  local function try(f, ...)
    local ok, result = pcall(f, ...)
    print(ok and result or tostring(result):match "[^\n]*")
  end
  try(torch.inner, g, v, {out = torch.empty(0)})
  try(torch.inner, x, g, {out = torch.empty(0)})
  try(torch.inner, v, v, {out = torch.empty({0}, {requires_grad = true})})
  try(torch.inner, v, v, {out = torch.empty({}, {requires_grad = true})})
  try(torch.inner, v, v, {out = torch.empty({0}, {dtype = torch.float64})})
  try(torch.tensordot, g, v, 1, {out = torch.empty(0)})
  try(torch.tensordot, x, torch.ones(3, 2), 1)
  try(torch.tensordot, x, torch.ones(3, 2), {{-1}, {0}})
  local out = torch.empty(0)
  torch.inner(g, v, {out = out}):backward()
  print(g.grad, out)
end
for _, ints in ipairs{torch.eye(3):long(), torch.eye(3):bool()} do
  for _, tolerance in ipairs{{}, {atol = 1.0}, {rtol = 0.5}, {atol = 1.0, rtol = 0.5}} do
    print((tostring(select(2, pcall(torch.linalg.pinv, ints, tolerance))):match "[^\n]*"))
  end
end
