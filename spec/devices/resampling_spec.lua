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
    local grad = torch.randn_like(y:detach():cpu():double()):to(x.dtype)
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

section("grid_sample", function()
  local function sample(x, grid, options, what)
    return compare(function(t) return F.grid_sample(t, grid:to(t.device), options) end, x, what)
  end

  it("adds its gradient in any order, or, if asked, in a fixed one", function()
    for _, deterministic in ipairs {false, true} do
      torch.use_deterministic_algorithms(deterministic)
      for _, dtype in ipairs(dtypes) do
        for _, padding in ipairs {"zeros", "border", "reflection"} do
          for _, mode in ipairs {"nearest", "bilinear", "bicubic"} do
            local grid = (torch.rand(2, 5, 6, 2) * 3 - 1.5):to(dtype)
            sample(torch.randn(2, 3, 4, 7):to(dtype), grid, {mode = mode, padding_mode = padding, align_corners = false}, mode .. padding)
            if mode ~= "bicubic" then
              local places = (torch.rand(2, 2, 3, 4, 3) * 3 - 1.5):to(dtype)
              sample(torch.randn(2, 3, 4, 7, 5):to(dtype), places, {mode = mode, padding_mode = padding, align_corners = true}, mode .. padding)
            end
          end
        end
      end
    end
    torch.use_deterministic_algorithms(false)
  end)
end)

section("padding by elements", function()
  it("is reflected, replicated and circular, also negative", function()
    for _, dtype in ipairs(dtypes) do
      for _, mode in ipairs {"reflect", "replicate", "circular"} do
        for _, pad in ipairs {{1, 2}, {3, 0}, {-1, 2}, {2, -2}} do
          compare(function(t) return F.pad(t, pad, mode) end, torch.randn(2, 3, 5):to(dtype), mode)
        end
        for _, pad in ipairs {{1, 2, 3, 0}, {-1, 2, 1, -2}, {3, 3, 2, 2}} do
          compare(function(t) return F.pad(t, pad, mode) end, torch.randn(2, 3, 4, 5):to(dtype), mode)
        end
        compare(function(t) return F.pad(t, {1, 2, 0, 1, 1, 1}, mode) end, torch.randn(1, 2, 3, 4, 5):to(dtype), mode)
      end
      compare(function(t) return F.pad(t, {7, 6, 9, 0}, "replicate") end, torch.randn(1, 2, 1, 3):to(dtype), "far")
    end
  end)

  it("has a second derivative, and takes integers", function()
    local x = torch.rand(2, 3, 4, {dtype = torch.float64, device = "cuda", requires_grad = true})
    for _, mode in ipairs {"reflect", "replicate", "circular"} do
      assert.is_true(torch.autograd.gradgradcheck(function(t) return F.pad(t, {2, 1}, mode) end, {x}))
      local whole = torch.arange(12):reshape(1, 3, 4)
      assert.is_true(torch.equal(F.pad(whole:cuda(), {2, 1}, mode):cpu(), F.pad(whole, {2, 1}, mode)))
    end
  end)
end)

section("pools", function()
  local function images(dtype) return torch.randn(2, 3, 11, 14):to(dtype) end

  it("of images, with their gradients", function()
    for _, dtype in ipairs(dtypes) do
      for _, window in ipairs {{2, 2, 0}, {3, 2, 1}, {3, 1, 1}, {{3, 2}, {2, 3}, {1, 0}}, {5, 3, 2}, {1, 1, 0}} do
        local kernel, stride, padding = window[1], window[2], window[3]
        for _, ceil_mode in ipairs {false, true} do
          compare(function(t) return F.max_pool2d(t, kernel, stride, padding, {ceil_mode = ceil_mode}) end, images(dtype), "max")
          for _, include in ipairs {false, true} do
            compare(function(t) return F.avg_pool2d(t, kernel, stride, padding, ceil_mode, include) end, images(dtype), "average")
          end
        end
      end
      compare(function(t) return F.avg_pool2d(t, 2, {divisor_override = 3}) end, images(dtype), "divisor")
      compare(function(t) return F.max_pool2d(t, 3, 2, 1, 2) end, images(dtype), "dilated")
      compare(function(t) return F.max_pool1d(t, 3, 2, 1) end, torch.randn(2, 3, 17):to(dtype), "lines")
      if dtype ~= torch.bfloat16 then
        compare(function(t) return F.avg_pool3d(t, 2) end, torch.randn(2, 3, 4, 5, 6):to(dtype), "volumes")
      end
    end
  end)

  it("of NaN and of minus infinity have the CPU's places", function()
    local x = torch.full({1, 1, 6, 6}, -math.huge)
    x["0,0,1,1"] = 0 / 0
    x["0,0,4,3"] = 2
    local y, places = F.max_pool2d(x, 3, 2, 1, {return_indices = true})
    local on_device, its_places = F.max_pool2d(x:cuda(), 3, 2, 1, {return_indices = true})
    assert.is_true(torch.equal(its_places:cpu(), places))
    assert.is_true(torch.allclose(on_device:cpu(), y, {equal_nan = true}))
  end)
end)

