-- cpu only: computes with numbers alone, which are on the CPU
-- What functions of two operands say of out=, whose signature of a number has none.
local torch = require "torch"
torch.manual_seed(0)
local function refused(f)
  local ok, err = pcall(f)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local f = torch.randn(2, 3)
local l = f:long()
local r = torch.ones(2, 3, {requires_grad = true})
local kinds = {"x", true, 3, 2.5, {1}, {}, f, l, torch.float32}
for _, name in ipairs {"multiply", "true_divide", "mul", "div", "add", "maximum", "eq"} do
  local fn = torch[name]
  print("## " .. name)
  for _, k in ipairs(kinds) do
    for _, o in ipairs {torch.ones(2, 3), torch.ones(2, 3, {dtype = torch.int32}), torch.ones(2, 3, {dtype = torch.bool}), torch.ones(2), torch.ones(2, 3):half(), r, "x"} do
      refused(function() return fn(f, k, {out = o}) end)
    end
    refused(function() return fn(k, f, {out = torch.ones(2, 3)}) end)
    refused(function() return fn(k, k, {out = torch.ones(2, 3)}) end)
  end
  refused(function() return fn(f, {out = torch.ones(2, 3)}) end)
  refused(function() return fn{f, other = f, out = torch.ones(2, 3)} end)
  refused(function() return fn{input = "x", other = f, out = torch.ones(2, 3)} end)
  refused(function() return fn(l, l, {out = torch.ones(2, 3, {dtype = torch.int32})}) end)
  refused(function() return fn(l, l, {out = torch.ones(2, 3, {dtype = torch.bool})}) end)
  refused(function() return fn(f:gt(0), f:gt(0), {out = torch.ones(2, 3, {dtype = torch.bool})}) end)
  refused(function() return fn(r, f, {out = torch.ones(2, 3)}) end)
  refused(function() return fn(f, torch.ones(4), {out = torch.ones(2, 3)}) end)
  refused(function() return fn(f, f, {out = torch.ones(1):expand(2, 3)}) end)
  refused(function() return fn(f, f, {out = f}) end)
  refused(function() return fn(f:clone(), f[0], {out = f[0]}) end)
end
