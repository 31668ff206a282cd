-- random_programs_spec.lua: random programs answer as PyTorch did (spec/golden/random_programs), but for rounding.
-- `tocha spec/sound/replay.lua spec/golden/random_programs/programs.txt` shows each statement that does not.
local programs = require "programs"

it("random programs answer as PyTorch did, to their end", function()
  local file = "spec/golden/random_programs/programs.txt"
  local pipe <close> = io.popen(("%s spec/sound/replay.lua %s brief 2>&1"):format(programs.tocha, file))
  local _, count = programs.read(file):gsub("%f[^\0\n]%%%% %d+\n", "")
  assert.is_true(count >= 75)
  assert.are.equal(count .. " programs\n", pipe:read "a")
end)
