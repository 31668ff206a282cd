-- failure.lua: tells the launcher of this process why it fails: torchrun's error file, which torchrun shows, too.
local torch = ...
local json, processes = torch._part "tools.json", torch._processes

--- Writes the error file for a message with its hint and stack; kind: of an error of torch's, or nil.
-- Leaves the trace of its last operations, too.
return function(message, kind)
  if rawget(torch, "_distributed") then torch._distributed.write_trace() end
  local file = io.open(os.getenv "TORCHELASTIC_ERROR_FILE", "w")
  if not file then return false end
  local now = processes.wall_clock()
  file:write(json.write {message = {message = message:match "^[^\n]*",
    extraInfo = {py_callstack = message, timestamp = tostring(now // 1000000000), nanoseconds = now, kind = kind}}})
  return file:close() and true
end
