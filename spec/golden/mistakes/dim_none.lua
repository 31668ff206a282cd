-- Reductions whose dim may be None, but has to be named with what follows it.
local torch = require "torch"
local x = torch.arange(6.0):reshape(2, 3)
local function try(f, ...)
  local ok, e = pcall(f, ...)
  print((tostring(ok and e or e.message):gsub("\n.*", "")))
end
for _, name in ipairs{"sum", "mean"} do
  try(torch[name], x, {keepdim = true})
  try(x[name], x, {keepdim = true})
  try(x[name], x, {keepdim = true, dtype = torch.float64})
  try(x[name], x, nil, true)
  try(x[name], x, {dim = 1})
  try(x[name], x, {dtype = torch.float64})
  try(x[name], x)
end
for _, name in ipairs{"std", "var"} do
  try(torch[name], x, {keepdim = true})
  try(x[name], x, {unbiased = false})
  print((pcall(x[name], x, {keepdim = true, unbiased = false})))
  try(x[name], x, {dim = 1, unbiased = false})
  try(x[name], x, nil, true)
end
