-- Arguments too many for special.log_softmax and no_grad; in-place forms without a derivative; where in-place dropout writes.
local torch = require "torch"
local function try(f, ...) print((tostring(select(2, pcall(f, ...))):match "[^\n]*")) end
local x = torch.tensor({{0.2, 0.3, 0.4}, {0.5, 0.6, 0.7}})
local special, F = torch.special, torch.nn.functional
try(special.log_softmax, x, 1, torch.float16)
try(special.log_softmax, x, "a")
try(special.log_softmax, x, 1, {out = x})
print(special.log_softmax(x, 1, {dtype = torch.float16}), special.softmax(x, 1, torch.float16))
try(torch.no_grad, 1, 2)
try(torch.enable_grad, 1, 2)
try(torch.inference_mode, 1, 2, 3)
for _, name in ipairs{"asinh_", "acosh_", "atanh_", "arcsinh_", "arccosh_", "arctanh_"} do
  local y = x:clone():requires_grad_() * 1
  local z = y[name](y):sum()
  try(z.backward, z)
end
local leaf = x:clone():requires_grad_()
try(F.dropout1d, leaf, 1.0, true, true)
try(F.dropout3d, leaf, 1.0, true, true)
local z = torch.zeros(2, 3)
F.dropout1d(z, 0.5, false, true)
print(z._version, z:size())
F.dropout1d(z, 0.5, true, true)
print(z._version, z:size())
try(F.hinge_embedding_loss, torch.ones(4), torch.ones(2))
try(function() return torch._unique_dim end)
