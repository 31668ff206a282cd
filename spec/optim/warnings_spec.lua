-- warnings_spec.lua: what schedulers warn of (stderr, which golden programs do not show).
local programs = require "programs"

local function said(program)
  return programs.run('local torch = require "torch"\nlocal nn, optim = torch.nn, torch.optim\nlocal w = nn.Parameter(torch.ones(1))\n' ..
    'local o = optim.SGD({w}, {lr = 0.1})\nlocal s = optim.lr_scheduler.ExponentialLR(o, 0.5)\n' .. program)
end

describe("a scheduler", function()
  it("says nothing where steps come in order, also with hooks", function()
    assert.equal("", said "o:step()\ns:step()\no:step()\ns:step()")
    assert.equal("", said "o:register_step_pre_hook(function() end)\no:step()\ns:step()")
    assert.equal("", said "optim.lr_scheduler.StepLR(o, 2)\no:step()\ns:step()")
  end)

  it("warns where it steps before the optimizer", function()
    local text = said "s:step()\no:step()\ns:step()"
    assert.truthy(text:find("UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`.", 1, true), text)
    assert.equal(1, select(2, text:gsub("UserWarning", "")))
  end)

  it("warns of a step that took the place of the tracked one, of epochs, of get_lr", function()
    assert.truthy(said("o.step = function() end\no:step()\ns:step()"):find("`optimizer.step()` has been overridden", 1, true))
    assert.truthy(said("o:step()\ns:step(3)"):find("The epoch parameter in `scheduler.step()` was not necessary", 1, true))
    assert.truthy(said("s:get_lr()"):find("please use `get_last_lr()`", 1, true))
  end)
end)
