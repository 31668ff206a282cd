-- define_spec.lua: functions written in Lua refuse what is not of the kind that their signature names, as those in C do.
local torch = require "torch"

describe("an argument of a function written in Lua", function()
  local function message(f, ...)
    local ok, err = pcall(f, ...)
    assert.is_false(ok)
    return (tostring(err):match "[^\n]*")
  end
  local x, vision = torch.rand(3, 3), torch.vision

  it("is of the kind that the signature names", function()
    assert.equal("pca_lowrank(): argument 'A' (position 1) must be Tensor, not list", message(torch.pca_lowrank, {1, 2}))
    assert.equal("pca_lowrank(): argument 'niter' (position 4) must be int, not float", message(torch.pca_lowrank, x, 2, true, 1.5))
    assert.equal("pca_lowrank(): argument 'center' (position 3) must be bool, not str", message(torch.pca_lowrank, x, 2, "x"))
    assert.equal("nms(): argument 'iou_threshold' must be float, not str", message(vision.ops.nms, x, x, {iou_threshold = "x"}))
    assert.equal("FakeData.__init__(): argument 'size' (position 1) must be int, not float", message(vision.datasets.FakeData, 1.5))
    assert.equal("read_file(): argument 'path' (position 1) must be str, not int", message(vision.io.read_file, 3))
  end)

  it("that is nil has its default, where there is one", function()
    assert.equal(1000, #vision.datasets.FakeData(nil))
    assert.equal("gradient(): argument 'input' (position 1) must be Tensor, not NoneType", message(torch.gradient, nil))
  end)

  it("may be a tensor of one integer for an integer", function()
    assert.equal("integer", math.type(vision.datasets.FakeData(torch.tensor(7)).size))
  end)

  it("is looked at after the names and the number of arguments", function()
    assert.equal("read_file() takes 1 positional argument but 2 were given", message(vision.io.read_file, 3, 4))
    assert.equal("read_file() got an unexpected keyword argument 'paht'", message(vision.io.read_file, 3, {paht = 1}))
  end)
end)
