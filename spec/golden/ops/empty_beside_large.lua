-- Sizes whose product overflows only past a size of 0.
local torch = require "torch"
local big = 1 << 62
local z = torch.zeros(0)
local function try(name, f)
  local ok, result = pcall(f)
  print(name, ok and tostring(result.shape or result) or (tostring(result):match "^[^\n]*"))
end
try("reshape", function() return z:reshape(0, big, 4) end)
try("view", function() return z:view(0, big, 4) end)
try("zeros", function() return torch.zeros(0, big, 4) end)
try("empty", function() return torch.empty(big, 4, 0) end)
try("meta", function() return torch.empty(big, 4, 0, {device="meta"}) end)
try("meta1", function() return torch.empty(big, 4, 1, {device="meta"}) end)
try("expand", function() return torch.zeros(0, 1, 1):expand(0, big, 4) end)
try("expand1", function() return torch.zeros(1, 1, 1):expand(1, big, 4) end)
try("expand2", function() return torch.zeros(1, 1, 0):expand(big, 4, 0) end)
try("infer0", function() return z:reshape(0, -1, big, 4) end)

try("rep", function() return torch.zeros(0, 1, 1)["repeat"](torch.zeros(0,1,1), 1, big, 4) end)
try("tile", function() return torch.zeros(0, 1, 1):tile(1, big, 4) end)
try("as_strided", function() return z:as_strided({0, big, 4}, {1, 1, 1}) end)
try("broadcast", function() return torch.broadcast_to(torch.zeros(0, 1, 1), {0, big, 4}) end)
try("unflatten", function() return z:unflatten(0, {0, big, 4}) end)
try("full", function() return torch.full({0, big, 4}, 1) end)
