-- signals_spec.lua: threads that help leave the program's signals to its own thread, but those of their own faults reach its handlers.
local programs = require "programs"

-- Bits of a mask of /proc/*/status, as Linux numbers signals.
local faults = {SIGILL = 4, SIGTRAP = 5, SIGABRT = 6, SIGBUS = 7, SIGFPE = 8, SIGSEGV = 11}
local others = {SIGHUP = 1, SIGINT = 2, SIGTERM = 15}

-- Returns, as numbers, the masks of blocked signals of all threads but the first when a program calls `threads`.
local function masks(program)
  local text = programs.run([[
local torch = require "torch"
local function threads()
  local pid = io.open "/proc/self/stat":read "n"
  local list = io.popen(("ls /proc/%d/task"):format(pid))
  for id in list:lines() do
    if tonumber(id) ~= pid then
      local status = io.open(("/proc/%d/task/%s/status"):format(pid, id))
      if status then print("blocked " .. status:read "a":match "SigBlk:%s*(%x+)") end
    end
  end
  list:close()
end
]] .. program)
  local found = {}
  for mask in text:gmatch "blocked (%x+)" do found[#found + 1] = tonumber(mask, 16) end
  return found
end

local here = io.open "/proc/self/status"
if here then here:close() end

describe("threads that help", function()
  local programs_of = {
    ["an operator"] = "torch.set_num_threads(3) torch.ones(3000000):sum() threads()",
    ["a loader"] = [[
local data = torch.utils.data.TensorDataset(torch.ones(64, 3))
for batch in torch.utils.data.DataLoader(data, {batch_size = 8, num_workers = 2}) do threads() break end]],
  }
  for what, program in pairs(programs_of) do
    local test = here and it or pending
    test("with " .. what .. " let only signals of faults through", function()
      local found = masks(program)
      assert(#found > 0)
      for _, mask in ipairs(found) do
        for name, number in pairs(faults) do assert.are.equal(0, mask >> (number - 1) & 1, name) end
        for name, number in pairs(others) do assert.are.equal(1, mask >> (number - 1) & 1, name) end
      end
    end)
  end
end)
