-- cpu only: asks what autocast does on the CPU
-- Regions: what is on, nested and disabled ones, the forms a block has, what comes out.
local torch = require "torch"
local x, y = torch.ones(2, 3), torch.ones(3, 2)
local function state(what)
  print(what, torch.is_autocast_enabled "cpu", torch.get_autocast_dtype "cpu", torch.is_autocast_enabled(),
    torch.is_autocast_cache_enabled(), (x:mm(y)).dtype)
end
state "before"
do
  local _ <close> = torch.autocast "cpu"
  state "cpu"
  do
    local _ <close> = torch.autocast{device_type = "cpu", enabled = false}
    state "disabled"
    do
      local _ <close> = torch.autocast{"cpu", dtype = torch.float16, cache_enabled = false}
      state "float16"
    end
    state "disabled again"
  end
  state "cpu again"
end
state "after"
do
  local _ <close> = torch.autocast("cpu", torch.float16, true, false)
  state "by place"
end
torch.autocast({device_type = "cpu"}, function() state "function" end)
print(torch.autocast("cpu", function() return x:mm(y).dtype end))
do
  local _ <close> = torch.amp.autocast "cpu"
  state "torch.amp"
end
do
  local _ <close> = torch.autocast("cpu", {dtype = torch.bfloat16})
  state "keyword"
end
print(pcall(function()
  local _ <close> = torch.autocast "cpu"
  error "left"
end) , torch.is_autocast_enabled "cpu")
torch.set_autocast_enabled("cpu", true)
state "set"
torch.set_autocast_dtype("cpu", torch.float16)
state "set to float16"
torch.set_autocast_dtype("cpu", torch.bfloat16)
torch.set_autocast_enabled("cpu", false)
torch.set_autocast_cache_enabled(false)
state "cache off"
torch.set_autocast_cache_enabled(true)
print(torch.get_autocast_gpu_dtype(), torch.get_autocast_cpu_dtype(), torch.is_autocast_cpu_enabled())
print(torch.amp.is_autocast_available "cuda", torch.amp.is_autocast_available "cpu", torch.amp.is_autocast_available "meta")
do -- a type that cannot be: the region is off
  local _ <close> = torch.autocast{device_type = "cpu", dtype = torch.float32}
  state "float32"
end
do
  local _ <close> = torch.cpu.amp.autocast()
  state "torch.cpu.amp"
end
do
  local _ <close> = torch.cpu.amp.autocast(true, torch.float16, false)
  state "torch.cpu.amp by place"
end
do
  local _ <close> = torch.cuda.amp.autocast{enabled = false}
  state "torch.cuda.amp"
end
