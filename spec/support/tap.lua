-- tap.lua: reads the logs that busted writes with --output=TAP --verbose, also of a run that was cut off.
local tap = {}

-- Returns the name of the test whose result a line gives, or nil.
local function named(line) return line:match "^ok %d+ %- (.*)" or line:match "^not ok %d+ %- (.*)" end

--- Returns the number of results of each test in a log, {name = count}.
function tap.results(path)
  local counts = {}
  for line in io.lines(path) do
    local name = named(line)
    if name then counts[name] = (counts[name] or 0) + 1 end
  end
  return counts
end

--- Returns the operator that a test of ops_spec.lua is about ("out=: add", "dtypes: add float16"), or nil for other names.
function tap.operator(name)
  return name:match "^[%a =]+: ([%w_.]+)$" or name:match "^[%a =]+: ([%w_.]+) [#%w]+$"
end

--- Returns the numbers of tests that passed, failed, and are pending.
function tap.count(text)
  local good, bad, pending = 0, 0, 0
  for line in text:gmatch "[^\n]+" do
    if line:find "^ok %d+ %- # SKIP" then pending = pending + 1
    elseif line:find "^ok %d+ %-" then good = good + 1
    elseif line:find "^not ok " then bad = bad + 1 end
  end
  return good, bad, pending
end

--- Returns true if the log's process ended normally.
function tap.is_complete(text) return ("\n" .. text):find "\n1%.%.%d+\n" ~= nil end

--- Returns the test in which the process ended too early, the error of the device that ended it (resuming.lua), and
--- true if the log has a failure of the test already. Without an error the process died or hung.
function tap.last_test(text)
  local name, problem = text:match "\nBail out! ([^\n]*)\n# ([^\n]*)"
  if name then return name, problem, text:find("\nnot ok %d+ %- " .. name:gsub("%p", "%%%0") .. "\n") ~= nil end
  local running
  for line in text:gmatch "[^\n]+" do
    if named(line) then running = nil else running = line:match "^# %S+ @ %d+: (.*)" or running end
  end
  return running, nil, false
end

return tap
