-- Reductions that ask for a dim before they take keepdim.
local torch = require "torch"
local function attempt(f, ...)
  local ok, result = pcall(f, ...)
  if ok then return print(result) end
  print((tostring(result):match("[^\n]*"):gsub(" - got.*", "")))
end
local x = torch.arange(6.0):reshape(2, 3)
for _, name in ipairs {"sum", "mean", "std", "var", "prod", "nansum", "nanmean", "logsumexp", "amax", "argmax", "max", "median", "norm"} do
  attempt(torch[name], x, {keepdim = true})
  attempt(x[name], x, {keepdim = true})
end
for _, name in ipairs {"sum", "mean", "std", "var", "prod"} do
  attempt(torch[name], x, {keepdim = true, dtype = torch.float64})
  attempt(x[name], x, {keepdim = true, dtype = torch.float64})
  attempt(x[name], x, nil, {keepdim = true})
  attempt(torch[name], x, nil, {keepdim = true})
  attempt(x[name], x, {}, true)
end
for _, name in ipairs {"std", "var"} do
  attempt(torch[name], x, {unbiased = false})
  attempt(torch[name], x, {correction = 0})
  attempt(torch[name], x, {unbiased = false, keepdim = true})
  attempt(x[name], x, {unbiased = false, keepdim = true})
  attempt(x[name], x, {unbiased = false, correction = 1})
  attempt(x[name], x, nil, false)
end
attempt(torch.sum, x, {out = torch.zeros(1)})
attempt(torch.sum)
