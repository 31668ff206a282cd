-- golden_spec.lua: programs about optimizers print what PyTorch prints (spec/golden), and use every optimizer.
require "golden" {"optim", "schedulers", "training"}

package.path = "runtime/list/?.lua;" .. package.path
local torch = require "torch"
local asked = require "asked"
local optimizers = require "read_optimizers".load "runtime/optim/optimizers.lua"

describe("PyTorch was asked about", function()
  it("every optimizer of the list", function() assert.same({}, asked.lacking("torch.optim", asked.names_of(optimizers), "optim")) end)
  it("the optimizers and schedulers written in Lua", function()
    assert.same({}, asked.lacking("torch.optim", torch._parts "torch.optim", "optim"))
    assert.same({}, asked.lacking("torch.optim.lr_scheduler", torch._parts "torch.optim.lr_scheduler", "schedulers"))
  end)
end)
