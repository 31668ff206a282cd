-- memory_spec.lua: the caching allocator, and a GPU's memory in long loops and when it is full.
local torch = require "torch"
local gpus = require "gpus"
local nn, optim, cuda = torch.nn, torch.optim, torch.cuda
local KiB, MiB = 1 << 10, 1 << 20

-- Nothing is cached, and what this process holds is held.
local function settle()
  cuda.synchronize()
  torch._collect()
  torch._collect()
  cuda.empty_cache()
  cuda.reset_peak_memory_stats()
end

gpus.with_cache("the caching allocator", function()
  before_each(settle)

  local function figures() return cuda.memory_allocated(), cuda.memory_reserved() end
  -- By how much the figures grow with a tensor of as many bytes.
  local function growth(bytes)
    local allocated, reserved = figures()
    local x = torch.empty(bytes, {dtype = torch.uint8, device = "cuda"})
    local more, taken = figures()
    return more - allocated, taken - reserved, x
  end

  it("rounds requests and segments as PyTorch's", function()
    for _, case in ipairs{ -- request, in tensors, from the GPU
      {1, 512, 2 * MiB}, {512, 512, 2 * MiB}, {513, 1024, 2 * MiB}, {MiB, MiB, 2 * MiB},
      {MiB + 1, MiB + 512, 20 * MiB}, {5 * MiB, 5 * MiB, 20 * MiB}, {10 * MiB - 512, 10 * MiB - 512, 20 * MiB},
      {10 * MiB, 10 * MiB, 10 * MiB}, {11 * MiB, 12 * MiB, 12 * MiB}, {12 * MiB + 1, 12 * MiB + 512, 14 * MiB},
    } do
      settle()
      local allocated, reserved, x = growth(case[1])
      -- a small request may fit beside what this process holds
      assert.are.equal(case[2], allocated)
      assert(reserved == case[3] or case[1] <= MiB and reserved == 0, ("%d: %d"):format(case[1], reserved))
      x:free()
    end
    local before = figures()
    assert.is_truthy(torch.empty(0, {device = "cuda"}))
    assert.are.equal(before, (figures()))
  end)

  it("uses freed memory again", function()
    local allocated, reserved = figures()
    local x = torch.empty(3 * MiB, {dtype = torch.uint8, device = "cuda"})
    local place = x:data_ptr()
    x:free()
    assert.are.equal(allocated, (figures()))
    assert.are.equal(reserved + 20 * MiB, cuda.memory_reserved())
    x = torch.empty(3 * MiB, {dtype = torch.uint8, device = "cuda"})
    assert.are.equal(place, x:data_ptr())
    x:free()
    cuda.empty_cache()
    assert.are.equal(reserved, cuda.memory_reserved())
  end)

  it("splits segments and joins their parts again", function()
    local parts, places = {}, {}
    for i = 1, 5 do
      parts[i] = torch.empty(4 * MiB, {dtype = torch.uint8, device = "cuda"})
      places[i] = parts[i]:data_ptr()
      assert.are.equal(places[1] + (i - 1) * 4 * MiB, places[i])
    end
    for _, i in ipairs{2, 4, 3} do parts[i]:free() end        -- 2 and 4 join 3
    local x = torch.empty(12 * MiB - 512, {dtype = torch.uint8, device = "cuda"})
    assert.are.equal(places[2], x:data_ptr())
    x:free()
    parts[1]:free()
    parts[5]:free()
    x = torch.empty(20 * MiB, {dtype = torch.uint8, device = "cuda"}) -- all of it
    assert.are.equal(places[1], x:data_ptr())
    x:free()
  end)

  it("keeps a segment that is partly in use", function()
    local _, _, x = growth(4 * MiB)
    local reserved = cuda.memory_reserved()
    growth(4 * MiB)
    torch._collect()
    cuda.empty_cache()
    assert.are.equal(reserved, cuda.memory_reserved())
    x:free()
    cuda.empty_cache()
    assert.are.equal(reserved - 20 * MiB, cuda.memory_reserved())
  end)

  it("notes peaks", function()
    local x = torch.empty(30 * MiB, {dtype = torch.uint8, device = "cuda"})
    x:free()
    assert.is_true(cuda.max_memory_allocated() >= cuda.memory_allocated() + 30 * MiB)
    cuda.empty_cache()
    assert.is_true(cuda.max_memory_reserved() >= cuda.memory_reserved() + 30 * MiB)
    cuda.reset_peak_memory_stats()
    assert.are.equal(cuda.memory_allocated(), cuda.max_memory_allocated())
    assert.are.equal(cuda.memory_reserved(), cuda.max_memory_reserved())
    local stats = cuda.memory_stats()
    assert.are.equal(cuda.memory_allocated(), stats["allocated_bytes.all.current"])
    assert.is_truthy(cuda.memory_summary():find("GPU reserved memory", 1, true))
  end)

  it("gives memory of another stream back after its work", function()
    local side = cuda.Stream()
    local x = torch.zeros(4 * MiB, {dtype = torch.uint8, device = "cuda"})
    local place = x:data_ptr()
    side:wait_stream(cuda.current_stream())
    local y = cuda.stream(side, function() return x + 1 end)
    x:record_stream(side)
    x:free()
    -- The side stream may still be at it: the block is not given out before it was seen to be done.
    local z = torch.full({4 * MiB}, 9, {dtype = torch.uint8, device = "cuda"})
    if gpus.simulated then assert.are_not.equal(place, z:data_ptr()) end -- nothing has run yet there
    cuda.synchronize()
    assert.are.equal(1, y:max():item())
    z = torch.empty(4 * MiB, {dtype = torch.uint8, device = "cuda"})
    local again = torch.empty(4 * MiB, {dtype = torch.uint8, device = "cuda"})
    assert.is_true(z:data_ptr() == place or again:data_ptr() == place)
  end)

  it("keeps the memory of each stream apart", function()
    local side = cuda.Stream()
    local x = torch.empty(4 * MiB, {dtype = torch.uint8, device = "cuda"})
    local place = x:data_ptr()
    x:free()
    local y = cuda.stream(side, function() return torch.empty(4 * MiB, {dtype = torch.uint8, device = "cuda"}) end)
    assert.are_not.equal(place, y:data_ptr())
  end)
end)

