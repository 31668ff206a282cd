-- expandable_spec.lua: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: segments of GPU memory that grow and shrink.
local torch = require "torch"
local gpus = require "gpus"
local cuda = torch.cuda
local set = cuda.memory._set_allocator_settings
local MiB = 1 << 20
local ON = "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True TOCHA_CUDA_CACHE=on "

local function bytes(n, device) return torch.empty(n, {dtype = torch.uint8, device = device or "cuda"}) end

local function settle()
  cuda.synchronize()
  torch._collect()
  torch._collect()
  cuda.empty_cache()
end

-- Returns a view of the first byte of each MiB.
local function marks(x) return x:as_strided({(x:numel() + MiB - 1) // MiB}, {MiB}) end

local function mark(x, value) marks(x):fill_(value):free() end
local function has(x, value)
  local view <close> = marks(x)
  return view:eq(value):all():item()
end

-- Returns the sizes in MiB of the segments that grow, by their addresses.
local function segments()
  local found, sizes = {}, {}
  for _, s in ipairs(cuda.memory_snapshot()) do
    if s.is_expandable and s.segment_type == "large" then found[#found + 1] = s end
  end
  table.sort(found, function(a, b) return a.address < b.address end)
  for i, s in ipairs(found) do sizes[i] = s.total_size // MiB end
  return sizes
end

gpus.with_cache("expandable segments", function()
  before_each(function()
    bytes(1)
    settle()
    set "expandable_segments:True"
  end)
  after_each(function()
    set ""
    settle()
    assert.are.same({}, segments())
  end)

  it("grow by what a request lacks", function()
    local x = bytes(30 * MiB)
    local place = x:data_ptr()
    assert.are.same({40}, segments())
    local y = bytes(10 * MiB)                  -- the rest of the second page
    assert.are.equal(place + 30 * MiB, y:data_ptr())
    local z = bytes(21 * MiB)
    assert.are.equal(place + 40 * MiB, z:data_ptr())
    assert.are.same({80}, segments())
    x:free()
    local w = bytes(25 * MiB)
    assert.are.equal(place, w:data_ptr())
    mark(w, 2)
    mark(z, 3)
    assert.is_true(has(w, 2) and has(z, 3))
    assert.is_truthy(y)
  end)

  it("join what is free with what is mapped before it", function()
    local x, small = bytes(50 * MiB), bytes(5 * MiB)
    local place = x:data_ptr()
    x:free()
    local y = bytes(70 * MiB)                  -- behind the small one, in 5 MiB that are there and 65 that are not
    assert.are.equal(place + 55 * MiB, y:data_ptr())
    assert.are.same({140}, segments())
    small:free()
    y:free()
    local z = bytes(139 * MiB)
    assert.are.equal(place, z:data_ptr())
    assert.are.same({140}, segments())
  end)

  local function large() return cuda.memory_stats()["reserved_bytes.large_pool.current"] end

  it("shrink to the pages in use", function()
    local a, b, c = bytes(30 * MiB), bytes(60 * MiB), bytes(10 * MiB)
    local place, reserved = a:data_ptr(), large()
    mark(a, 1)
    mark(c, 3)
    mark(b, 2)
    b:free()                                   -- while work that uses it is queued
    cuda.empty_cache()
    assert.are.same({40, 20}, segments())      -- pages 3 and 4 were of b alone
    assert.are.equal(reserved - 40 * MiB, large())
    local d = bytes(60 * MiB)                  -- the pages return to their place
    mark(d, 2)
    assert.is_true(has(a, 1) and has(c, 3))
    assert.are.equal(place + 30 * MiB, d:data_ptr())
    assert.are.same({100}, segments())
    d:free()
    a:free()
    c:free()
    cuda.empty_cache()
    assert.are.same({}, segments())
    assert.are.equal(reserved - 100 * MiB, large())
  end)

  it("count as PyTorch's do", function()
    local before = cuda.memory_stats()
    local x = bytes(30 * MiB)
    local after = cuda.memory_stats()
    local function by(name) return after[name] - before[name] end
    assert.are.equal(40 * MiB, by "reserved_bytes.large_pool.current")
    assert.are.equal(0, by "segment.all.current")
    assert.are.equal(0, by "inactive_split.all.current")
    assert.are.equal(1, by "num_device_alloc")
    x:free()
    cuda.empty_cache()
    after = cuda.memory_stats()
    assert.are.equal(0, by "reserved_bytes.large_pool.current")
    assert.are.equal(1, by "num_device_free")
  end)

  it("are told apart in snapshots and histories", function()
    assert.is_true(cuda.memory._snapshot().allocator_settings.expandable_segments)
    cuda.memory._record_memory_history{max_entries = 100, clear_history = true}
    local x = bytes(30 * MiB)
    local address = x:data_ptr()
    x:free()
    cuda.empty_cache()
    cuda.memory._record_memory_history(nil)
    local actions = {}
    for _, entry in ipairs(cuda.memory._snapshot().device_traces[1]) do
      if entry.addr == address then actions[#actions + 1] = entry.action .. " " .. entry.size // MiB end
    end
    assert.are.same({"segment_map 40", "alloc 30", "free_requested 30", "free_completed 30", "segment_unmap 40"}, actions)
    set "expandable_segments:False"
    assert.is_false(cuda.memory._snapshot().allocator_settings.expandable_segments)
    local y = bytes(30 * MiB)
    assert.are.same({}, segments())
    assert.is_truthy(y)
  end)

  it("have pages of large_segment_size_mb, rounded to the driver's", function()
    set "expandable_segments:True,large_segment_size_mb:25"
    local x = bytes(3 * MiB)
    assert.are.same({26}, segments())
    mark(x, 1)
    assert.is_true(has(x, 1))
  end)

  it("are split whatever max_split_size_mb says", function()
    set "expandable_segments:True,max_split_size_mb:20"
    local a, b, c = bytes(40 * MiB), bytes(40 * MiB), bytes(40 * MiB)
    local place = b:data_ptr()
    b:free()
    local d, e = bytes(10 * MiB), bytes(10 * MiB)
    assert.are.equal(place, d:data_ptr())
    assert.are.equal(place + 10 * MiB, e:data_ptr())
    assert.is_truthy(a and c)
  end)

  it("belong to one stream", function()
    local side = cuda.Stream()
    local x = bytes(30 * MiB)
    local y = cuda.stream(side, function() return bytes(30 * MiB) end)
    assert.are.same({40, 40}, segments())
    mark(y, 1)
    y:record_stream(cuda.current_stream())
    y:free()
    cuda.empty_cache()                         -- waits for the stream that used it
    assert.are.same({40}, segments())
    assert.is_truthy(x)
  end)

  it("serve captures and pools, whose memory stays", function()
    local graph, x, y = cuda.CUDAGraph(), torch.ones(MiB, {device = "cuda"}), nil
    cuda.graph(graph, function() y = (x + 1) * 2 end)
    cuda.empty_cache()
    graph:replay()
    assert.are.equal(4, y[-1]:item())
    local count = #segments()
    y:free()
    settle()
    assert.are.equal(count, #segments())       -- the graph keeps its pool
    graph:reset()
    settle()
    assert.are.equal(1, #segments())
    local pool = cuda.MemPool()
    local z = cuda.use_mem_pool(pool, function() return bytes(30 * MiB) end)
    local place = z:data_ptr()
    z:free()
    cuda.empty_cache()
    assert.are.equal(place, cuda.use_mem_pool(pool, function() return bytes(50 * MiB) end):data_ptr())
  end)

  it("give their addresses back", function()
    for _ = 1, 30 do                           -- each takes those of the whole GPU, of which the simulated one has 16 times as many
      do
        local pool = cuda.MemPool()
        cuda.use_mem_pool(pool, function() bytes(2 * MiB):free() end)
        assert.is_true(pool:snapshot()[1].is_expandable)
      end
      settle()
    end
  end)

  it("serve many sizes in any order", function()
    local kept, state = {}, 7
    local function draw(n) -- 1 to n
      state = (state * 1103515245 + 12345) % 2147483648
      return state * n // 2147483648 + 1
    end
    for step = 1, 240 do
      local slot = draw(24)
      if kept[slot] then
        assert.are.equal(kept[slot].value, kept[slot].x[-1]:item())
        kept[slot].x:free()
        kept[slot] = nil
      else
        local size = draw(4) == 1 and draw(40 * MiB) or draw(2 * MiB)
        kept[slot] = {x = bytes(size), value = step % 251}
        kept[slot].x[0], kept[slot].x[-1] = step % 251, step % 251
      end
      if step % 25 == 0 then cuda.empty_cache() end
      if step == 120 then set "" elseif step == 160 then set "expandable_segments:True" end
    end
    local total, stated = 0, cuda.memory_reserved()
    for _, s in ipairs(cuda.memory_snapshot()) do total = total + (s.device == 0 and s.total_size or 0) end
    assert.are.equal(stated, total)
    for _, entry in pairs(kept) do
      assert.are.equal(entry.value, entry.x[0]:item())
      entry.x:free()
    end
  end)
end)

gpus.with_two("expandable segments of two GPUs", function()
  after_each(function() set "" end)

  it("are reached by the other, what they grow by as well", function()
    bytes(1, "cuda:0")
    bytes(1, "cuda:1")
    set "expandable_segments:True"
    local x = bytes(3 * MiB, "cuda:0")
    mark(x, 1)
    local y = x:to "cuda:1"
    assert.is_true(torch.equal(x:cpu(), y:cpu()))
    local z = bytes(30 * MiB, "cuda:0")        -- mapped after the GPUs have met
    mark(z, 2)
    assert.is_true(torch.equal(z:cpu(), z:to "cuda:1":cpu()))
    assert.is_true(torch.equal(x:cpu(), y:to "cuda:0":cpu()))
    if os.getenv "TOCHA_CUDA_CACHE" == "off" then return end
    local by_device = {[0] = 0, [1] = 0}
    for _, s in ipairs(cuda.memory_snapshot()) do
      if s.is_expandable then by_device[s.device] = by_device[s.device] + 1 end
    end
    assert.is_true(by_device[0] > 0 and by_device[1] > 0)
  end)
end)

if gpus.simulated then
  describe("expandable segments in a small GPU", function()
    -- Batches of different sizes, and results that are kept between them.
    local growing = [[
      local kept, ok = {}, true
      local function bytes(mib) return torch.empty(mib << 20, {dtype = torch.uint8, device = "cuda"}) end
      for i, size in ipairs{40, 50, 45} do
        local batch
        ok, batch = pcall(bytes, size)
        if not ok then
          print((tostring(batch):match "^[^\n]*"))
          print(tostring(batch):find "expandable_segments:True avoids" ~= nil)
          return
        end
        batch:free()
        kept[i] = bytes(({2, 39, 2})[i])
      end
      print "fits"]]

    it("leave no segments behind that are just too small", function()
      gpus.prints("fits\n", ON .. "TOCHA_SIMULATED_MEMORY=128M", growing)
      gpus.prints("CUDA out of memory. Tried to allocate 45.00 MiB. GPU 0 has a total capacity of 128.00 MiB of which 38.00 MiB is free. "
        .. "Of the allocated memory 41.00 MiB is allocated by Tocha, and 49.00 MiB is reserved by Tocha but unallocated.\ntrue\n",
        "PYTORCH_CUDA_ALLOC_CONF= TOCHA_CUDA_CACHE=on TOCHA_SIMULATED_MEMORY=128M", growing)
    end)

    it("lose nothing when the GPU is full", function()
      gpus.prints("CUDA out of memory. Tried to allocate 75.00 MiB. GPU 0 has a total capacity of 100.00 MiB of which 60.00 MiB is free. "
        .. "Of the allocated memory 30.00 MiB is allocated by Tocha, and 10.00 MiB is reserved by Tocha but unallocated.\n"
        .. "true\ttrue\t30\n75\n1\t1\n", ON .. "TOCHA_SIMULATED_MEMORY=100M", [[
        local cuda = torch.cuda
        local function bytes(mib) return torch.empty(mib << 20, {dtype = torch.uint8, device = "cuda"}) end
        local x = bytes(30)
        local marks = x:as_strided({30}, {1 << 20}):fill_(1)
        local reserved, free = cuda.memory_reserved(), cuda.mem_get_info()
        print((tostring(select(2, pcall(bytes, 75))):match "^[^\n]*"))     -- three of the four pages that it lacks are there
        print(cuda.memory_reserved() == reserved, cuda.mem_get_info() == free, marks:sum():item())
        marks:free()
        x:free()
        print(bytes(75):numel() >> 20)
        local stats = cuda.memory_stats()
        print(stats.num_ooms, stats.num_alloc_retries)]])
    end)

    it("obey the part of the GPU that a program may use", function()
      gpus.prints("false\t40\n60\n", ON .. "TOCHA_SIMULATED_MEMORY=100M", [[
        local function bytes(mib) return torch.empty(mib << 20, {dtype = torch.uint8, device = "cuda"}) end
        local x = bytes(30)
        torch.cuda.set_per_process_memory_fraction(0.7)
        print((pcall(bytes, 35)), torch.cuda.memory_reserved() >> 20)
        x:free()
        x = bytes(45)
        print(torch.cuda.memory_reserved() >> 20)]])
    end)

    it("are not there with a driver that cannot map memory, which is a warning", function()
      local program = [[
        local x = torch.empty(30 << 18, {device = "cuda"})
        print(x[":4"]:fill_(1):sum():item() == 4, torch.cuda.memory._snapshot().allocator_settings.expandable_segments)
        for _, s in ipairs(torch.cuda.memory_snapshot()) do if s.is_expandable then print "expandable" end end
        torch.ones(2, {device = "cuda"})]]
      local printed = gpus.run("TOCHA_SIMULATOR_RANGES=off " .. ON, program)
      local _, warnings = printed:gsub("UserWarning: expandable_segments not supported on this platform\n", "")
      assert.are.equal(1, warnings)
      assert.is_truthy(printed:find "true\tfalse\n$")
      printed = gpus.run("TOCHA_SIMULATOR_RANGES=off", "torch.ones(1, {device = 'cuda'})\n"
        .. "torch.cuda.memory._set_allocator_settings 'expandable_segments:True'\nprint(torch.ones(1, {device = 'cuda'}):item())")
      assert.is_truthy(printed:find "UserWarning: expandable_segments not supported on this platform\n1.0\n$")
    end)
  end)
end
