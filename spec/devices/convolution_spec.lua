-- convolution_spec.lua: convolutions on a GPU, by cuDNN and by products of matrices: results, gradients and layouts are the CPU's.
local torch = require "torch"
local section = require("gpus").with_one
local programs = require "programs"
local F, cudnn = torch.nn.functional, torch.backends.cudnn

local function close(expected, got, tolerance, what)
  local difference = (expected:double() - got:cpu():double()):abs():max():item()
  local largest = expected:double():abs():max():item()
  assert.is_true(difference <= tolerance * (1 + largest), ("%s: %g off (largest %g)"):format(what, difference, largest))
end

local TOLERANCES = {float32 = 1e-4, float16 = 4e-3, bfloat16 = 3e-2}

-- Returns the result and the gradients of all operands on a device, in the dtype and layout of the
-- operands. The slope depends on each element's place only, so that rounding of the result does not change the gradients.
local function all_of(f, operands, device)
  local leaves = {}
  for i, t in ipairs(operands) do leaves[i] = t:to(device):requires_grad_() end
  local y = f(table.unpack(leaves))
  return {y:detach(), torch.autograd.grad(y, leaves, {grad_outputs = torch.arange(y:numel()):cos():view(y.shape):to(y.dtype):to(device)})}
end

-- Returns t with its channels innermost: (N, C, ...) in memory as (N, ..., C).
local function channels_last(t) return t:movedim(1, -1):contiguous():movedim(-1, 1) end

-- Compares a convolution of these sizes, by cuDNN and without it, with the CPU's in float32.
local function check(name, sizes, weight_sizes, options, dtype, last)
  dtype = dtype or "float32"
  local channels = name:find "transpose" and weight_sizes[2] * (options.groups or 1) or weight_sizes[1]
  local operands = {torch.randn{size = sizes}, torch.randn{size = weight_sizes}, torch.randn(channels)}
  for i, t in ipairs(operands) do
    t = t:to(torch[dtype])
    operands[i] = last and t:dim() == #sizes and channels_last(t) or t
  end
  local wide = {}
  for i, t in ipairs(operands) do wide[i] = t:float():contiguous() end
  local function f(x, w, b) return F[name](x, w, b, options) end
  local expected = all_of(f, wide, "cpu")
  for _, enabled in ipairs {true, false} do
    local got = cudnn.flags({enabled = enabled, allow_tf32 = false}, function() return all_of(f, operands, "cuda") end)
    for i, t in ipairs(got) do
      local what = ("%s of %s, %s, %s cuDNN, tensor %d"):format(name, dtype, last and "channels last" or "rows", enabled and "with" or "without", i)
      assert.are.equal(torch[dtype], t.dtype)
      close(expected[i], t, TOLERANCES[dtype], what)
    end
    if last then assert.are.equal(1, got[1]:stride(1)) end
  end
end

