-- cpu only: names kernels of the CPU
-- bilinear, inner, chains and vectors: what is checked, and in which order.
local torch = require "torch"
local F = torch.nn.functional
local function attempt(f, ...)
  local ok, result = pcall(f, ...)
  if ok then return print(result) end
  print((tostring(result):match "[^\n]*"))
end
local function ones(...) return torch.ones({...}) end
local function bools(...) return torch.ones({...}, {dtype = torch.bool}) end
local x = ones(5, 3)
for _, weight in ipairs {ones(2, 3, 3), ones(2), ones(2, 3), torch.tensor(1.0), ones(2, 3, 3, 3), ones(2, 3, 4), ones(1, 0, 3), ones(2, 3, 3):double()} do
  attempt(F.bilinear, x, x, weight)
  for _, bias in ipairs {ones(2), ones(3), torch.tensor(1.0), ones(2, 2), ones(1), ones(2):double()} do attempt(F.bilinear, x, x, weight, bias) end
end
attempt(F.bilinear, ones(3), ones(3), ones(2, 3, 3))
attempt(F.bilinear, torch.tensor(1.0), torch.tensor(1.0), ones(2, 3, 3))
attempt(F.bilinear, x, ones(3), ones(2, 3, 3))
attempt(F.bilinear, x, ones(4, 3), ones(2, 3, 3))
attempt(F.bilinear, x, x:double(), ones(2, 3, 3))
attempt(F.bilinear, bools(2, 3), bools(2, 3), bools(2, 3, 3))
attempt(F.bilinear, bools(2, 3), bools(2, 3), bools(2, 4, 4))
local shapes = {{0}, {2, 0}, {1, 1, 0}, {3}, {1, 3}, {2, 3}, {}, {1, 1, 3}}
for _, a in ipairs(shapes) do
  for _, b in ipairs(shapes) do attempt(torch.inner, torch.ones(a), torch.ones(b)) end
  attempt(torch.inner, torch.ones(a), ones(3):double())
  attempt(torch.inner, torch.ones(a):bool(), bools(1, 3))
  attempt(torch.mv, torch.ones(a), ones(3))
  attempt(torch.mv, torch.ones(a), torch.tensor(1.0))
  attempt(torch.linalg.multi_dot, {torch.ones(a), ones(3, 3), ones(3)})
  attempt(torch.linalg.multi_dot, {ones(3), torch.ones(a), ones(3)})
  attempt(torch.linalg.multi_dot, {ones(3, 3), torch.ones(a)})
end
attempt(torch.linalg.multi_dot, {ones(2, 2), ones(3, 2):double()})
attempt(torch.linalg.multi_dot, {ones(2), ones(2):double()})
