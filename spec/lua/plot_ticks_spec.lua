-- torch.plot's ticks are matplotlib's: spec/golden/plot/ticks.py asked.
local torch = require "torch"
local plt = require "torch.pyplot"

local function numbers(text)
  local list = {}
  for number in text:gmatch "%S+" do list[#list + 1] = tonumber(number) end
  return list
end

describe("ticks", function()
  it("are where matplotlib has them, and say the same", function()
    local count, wrong = 0, {}
    for line in io.lines "spec/golden/plot/ticks.tsv" do
      local axis, width, height, low, high, places, labels, side = line:match "^(%a)\t(%S+)\t(%S+)\t(%S+)\t(%S+)\t([^\t]*)\t([^\t]*)\t(.*)$"
      local figure, axes = plt.subplots{figsize = {tonumber(width), tonumber(height)}}
      axes["set_" .. axis .. "lim"](axes, tonumber(low), tonumber(high))
      local box = axes:box()
      local found, texts, beside = axes:ticks_of(axis, axis == "x" and box[3] - box[1] or box[4] - box[2])
      local expected = numbers(places)
      local same = #expected == #found and labels == table.concat(texts, " ") and side == beside
      for i, at in ipairs(expected) do
        same = same and math.abs(at - (found[i] or math.huge)) <= 1e-9 * (tonumber(high) - tonumber(low))
      end
      count = count + 1
      if not same then
        wrong[#wrong + 1] = ("%s %s..%s: %s %s %s, not %s %s"):format(axis, low, high, table.concat(found, " "), table.concat(texts, " "), beside, labels, side)
      end
      plt.close(figure)
    end
    assert.is_true(count > 1000)
    assert.are.equal("", table.concat(wrong, "\n"))
  end)

  it("are asked for by their number and kept in view", function()
    local _, axes = plt.subplots()
    axes:plot{1, 2, 3}
    axes:set_xticks({0, 1, 5}, {"a", "b", "c"})
    assert.are.same({0, 1, 5}, axes:get_xticks())
    assert.are.same({-0.1, 5.0}, {axes:get_xlim()})
    plt.close()
    assert.is_false((pcall(axes.set_xticks, axes, {0, 1}, {"a"})))
    assert.is_truthy(torch)
  end)
end)
