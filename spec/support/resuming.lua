-- resuming.lua: lets a run of busted continue where an earlier run stopped, and ends a run that a device's fault has spoilt.
-- on_device.lua loads it if TOCHA_SPEC_LOG names the log of the earlier runs (--output=TAP --verbose; may be empty).
--   TOCHA_SPEC_LOG=file            tests that the log names with a result are not run again
--   TOCHA_SPEC_WITHOUT="a b.c"     the tests of these operators ("...: a", "...: a #2", "...: a float16") are not run
--   TOCHA_SPEC_ONLY=name           runs only the test with this full name
--   TOCHA_SPEC_RESULTS=file        appends a line for each result to this file at once: status, file, name, first line of the message
-- After a permanent error of the device, the process prints "Bail out! NAME", "# ERROR", and ends with exit code 70.
local busted = require "busted"
local torch = require "torch"
local tap = require "tap"
local resuming = {EXIT_CODE = 70}

local function full_name(element)
  local names, at = {element.name or element.descriptor}, busted.parent(element)
  while at and (at.name or at.descriptor) and at.descriptor ~= "file" do
    table.insert(names, 1, at.name or at.descriptor)
    at = busted.parent(at)
  end
  return table.concat(names, " ")
end

--- Returns the error that every call fails with from now on, or nil. An error that one synchronize() clears does not count.
function resuming.error_that_stays()
  if pcall(torch.cuda.synchronize) then return nil end
  local ok, problem = pcall(torch.cuda.synchronize)
  return not ok and tostring(problem):match "[^\n]*" or nil
end

local log, only = os.getenv "TOCHA_SPEC_LOG", os.getenv "TOCHA_SPEC_ONLY"
if not log then return resuming end

local done, without, left_out = tap.results(log), {}, {}
for name in (os.getenv "TOCHA_SPEC_WITHOUT" or ""):gmatch "%S+" do without[name] = true end

local function is_left_out(name)
  if only then return name ~= only end
  if without[tap.operator(name)] then return true end
  if not done[name] or done[name] == 0 then return false end
  done[name] = done[name] - 1
  return true
end

busted.subscribe({"test", "start"}, function(element)
  if not is_left_out(full_name(element)) then return nil, true end
  left_out[element] = true
  element.run = function() end
  return nil, false
end, {priority = 1})

busted.subscribe({"test", "end"}, function(element) return nil, not left_out[element] end, {priority = 1})

-- ---- results ----

local results = os.getenv "TOCHA_SPEC_RESULTS"
local message = ""
local function keep_message(_, _, text)
  message = tostring(text):match "[^\n]*"
  return nil, true
end
if results then
  busted.subscribe({"failure", "it"}, keep_message)
  busted.subscribe({"error", "it"}, keep_message)
  busted.subscribe({"test", "end"}, function(element, _, status)
    local file <close> = assert(io.open(results, "a"))
    file:write(status, "\t", element.trace and element.trace.short_src or "", "\t", full_name(element), "\t", message, "\n")
    message = ""
    return nil, true
  end)
end

-- Runs after the output handler, which has written the test's own result by now.
busted.subscribe({"test", "end"}, function(element)
  local problem = torch.cuda.is_available() and resuming.error_that_stays()
  if problem then
    io.write("Bail out! ", full_name(element), "\n# ", problem, "\n")
    io.flush()
    os.exit(resuming.EXIT_CODE)
  end
  return nil, true
end)

return resuming
