-- tools_spec.lua: streams of other libraries, hidden waits, properties, sensors, the CUDA runtime's functions, classes by name.
local torch = require "torch"
local gpus = require "gpus"
local cuda, fails = torch.cuda, gpus.fails

gpus.with_one("streams by other names", function()
  it("are those of another library", function()
    local side = cuda.Stream()
    local same = cuda.ExternalStream(side.cuda_stream)
    assert.are.equal(side, same)
    assert.are.equal(side.cuda_stream, cuda.get_stream_from_external(side.cuda_stream, 0).cuda_stream)
    assert.are.equal(cuda.default_stream(), cuda.ExternalStream(0))
    local x = cuda.StreamContext(same, function() return torch.ones(3, {device = "cuda"}) end)
    same:synchronize()
    assert.are.equal(3, x:sum():item())
    assert.are.equal(cuda.Stream, cuda.streams.Stream)
  end)

  it("are those of the accelerator", function()
    local stream = torch.Stream{device = "cuda", priority = -1}
    assert.are.equal("cuda:0", tostring(stream.device))
    assert.is_truthy(torch.Stream("cuda:0"):query())
    local event = torch.Event{enable_timing = true}
    event:record(stream)
    event:synchronize()
    assert.is_true(event:query())
    assert.is_truthy(gpus.error_of(torch.Stream, "cpu"))
    assert.is_truthy(gpus.error_of(torch.Event, "cpu"))
  end)
end)

gpus.with_two("torch.cuda.device_of", function()
  it("makes the tensor's GPU the current one in a block", function()
    local x = torch.ones(2, {device = "cuda:1"})
    assert.are.equal(1, cuda.device_of(x, cuda.current_device))
    assert.are.equal(0, cuda.device_of(torch.ones(2), cuda.current_device))
    assert.are.equal(0, cuda.current_device())
  end)
end)

gpus.with_one("hidden waits", function()
  after_each(function() cuda.set_sync_debug_mode "default" end)
  local words = "called a synchronizing CUDA operation"

  it("may be errors", function()
    local x = torch.ones(3, {device = "cuda"})
    assert.are.equal(0, cuda.get_sync_debug_mode())
    cuda.set_sync_debug_mode "error"
    assert.are.equal(2, cuda.get_sync_debug_mode())
    for _, f in ipairs{function() return x:sum():item() end, function() return x:cpu() end, function() return tostring(x) end,
        function() return x:nonzero() end, function() return x:to "cpu" end} do
      fails(words, f)
    end
    cuda.synchronize()                    -- these wait because they are told to
    cuda.current_stream():synchronize()
    local y = x + torch.tensor(2.0)
    cuda.set_sync_debug_mode(0)
    assert.are.equal(9, y:sum():item())
  end)

  it("may be warnings", function()
    local printed = gpus.run("", [[
      local x = torch.ones(3, {device = "cuda"})
      torch.cuda.set_sync_debug_mode(1)
      print(x:sum():item())]])
    assert.is_truthy(printed:find("UserWarning: " .. words, 1, true))
    assert.is_truthy(printed:find "3.0\n$")
  end)

  it("have three modes", function()
    fails("invalid value of debug_mode, expected one of `default`, `warn`, `error`", cuda.set_sync_debug_mode, "loud")
    fails("invalid value of debug_mode, expected one of 0,1,2", cuda.set_sync_debug_mode, 3)
    cuda.set_sync_debug_mode "warn"
    assert.are.equal(1, cuda.get_sync_debug_mode())
  end)
end)

