-- two_gpus_spec.lua: two GPUs: the current one, copies between them, memory and streams of each.
local torch = require "torch"
local gpus = require "gpus"
local cuda, fails = torch.cuda, gpus.fails

gpus.with_two("two GPUs", function()
  after_each(function() cuda.set_device(0) end)

  it("are current in turn", function()
    cuda.set_device(1)
    assert.are.equal(1, cuda.current_device())
    assert.are.equal("cuda:1", tostring(torch.ones(1):cuda().device))
    assert.are.equal("cuda:1", tostring(torch.ones(1, {device = "cuda"}).device))
    cuda.set_device "cuda:0"
    do
      local _ <close> = cuda.device(1)
      assert.are.equal(1, cuda.current_device())
    end
    assert.are.equal(0, cuda.current_device())
    assert.are.equal("cuda:1", cuda.device(1, function() return tostring(torch.ones(1, {device = "cuda"}).device) end))
    local side = cuda.Stream(1)
    assert.are.equal("cuda:1", tostring(side.device))
    cuda.stream(side, function() assert.are.equal(1, cuda.current_device()) end)
    assert.are.equal(0, cuda.current_device())
    assert.is_false(torch.device "cuda:0" == torch.device "cuda:1")
  end)

  it("copy from one to the other", function()
    local x = torch.arange(6, {dtype = torch.float32}):view(2, 3)
    local first, second = x:to "cuda:0", x:to "cuda:1"
    assert.is_true(first:to "cuda:1":equal(second))
    assert.is_true(first:t():to("cuda:1", torch.float64):cpu():equal(x:t():double()))
    second:zero_()
    second:t():copy_(first:t() + 1)
    assert.is_true(second:cpu():equal(x + 1))
    local y = first
    for i = 1, 50 do y = (y + 1):to("cuda:" .. i % 2) end    -- each copy waits for the work before it
    assert.is_true(y:cpu():equal(x + 50))
    local leaf = torch.ones(2, {requires_grad = true, device = "cuda:0"})
    leaf:to "cuda:1":mul(3):sum():backward()
    assert.are.equal("tensor([3., 3.], device='cuda:0')", tostring(leaf.grad))
    assert.are.equal(cuda.can_device_access_peer(0, 1), cuda.can_device_access_peer(1, 0))
  end)

  it("are not mixed", function()
    local a, b = torch.ones(2, {device = "cuda:0"}), torch.ones(2, {device = "cuda:1"})
    fails("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1!",
          function() return a + b end)
    assert.is_true((a + torch.tensor(1, {device = "cpu"})).is_cuda)
  end)

  it("have memory, streams and events of their own", function()
    torch._collect()                                            -- or what others left goes in between
    local before, other = cuda.memory_allocated(0), cuda.memory_allocated(1)
    local x = torch.empty(1 << 20, {device = "cuda:1"})
    assert.are.equal(before, cuda.memory_allocated(0))
    assert.are.equal(other + (4 << 20), cuda.memory_allocated "cuda:1")
    x:record_stream(cuda.Stream(0))                             -- a stream of another GPU
    x:free()
    local event = cuda.Event()
    event:record(cuda.current_stream(1))
    cuda.current_stream(0):wait_event(event)
    fails("Event device 1 does not match recording stream's device 0.", event.record, event, cuda.current_stream(0))
    cuda.synchronize(1)
    cuda.synchronize(0)
  end)

  it("report bad indices each for itself", function()
    local x, bad = torch.arange(4, {device = "cuda:1"}), torch.tensor({9}, {device = "cuda:1"})
    local _ = x[bad]
    cuda.synchronize(0)
    fails("index(): index 9 is out of bounds for dimension 0 with size 4", cuda.synchronize, 1)
    assert.are.equal(6, x:sum():item())
  end)
end)