section("convolutions by cuDNN and without it", function()
  it("are the CPU's in one, two and three dimensions", function()
    check("conv1d", {3, 4, 11}, {6, 4, 3}, {stride = 2, padding = 1})
    check("conv2d", {2, 4, 9, 8}, {6, 4, 3, 2}, {stride = {2, 1}, padding = {1, 0}})
    check("conv3d", {2, 3, 5, 6, 7}, {4, 3, 2, 3, 3}, {padding = 1})
  end)

  it("have groups and dilation", function()
    check("conv1d", {2, 6, 12}, {4, 3, 3}, {groups = 2, dilation = 2})
    check("conv2d", {2, 6, 9, 9}, {9, 2, 3, 3}, {groups = 3, dilation = 2, padding = 2})
    check("conv2d", {2, 6, 7, 7}, {12, 1, 3, 3}, {groups = 6, padding = 1})   -- depthwise
  end)

  it("are transposed", function()
    check("conv_transpose1d", {2, 4, 7}, {4, 3, 3}, {stride = 2, output_padding = 1})
    check("conv_transpose2d", {2, 4, 5, 6}, {4, 3, 4, 3}, {stride = 2, padding = 1, groups = 2})
    check("conv_transpose3d", {1, 3, 3, 4, 3}, {3, 2, 2, 2, 3}, {stride = {1, 2, 2}})
  end)

  it("are in 16 bits", function()
    for _, dtype in ipairs {"float16", "bfloat16"} do
      check("conv2d", {2, 4, 6, 6}, {3, 4, 3, 3}, {padding = 1}, dtype)
      check("conv2d", {2, 4, 6, 6}, {4, 1, 3, 3}, {groups = 4}, dtype)
      check("conv_transpose2d", {2, 4, 4, 4}, {4, 3, 2, 2}, {stride = 2}, dtype)
    end
  end)

  it("keep channels last", function()
    for _, dtype in ipairs {"float32", "bfloat16"} do
      check("conv2d", {2, 4, 6, 5}, {3, 4, 3, 3}, {padding = 1, stride = 2}, dtype, true)
      check("conv2d", {2, 4, 6, 5}, {4, 1, 3, 3}, {groups = 4}, dtype, true)
      check("conv_transpose2d", {2, 4, 5, 5}, {4, 3, 3, 3}, {}, dtype, true)
      check("conv3d", {2, 3, 4, 5, 4}, {4, 3, 2, 2, 2}, {}, dtype, true)
    end
  end)

  it("take operands that begin anywhere in memory", function()
    local x, weight = torch.randn(1, 2 * 5 * 5 + 1), torch.randn(3 * 2 * 3 * 3 + 3)
    local function run(device)
      local image = x:to(device):flatten()["1:"]:view(1, 2, 5, 5)
      return F.conv2d(image, weight:to(device)["3:"]:view(3, 2, 3, 3))
    end
    cudnn.flags({enabled = true, allow_tf32 = false}, function() close(run "cpu", run "cuda", 1e-5, "views") end)
  end)

  it("have more shapes than plans are kept", function()
    local weight = torch.ones(1, 1, 1, 1, {device = "cuda"})
    for round = 1, 2 do
      for n = 1, 40 do
        for width = 1, 30 do
          local y = F.conv2d(torch.ones(n, 1, 1, width, {device = "cuda"}), weight)
          if n == width then assert.are.equal(n * width, y:sum():item(), round) end
        end
      end
    end
  end)
end)

-- On the simulated GPU the faster of the two engines computes in TensorFloat-32 and has no fixed order of sums.
local simulated = require("gpus").simulated and section or function() end
simulated("the engines of cuDNN", function()
  local function loss(options)
    options.enabled = true
    return cudnn.flags(options, function()
      local x = torch.full({1, 4, 3, 3}, 1 + 2 ^ -13, {device = "cuda"})
      return F.conv2d(x, torch.ones(2, 4, 1, 1, {device = "cuda"}))[{0, 0, 0, 0}]:item() - 4
    end)
  end

  it("are chosen by deterministic and allow_tf32", function()
    assert.are.equal(0, loss {})
    assert.is_true(loss {deterministic = true} > 0)
    torch.use_deterministic_algorithms(true)
    local ok, value = pcall(loss, {})
    torch.use_deterministic_algorithms(false)
    assert.is_true(ok and value > 0)
    assert.is_true(loss {allow_tf32 = false} > 0)
    assert.is_true(loss {allow_tf32 = false, deterministic = true} > 0)
  end)

  it("are measured by benchmark", function()
    for _, limit in ipairs {0, 1, 2, 10} do
      local x, w = torch.randn(2, 3, 6, 5 + limit, {device = "cuda"}), torch.randn(4, 3, 3, 3, {device = "cuda"})
      local expected = F.conv2d(x:cpu(), w:cpu())
      cudnn.flags({enabled = true, benchmark = true, benchmark_limit = limit, allow_tf32 = false}, function()
        for _ = 1, 2 do close(expected, F.conv2d(x, w), 1e-5, "benchmark") end
      end)
    end
  end)
end)

section("the libraries of a GPU", function()
  it("are named by tocha --doctor", function()
    local text = programs.output(programs.tocha .. " --doctor")
    for _, name in ipairs {"cublas", "cudnn", "cusolver"} do
      local version, file = torch._cuda.library(name)
      local value = text:match("\n" .. name .. " +([^\n]*)")
      assert.is_truthy(value, name)
      assert.is_truthy(value:find(file, 1, true))
      if not version then assert.is_truthy(value:find "^not found") end
    end
    assert.are.equal(cudnn.version() ~= nil, cudnn.is_available())
  end)
end)
