-- adaptive_sizes_spec.lua: sizes of adaptive pools that stay as they are, which a list says by nil or "None".
local torch = require "torch"
local F = torch.nn.functional

local function shape(t) return tostring(t.shape) end

describe("sizes of adaptive pools", function()
  local image, volume = torch.arange(70.0):view{1, 2, 5, 7}, torch.ones(1, 2, 5, 7, 4)

  it("stay where they are left out", function()
    assert.are.equal("torch.Size([1, 2, 5, 3])", shape(F.adaptive_avg_pool2d(image, {"None", 3})))
    assert.are.equal("torch.Size([1, 2, 3, 7])", shape(F.adaptive_max_pool2d(image, {3, "None"})))
    assert.are.equal("torch.Size([1, 2, 5, 3])", shape(F.adaptive_max_pool2d(image, {nil, 3})))
    assert.are.equal("torch.Size([1, 2, 2, 7, 4])", shape(F.adaptive_avg_pool3d(volume, {2, "None", "None"})))
    assert.are.equal("torch.Size([1, 2, 5, 7, 2])", shape(F.adaptive_max_pool3d(volume, {"None", "None", 2})))
    assert.is_true(torch.equal(image, F.adaptive_avg_pool2d(image, {"None", "None"})))
  end)

  it("are integers otherwise", function()
    assert.is_false(pcall(F.adaptive_avg_pool2d, image, {"all", 3}))
    assert.is_false(pcall(F.adaptive_avg_pool1d, image[0], {"None"}))
    assert.is_false(pcall(F.avg_pool2d, image, {"None", 3}))
  end)
end)
