-- golden.lua: runs programs of spec/golden and compares what they print with PyTorch's answers, to the character.
--   require "golden" {"nn", "train"}                    the tests of these topics (folders of spec/golden)
--   GOLDEN=print/integers busted spec/ops               one topic, or one program
-- All programs run in this process: each in an environment of its own, with print and io.write captured, after the
-- settings of the whole process (seed, default dtype, print options, gradient mode) are reset.
-- On another device (on_device.lua) its name is removed from the output, and numbers may differ in their last digits, because
-- the device rounds differently. A program whose first line is "-- cpu only: why" does not run there, unless PyTorch was also
-- asked on a GPU, whose answer is the program's .cuda.expected.
local lfs = require "lfs"
local busted = require "busted"
local digits = require "digits"
local describe, it, pending = busted.describe, busted.it, busted.pending
local device = os.getenv "TOCHA_SPEC_DEVICE"
local chosen = os.getenv "GOLDEN"

local folder = "spec/golden/"

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "a"
  file:close()
  return text
end

local function sorted(path)
  local names = {}
  for name in lfs.dir(path) do
    if not name:match "^%." then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function reset(torch)
  warn "@off" -- warnings of programs are tested by other specs
  torch.set_grad_enabled(true)
  torch.set_default_dtype(torch.float32)
  torch.set_printoptions {profile = "default"}
  if device then
    pcall(torch.cuda.synchronize)   -- an error that a program left behind must not appear in the next one
    torch.set_default_device(device)
  end
  torch.manual_seed(0)
end

