-- dlpack_spec.lua: tensors of other libraries, and tensors for them, without a copy.
local torch = require "torch"

local function refusal(...)
  local fine, problem = pcall(...)
  assert.is_false(fine)
  return problem
end

describe("DLPack, where tensors lie,", function()
  it("passes tensors with their memory", function()
    local x = torch.arange(6):reshape(2, 3)
    local y = torch.from_dlpack(x)
    y[0][1] = 10
    assert.are.same({{0, 10, 2}, {3, 4, 5}}, x:tolist())
    assert.are.equal(x:data_ptr(), y:data_ptr())
    assert.are.equal(y.device, x.device)
    assert.are.same({3, 1}, {y:t():t():stride(0), y:stride(1)})
  end)

  it("keeps strides, offsets and dtypes", function()
    for _, name in ipairs {"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"} do
      local x = torch.ones(4, 6, {dtype = torch[name]}):t()["2:, 1::2"]
      local y = torch.from_dlpack(x)
      assert.are.equal(torch[name], y.dtype)
      assert.are.same({x:stride(0), x:stride(1)}, {y:stride(0), y:stride(1)})
      assert.is_true(torch.equal(x, y))
    end
    assert.are.same({0, 3}, {torch.from_dlpack(torch.zeros(0, 3)):size(0), torch.from_dlpack(torch.zeros(0, 3)):size(1)})
    assert.are.equal(7, torch.from_dlpack(torch.tensor(7)):item())
  end)

  it("copies when asked to", function()
    local x = torch.zeros(3)
    local y = torch.from_dlpack(x, {copy = true})
    y:fill_(1)
    assert.are.equal(0, x:sum():item())
    assert.are.equal(x:data_ptr(), torch.from_dlpack(x, {copy = false}):data_ptr())
    assert.are.equal("cpu", torch.from_dlpack(x, {device = "cpu"}).device.type)
  end)

  it("keeps the memory as long as somebody uses it", function()
    local capsule = torch.full({1000}, 3):__dlpack__ {max_version = {1, 0}}
    collectgarbage()
    assert.are.equal(3000, torch.from_dlpack(capsule):sum():item())
    torch.ones(3):__dlpack__()
    collectgarbage()
  end)
end)

describe("DLPack", function()
  it("takes a capsule once", function()
    local capsule = torch.to_dlpack(torch.ones(2))
    assert.are.equal('<capsule object "dltensor">', tostring(capsule))
    assert.are.equal(2, torch.utils.dlpack.from_dlpack(capsule):sum():item())
    assert.are.equal('<capsule object "used_dltensor">', tostring(capsule))
    local problem = refusal(torch.from_dlpack, capsule)
    assert.are.equal("RuntimeError", problem.code)
    assert.matches("from_dlpack received an invalid capsule", problem.message)
    assert.are.equal('<capsule object "dltensor_versioned">', tostring(torch.ones(2):__dlpack__ {max_version = {1, 1}}))
  end)

  it("asks objects of other libraries", function()
    local x, asked = torch.arange(3, {device = "cpu"}), nil
    local object = {}
    function object:__dlpack_device__() return x:__dlpack_device__() end
    function object:__dlpack__(request)
      asked = request
      return x:__dlpack__(request)
    end
    assert.are.equal(x:data_ptr(), torch.from_dlpack(object):data_ptr())
    assert.are.same({max_version = {1, 0}}, asked)
    torch.from_dlpack(object, {copy = true})
    assert.is_true(asked.copy)
    function object:__dlpack__() error "busy" end
    assert.matches("busy", tostring(refusal(torch.from_dlpack, object)))
    function object:__dlpack__() return 5 end
    assert.matches("invalid capsule", refusal(torch.from_dlpack, object).message)
  end)

  it("refuses in PyTorch's words", function()
    local x = torch.ones(2, {device = "cpu"})
    local function says(code, message, ...)
      local problem = refusal(...)
      assert.are.same({code, message}, {problem.code, problem.message})
    end
    local invalid = "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might have " ..
      "already constructed a tensor from it once."
    says("RuntimeError", invalid, torch.from_dlpack, 5)
    says("RuntimeError", invalid, torch.from_dlpack, {})
    says("RuntimeError", invalid, torch.from_dlpack, io.stdout)
    says("TypeError", "from_dlpack() missing 1 required positional argument: 'ext_tensor'", torch.from_dlpack)
    says("TypeError", "_to_dlpack(): argument 'data' (position 1) must be Tensor, not int", torch.to_dlpack, 3)
    local grown = torch.ones(2, {requires_grad = true})
    says("BufferError", "Can't export tensors that require gradient, use tensor.detach()", grown.__dlpack__, grown)
    local meta = torch.ones(2, {device = "meta"})
    says("BufferError", "Cannot pack tensors on meta", meta.__dlpack__, meta)
    says("ValueError", "Unknown device type meta for Dlpack", meta.__dlpack_device__, meta)
    says("ValueError", "Unknown device type meta for Dlpack", torch.from_dlpack, meta)
    says("AssertionError", "stream should be None on cpu.", x.__dlpack__, x, {stream = 3})
    says("TypeError", "stream must be ``int`` or ``none``", x.__dlpack__, x, {stream = "a"})
    says("BufferError", "read_only export requires the versioned DLPack protocol; pass max_version=(1, 0) or higher", x.__dlpack__, x,
      {read_only = true})
    says("BufferError", "Unsupported device_type: 77", x.__dlpack__, x, {dl_device = {77, 0}})
  end)

  it("keeps memory in its place that another library uses", function()
    local x = torch.ones(2, {device = "cpu"})
    local capsule = x:__dlpack__()
    assert.matches("not resizable", refusal(x.resize_, x, 100).message)
    assert.are.equal(2, torch.from_dlpack(capsule):sum():item())
  end)
end)
