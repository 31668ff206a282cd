-- multiprocessing/process.lua: a process that calls a function of this program (child.lua). The function and its arguments
-- travel as to the workers of a DataLoader; tensors are copied.
local torch = ...
local support = torch._part "support"
local processes = rawget(torch, "_processes") -- not in a sandbox

local LOOK = 0.05 -- seconds between two looks at Ctrl-C
local HINT = "torch.multiprocessing starts the program that runs this script again: tocha or lua"

local Process = support.class("Process", nil, "multiprocessing.context")
local started = 0

-- Returns the path of the interpreter that runs this script. A program that embeds Lua has no `arg`.
local function interpreter()
  local path = processes and processes.program()
  if not path or type(arg) ~= "table" then torch._raise("RuntimeError", "there is no interpreter to start processes with", HINT) end
  return path
end

-- Returns package.cpath, before which stands the place that torch.so was loaded from, as the folder may have changed since.
local function cpath()
  local maps = io.open "/proc/self/maps"
  local folder = maps and maps:read "a":match "(/[^\n]*)/torch%.so\n"
  if maps then maps:close() end
  return folder and ("%s/?.so;%s"):format(folder, package.cpath) or package.cpath
end

local function environment()
  local list = {}
  for name, value in pairs(processes.environment()) do list[#list + 1] = name .. "=" .. value end
  return list
end

local function check(value, message)
  if value == nil then support.fail("OSError", "cannot start a process: %s", message) end
  return value, message
end

-- Returns a file that holds the function and its arguments, for any number of processes.
local function packed(target, args)
  local file, path = check(processes.scratch())
  processes.write(file, processes.pack({"fn", "args", "default_dtype", "digits"}, target, args, torch.get_default_dtype(),
    torch.backends.cpu.digits))
  return {file = file, path = path}
end

--- Returns a process that will call target(table.unpack(args)).
function Process:init(options)
  local o = options or {}
  if o.group ~= nil then support.fail("AssertionError", "process grouping is reserved for future extensions") end
  started = started + 1
  self.target, self.args, self.daemon = o.target, o.args or {}, o.daemon or false
  self.name = o.name or "Process-" .. started
end

--- Starts the process. parcel: what `packed` made for several processes; front: arguments before `args`.
function Process:start(parcel, front)
  if self.pid then support.fail("AssertionError", "cannot start a process twice") end
  local program = interpreter()
  local own = not parcel
  parcel = parcel or packed(self.target or function() end, self.args)
  self.error_file, self.error_path = check(processes.scratch())
  io.stdout:flush()
  io.stderr:flush()
  local code = ("package.path, package.cpath = %q, %q require 'torch'._part 'multiprocessing.child'(3, %q, %s)"):format(package.path,
    cpath(), self.error_path, front or "nil")
  local pid, message = processes.start {arguments = {program, "-e", code}, environment = environment(), extra = parcel.file}
  if own then processes.remove_scratch(parcel.file, parcel.path) end
  self.pid = check(pid, message)
  self.sentinel = processes.watch(pid)
  if not self.daemon then torch._part "multiprocessing.unfinished"[self] = true end
end

-- Looks if the process has ended, and notes how.
local function look(self)
  local ending = not self.ending and self.pid and processes.ended(self.pid)
  if not ending then return end
  self.ending = ending
  self.exitcode = ending.signal and -ending.signal or ending.code
  self.failure = processes.content(self.error_file)
  processes.remove_scratch(self.error_file, self.error_path)
  if self.sentinel then processes.close(self.sentinel) end
  self.sentinel = nil
  torch._part "multiprocessing.unfinished"[self] = nil
end

function Process:is_alive()
  look(self)
  return self.pid ~= nil and not self.ending
end

--- Waits until one of some processes has ended, at most `timeout` seconds (nil: for ever).
local function wait_for_any(list, timeout)
  local deadline = timeout and processes.now() + timeout
  while true do
    local files, alive = {}, false
    for _, p in ipairs(list) do
      if not p:is_alive() then return end
      alive, files[#files + 1] = true, p.sentinel
    end
    local left = deadline and deadline - processes.now() or LOOK
    if not alive or left <= 0 then return end
    processes.wait(files, math.min(left, #files == #list and LOOK or LOOK / 5))
  end
end

function Process:join(timeout)
  if not self.pid then support.fail("AssertionError", "can only join a started process") end
  wait_for_any({self}, timeout)
end

function Process:terminate() return self:is_alive() and processes.signal(self.pid, "TERM") end
function Process:kill() return self:is_alive() and processes.signal(self.pid, "KILL") end

return {Process = Process, wait_for_any = wait_for_any, packed = packed, interpreter = interpreter,
  release = function(parcel) processes.remove_scratch(parcel.file, parcel.path) end}
