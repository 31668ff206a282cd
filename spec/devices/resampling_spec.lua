-- resampling_spec.lua: images resized, sampled, padded and pooled on a device give the CPU's values and gradients.
local torch = require "torch"
local F = torch.nn.functional

local section = require("gpus").with_one

local tolerances = {[torch.float64] = 1e-12, [torch.float32] = 2e-5, [torch.float16] = 4e-3, [torch.bfloat16] = 3e-2}

-- Asserts that f(x) and its gradient by x are the CPU's. Returns f's result on the device.
local function compare(f, x, what)
  local function run(device)
    local leaf = x:to(device):detach():requires_grad_()
    local y = f(leaf)
    torch.manual_seed(1)
    local grad = torch.randn(y.shape:unpack()):to(x.dtype)
    y:backward(grad:to(device))
    return y, leaf.grad
  end
  local y, grad = run "cpu"
  local on_device, its_grad = run "cuda"
  local limit = tolerances[x.dtype]
  assert.is_true(torch.allclose(on_device:cpu():double(), y:double(), {rtol = limit, atol = limit}), what)
  assert.is_true(torch.allclose(its_grad:cpu():double(), grad:double(), {rtol = limit, atol = 4 * limit}), what .. ", gradient")
  return on_device
end

local dtypes = {torch.float32, torch.float64, torch.bfloat16}

section("interpolate", function()
  local function text(mode, options, dtype)
    local where = options.scale_factor or table.concat(options.size, "x")
    return ("%s %s %s%s%s"):format(mode, where, dtype, options.align_corners and " corners" or "", options.antialias and " antialias" or "")
  end
  local function both(x, mode, options)
    options.mode = mode
    return compare(function(t) return F.interpolate(t, options) end, x, text(mode, options, x.dtype))
  end

  it("to a size, in all modes of images", function()
    for _, dtype in ipairs(dtypes) do
      for _, size in ipairs {{5, 7}, {11, 3}, {7, 9}, {14, 18}, {1, 1}, {40, 2}} do
        local x = torch.randn(3, 5, 7, 9):to(dtype)
        for _, mode in ipairs {"nearest", "nearest-exact", "bilinear", "bicubic", "area"} do both(x, mode, {size = size}) end
        for _, mode in ipairs {"bilinear", "bicubic"} do
          both(x, mode, {size = size, align_corners = true})
          if dtype ~= torch.bfloat16 then both(x, mode, {size = size, antialias = true}) end
        end
      end
    end
  end)

  it("by a factor, in one, two and three dimensions", function()
    for _, dtype in ipairs(dtypes) do
      for _, factor in ipairs {0.37, 1.7, 2, 2.6, 3.99} do
        for mode, sizes in pairs {linear = {2, 3, 17}, bilinear = {1, 6, 17, 20}, bicubic = {1, 2, 17, 20}, trilinear = {2, 3, 5, 4, 6}} do
          local x = torch.randn(table.unpack(sizes)):to(dtype)
          both(x, mode, {scale_factor = factor})
          both(x, "nearest", {scale_factor = factor})
          both(x, "nearest-exact", {scale_factor = factor})
        end
      end
    end
  end)

  it("of channels that are last stays so", function()
    local x = torch.randn(3, 5, 7, 9):contiguous {memory_format = torch.channels_last}
    for _, mode in ipairs {"nearest", "bilinear", "bicubic"} do
      assert.is_true(both(x, mode, {size = {10, 5}}):is_contiguous {memory_format = torch.channels_last})
    end
  end)

  it("of bytes", function()
    local x = torch.arange(60):reshape(1, 3, 4, 5):to(torch.uint8)
    for _, mode in ipairs {"nearest", "bilinear", "bicubic"} do
      local options = {size = {7, 3}, mode = mode}
      assert.is_true(torch.equal(F.interpolate(x:cuda(), options):cpu(), F.interpolate(x, options)), mode)
    end
  end)

  it("has a second derivative", function()
    local x = torch.rand(1, 2, 3, 4, {dtype = torch.float64, device = "cuda", requires_grad = true})
    for _, mode in ipairs {"nearest", "bilinear", "bicubic"} do
      assert.is_true(torch.autograd.gradgradcheck(function(t) return F.interpolate(t, {size = {5, 3}, mode = mode}) end, {x}))
    end
  end)
end)
