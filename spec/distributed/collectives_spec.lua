-- collectives_spec.lua: every collective against a model, which collectives_program.lua holds, on 1, 2 and 3 ranks.
local busted = require "busted"
local ranks = require "ranks"

busted.describe("collectives against plain arithmetic", function()
  for size, cases in ipairs{2000, 6000, 7000} do
    busted.it(("on %d ranks"):format(size), function()
      for _, ended in ipairs(ranks.run("spec/distributed/collectives_program.lua", size, {seconds = 60})) do
        assert.equal(0, ended.status, ended.errors)
        local tried, wrong = ended.output:match "(%d+) tried, (%d+) wrong\n$"
        assert.equal("0", wrong, ended.output)
        assert.is_true(tonumber(tried) >= cases, "only " .. tried .. " cases")
      end
    end)
  end
end)
