-- streams_spec.lua: streams, events, and copies from pinned memory.
local torch = require "torch"
local gpus = require "gpus"
local cuda, fails = torch.cuda, gpus.fails

gpus.with_one("streams", function()
  it("are current, default or new", function()
    local default = cuda.default_stream()
    assert.are.equal(default, cuda.current_stream())
    local side = cuda.Stream()
    assert.are_not.equal(default, side)
    assert.are.equal("cuda:0", tostring(side.device))
    assert.are.equal(0, side.device_index)
    assert.is_truthy(tostring(side):find("^<torch.cuda.Stream device=cuda:0 cuda_stream=0x%x+>$"))
    do
      local _ <close> = cuda.stream(side)
      assert.are.equal(side, cuda.current_stream())
    end
    assert.are.equal(default, cuda.current_stream())
    assert.are.equal(side, cuda.stream(side, function() return cuda.current_stream() end))
    assert.is_false((pcall(cuda.stream, side, function() error "no" end)))
    assert.are.equal(default, cuda.current_stream())
    cuda.stream(nil, function() assert.are.equal(default, cuda.current_stream()) end)
    cuda.set_stream(side)
    assert.are.equal(side, cuda.current_stream())
    cuda.set_stream(default)
    assert.is_truthy(cuda.Stream{priority = -1})
    fails("expected a torch.cuda.Stream, not int", cuda.set_stream, 3)
  end)

  it("wait for each other where a script says so", function()
    local main, side = cuda.current_stream(), cuda.Stream()
    local x = torch.rand(1000, {device = "cuda"})
    for _, wait in ipairs{
      function(later, earlier) later:wait_stream(earlier) end,
      function(later, earlier) later:wait_event(earlier:record_event()) end,
      function(later, earlier)
        local event = cuda.Event()
        event:record(earlier)
        event:wait(later)
      end,
      function(_, earlier) earlier:synchronize() end,
      function() cuda.synchronize() end,
    } do
      wait(side, main)
      local y = cuda.stream(side, function() return x * 2 + 1 end)
      x:record_stream(side)
      wait(main, side)
      assert.is_true(torch.allclose(y:cpu(), x:cpu() * 2 + 1))
    end
    cuda.synchronize()
    assert.is_true(side:query() and main:query())
  end)

  it("are those of the forward when a gradient goes backward", function()
    local x = torch.rand(4, 4, {device = "cuda"})
    local w, v = torch.rand(4, 4, {device = "cuda", requires_grad = true}), torch.rand(4, 4, {device = "cuda", requires_grad = true})
    local one = (x * w * v):exp():sum()
    one:backward()
    local expected_w, expected_v = w.grad:cpu(), v.grad:cpu()
    w.grad, v.grad = nil, nil
    local first, second = cuda.Stream(), cuda.Stream()
    local now = cuda.current_stream()
    first:wait_stream(now)
    local half, loss
    cuda.stream(first, function() half = x * w end)
    second:wait_stream(first)
    cuda.stream(second, function() loss = (half * v):exp():sum() end)
    loss:backward()                       -- nobody orders now after second, or second after first
    assert.are.equal(now, cuda.current_stream())
    assert.is_truthy(torch.allclose(w.grad:cpu(), expected_w))
    assert.is_truthy(torch.allclose(v.grad:cpu(), expected_v))
    w.grad = nil                          -- its memory is used again on first, which waits for the readers above
    cuda.stream(first, function() return torch.rand(4, 4, {device = "cuda"}) * 2 end)
    local gradient = torch.autograd.grad(cuda.stream(first, function() return (x * v):sum() end), v)
    assert.is_truthy(torch.allclose(gradient:cpu(), x:cpu()))
    cuda.synchronize()
  end)

  it("take time, which events measure", function()
    local start, stop = cuda.Event{enable_timing = true}, cuda.Event{enable_timing = true}
    assert.is_true(start:query())
    assert.are.equal("<torch.cuda.Event uninitialized>", tostring(start))
    fails("Both events must be recorded before calculating elapsed time.", start.elapsed_time, start, stop)
    start:record()
    local x = torch.rand(100, 100, {device = "cuda"})
    for _ = 1, 5 do x = x:matmul(x) / 50 end
    stop:record()
    stop:synchronize()
    assert.is_true(stop:query())
    local time = start:elapsed_time(stop)
    assert.is_true(time >= 0 and time < 1e5)
    fails("Both events must be created with argument 'enable_timing=True'.", start.elapsed_time, start, cuda.Event())
    start:synchronize()
    for _ = 1, 1000 do cuda.Event():record() end           -- they are freed, too
    collectgarbage()
  end)

  if gpus.simulated then
    -- In a process of its own, since the error stays.
    it("that nothing orders are found by the simulator", function()
      local program = [[
        local x = torch.ones(1000, {device = "cuda"})
        local side = torch.cuda.Stream()
        local y = torch.cuda.stream(side, function() return x * 2 end)
        print(pcall(torch.cuda.synchronize))]]
      local printed = gpus.run("TOCHA_SIMULATOR_FAULTS=1", program)
      assert.is_truthy(printed:find("unordered: ", 1, true), printed)
      printed = gpus.run("TOCHA_SIMULATOR_FAULTS=1", (program:gsub("local y", "side:wait_stream(torch.cuda.current_stream())\n%0")))
      assert.are.equal("true\n", printed)
    end)
  end
end)

