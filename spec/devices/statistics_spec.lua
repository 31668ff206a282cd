-- statistics_spec.lua: the statistics of GPU memory and pinned memory, snapshots, the history of requests, limits.
local torch = require "torch"
local gpus = require "gpus"
local programs = require "programs"
local cuda = torch.cuda
local KiB, MiB = 1 << 10, 1 << 20

local function bytes(n) return torch.empty(n, {dtype = torch.uint8, device = "cuda"}) end

local function settle()
  cuda.synchronize()
  torch._collect()
  torch._collect()
  cuda.empty_cache()
  cuda.reset_peak_memory_stats()
end

describe("torch.cuda.memory_summary", function()
  local metrics = {"allocated_bytes", "active_bytes", "requested_bytes", "reserved_bytes", "inactive_split_bytes", "allocation", "active",
    "segment", "inactive_split"}
  local kinds = {"current", "peak", "allocated", "freed"}
  local function value(m, p, k) return (m * 37 + p * 11 + k * 5 + 1) * math.tointeger(1000 ^ k) * (m % 2 == 1 and 13 or 1) end
  local stats = {num_ooms = 3, num_alloc_retries = 12}
  for m, metric in ipairs(metrics) do
    for p, pool in ipairs{"all", "large_pool", "small_pool"} do
      for k, kind in ipairs(kinds) do stats[metric .. "." .. pool .. "." .. kind] = value(m - 1, p - 1, k - 1) end
    end
  end
  for m, metric in ipairs{"oversize_allocations", "oversize_segments"} do
    for k, kind in ipairs(kinds) do stats[metric .. "." .. kind] = value(m - 1, 0, k - 1) end
  end

  it("is PyTorch's table", function()
    local expected = programs.read "spec/golden/memory/summary.expected"
    expected = expected:gsub("PyTorch CUDA memory summary, device ID (%d)", "Tocha CUDA memory summary, device ID %1  ")
    assert.are.equal(expected, cuda.memory._summary(stats, 1, false) .. "\f\n" .. cuda.memory._summary(stats, 0, true))
  end)
end)

