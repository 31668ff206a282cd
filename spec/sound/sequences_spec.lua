-- sequences_spec.lua: random sequences of legal steps around autograd (sequences.lua) in processes of their own: each must end by
-- itself. A sanitized build (./bootstrap test sanitized) sees what a usual one survives by luck.
-- TOCHA_SEQUENCE_STEPS=500000 busted spec/sound/sequences_spec.lua makes more of them, TOCHA_SEQUENCE_SEED others.
local programs = require "programs"

local STEPS = tonumber(os.getenv "TOCHA_SEQUENCE_STEPS" or 10000)
local SEED = tonumber(os.getenv "TOCHA_SEQUENCE_SEED" or 1)
local PROCESSES = 5
local SECONDS = math.max(120, STEPS // 100) -- for one process, on a busy machine with sanitizers

describe("sequences of steps", function()
  for i = 0, PROCESSES - 1 do
    it(("end in values or errors with words, and leave the modes as they were, seed %d"):format(SEED + i), function()
      local log, said = os.tmpname(), os.tmpname()
      local ok, how, code = os.execute(("timeout %d %s spec/sound/sequences.lua %d %d %s >/dev/null 2>%s"):format(
        SECONDS, programs.tocha, SEED + i, STEPS // PROCESSES, log, said))
      local program, complaint = programs.read(log) or "", programs.read(said)
      os.remove(log)
      os.remove(said)
      if not ok then error(("%s %d in program %s\n%s"):format(how, code, program:match "^(.-)\n%-%- end" or "", complaint:sub(-4000)), 0) end
    end)
  end
end)
