-- An error inside a module keeps its first line.
local torch = require "torch"
local function mistake(f, ...)
  local ok, err = pcall(f, ...)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local nn = torch.nn
local Block = nn.Module:extend "Block"
function Block:init(n) self.layer = nn.Linear(n, n) end
function Block:forward(x) return self.layer(x):relu() end
local Net = nn.Module:extend "Net"
function Net:init()
  self.first = Block(4)
  self.second = nn.Sequential(Block(4), Block(5))
end
function Net:forward(x) return self.second(self.first(x)) end
mistake(Net(), torch.ones(2, 4))
mistake(Net(), torch.ones(2, 3))
local Failing = nn.Module:extend "Failing"
function Failing:forward() error("no good input", 0) end
mistake(Failing(), 1)
mistake(nn.Sequential(Failing()), 1)
local ok, err = pcall(Net(), torch.ones(2, 3))
print(ok, type(err), tostring(err):find("mat1 and mat2 shapes", 1, true))
