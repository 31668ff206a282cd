-- float8_spec.lua: files with float8 tensors, PyTorch's (golden/checkpoints/float8.*, written by golden/float8.py) and ours, and DLPack.
local torch = require "torch"
local dtypes = {"float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"}
local folder = "spec/golden/checkpoints/"

local function codes(dtype) return torch.arange(256):to(torch.uint8):view(torch[dtype]):view(16, 16) end
local function same(a, b) return a.dtype == b.dtype and torch.equal(a:view(torch.uint8), b:view(torch.uint8)) end

local function holds(file)
  for _, dtype in ipairs(dtypes) do assert.is_true(same(codes(dtype), file[dtype]), dtype) end
  local x = codes "float8_e4m3fn"
  assert.is_true(same(x:t()[3]:contiguous(), file.view:contiguous()))
  assert.are.same({16}, file.view:stride())
  assert.is_true(file.parameter.requires_grad == false and same(x, file.parameter:detach()))
  assert.are.equal(torch.float8_e5m2, file.dtype)
end

describe("files with float8 tensors", function()
  it("opens PyTorch's checkpoints", function() holds(torch.load(folder .. "float8.pt")) end)

  it("opens its own checkpoints, whose tensors share memory", function()
    local path = os.tmpname()
    local x = codes "float8_e4m3fn"
    local all = {view = x:t()[3], parameter = torch.nn.Parameter(x, false), dtype = torch.float8_e5m2}
    for _, dtype in ipairs(dtypes) do all[dtype] = codes(dtype) end
    all.float8_e4m3fn = x
    torch.save(all, path)
    local file = torch.load(path)
    holds(file)
    file.float8_e4m3fn:zero_()
    assert.are.equal(0.0, file.view[1]:item())
    os.remove(path)
  end)

  it("reads and writes safetensors", function()
    local safetensors = torch.utils.safetensors
    local file = safetensors.load_file(folder .. "float8.safetensors")
    for _, dtype in ipairs{"float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"} do assert.is_true(same(codes(dtype), file[dtype]), dtype) end
    local path, all = os.tmpname(), {}
    for _, dtype in ipairs(dtypes) do all[dtype] = codes(dtype) end
    safetensors.save_file(all, path)
    file = safetensors.load_file(path)
    for _, dtype in ipairs(dtypes) do assert.is_true(same(codes(dtype), file[dtype]), dtype) end
    os.remove(path)
  end)

  it("is no array of NumPy", function()
    local ok, err = pcall(function() return codes("float8_e5m2"):numpy() end)
    assert.is_false(ok)
    assert.are.equal("Got unsupported ScalarType Float8_e5m2", (tostring(err):match "[^\n]*"))
  end)
end)