gpus.with_one("memory of a GPU", function()
  before_each(settle)

  it("stays bounded without collectgarbage", function()
    local part = cuda.get_device_properties(0).total_memory // 16   -- that much garbage may pile up (bindings/lua/collector.c)
    local bytes = math.max(256 * KiB, part // 2000)
    local x = torch.ones(bytes, {dtype = torch.uint8, device = "cuda"})
    local before = cuda.memory_allocated()
    for _ = 1, 10000 do local _ = x:clone() end
    assert.is_true(cuda.max_memory_allocated() - before < part * 1.1)
  end)

  it("is the same after more steps of training", function()
    local model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)):cuda()
    local optimizer = optim.Adam(model:parameters())
    local x, y = torch.rand(32, 4, {device = "cuda"}), torch.rand(32, 1, {device = "cuda"})
    local function train(steps)
      for _ = 1, steps do
        optimizer:zero_grad()
        nn.functional.mse_loss(model(x), y):backward()
        optimizer:step()
      end
      torch._collect()
      torch._collect()
      return cuda.memory_allocated()
    end
    local before = train(50)
    assert.are.equal(before, train(500))
  end)

  it("goes with <close> and free", function()
    local before = cuda.memory_allocated()
    do
      local _ <close> = torch.ones(1000, {device = "cuda"})
      assert.is_true(cuda.memory_allocated() >= before + 4000)
    end
    assert.are.equal(before, cuda.memory_allocated())
  end)

  if gpus.simulated then
    local full = "TOCHA_SIMULATED_GPUS=1 TOCHA_SIMULATED_MEMORY=64M TOCHA_CUDA_CACHE=on"

    it("may be full: the error has the figures, and the session goes on", function()
      gpus.prints("CUDA out of memory. Tried to allocate 40.00 MiB. GPU 0 has a total capacity of 64.00 MiB of which 24.00 MiB "
        .. "is free. Of the allocated memory 40.00 MiB is allocated by Tocha, and 0 bytes is reserved by Tocha but "
        .. "unallocated.\n1\ttrue\ttrue\n0\t41943040\n3\n", full, [[
        local x = torch.empty(40 << 20, {dtype = torch.uint8, device = "cuda"})
        local ok, err = pcall(torch.empty, 40 << 20, {dtype = torch.uint8, device = "cuda"})
        print(tostring(err):match "^[^\n]*")
        local stats = torch.cuda.memory_stats()
        print(stats.num_ooms // stats.num_ooms, stats.num_alloc_retries > 0, stats.num_ooms > 0)
        x:free()
        print(torch.cuda.memory_allocated(), torch.cuda.memory_reserved())
        print(torch.ones(3, {device = "cuda"}):sum():cpu():item() // 1 | 0)]])
    end)

    it("may be full of garbage, which is collected first", function()
      gpus.prints("true\ttrue\n", full, [[
        collectgarbage "stop"
        for _ = 1, 40 do local _ = torch.empty(8 << 20, {dtype = torch.uint8, device = "cuda"}) end
        local most = torch.empty(60 << 20, {dtype = torch.uint8, device = "cuda"})
        print(most.is_cuda, torch.cuda.memory_stats().num_alloc_retries > 0)]])
    end)

    it("has a pace of collections of its own: few, also where Lua's heap is large", function()
      gpus.prints("true\ttrue\n0\n", "TOCHA_SIMULATED_GPUS=1 TOCHA_SIMULATED_MEMORY=4G TOCHA_CUDA_CACHE=on", [[
        local heap = {}
        for i = 1, 200000 do heap[i] = {i} end
        local x = torch.empty(64 << 20, {dtype = torch.uint8, device = "cuda"})
        torch._collect()
        local before = torch._memory().full_collections
        for _ = 1, 200 do local _ = torch.empty_like(x) end
        print(torch._memory().full_collections - before <= 50, torch.cuda.max_memory_allocated() <= 1 << 30)
        print(torch.cuda.memory_stats().num_alloc_retries)]])
    end)

    it("may be full of what is cached in other sizes", function()
      gpus.prints("41943040\n", full, [[
        local parts = {}
        for i = 1, 50 do parts[i] = torch.empty(1 << 20, {dtype = torch.uint8, device = "cuda"}) end
        for i = 1, 50 do parts[i]:free() end
        local x = torch.empty(40 << 20, {dtype = torch.uint8, device = "cuda"})
        print(torch.cuda.memory_allocated())]])
    end)

    it("may be full in a step of training, which can be repeated with less", function()
      gpus.prints("false\ttrue\n", full, [[
        local model = torch.nn.Linear(1000, 1000):cuda()
        local function step(n) model(torch.ones(n, 1000, {device = "cuda"})):sum():backward() return true end
        print(pcall(step, 20000) , (select(2, pcall(step, 100))))]])
    end)
  end
end)

-- Last, since it leaves the collector of garbage with much to remember.
gpus.with_cache("the caching allocator under load", function()
  before_each(settle)

  it("hands out no byte twice, and gets all of them back", function()
    local allocated, reserved = cuda.memory_allocated(), cuda.memory_reserved()
    local live, total, random = {}, 0, 12345
    local function draw(n)
      random = (random * 1103515245 + 12345) % (1 << 31)
      return random // 65536 % n + 1
    end
    for _ = 1, 3000 do
      local k = draw(100)
      if live[k] then
        total = total - live[k].size
        live[k].tensor:free()
        live[k] = nil
      else
        local bytes = draw(4) == 1 and draw(30000) * 100 or draw(3000)
        local x = torch.empty(bytes, {dtype = torch.uint8, device = "cuda"})
        local start, size = x:data_ptr(), (bytes + 511) // 512 * 512
        for _, other in pairs(live) do assert(start + bytes <= other.start or other.start + other.size <= start) end
        live[k] = {tensor = x, start = start, size = size}
        total = total + size
      end
      -- what is left of a large block may be too little to be kept apart
      local held = cuda.memory_allocated() - allocated
      assert(held >= total and held < total + 100 * MiB)
    end
    assert(cuda.memory_reserved() - reserved < 8 * cuda.max_memory_allocated())
    for _, one in pairs(live) do one.tensor:free() end
    assert.are.equal(allocated, cuda.memory_allocated())
    cuda.empty_cache()
    assert.are.equal(reserved, cuda.memory_reserved())
  end)
end)
