-- cpu only: puts scalars of the CPU beside tensors of the meta device
-- A tensor of no dimensions on the CPU beside tensors of the meta device: an elementwise operator answers on the meta device,
-- and so do those that look at no element; the others refuse.
local torch = require "torch"
local F = torch.nn.functional
local function try(name, f)
  local ok, result = pcall(f)
  print(name, ok and tostring(result.device) .. " " .. tostring(result.shape) or (tostring(result):match "[^\n]*"))
end
local meta, number = torch.ones(4, {device = "meta"}), torch.tensor(2.0)
local one, zero, yes = torch.ones({}, {device = "meta"}), torch.tensor(0), torch.tensor(true)
local places = torch.zeros(4, {device = "meta", dtype = torch.int64})

for _, name in ipairs {"add", "sub", "mul", "div", "pow", "atan2", "maximum", "fmod", "eq", "lt", "logical_and", "hypot", "xlogy"} do
  try(name, function() return torch[name](number, meta) end)
  try(name, function() return torch[name](meta, number) end)
  try(name, function() return torch[name](number, one) end)
end
try("add_", function() return meta:clone():add_(number) end)
try("addcmul", function() return torch.addcmul(meta, number, number) end)
try("addcdiv", function() return torch.addcdiv(meta, meta, number) end)
try("lerp", function() return torch.lerp(meta, meta, number) end)
try("clamp", function() return torch.clamp(meta, number, number) end)
try("where", function() return torch.where(meta:gt(0), number, number) end)
try("where", function() return torch.where(yes, meta, number) end)
try("where", function() return torch.where(yes, number, one) end)
try("masked_fill", function() return meta:masked_fill(yes, 1.0) end)
try("copy_", function() return meta:clone():copy_(number) end)
try("gather", function() return meta:gather(0, zero) end)
try("index_select", function() return meta:index_select(0, zero) end)
try("subscript", function() return meta[zero] end)
try("embedding", function() return F.embedding(zero, torch.ones(3, 4, {device = "meta"})) end)
try("dist", function() return torch.dist(meta, number) end)
try("stack", function() return torch.stack{one, number} end)
try("einsum", function() return torch.einsum("i,->i", meta, number) end)
try("addr", function() return torch.addr(number, meta, meta) end)
try("masked_select", function() return torch.masked_select(number, meta:gt(0)) end)
for _, name in ipairs {"mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss"} do
  try(name, function() return F[name](number, meta, {reduction = "none"}) end)
end
