-- multiprocessing/init.lua: torch.multiprocessing: functions of this program in processes of their own.
local torch = ...
local process, spawn = torch._part "multiprocessing.process", torch._part "multiprocessing.spawn"

local multiprocessing = {Process = process.Process, ProcessContext = spawn.ProcessContext, spawn = spawn.spawn,
  start_processes = spawn.start_processes,
  -- the codes of errors: err.code == torch.multiprocessing.ProcessRaisedException
  ProcessRaisedException = "ProcessRaisedException", ProcessExitedException = "ProcessExitedException"}

--- Returns the number of processors that the machine has.
function multiprocessing.cpu_count() return torch._processors() end

--- Chooses how processes start: "spawn" is the one way.
multiprocessing.set_start_method = torch._define("set_start_method(method, force=false)", function(method) spawn.check_method(method) end)

--- Returns how processes start: "spawn".
function multiprocessing.get_start_method() return "spawn" end

--- Returns torch.multiprocessing itself, for method "spawn".
multiprocessing.get_context = torch._define("get_context(method='spawn')", function(method)
  spawn.check_method(method)
  return multiprocessing
end)

torch._namespace(multiprocessing, "torch.multiprocessing")
torch._part("distributed.absent").attach(multiprocessing, "torch.multiprocessing")
return multiprocessing