gpus.with_one("pinned memory", function()
  it("holds copies", function()
    local x = torch.rand(2, 3)
    assert.is_false(x:is_pinned())
    local pinned = x:t():pin_memory()
    assert.is_true(pinned:is_pinned() and pinned:equal(x:t()))
    assert.are.equal(pinned:data_ptr(), pinned:pin_memory():data_ptr())
    assert.is_true(pinned:to("cuda", {non_blocking = true}):cpu():equal(x:t()))
    local back = torch.empty(2, 3):pin_memory()
    back:copy_(x:cuda(), true)
    cuda.synchronize()
    assert.is_true(back:equal(x))
    assert.are.equal(0, torch.empty(0):pin_memory():numel())
    fails("cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned", x:cuda().pin_memory, x:cuda())
  end)

  it("is not used again before its copies are done", function()
    local sum = torch.zeros(1, {device = "cuda"})
    for i = 1, 200 do
      local batch = torch.full({1000}, i):pin_memory():to("cuda", {non_blocking = true})
      sum = sum + batch[999]
    end
    assert.are.equal(20100, sum:item())
  end)

  it("is what the workers of a DataLoader give, so that the main thread copies nothing", function()
    local data = torch.utils.data
    local set = data.TensorDataset(torch.arange(24):float():view(12, 2), torch.arange(12))
    local loader = data.DataLoader(set, {batch_size = 5, num_workers = 2, pin_memory = true})
    loader.pinning = true
    local following, close = torch._part "utils.data.workers".start(loader, 0)
    local kept = {}
    for _ = 1, 2 do
      local x, y = following()
      assert.is_true(x:is_pinned() and y:is_pinned())
      kept[#kept + 1] = {x, x:to("cuda", {non_blocking = true})}
    end
    close() -- the batches outlive the workers' contexts
    for i, pair in ipairs(kept) do
      assert.are.equal((i - 1) * 10.0, pair[1][{0, 0}]:item())
      assert.is_true(pair[2]:cpu():equal(pair[1]))
    end
  end)

  it("takes the pieces of a large copy, whose source may change at once", function()
    local x = torch.arange(9000000):float() -- nine pieces
    local copy = x:to("cuda")
    x:fill_(-1)
    assert.is_true(copy:cpu():equal(torch.arange(9000000):float()))
    local strided = torch.arange(6000000):view(3000, 2000):t()
    assert.is_true(strided:to("cuda"):cpu():equal(strided))
  end)

  it("is what a DataLoader gives where it is asked to", function()
    local data = torch.utils.data
    local set = data.TensorDataset(torch.rand(10, 2), torch.arange(10))
    local count = 0
    for x, y in data.DataLoader(set, {batch_size = 4, pin_memory = true}) do
      assert.is_true(x:is_pinned() and y:is_pinned())
      count = count + x:to("cuda", {non_blocking = true}):size(0)
    end
    assert.are.equal(10, count)
    for x in data.DataLoader(set, {batch_size = 4}) do assert.is_false(x:is_pinned()) end
  end)
end)
