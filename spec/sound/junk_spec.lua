-- junk_spec.lua: 20,000 calls of everything that reflection finds, with junk (junk.lua), in processes of their own: each
-- must end by itself. TOCHA_JUNK_CALLS=1000000 makes more of them, TOCHA_JUNK_SEED others.
local programs = require "programs"

local CALLS = tonumber(os.getenv "TOCHA_JUNK_CALLS" or 20000)
local SEED = tonumber(os.getenv "TOCHA_JUNK_SEED" or 1)
local PROCESSES = 10
local SECONDS = math.max(120, CALLS // 100) -- for one process, on a busy machine with sanitizers

local function shown(log)
  local text = programs.read(log) or ""
  return text:match "^[^\n]*"
end

describe("junk arguments", function()
  for i = 0, PROCESSES - 1 do
    it(("end in errors, calls of seed %d"):format(SEED + i), function()
      local log, said = os.tmpname(), os.tmpname()
      local ok, how, code = os.execute(("timeout %d %s spec/sound/junk.lua %d %d %s >/dev/null 2>%s"):format(
        SECONDS, programs.tocha, SEED + i, CALLS // PROCESSES, log, said))
      local last, complaint = shown(log), programs.read(said)
      os.remove(log)
      os.remove(said)
      if not ok then
        error(("%s %d at call %s\n%s"):format(how, code, last, complaint:sub(-4000)), 0)
      end
    end)
  end
end)
