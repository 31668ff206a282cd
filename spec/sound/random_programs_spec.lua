-- random_programs_spec.lua: 500 random programs answer as PyTorch did (spec/golden/random_programs.txt), but for rounding and for
-- what random_programs.differences lists: `tocha spec/sound/replay.lua spec/golden/random_programs.txt brief` writes it,
-- without `brief` it shows each. docs/differences.md has the reasons.
local programs = require "programs"

-- {[seed and statement] = kind}, and how many programs there were.
local function differences(text)
  local found = {}
  for statement, kind in text:gmatch "(%d+ %d+) (%a+)\n" do found[statement] = kind end
  return found, tonumber(text:match "(%d+) programs")
end

describe("random programs", function()
  local pipe = io.popen(programs.tocha .. " spec/sound/replay.lua spec/golden/random_programs.txt brief 2>&1")
  local printed = pipe:read "a"
  pipe:close()
  local found, count = differences(printed)
  local listed, listed_count = differences(programs.read "spec/golden/random_programs.differences")

  it("run to their end", function()
    assert.are.equal(listed_count, count, printed:sub(-500))
    assert.is_true(count >= 500)
  end)

  it("differ from PyTorch nowhere but where it is listed", function()
    for statement, kind in pairs(found) do
      if listed[statement] ~= kind then error(("program, statement %s: %s"):format(statement, kind), 0) end
    end
    for statement in pairs(listed) do
      if not found[statement] then error(("program, statement %s is listed and right: list anew"):format(statement), 0) end
    end
  end)
end)