section("ctc_loss", function()
  local function labels(n, size, classes) return torch.randint(1, classes, {n, size}) end

  it("has the CPU's values and gradients", function()
    for _, dtype in ipairs {torch.float32, torch.float64} do
      for _, reduction in ipairs {"none", "mean", "sum"} do
        for _, zero_infinity in ipairs {false, true} do
          local targets, inputs, lengths = labels(4, 7, 6), {12, 9, 15, 3}, {5, 7, 0, 2}
          local x = torch.randn(15, 4, 6):to(dtype)
          compare(function(t)
            return F.ctc_loss(t:log_softmax(2), targets:to(t.device), inputs, lengths, {reduction = reduction, zero_infinity = zero_infinity})
          end, x, reduction)
          local joined = torch.cat {targets["0,:5"], targets["1"], targets["3,:2"]}
          compare(function(t)
            return F.ctc_loss(t:log_softmax(2), joined:to(t.device), torch.tensor(inputs), torch.tensor(lengths), {reduction = reduction, blank = 0})
          end, x, reduction)
        end
      end
    end
  end)

  it("of more states than threads, of another blank, and of alignments that do not exist", function()
    local x, targets = torch.randn(700, 2, 5), torch.randint(0, 4, {2, 300})
    compare(function(t) return F.ctc_loss(t:log_softmax(2), targets:to(t.device), {700, 650}, {300, 280}, {blank = 4, reduction = "sum"}) end, x, "long")
    local short = torch.randn(3, 2, 5)
    local repeated = torch.tensor {{1, 1, 1}, {2, 3, 4}}
    compare(function(t)
      return F.ctc_loss(t:log_softmax(2), repeated:to(t.device), {3, 3}, {3, 3}, {zero_infinity = true, reduction = "none"})
    end, short, "no alignment")
  end)

  it("reports labels that are no class", function()
    local x = torch.randn(5, 1, 4):log_softmax(2):cuda()
    local ok = pcall(function() return F.ctc_loss(x, torch.tensor({{1, 9}}):cuda(), {5}, {2}):item() end)
    assert.is_false(ok)
  end)
end)

section("losses", function()
  it("are summed without being written, and have one kernel for the gradient", function()
    local functions = {
      mse = F.mse_loss, smooth_l1 = F.smooth_l1_loss, huber = F.huber_loss, bce = F.binary_cross_entropy,
      logits = F.binary_cross_entropy_with_logits,
    }
    for name, loss in pairs(functions) do
      for _, dtype in ipairs {torch.float32, torch.float64, torch.bfloat16, torch.float16} do
        for _, n in ipairs {1, 5, 1000, 70001} do
          local x, target = (torch.rand(n) * 0.8 + 0.1):to(dtype), torch.rand(n):to(dtype)
          for _, reduction in ipairs {"mean", "none", n < 5000 and "sum" or "mean"} do
            compare(function(t) return loss(t, target:to(t.device), {reduction = reduction}) end, x, name .. reduction)
          end
        end
      end
    end
  end)

  it("of operands of other dtypes or strides", function()
    local x, target = torch.rand(30, 20), torch.rand(20, 30)
    compare(function(t) return F.mse_loss(t, target:t():to(t.device)) end, x, "transposed")
    compare(function(t) return F.mse_loss(t, target:t():double():to(t.device)) end, x, "double")
    compare(function(t) return F.mse_loss(t["1:, 3:"], target:t()["1:, 3:"]:to(t.device)) end, x, "part")
  end)

  it("report values that are no probabilities", function()
    local x = torch.tensor({0.5, 1.5}):cuda()
    assert.is_false(pcall(function() return F.binary_cross_entropy(x, x):item() end))
  end)
end)
