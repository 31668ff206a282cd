-- cudnn_spec.lua: torch.backends.cudnn: its switches, with PyTorch's words for bad values, and who reads them.
local torch = require "torch"
local programs = require "programs"
local section = require("gpus").with_one
local nn, cudnn = torch.nn, torch.backends.cudnn

-- A number that TensorFloat-32, with 10 bits of fraction, rounds to 1.
local ABOVE_ONE = 1 + 2 ^ -13

-- Restores the switches after each test of a section.
local function restore_switches()
  local before
  before_each(function()
    before = {}
    for _, name in ipairs {"enabled", "benchmark", "benchmark_limit", "deterministic", "allow_tf32"} do before[name] = cudnn[name] end
  end)
  after_each(function() for name, value in pairs(before) do cudnn[name] = value end end)
end

describe("torch.backends.cudnn", function()
  restore_switches()

  it("has PyTorch's defaults", function()
    assert.are.same({true, false, 10, false}, {cudnn.enabled, cudnn.benchmark, cudnn.benchmark_limit, cudnn.deterministic})
    local printed = programs.output(programs.tocha .. " -e 'print(torch.backends.cudnn.allow_tf32)'")
    assert.are.equal("true\n", printed)
  end)

  it("refuses values of another type in PyTorch's words", function()
    local function refusal(name, value) return tostring(select(2, pcall(function() cudnn[name] = value end))):match "[^\n]+" end
    assert.are.equal("set_enabled_cudnn expects a bool, but got int", refusal("enabled", 1))
    assert.are.equal("set_benchmark_cudnn expects a bool, but got str", refusal("benchmark", "yes"))
    assert.are.equal("set_deterministic_cudnn expects a bool, but got NoneType", refusal("deterministic", nil))
    assert.are.equal("set_allow_tf32_cublas expects a bool, but got int", refusal("allow_tf32", 0))
    assert.are.equal("set_benchmark_limit_cudnn expects an int, but got str", refusal("benchmark_limit", "10"))
    assert.is_true(cudnn.enabled)
  end)

  it("has flags that hold for a block", function()
    cudnn.benchmark = true
    assert.is_false(cudnn.flags({benchmark_limit = 3, allow_tf32 = false}, function()
      assert.are.same({false, 3, false}, {cudnn.benchmark, cudnn.benchmark_limit, cudnn.allow_tf32})
      return cudnn.enabled
    end))
    assert.is_true(cudnn.enabled)
    assert.is_true(cudnn.benchmark)
    assert.are.equal(10, cudnn.benchmark_limit)
    do
      local _ <close> = cudnn.flags(true)
      assert.is_false(cudnn.benchmark)
    end
    assert.is_true(cudnn.benchmark)
    assert.has_error(function() cudnn.flags {enabled = true, benchmark = 1} end)
    assert.is_true(cudnn.benchmark)
  end)

end)

section("the switches of cuDNN", function()
  restore_switches()

  -- Returns the sum of numbers above 1 as computed on the GPU, minus 1 for each: 0 in TensorFloat-32.
  local function loss_of_convolution()
    local x = torch.full({1, 4, 3, 3}, ABOVE_ONE, {device = "cuda"})
    local y = nn.functional.conv2d(x, torch.ones(2, 4, 1, 1, {device = "cuda"}))
    return y[{0, 0, 0, 0}]:item() - 4
  end

  it("allows convolutions TensorFloat-32", function()
    cudnn.allow_tf32 = false
    assert.is_true(loss_of_convolution() > 0)
    cudnn.allow_tf32 = true
    assert.are.equal(0, loss_of_convolution())
    cudnn.enabled = false   -- then matrix products' switch counts
    assert.is_true(loss_of_convolution() > 0)
    torch.backends.cuda.matmul.allow_tf32 = true
    local loss = loss_of_convolution()
    torch.backends.cuda.matmul.allow_tf32 = false
    assert.are.equal(0, loss)
  end)

  it("allows recurrent layers TensorFloat-32, with their gradients", function()
    local layer = nn.RNN(4, 1, {bias = false, nonlinearity = "relu", device = "cuda"})
    torch.no_grad(function() for parameter in layer:parameters() do parameter:fill_(1) end end)
    local function run()
      local x = torch.full({1, 1, 4}, ABOVE_ONE, {device = "cuda"})
      layer:zero_grad()
      local out = layer(x)
      out:sum():backward()
      return out:item() - 4, layer.weight_ih_l0.grad[{0, 0}]:item() - 1
    end
    cudnn.allow_tf32 = true
    assert.are.same({0, 0}, {run()})
    cudnn.allow_tf32 = false
    local value, slope = run()
    assert.is_true(value > 0 and slope > 0)
  end)
end)