gpus.with_one("properties", function()
  it("are PyTorch's", function()
    local p = cuda.get_device_properties(0)
    assert.is_truthy(p.uuid:find "^%x+%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x+$")
    assert.are.equal(36, #p.uuid)
    assert.is_truthy(tostring(p):find(", uuid=" .. p.uuid .. ", pci_bus_id=", 1, true))
    for _, name in ipairs{"pci_device_id", "pci_domain_id", "is_integrated", "is_multi_gpu_board", "regs_per_multiprocessor",
        "max_threads_per_block", "shared_memory_per_block_optin", "shared_memory_per_multiprocessor", "memory_bus_width", "clock_rate",
        "memory_clock_rate"} do
      assert.are.equal("integer", math.type(p[name]))
    end
    assert.are.equal(p.major >= 8, cuda.is_tf32_supported())
    assert.are.equal("string", type(cuda.get_gencode_flags()))
  end)

  it("are those of cuBLAS and the CUDA runtime, too", function()
    local a = torch.rand(4, 4, {device = "cuda"})
    local handle = cuda.current_blas_handle()
    assert.is_true(handle ~= 0)
    assert.are.equal(handle, cuda.current_blas_handle())
    assert.is_true(torch.allclose(a:matmul(a):cpu(), a:cpu():matmul(a:cpu())))
    local rt = cuda.cudart()
    local free, total = rt.cudaMemGetInfo(0)
    assert.is_true(free <= total)
    assert.are.equal(0, rt.cudaProfilerStart())
    assert.are.equal(0, rt.cudaProfilerStop())
    local pages = torch.zeros(4096, {dtype = torch.uint8})
    assert.are.equal(0, rt.cudaHostRegister(pages:data_ptr(), 4096, 0))
    assert.are_not.equal(0, rt.cudaHostRegister(pages:data_ptr(), 4096, 0))
    assert.are.equal(0, rt.cudaHostUnregister(pages:data_ptr()))
    assert.are_not.equal(0, rt.cudaHostUnregister(pages:data_ptr()))
  end)

  it("name errors about memory", function()
    local ok, err = pcall(torch.empty, 1 << 50, {dtype = torch.uint8, device = "cuda"})
    assert.is_false(ok)
    assert.are.equal(torch.cuda.OutOfMemoryError, err.code)
    assert.are.equal(torch.OutOfMemoryError, err.code)
  end)
end)

gpus.with_one("sensors", function()
  it("are read through NVML", function()
    if not gpus.simulated and not pcall(cuda.temperature) then return pending "NVML is not there" end
    for _, name in ipairs{"utilization", "memory_usage", "temperature", "power_draw", "clock_rate"} do
      local value = cuda[name](0)
      assert.are.equal("integer", math.type(value))
      assert.is_true(value >= 0)
    end
    assert.is_true(cuda.utilization() <= 100)
    local before = cuda.device_memory_used()
    local x = torch.zeros(32 << 20, {dtype = torch.uint8, device = "cuda"})
    assert.is_true(cuda.device_memory_used() >= before)
    assert.is_truthy(cuda.list_gpu_processes(0):find "^GPU:0\nprocess +%d+ uses +%d+%.%d%d%d MB GPU memory")
    assert.is_truthy(x)
    fails("CUDA error: invalid device ordinal", cuda.temperature, 99)
  end)
end)

describe("torch.cuda without a GPU", function()
  it("says so", function()
    local lack = "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from "
      .. "http://www.nvidia.com/Download/index.aspx\n"
    gpus.prints(lack:rep(9) .. "cuda driver can't be loaded, is cuda enabled?\nfalse\t\n0\n", "TOCHA_CUDA=off", [[
      local cuda = torch.cuda
      local function try(f, ...) print((tostring(select(2, pcall(f, ...))):match "^[^\n]*")) end
      for _, name in ipairs{"utilization", "temperature", "power_draw", "clock_rate", "current_blas_handle", "cudart", "get_sync_debug_mode"} do
        try(cuda[name])
      end
      try(cuda.set_sync_debug_mode, "warn")
      try(cuda.ExternalStream, 0)
      print(cuda.list_gpu_processes())
      print(cuda.is_tf32_supported(), cuda.get_gencode_flags())
      print(cuda.device_of(torch.ones(1), function() return 0 end))]])
  end)
end)

describe("torch.cuda.amp.custom_fwd and custom_bwd", function()
  it("are torch.amp's for CUDA", function()
    local Double = torch.autograd.Function:extend "Double"
    Double.forward = torch.cuda.amp.custom_fwd(function(_, x) return x * 2 end)
    Double.backward = torch.cuda.amp.custom_bwd(function(_, g) return g * 2 end)
    local x = torch.ones(2, {requires_grad = true})
    Double.apply(x):sum():backward()
    assert.are.equal(4, x.grad:sum():item())
    assert.are.equal("function", type(torch.cuda.amp.custom_fwd{cast_inputs = torch.float32}))
  end)
end)
