-- golden_spec.lua: programs about modules and training print what PyTorch prints (spec/golden), and use every module.
require "golden" {"nn", "train"}

package.path = "runtime/list/?.lua;" .. package.path
local torch = require "torch"
local asked = require "asked"
local modules = require "write_modules".load "runtime"

describe("PyTorch was asked about", function()
  it("every module and loss of the list", function() assert.same({}, asked.lacking("torch.nn", asked.names_of(modules.modules), "nn")) end)
  it("every initializer", function() assert.same({}, asked.lacking("torch.nn.init", asked.names_of(modules.initializers), "nn")) end)
  it("what is written in Lua", function()
    for _, space in ipairs {"torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils"} do
      assert.same({}, asked.lacking(space, torch._parts(space), "nn"))
    end
  end)
  it("no name that is not there", function()
    local lacking = asked.lacking("torch.nn", {"Linear", "NoSuchModule"}, "nn")
    assert.equal(1, #lacking)
    assert.truthy(lacking[1]:find("torch.nn.NoSuchModule has no answer of PyTorch: write spec/golden/nn/", 1, true))
  end)
end)
