-- values_spec.lua: numbers beyond a dtype, bools of any byte, positions out of range and sorters, the same on each device.
local torch = require "torch"
local F = torch.nn.functional

local section = require("gpus").with_one

local function bodies(it, device)
  local function there(t) return t:to(device) end
  local function message(f)
    local ok, text = pcall(f)
    if ok and device ~= "cpu" then torch.cuda.synchronize() end
    return ok and "no error" or tostring(text)
  end

  it("bools that are other bytes than 0 and 1, on " .. device, function()
    local odd = there(torch.arange(300):remainder(256):to(torch.uint8)):view(torch.bool)
    local ones = there(torch.ones(300):bool())
    assert.are.equal(298, odd:sum():item())
    assert.are.equal(298, odd:eq(true):sum():item())
    assert.are.equal(298, odd:bitwise_and(ones):sum():item())
    assert.are.equal(596, torch.cat{odd, odd}:sum():item())
    assert.are.equal(2, odd:unique():numel())
    local bytes = odd:view(torch.uint8)
    odd:logical_not_()
    assert.are.equal(2, bytes:sum():item())
  end)

  it("numbers that a dtype does not hold, on " .. device, function()
    local half, byte = there(torch.ones(3):half()), there(torch.ones(3):to(torch.uint8))
    for _, call in ipairs {
      function() return F.pad(half, {1, 0}, {value = 1e5}) end, function() return half:clamp(0, 1e5) end, function() return half:fill_(1e5) end,
      function() return half:masked_fill(half:gt(0), 1e5) end, function() return byte:addcmul(byte, byte, {value = 300}) end,
      function() return F.pad(byte, {1, 0}, {value = -1}) end, function() return half:addcmul(half, half, {value = 1e39}) end,
    } do
      assert.truthy(message(call):find("value cannot be converted to type", 1, true))
    end
    assert.are.same({-math.huge, 1.0, 1.0}, torch.where(there(torch.tensor{true, false, false}), -1e9, half):tolist())
  end)

  it("what lies out of range is refused, on " .. device, function()
    local x, places = there(torch.arange(10):float()), there(torch.tensor{0, 99})
    assert.truthy(message(function() return x:index_select(0, places):sum():item() end):find "out of")
    assert.truthy(message(function() return F.cross_entropy(there(torch.zeros(2, 3)), places):item() end):find "out of bounds")
    assert.truthy(message(function() return torch.repeat_interleave(there(torch.tensor{math.maxinteger, math.maxinteger, 4})) end):find "%a")
  end)
end

bodies(it, "cpu")
section("on a GPU", function() bodies(it, "cuda") end)
