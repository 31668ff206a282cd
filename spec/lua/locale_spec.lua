-- Numbers are written with a point where os.setlocale asks for a comma.
local programs = require "programs"

local PROGRAM = [[
local np = require "torch.numpy"
assert(os.setlocale "de_DE.UTF-8", "no such locale")
assert(("%.1f"):format(0.5) == "0,5")
print(np.array{1.5, 2.5}, np.array{1e-20, 1.0}, torch.finfo(torch.float32).eps == 2.0 ^ -23, torch.finfo(torch.float16))
print(torch.tensor{1.5, 2.5}, torch.nn.Dropout(0.5))
torch.plot.lines({0.25, 0.5}, {width = 30, height = 3})
torch.plot.histogram({0.25, 0.5}, {width = 30, bins = 2})
]]

describe("a locale with commas", function()
  local folder = os.tmpname()
  os.remove(folder)
  local made = os.execute(("mkdir %s && localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1"):format(folder, folder))
  if not made then pending "localedef, or the text of de_DE, is missing" end

  teardown(function() os.execute("rm -rf " .. folder) end)

  if made then
    it("changes no number", function()
      local pipe = io.popen(("LOCPATH=%s %s -e %s 2>&1"):format(folder, programs.quote(programs.tocha), programs.quote(PROGRAM)))
      local out = pipe:read "a"
      pipe:close()
      assert.matches("array%(%[1%.5, 2%.5%]%)", out)
      assert.matches("eps=0%.000976562", out)
      assert.matches("0%.25", out)
      assert.is_nil(out:match "%d,%d", out)
    end)
  end
end)
