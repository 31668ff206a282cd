-- options_spec.lua: an option that is accepted has an effect, or is known to have none (spec/support/without_effect.lua).
local options = require "options"
local known = require "without_effect"

describe("an option", function()
  for _, walk in ipairs{"of_lua", "of_functions", "of_operators"} do
    it("is read by its function, or listed with a reason: " .. walk, function()
      local found, missing, stale = options[walk](), {}, {}
      for name in pairs(found) do
        if not known[walk][name] then missing[#missing + 1] = name end
      end
      for name in pairs(known[walk]) do
        if not found[name] then stale[#stale + 1] = name end
      end
      table.sort(missing)
      table.sort(stale)
      assert.same({}, missing)
      assert.same({}, stale)
    end)
  end

  it("is found by the walk where nobody reads it", function()
    assert.is_nil(options.of_lua()["DataLoader.__init__.drop_last"])
    assert.truthy(options.of_lua()["tqdm.smoothing"])
    assert.is_nil(options.of_functions()["torch.tensor.requires_grad"])
    assert.truthy(options.of_functions()["torch.nn.utils.get_total_norm.foreach"])
    assert.truthy(options.of_operators()["isin.assume_unique"])
  end)
end)
