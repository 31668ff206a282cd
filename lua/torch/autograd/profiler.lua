-- autograd/profiler.lua: torch.autograd.profiler: the older place of torch.profiler's functions, and ranges of NVTX for operators.
local torch = ...
local driver = torch._profiler
local profiler = {record_function = torch.profiler.record_function}

local Emission = {__close = function()
  torch.cuda.synchronize()
  driver.stop()
end}

--- emit_nvtx([function]): every operator of a block becomes a range of NVTX: `local _ <close> = torch.autograd.profiler.emit_nvtx()`.
function profiler.emit_nvtx(f)
  if f == false or type(f) == "table" and f.enabled == false then return setmetatable({}, {__close = function() end}) end
  torch.cuda.synchronize()
  driver.emit_ranges()
  local emission <const> = setmetatable({}, Emission)
  if type(f) ~= "function" then return emission end
  local _ <close> = emission
  return f()
end

return torch._namespace(profiler, "torch.autograd.profiler")
