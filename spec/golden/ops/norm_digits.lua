-- Statistics of layers and groups are made in one pass over the row, and the last digit tells how. Rows of less than a vector,
-- of less than a chunk, and of several chunks, none of them a multiple. (The same with ATEN_CPU_CAPABILITY=avx2.)
local torch = require "torch"
torch.manual_seed(7)
local function show(name, t)
  t = t:flatten()
  print(name, ("%.17g %.17g %.17g"):format(t[0]:item(), t[-1]:item(), t:double():sum():item()))
end
for _, dtype in ipairs {torch.float32, torch.float64} do
  for _, n in ipairs {5, 37, 64, 300, 4099} do
    local x = torch.rand(4, n, {dtype = dtype}) * 3 - 1
    local weight, bias = torch.rand(n, {dtype = dtype}), torch.rand(n, {dtype = dtype})
    local out, mean, rstd = torch.native_layer_norm(x, {n}, weight, bias, 1e-5)
    show("layer " .. n, out)
    show("mean " .. n, mean)
    show("rstd " .. n, rstd)
  end
end
for _, groups in ipairs {1, 2, 6} do
  local x, weight, bias = torch.rand(2, 6, 9, 11) * 3 - 1, torch.rand(6), torch.rand(6)
  show("groups " .. groups, torch.nn.functional.group_norm(x, groups, weight, bias))
  show("plain " .. groups, torch.nn.functional.group_norm(x, groups))
end
