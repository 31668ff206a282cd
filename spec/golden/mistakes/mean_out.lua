-- The mean of integers has no dtype, whatever out's is.
local torch = require "torch"
local i = torch.arange(1, 4)
for n, call in ipairs {
  function() return torch.mean(i, {out = torch.empty(0)}) end,
  function() return torch.mean(i, {out = torch.empty(0, {dtype = torch.int64})}) end,
  function() return torch.mean(i, 0, {out = torch.empty(0)}) end,
  function() return torch.mean(i, 0, {dtype = torch.float64, out = torch.empty(0, {dtype = torch.float64})}) end,
  function() return torch.mean(i, {dtype = torch.float32, out = torch.empty(0, {dtype = torch.float64})}) end,
  function() return torch.mean(i:float(), {out = torch.empty(0, {dtype = torch.float64})}) end,
  function() return torch.mean(i:float(), 0, {out = torch.empty(0, {dtype = torch.int64})}) end,
  function() return torch.mean(i:double(), 0, {out = torch.empty(0)}) end,
} do
  local done, result = pcall(call)
  print(n, done and result or result.message)
end
