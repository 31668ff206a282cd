-- attention_backends_spec.lua: torch.nn.attention and the switches of torch.backends.cuda for scaled_dot_product_attention, on
-- the CPU: FLASH_ATTENTION and MATH.
local torch = require "torch"
local programs = require "programs"
local F = torch.nn.functional
local attention, cuda = torch.nn.attention, torch.backends.cuda
local SDPBackend, sdpa_kernel = attention.SDPBackend, attention.sdpa_kernel

local all = {"flash", "mem_efficient", "math", "cudnn"}
local function states()
  local list = {}
  for i, name in ipairs(all) do list[i] = tostring(cuda[name .. "_sdp_enabled"]()) end
  return table.concat(list, " ")
end

local function first_line(f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  return tostring(err):match "^[^\n]*"
end

describe("backends of attention", function()
  local q = torch.randn(1, 2, 5, 8, {device = "cpu"})
  local none = "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the math kernel " ..
    "and the fused kernels."

  setup(function() warn "@off" end)
  teardown(function() warn "@on" end)
  after_each(function()
    for _, name in ipairs(all) do cuda["enable_" .. name .. "_sdp"](true) end
  end)

  it("are all allowed at first, and have PyTorch's names", function()
    assert.are.equal("true true true true", states())
    assert.are.equal("SDPBackend.FLASH_ATTENTION", tostring(SDPBackend.FLASH_ATTENTION))
    assert.are.equal(2, SDPBackend.EFFICIENT_ATTENTION.value)
    assert.are.equal("MATH", SDPBackend.MATH.name)
  end)

  it("are restricted within a block, by a variable or a function", function()
    do
      local _ <close> = sdpa_kernel(SDPBackend.MATH)
      assert.are.equal("false false true false", states())
      sdpa_kernel({SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION}, function()
        assert.are.equal("true false false true", states())
      end)
      assert.are.equal("false false true false", states())
    end
    assert.are.equal("true true true true", states())
    assert.are.equal("x", first_line(sdpa_kernel, SDPBackend.MATH, function() error("x", 0) end))
    assert.are.equal("true true true true", states())
    assert.are.equal(7, sdpa_kernel({SDPBackend.MATH}, {set_priority = true}, function() return 7 end))
  end)

  it("give the same result, and say so where none is left", function()
    local expected = F.scaled_dot_product_attention(q, q, q, {is_causal = true})
    for _, backend in ipairs{SDPBackend.MATH, SDPBackend.FLASH_ATTENTION} do
      local _ <close> = sdpa_kernel(backend)
      assert(expected:allclose(F.scaled_dot_product_attention(q, q, q, {is_causal = true}), 1e-5, 1e-6))
    end
    for _, backends in ipairs{{}, {SDPBackend.CUDNN_ATTENTION}, {SDPBackend.EFFICIENT_ATTENTION}, {SDPBackend.ERROR}, {"MATH"}} do
      local _ <close> = sdpa_kernel(backends)
      assert.are.equal(none, first_line(F.scaled_dot_product_attention, q, q, q))
      assert.are.equal(none, first_line(F.scaled_dot_product_attention, q, q, q, {dropout_p = 0.5}))
      local empty = q:narrow(2, 0, 0)
      assert.are.equal(0, F.scaled_dot_product_attention(empty, q, q):numel())
    end
  end)

  it("refuse what only whole matrices compute", function()
    local _ <close> = sdpa_kernel(SDPBackend.FLASH_ATTENTION)
    local missing = "No available kernel.  Aborting execution."
    assert.are.equal(missing, first_line(F.scaled_dot_product_attention, q, q, q, {dropout_p = 0.5}))
    assert.are.equal(missing, first_line(F.scaled_dot_product_attention, q, q, q, torch.zeros(5, 5, {device = "cpu"}):requires_grad_()))
    assert.are.equal(missing, first_line(F.scaled_dot_product_attention, q, q, q, torch.zeros(2, 5, 5, {device = "cpu"})))
    assert.are.equal(missing, first_line(F.scaled_dot_product_attention, q, q, q:narrow(3, 0, 3)))
    assert.are.equal(missing, first_line(F.scaled_dot_product_attention, q:select(0, 0):select(0, 0),
      q:select(0, 0):select(0, 0), q:select(0, 0):select(0, 0)))
    assert.are.equal(3, F.scaled_dot_product_attention(q:select(0, 0), q:select(0, 0), q:select(0, 0)):dim())
  end)

  it("are switched one by one", function()
    cuda.enable_flash_sdp(false)
    assert.are.equal("false true true true", states())
    cuda.enable_math_sdp(false)
    assert.are.equal("false true false true", states())
    assert.are.equal(none, first_line(F.scaled_dot_product_attention, q, q, q))
    cuda.enable_mem_efficient_sdp(false)
    cuda.enable_cudnn_sdp(false)
    assert.are.equal("false false false false", states())
    assert.are.equal("set_sdp_use_math expects a bool, but got int", first_line(cuda.enable_flash_sdp, 1))
    assert.are.equal("set_sdp_use_cudnn expects a bool, but got str", first_line(cuda.enable_cudnn_sdp, "x"))
    assert.is_false(cuda.fp16_bf16_reduction_math_sdp_allowed())
    cuda.allow_fp16_bf16_reduction_math_sdp(true)
    assert.is_true(cuda.fp16_bf16_reduction_math_sdp_allowed())
    cuda.allow_fp16_bf16_reduction_math_sdp(false)
  end)

  it("have the older form of the block", function()
    cuda.sdp_kernel({enable_flash = false}, function() assert.are.equal("false true true true", states()) end)
    assert.are.equal("true true true true", states())
  end)

  it("are asked if they take a call, which on the CPU they do not", function()
    local params = cuda.SDPAParams(q, q, q, nil, 0.0, false, false)
    assert.are.equal(q, params.query)
    assert.is_nil(params.attn_mask)
    assert.is_false(cuda.can_use_flash_attention(params))
    assert.is_false(cuda.can_use_efficient_attention(params, true))
    assert.is_false(cuda.can_use_cudnn_attention(params))
    first_line(cuda.can_use_flash_attention, q)
  end)

  it("warn of the reason, and of the older form", function()
    local function said(line)
      return programs.run('local torch = require "torch"\nlocal q = torch.ones(1, 1, 2, 8)\nlocal A = torch.nn.attention\n' .. line)
    end
    local text = said("A.sdpa_kernel(A.SDPBackend.FLASH_ATTENTION, function()\n" ..
      "pcall(torch.nn.functional.scaled_dot_product_attention, q, q, q, {dropout_p = 0.5}) end)")
    assert.truthy(text:find("Flash attention kernel not used because:", 1, true), text)
    assert.truthy(text:find("Both fused kernels do not support non-zero dropout.", 1, true), text)
    text = said "torch.backends.cuda.sdp_kernel(true, function() end)"
    assert.truthy(text:find("FutureWarning: `torch.backends.cuda.sdp_kernel()` is deprecated.", 1, true), text)
  end)

  it("fail for what is no backend", function()
    assert.are.equal("Backend must be an instance of SDPBackend or a list of SDPBackend instances, got str",
      first_line(sdpa_kernel, "MATH"))
    assert.are.equal("sdpa_kernel() missing 1 required positional argument: 'backends'", first_line(sdpa_kernel))
  end)
end)