gpus.with_cache("statistics of memory", function()
  before_each(settle)

  it("have PyTorch's names", function()
    local stats, count = cuda.memory_stats(), 0
    for _ in pairs(stats) do count = count + 1 end
    assert.are.equal(123, count)
    for _, figure in ipairs{"allocation", "segment", "active", "inactive_split", "allocated_bytes", "reserved_bytes", "active_bytes",
        "inactive_split_bytes", "requested_bytes"} do
      for _, kind in ipairs{"current", "peak", "allocated", "freed"} do
        local all, small, large = stats[figure .. ".all." .. kind], stats[figure .. ".small_pool." .. kind], stats[figure .. ".large_pool." .. kind]
        if kind == "peak" then
          assert.is_true(all <= small + large and all >= math.max(small, large))
        else
          assert.are.equal(all, small + large)
        end
      end
      assert.are.equal(stats[figure .. ".all.current"], stats[figure .. ".all.allocated"] - stats[figure .. ".all.freed"])
    end
    assert.are.equal(cuda.memory_allocated(), stats["allocated_bytes.all.current"])
    assert.are.equal(cuda.memory_reserved(), stats["reserved_bytes.all.current"])
    assert.are.equal(cuda.memory_stats_as_nested_dict().active.all.peak, stats["active.all.peak"])
    assert.are.equal(-1, stats.max_split_size)
  end)

  -- Returns by how much figures of a pool grow while f runs.
  local function growth(f, pool)
    local before = cuda.memory_stats_as_nested_dict()
    local kept = f()
    local after = cuda.memory_stats_as_nested_dict()
    return function(figure, kind) return after[figure][pool][kind or "current"] - before[figure][pool][kind or "current"] end, kept
  end

  it("count a block, what was asked for, and what is left of its segment", function()
    local by, x = growth(function() return bytes(3 * MiB + 1) end, "large_pool")
    assert.are.equal(1, by "allocation")
    assert.are.equal(1, by "segment")
    assert.are.equal(1, by "active")
    assert.are.equal(1, by "inactive_split")
    assert.are.equal(3 * MiB + 512, by "allocated_bytes")
    assert.are.equal(3 * MiB + 1, by "requested_bytes")
    assert.are.equal(20 * MiB, by "reserved_bytes")
    assert.are.equal(17 * MiB - 512, by "inactive_split_bytes")
    local freed = growth(function() x:free() end, "large_pool")
    assert.are.equal(-1, freed "active")
    assert.are.equal(1, freed("allocation", "freed"))
    assert.are.equal(-1, freed "inactive_split")   -- the segment is whole again
    assert.are.equal(0, freed "segment")
    local emptied = growth(cuda.empty_cache, "large_pool")
    assert.are.equal(-20 * MiB, emptied "reserved_bytes")
    assert.are.equal(0, cuda.memory_stats()["inactive_split.large_pool.current"])
  end)

  it("count a block that another stream uses as active until then", function()
    local side = cuda.Stream()
    local x = torch.zeros(4 * MiB, {dtype = torch.uint8, device = "cuda"})
    side:wait_stream(cuda.current_stream())
    local y = cuda.stream(side, function() return x + 1 end)
    x:record_stream(side)
    local by = growth(function() x:free() end, "large_pool")
    assert.are.equal(-1, by "allocation")
    assert.are.equal(0, by "active")
    local pending = 0
    for _, segment in ipairs(cuda.memory_snapshot()) do
      for _, block in ipairs(segment.blocks) do pending = pending + (block.state == "active_pending_free" and 1 or 0) end
    end
    assert.are.equal(1, pending)
    cuda.synchronize()
    by = growth(cuda.empty_cache, "large_pool")
    assert.are.equal(-1, by "active")
    assert.is_truthy(y)
  end)

  it("start anew", function()
    local x = bytes(5 * MiB)
    cuda.reset_accumulated_memory_stats()
    local stats = cuda.memory_stats()
    assert.are.equal(0, stats["allocated_bytes.all.allocated"])
    assert.are.equal(0, stats.num_device_alloc)
    assert.is_true(stats["allocated_bytes.all.current"] >= 5 * MiB)
    x:free()
    cuda.reset_peak_memory_stats()
    assert.are.equal(cuda.memory_stats()["active.all.current"], cuda.memory_stats()["active.all.peak"])
  end)

  it("describe every block of every segment", function()
    local x, y = bytes(4 * MiB), bytes(100)
    local total, allocated, found = 0, 0, 0
    for _, segment in ipairs(cuda.memory_snapshot()) do
      total, allocated = total + segment.total_size, allocated + segment.allocated_size
      local place = segment.address
      for _, block in ipairs(segment.blocks) do
        assert.are.equal(place, block.address)   -- no gaps
        place = place + block.size
        if block.address == x:data_ptr() then
          assert.are.equal("active_allocated", block.state)
          assert.are.equal("large", segment.segment_type)
          found = found + 1
        elseif block.address == y:data_ptr() then
          assert.are.equal(100, block.requested_size)
          assert.are.equal("small", segment.segment_type)
          found = found + 1
        end
      end
      assert.are.equal(segment.address + segment.total_size, place)
    end
    assert.are.equal(2, found)
    assert.are.equal(cuda.memory_reserved(), total)
    assert.are.equal(cuda.memory_allocated(), allocated)
  end)

  it("limit a program to a part of the GPU", function()
    local all = cuda.get_device_properties(0).total_memory
    assert.are.equal(1.0, cuda.get_per_process_memory_fraction())
    cuda.set_per_process_memory_fraction((cuda.memory_reserved() + 30 * MiB) / all)
    local x = bytes(20 * MiB)
    local line = gpus.error_of(bytes, 20 * MiB)
    cuda.set_per_process_memory_fraction(1.0)
    assert.is_truthy(line:find "^CUDA out of memory%. Tried to allocate 20%.00 MiB%.")
    assert.is_truthy(line:find "is free%. [%d.]+ MiB allowed; Of the allocated memory")
    assert.is_truthy(bytes(20 * MiB))
    assert.is_truthy(x)
    gpus.fails("Invalid fraction value: 1.5. Allowed range: 0~1", cuda.set_per_process_memory_fraction, 1.5)
    gpus.fails("Invalid type for fraction argument, must be `float`", cuda.set_per_process_memory_fraction, "half")
  end)

  it("count memory without a tensor", function()
    local before = cuda.memory_allocated()
    local address = cuda.caching_allocator_alloc(1000)
    assert.are.equal(before + 1024, cuda.memory_allocated())
    cuda.caching_allocator_delete(address)
    assert.are.equal(before, cuda.memory_allocated())
    gpus.error_of(cuda.caching_allocator_delete, address)
    cuda.caching_allocator_delete(0)
    local side = cuda.Stream()
    local other = cuda.caching_allocator_alloc(1000, 0, side)
    local streams = {}
    for _, segment in ipairs(cuda.memory_snapshot()) do
      for _, block in ipairs(segment.blocks) do streams[block.address] = segment.stream end
    end
    assert.are.equal(side.cuda_stream, streams[other])
    cuda.caching_allocator_delete(other)
    assert.are.equal("native", cuda.get_allocator_backend())
  end)
end)