-- Returns the output of a program, and its error if it raises one.
local function run(path)
  local output = {}
  local captured_io = setmetatable({}, {__index = io})
  function captured_io.write(...)
    for _, value in ipairs {...} do output[#output + 1] = tostring(value) end
    return captured_io
  end
  local environment = setmetatable({
    io = captured_io,
    print = function(...)
      local parts = table.pack(...)
      for i = 1, parts.n do parts[i] = tostring(parts[i]) end
      output[#output + 1] = table.concat(parts, "\t") .. "\n"
    end}, {__index = _G})
  environment._G = environment
  local program = assert(loadfile(path, "t", environment))
  reset(require "torch")
  local ok, problem = xpcall(program, function(e) return debug.traceback(tostring(e), 2) end)
  reset(require "torch")
  return table.concat(output), not ok and problem or nil
end

local function lines(text)
  local list = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do list[#list + 1] = line end
  if list[#list] == "" then list[#list] = nil end
  return list
end

-- Returns the first lines that differ, with the lines around them, as diff -u does.
local function difference(expected, printed)
  local want, got = lines(expected), lines(printed)
  local at = 1
  while want[at] == got[at] and want[at] ~= nil do at = at + 1 end
  local message = {("line %d (of %d expected, %d printed)"):format(at, #want, #got)}
  for i = math.max(1, at - 2), at - 1 do message[#message + 1] = "  " .. want[i] end
  for i = at, math.min(#want, at + 2) do message[#message + 1] = "- " .. want[i] end
  for i = at, math.min(#got, at + 2) do message[#message + 1] = "+ " .. got[i] end
  if want[at] == got[at] then message[#message + 1] = "(only the last newline differs)" end
  return table.concat(message, "\n")
end

-- Returns a program's output on another device as it would be on the CPU.
local function without_device(text)
  text = text:gsub("FusedRmsNormBackward0", "MulBackward0")   -- one operator on a GPU alone, as in PyTorch
  text = text:gsub(",%s+device='" .. device .. "'", ""):gsub("device='" .. device .. "',? ?", "")
  return (text:gsub(device, "cpu"):gsub("torch%.cuda%.(%u%l+Tensor)", "torch.%1"))
end

-- The tolerance of a tensor's numbers, relative to their size: one unit in the last place of a 16-bit dtype, for any
-- intermediate rounding.
local apart = {["torch.bfloat16"] = 2 ^ -7, ["torch.float16"] = 2 ^ -10}

-- Returns one unit of the last place that a number was printed with: 0.001 for 1.250, 1e-8 for 1.2500e-04; 0 for integers.
local function unit_printed(text)
  local places, exponent = text:match "%.(%d+)e?([-+]?%d*)$"
  return places and 1.001 * 10.0 ^ ((tonumber(exponent) or 0) - #places) or 0
end

-- The tolerance for other numbers, relative for numbers above 1. Epochs of training let differences of digits grow.
local LAST_DIGITS = 2e-4
local last_digits_of = {train = 1e-3}

-- Returns true if two printed numbers are the same except for their last digits.
local function close(want, got, relative, last_digits)
  local a, b = tonumber(want), tonumber(got)
  if not a or not b then return false end
  if not relative then return math.abs(a - b) <= math.max(last_digits * math.max(1, math.abs(a)), unit_printed(want)) end
  return math.abs(a - b) <= relative * math.abs(a) + 10.0 ^ -#(want:match "%.(%d*)" or "")
end

-- Returns true if two texts differ only in blanks, line breaks and the last digits of numbers.
local function agree(expected, printed, last_digits)
  local function words(text) return (text:gsub("[%[%](),=:<>]", " %0 ")):gmatch "%S+" end
  local next_printed = words(printed)
  for tensor in ("\0" .. expected):gsub("tensor%(", "\0%0"):gmatch "%z([^\0]*)" do
    local relative = apart[tensor:match "dtype=(torch%.b?float16)"]
    for want in words(tensor) do
      local got = next_printed()
      if want ~= got and not close(want, got, relative, last_digits) then return false end
    end
  end
  return next_printed() == nil
end

-- Returns true if this build rounds differently from PyTorch, because it has no fused multiply-adds, SLEEF or OpenBLAS, or was told to.
local function rounds_otherwise()
  local torch = require "torch"
  local build = torch._build()
  return build.kernels == "baseline" or not build.sleef or not torch._blas() or not digits.are_pytorchs()
end

local is_exact = not device and not rounds_otherwise()

-- Returns the path of the answer that PyTorch gave on a GPU, or nil if this run is of the CPU or there is no such answer.
local function answer_of_gpu(title)
  local path = folder .. title .. ".cuda.expected"
  return device and lfs.attributes(path) and path
end

local function test_program(title)
  local of_gpu = answer_of_gpu(title)
  if of_gpu then require "torch"._host_random(false) end
  local printed, problem = run(folder .. title .. ".lua")
  if of_gpu then require "torch"._host_random(true) end
  local expected = read(of_gpu or folder .. title .. ".expected")
  if device then printed, expected = without_device(printed), without_device(expected) end
  if problem then
    error(difference(expected, printed) .. "\nraised: " .. problem, 0)
  elseif printed ~= expected and not (not is_exact and agree(expected, printed, last_digits_of[title:match "^%w+"] or LAST_DIGITS)) then
    error(difference(expected, printed), 0)
  end
end

-- Returns why the program cannot be compared here, or nil: its first line says "-- cpu only: why" if its answer is the CPU's, and
-- "-- digits: what" begins its description if it compares roundings or signs that only PyTorch's digits have. A build that rounds
-- differently can still compare all but digits. One without libjpeg leaves out what says "-- with libjpeg: what".
local function reason_to_skip(program)
  if program:find "^%-%- with libjpeg:" and not require "torch"._io.jpeg_version() then return "built without libjpeg" end
  if is_exact then return nil end
  local cpu_only = program:match "^%-%- (cpu only: [^\n]*)"
  if device and cpu_only or cpu_only and (cpu_only:find "digit" or cpu_only:find "bits") then return cpu_only end
  local of_digits = program:match "^%-%- (digits: [^\n]*)" or program:match "^[^\n]*\n%-%- (digits: [^\n]*)"
  if not digits.are_pytorchs() then return of_digits end
  if not require "torch"._blas() and of_digits and of_digits:find "signs" then return of_digits end
end

local function test_topic(topic)
  describe("PyTorch answers, " .. topic, function()
    for _, file in ipairs(sorted(folder .. topic)) do
      local name = file:match "^(.*)%.lua$"
      local title = name and topic .. "/" .. name
      local reason = name and not answer_of_gpu(title) and reason_to_skip(read(folder .. title .. ".lua"))
      if reason then
        pending(title .. ", " .. reason)
      elseif name and (not chosen or chosen == topic or chosen == title) then
        it(title, function() test_program(title) end)
      end
    end
  end)
end

return function(topics)
  for _, topic in ipairs(topics) do test_topic(topic) end
end
