-- blocks.lua: measures the seconds of processor time for memory that is new to the process (bench/blocks).
local torch = require "torch"

local function measure(name, f)
  local start = os.clock()
  local kept = f()
  print(("%s\t%.3f"):format(name, os.clock() - start))
  return kept
end

measure("ones of 1 GB", function() return torch.ones(1 << 28) end)
collectgarbage()
measure("200 tensors of 8 MB", function()
  local kept = {}
  for i = 1, 200 do kept[i] = torch.ones(1 << 21) end
  return kept
end)
