-- cpu only: asks what autocast does on the CPU
-- What autocast refuses.
local torch = require "torch"
local function try(what, f, ...)
  local ok, e = pcall(f, ...)
  print(what, ok and "fine" or tostring(e):match "^[^\n]*")
end
try("device", torch.autocast, "bogus")
try("meta", torch.autocast, "meta")
try("nothing", torch.autocast)
try("number", torch.autocast, 3)
try("an object", torch.autocast, torch.device "cpu")
try("keyword", torch.autocast, {device_type = "cpu", bogus = 1})
try("too many", torch.autocast, "cpu", torch.bfloat16, true, false, 5)
try("is enabled", torch.is_autocast_enabled, "bogus")
try("is enabled number", torch.is_autocast_enabled, 3)
try("is enabled meta", torch.is_autocast_enabled, "meta")
try("dtype", torch.get_autocast_dtype, "meta")
try("dtype of nothing", torch.get_autocast_dtype)
try("set dtype", torch.set_autocast_dtype, "cpu", 3)
try("set enabled", torch.set_autocast_enabled, "cpu", 3)
try("set enabled to nothing", torch.set_autocast_enabled)
try("set enabled bogus", torch.set_autocast_enabled, "bogus", false)
try("cache", torch.set_autocast_cache_enabled, true)
do
  local _ <close> = torch.autocast "cpu"
  local half, brain = torch.ones(2, {dtype = torch.float16}), torch.ones(2, {dtype = torch.bfloat16})
  try("two half types", torch.cat, {half, brain})
  try("the other half type", torch.stack, {half, half})
  print(torch.stack{brain, torch.ones(2)}.dtype, torch.stack{brain, torch.ones(2, {dtype = torch.float64})}.dtype)
end
print(torch.is_autocast_enabled "cpu")
