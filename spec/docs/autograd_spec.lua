-- autograd_spec.lua: the examples of docs/autograd.md print what stands below them.
local torch = require "torch"
local programs = require "programs"

describe("docs/autograd.md", function()
  local count = 0
  for code, expected in programs.read "docs/autograd.md":gmatch "```lua\n(.-)```\n```text\n(.-)```" do
    count = count + 1
    it("prints what it says (" .. count .. ")", function()
      local lines = {}
      local function print(...)
        local parts = table.pack(...)
        for i = 1, parts.n do parts[i] = tostring(parts[i]) end
        lines[#lines + 1] = table.concat(parts, "\t") .. "\n"
      end
      assert(load(code, "=example", "t", setmetatable({print = print, torch = torch}, {__index = _G})))()
      torch.autograd.set_detect_anomaly(false)
      assert.equal(expected, table.concat(lines))
    end)
  end
  it("has examples", function() assert.is_true(count > 6) end)
end)