gpus.with_cache("statistics of a pool", function()
  before_each(settle)

  -- Returns a figure of the bytes that a pool has of the GPU.
  local function reserved(pool, name)
    return cuda.memory_stats()[("reserved_bytes_by_private_pools.%d_%d.%s"):format(pool.id[1], pool.id[2], name)]
  end

  it("tell its segments from others", function()
    local pool, other = cuda.MemPool(), cuda.MemPool()
    local x, y = cuda.use_mem_pool(pool, function() return bytes(40 * MiB), bytes(100) end)
    local z = bytes(40 * MiB)
    local found, total = {}, 0
    for i, segment in ipairs(pool:snapshot()) do
      assert.are.equal(pool.id[2], segment.segment_pool_id[2])
      found[i], total = segment.address, total + segment.total_size
    end
    table.sort(found)
    local places = {x:data_ptr(), y:data_ptr()}
    table.sort(places)
    assert.are.same(places, found)
    assert.are.equal(42 * MiB, total)
    local seen = 0
    for _, segment in ipairs(cuda.memory_snapshot()) do
      if segment.address == places[1] or segment.address == places[2] then seen = seen + segment.segment_pool_id[2] end
      if segment.address == z:data_ptr() then assert.are.equal(0, segment.segment_pool_id[2]) end
    end
    assert.are.equal(2 * pool.id[2], seen)
    assert.are.equal(#cuda.memory_snapshot(), #cuda.memory_snapshot{0, 0})
    assert.are.equal(0, #other:snapshot{include_traces = false})
    gpus.fails("mempool_id must be the handle of a pool: pool.id, graph:pool() or graph_pool_handle()", cuda.memory_snapshot, 3)
  end)

  it("count the bytes that it has", function()
    local id
    do
      local pool = cuda.MemPool()
      assert.are.equal(0, reserved(pool, "all.current"))
      local x = cuda.use_mem_pool(pool, function() return bytes(40 * MiB) end)
      assert.are.equal(40 * MiB, reserved(pool, "all.current"))
      assert.are.equal(40 * MiB, reserved(pool, "large_pool.allocated"))
      assert.are.equal(0, reserved(pool, "small_pool.current"))
      assert.are.equal(40 * MiB, cuda.memory_stats_as_nested_dict().reserved_bytes_by_private_pools["0_" .. pool.id[2]].all.peak)
      x:free()
      cuda.empty_cache()
      assert.are.equal(40 * MiB, reserved(pool, "all.current"))   -- it keeps its memory
      cuda.reset_accumulated_memory_stats()
      assert.are.equal(0, reserved(pool, "all.allocated"))
      id = pool.id
    end
    settle()
    assert.is_nil(reserved({id = id}, "all.current"))
  end)

  it("are those of a graph, too", function()
    local graph, x, y = cuda.CUDAGraph(), torch.ones(MiB, {device = "cuda"}), nil
    cuda.graph(graph, function() y = x + 1 end)
    local id, inside = graph:pool(), false
    for _, segment in ipairs(cuda.memory_snapshot(id)) do
      inside = inside or y:data_ptr() >= segment.address and y:data_ptr() < segment.address + segment.total_size
    end
    assert.is_true(inside)
    assert.is_true(reserved({id = id}, "all.current") >= 4 * MiB)
  end)
end)

gpus.with_one("statistics of pinned memory", function()
  it("count blocks and those in use", function()
    local before = cuda.host_memory_stats()["active_bytes.current"] or 0
    local x = torch.rand(1000):pin_memory()
    local stats = cuda.host_memory_stats()
    assert.are.equal(before + 4096, stats["active_bytes.current"])
    assert.is_true(stats["allocated_bytes.current"] >= stats["active_bytes.current"])
    assert.are.equal(stats.num_host_alloc, stats["host_alloc_time.count"])
    x:free()
    assert.are.equal(before, cuda.host_memory_stats()["active_bytes.current"])
    cuda.reset_peak_host_memory_stats()
    cuda.reset_accumulated_host_memory_stats()
    stats = cuda.host_memory_stats_as_nested_dict()
    assert.are.equal(before, stats.active_bytes.peak)
    assert.are.equal(0, stats.active_requests.allocated)
  end)
end)

gpus.with_cache("the history of memory", function()
  after_each(function() cuda.memory._record_memory_history(nil) end)

  local function make() return bytes(64 * KiB) end

  it("has the requests with the lines that made them", function()
    local line, first = debug.getinfo(bytes, "S").linedefined, make()   -- its segment is there
    cuda.memory._record_memory_history{max_entries = 100, clear_history = true}
    local x = make()
    local address = x:data_ptr()
    local frames
    for _, segment in ipairs(cuda.memory._snapshot().segments) do
      for _, block in ipairs(segment.blocks) do if block.address == address then frames = block.frames end end
    end
    assert.are.equal(line, frames[1].line)
    assert.is_truthy(frames[1].filename:find "statistics_spec.lua$")
    x:free()
    local actions = {}
    for _, entry in ipairs(cuda.memory._snapshot().device_traces[1]) do
      if entry.addr == address then
        actions[#actions + 1] = entry.action
        assert.are.equal(64 * KiB, entry.size)
        assert.is_true(entry.time_us > 0 and #entry.frames > 0)
      end
    end
    assert.are.same({"alloc", "free_requested", "free_completed"}, actions)
    assert.is_truthy(first)
    cuda.memory._record_memory_history(nil)
    local count = #cuda.memory._snapshot().device_traces[1]
    make()
    assert.are.equal(count, #cuda.memory._snapshot().device_traces[1])
  end)

  it("keeps the last requests", function()
    torch._collect()   -- tensors of other specs are gone
    torch._collect()
    cuda.memory._record_memory_history{max_entries = 4, clear_history = true}
    for _ = 1, 10 do make():free() end
    local trace = cuda.memory._snapshot().device_traces[1]
    assert.are.equal(4, #trace)
    assert.are.equal("free_completed", trace[4].action)
    for i = 2, 4 do assert.is_true(trace[i].time_us >= trace[i - 1].time_us) end
  end)

  it("may have the lines of memory in use only", function()
    cuda.memory._record_memory_history{enabled = "state", clear_history = true}
    local x = make()
    local snapshot = cuda.memory._snapshot()
    assert.are.equal(0, #snapshot.device_traces[1])
    assert.is_truthy(torch._cuda.frames_of(x:data_ptr()))
    local address = x:data_ptr()
    x:free()
    assert.is_nil(torch._cuda.frames_of(address))
    gpus.fails("expected state to be 'state', 'all', or None", cuda.memory._record_memory_history, "some")
    gpus.fails("expected context to be 'state', 'alloc', 'all', or None", cuda.memory._record_memory_history, "all", "some")
  end)

  it("goes into a pickle", function()
    local name = os.tmpname()
    cuda.memory._record_memory_history{clear_history = true}
    local x = make()
    cuda.memory._dump_snapshot(name)
    local read = torch.numpy.load and torch._io.unpickle(torch._part "serialization.types", programs.read(name), true)
    os.remove(name)
    assert.are.equal(#cuda.memory._snapshot().segments, #read.segments)
    assert.are.equal("alloc", read.device_traces[1][#read.device_traces[1]].action)
    assert.is_truthy(x)
  end)
end)

describe("memory without a GPU", function()
  it("has empty figures", function()
    gpus.prints("0\t0\t0\t0\n0\t0\nFound no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from "
      .. "http://www.nvidia.com/Download/index.aspx\n0\tnative\n", "TOCHA_CUDA=off", [[
      local cuda = torch.cuda
      local function count(t) local n = 0 for _ in pairs(t) do n = n + 1 end return n end
      print(count(cuda.memory_stats()), count(cuda.memory_stats_as_nested_dict()), count(cuda.host_memory_stats()), #cuda.memory_snapshot())
      local s = cuda.memory._snapshot()
      print(#s.segments, #s.device_traces)
      print((tostring(select(2, pcall(cuda.set_per_process_memory_fraction, 0.5))):match "^[^\n]*"))
      cuda.reset_peak_host_memory_stats()
      cuda.caching_allocator_delete(0)
      print(cuda.memory_reserved(), cuda.get_allocator_backend())]])
  end)
end)
