-- examples_spec.lua: what a page shows of a file of the project stands in that file, word for word.
local programs = require "programs"

-- The entries and fields that a page shows (blocks marked ```lua), and the file they are taken from.
local taken_from = {["docs/adding-a-module.md"] = "runtime/nn/modules.lua"}

for page, file in pairs(taken_from) do
  describe(page, function()
    local source, count = programs.read(file), 0
    for block in programs.read(page):gmatch "```lua\n(.-)```" do
      count = count + 1
      it(("shows %s as it is (%d)"):format(file, count), function()
        if not source:find(block, 1, true) then error(file .. " does not have\n" .. block, 0) end
      end)
    end
    it("shows something", function() assert.is_true(count > 0) end)
  end)
end
