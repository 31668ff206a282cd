-- page_spec.lua: the programs of docs/distributed.md print on two ranks what the page shows.
local busted = require "busted"
local ranks = require "ranks"

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

busted.describe("docs/distributed.md", function()
  local number = 0
  for code, expected in read "docs/distributed.md":gmatch "```lua\n(.-)```\n```text\n(.-)```" do
    number = number + 1
    busted.it("program " .. number, function()
      local ended = ranks.run(code, 2)
      assert.equal(0, ended[1].status, ended[1].errors)
      assert.equal(expected, (ended[1].output:gsub("/[%w_/]+/script%.lua", "script.lua")))
      assert.equal(0, ended[2].status, ended[2].errors)
    end)
  end
  busted.it("has programs", function() assert.equal(4, number) end)
end)
