-- cpu only: names kernels of the CPU
-- Products of truth values, which there are where nothing is multiplied.
local torch = require "torch"
local F = torch.nn.functional
local function try(f, ...)
  local ok, result = pcall(f, ...)
  print(ok and result or tostring(result):match "[^\n]*")
end
local function truth(...) return torch.ones(...):bool() end
try(torch.mm, truth(2, 0), truth(0, 3))
try(torch.mm, truth(2, 3), truth(3, 3))
try(torch.mm, truth(0, 3), truth(3, 3))
try(torch.mv, truth(2, 0), truth(0))
try(torch.bmm, truth(2, 2, 0), truth(2, 0, 3))
try(torch.addmm, truth(2, 3), truth(2, 0), truth(0, 3))
try(torch.addmv, truth(2), truth(2, 0), truth(0))
try(torch.baddbmm, truth(2, 2, 3), truth(2, 2, 0), truth(2, 0, 3))
try(torch.addbmm, truth(2, 3), truth(2, 2, 0), truth(2, 0, 3))
try(F.linear, truth(2, 0), truth(1, 0))
try(F.linear, truth(2, 0), truth(1, 0), truth(1))
