-- cuda/profiler.lua: torch.cuda.profiler: begins and ends the recording of a tool that waits for it (nsys -c cudaProfilerApi).
local torch = ...
local driver = torch._cuda
local profiler = {}

--- Begins the recording of the tool that watches the process.
function profiler.start() driver.record_profile(true) end
--- Ends it.
function profiler.stop() driver.record_profile(false) end

local Recording = {__close = profiler.stop}

--- profile([function]): records a block: `local _ <close> = torch.cuda.profiler.profile()`, or what the function does.
function profiler.profile(f)
  profiler.start()
  local recording <const> = setmetatable({}, Recording)
  if not f then return recording end
  local _ <close> = recording
  return f()
end

return torch._namespace(profiler, "torch.cuda.profiler")
