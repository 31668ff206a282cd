-- gpus.lua: shared by the specs of devices: sections for machines with a GPU (a real one, or TOCHA_CUDA=simulate;
-- TOCHA_SIMULATED_GPUS=2 for those with two), checks of errors, programs in processes of their own.
local torch = require "torch"
local busted = require "busted"
local describe, pending, assert = busted.describe, busted.pending, busted.assert
local programs = require "programs"
local cuda = torch.cuda
local gpus = {}

gpus.simulated = os.getenv "TOCHA_CUDA" == "simulate"
local cached = os.getenv "TOCHA_CUDA_CACHE" ~= "off"

local function section(title, body, wanted, lack)
  if wanted then describe(title, body) else pending(lack) end
end
function gpus.with_one(title, body) section(title, body, cuda.is_available(), "what needs a GPU") end
function gpus.with_two(title, body) section(title, body, cuda.device_count() >= 2, "what needs two GPUs") end
function gpus.with_cache(title, body)
  section(title, body, cuda.is_available() and cached, "what needs a GPU with the caching allocator")
end

-- Returns the first line of the error that f raises, and the hint.
function gpus.error_of(f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  err = tostring(err)
  return err:match "^[^\n]*", err:match "\nhint: ([^\n]*)" or ""
end

-- Checks that f raises this error, and returns the hint.
function gpus.fails(message, f, ...)
  local line, hint = gpus.error_of(f, ...)
  assert.are.equal(message, line)
  return hint
end

-- Checks that f raises an error, and this one if `message` is given.
function gpus.raises(f, message)
  local ok, err = pcall(f)
  if ok then error("no error", 2) end
  local line = tostring(err):match "^[^\n]*"
  if message and line ~= message then error(("raised %q, not %q"):format(line, message), 2) end
end

-- Runs a program in a process of its own with other variables ("TOCHA_CUDA=off"). Returns its output, and how it ended.
function gpus.run(variables, program, interpreter)
  local script = os.tmpname()
  programs.write(script, program)
  local pipe = assert(io.popen(("env %s %s %s 2>&1"):format(variables, interpreter or programs.tocha, script)))
  local printed = pipe:read "a"
  local ended = pipe:close()
  os.remove(script)
  return printed, ended
end

function gpus.prints(expected, variables, program, interpreter)
  local printed, ended = gpus.run(variables, program, interpreter)
  assert.are.equal(expected, printed)
  assert.is_truthy(ended)
end

-- Returns a tensor of these values on the GPU.
function gpus.tensor(...) return torch.tensor({...}, {device = "cuda"}) end

return gpus
