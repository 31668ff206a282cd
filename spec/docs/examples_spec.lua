-- examples_spec.lua: what a page shows of a file of the project stands in that file, word for word; and what the page on the
-- architecture names is there.
local programs = require "programs"

-- For each page: the language of a block (```lua) and the file that such blocks are taken from.
local taken_from = {
  ["docs/adding-a-function.md"] = {lua = "bindings/functions.lua", c = "bindings/nn/functions.c"},
  ["docs/adding-an-operator.md"] = {lua = "runtime/ops/pointwise/activation.lua"},
  ["docs/adding-a-reduction.md"] = {lua = "runtime/ops/reduction/reduction.lua"},
  ["docs/adding-a-module.md"] = {lua = "runtime/nn/modules.lua"},
  ["docs/adding-an-optimizer.md"] = {lua = "runtime/optim/optimizers.lua"},
  ["docs/adding-a-dtype.md"] = {cmake = "runtime/ops/normalization/loops.cmake"},
}

for page, files in pairs(taken_from) do
  describe(page, function()
    for language, file in pairs(files) do
      local source, count = programs.read(file), 0
      for block in programs.read(page):gmatch("```" .. language .. "\n(.-)```") do
        count = count + 1
        it(("shows %s as it is (%d)"):format(file, count), function()
          if not source:find(block, 1, true) then error(file .. " does not have\n" .. block, 0) end
        end)
      end
      it("shows something of " .. file, function() assert.is_true(count > 0) end)
    end
  end)
end

describe("docs/architecture.md", function()
  local page = programs.read "docs/architecture.md"
  local function there(path) return os.execute(("test -e '%s'"):format(path)) end
  it("names files that are there", function()
    for path in page:gmatch "[%w_]+/[%w_/]+%.[chlmu][%w]*" do
      if not (there(path) or there("runtime/" .. path) or there("docs/" .. path) or path:find "NAME" or path:find "^tocha/ops") then
        error(path .. " is not there", 0)
      end
    end
  end)
  it("names functions that are there", function()
    local pipe = io.popen "grep -rhoE '\\btocha_[a-z_]+' runtime --include=*.c --include=*.h | sort -u"
    local names = {}
    for name in pipe:lines() do names[name] = true end
    pipe:close()
    for name in page:gmatch "`(tocha_[%w_]+)" do
      if not names[name] then error(name .. " is not there", 0) end
    end
  end)
end)
