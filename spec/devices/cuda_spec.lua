-- cuda_spec.lua: torch.cuda and torch.accelerator: the GPUs, the current one, their generators.
local torch = require "torch"
local gpus = require "gpus"
local cuda, fails = torch.cuda, gpus.fails

gpus.with_one("torch.cuda", function()
  it("counts and describes the GPUs", function()
    local p = cuda.get_device_properties(0)
    assert.is_true(cuda.is_available() and cuda.is_initialized())
    assert.are.equal("", cuda.reason())
    assert.is_true(cuda.device_count() >= 1)
    assert.are.equal(0, cuda.current_device())
    assert.are.equal(p.name, cuda.get_device_name())
    assert.are.equal(p.name, cuda.get_device_name "cuda:0")
    local major, minor = cuda.get_device_capability(torch.device("cuda", 0))
    assert.are.equal(p.major, major)
    assert.are.equal(p.minor, minor)
    assert.are.equal(major >= 8, cuda.is_bf16_supported())
    assert.are.equal(32, p.warp_size)
    local free, total = cuda.mem_get_info()
    assert.is_true(free <= total and total <= p.total_memory * 1.01)
    assert.is_truthy(tostring(p):find("^_CudaDeviceProperties%(name='.+', major=%d+, minor=%d+, total_memory=%d+MB"))
  end)

  it("refuses GPUs that are not there", function()
    local ordinal = "CUDA error: invalid device ordinal"
    for _, index in ipairs{cuda.device_count(), 99, 65536, 1 << 32, 1 << 62} do
      for _, name in ipairs{"set_device", "device", "synchronize", "current_stream", "default_stream", "Stream",
                            "mem_get_info", "memory_allocated", "reset_peak_memory_stats", "get_rng_state"} do
        local ok, err = pcall(cuda[name], index)
        assert(not ok and tostring(err):find(ordinal, 1, true), name .. " took GPU " .. index)
      end
      fails("Invalid device id", cuda.get_device_properties, index)
    end
    fails("Invalid device id", cuda.get_device_name, -2)
    assert.is_truthy(fails(ordinal, torch.ones, 2, {device = "cuda:99"}):find "cuda:0")
    fails(ordinal, function() return torch.ones(2):cuda(99) end)
    fails("Expected a cuda device, but got: cpu", cuda.synchronize, "cpu")
    fails("device must be torch.device or int, not float", cuda.set_device, 1.5)
    fails("Device index must not be negative", torch.device, "cuda", -1)
    fails("Invalid device string: 'cuda:'", torch.device, "cuda:")
    cuda.set_device(-1) -- changes nothing, as in PyTorch
    assert.are.equal(0, cuda.current_device())
  end)

  it("is torch.accelerator", function()
    local a = torch.accelerator
    assert.is_true(a.is_available())
    assert.are.equal("cuda", tostring(a.current_accelerator()))
    assert.are.equal(cuda.device_count(), a.device_count())
    assert.are.equal(0, a.current_device_index())
    a.set_device_index(0)
    a.synchronize()
    assert.are.equal(cuda.current_stream(), a.current_stream())
    assert.are.equal(cuda.memory_allocated(), a.memory_allocated())
    a.reset_peak_memory_stats()
    a.empty_cache()
    assert.is_true(a.max_memory_allocated() <= a.max_memory_reserved())
  end)

  it("seeds its generators", function()
    local function draw() return torch.rand(5, {device = "cuda"}) end
    cuda.manual_seed(7)
    local first = draw()
    cuda.manual_seed_all(7)
    assert.is_true(first:equal(draw()))
    torch.manual_seed(7)
    assert.is_true(first:equal(draw()))
    assert.is_false(first:equal(draw()))
    local state = cuda.get_rng_state()
    first = draw()
    cuda.set_rng_state(state)
    assert.is_true(first:equal(draw()))
    assert.are.equal(7, cuda.initial_seed())
  end)
end)
