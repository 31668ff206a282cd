-- empty_last_tables_spec.lua: an empty table in last place is keywords after other arguments, but an argument where one is missing.
-- PyTorch, where lists and keywords look different, is asked with [] in its place.
local torch = require "torch"
local schedulers = torch.optim.lr_scheduler

local function optimizer() return torch.optim.SGD({torch.ones(2):requires_grad_()}, {lr = 0.1}) end
local function problem(f, ...)
  local ok, message = pcall(f, ...)
  return not ok and tostring(message):match "^[^\n]*"
end

describe("an empty table in last place", function()
  it("is an argument where one is missing, in functions written in Lua", function()
    local opt = optimizer()
    assert.equal("SequentialLR expects at least one scheduler, but got no scheduler.", problem(schedulers.SequentialLR, opt, {}, {}))
    assert.is_false(problem(schedulers.SequentialLR, opt, {schedulers.StepLR(opt, 1)}, {}))
    assert.is_false(problem(schedulers.MultiStepLR, opt, {}))
    assert.equal("Expected 1 lr_lambdas, but got 0", problem(schedulers.LambdaLR, opt, {}))
  end)

  it("is one in those of C", function()
    assert.equal("optimizer got an empty parameter list", problem(torch.optim.SGD, {}))
    assert.is_nil((torch.nn.utils.vector_to_parameters(torch.ones(0), {})))
  end)

  it("is keywords where nothing is missing", function()
    assert.equal("torch.Size([2, 3])", tostring(torch.ones(2, 3, {}).shape))
    assert.is_false(problem(schedulers.StepLR, optimizer(), 1, {}))
    assert.equal(0, #torch.nn.ModuleList{})
  end)

  it("does not hide which argument is missing", function()
    assert.equal("SequentialLR.__init__() missing 2 required positional arguments: 'schedulers' and 'milestones'",
      problem(schedulers.SequentialLR, optimizer()))
    assert.equal("SequentialLR.__init__() missing 1 required positional argument: 'milestones'",
      problem(schedulers.SequentialLR, optimizer(), {}))
  end)
end)
