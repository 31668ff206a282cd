-- settings_spec.lua: PYTORCH_CUDA_ALLOC_CONF: what the allocator does by it, and PyTorch's errors.
local torch = require "torch"
local gpus = require "gpus"
local cuda = torch.cuda
local set = cuda.memory._set_allocator_settings
local MiB = 1 << 20

local function bytes(n) return torch.empty(n, {dtype = torch.uint8, device = "cuda"}) end

gpus.with_cache("the allocator's settings", function()
  before_each(function()
    cuda.current_stream()
    bytes(1)
    set ""
    cuda.synchronize()
    torch._collect()
    torch._collect()
    cuda.empty_cache()
  end)
  after_each(function() set "" end)

  it("are refused in PyTorch's words", function()
    for text, message in pairs{
      ["foo:1"] = "Unrecognized key 'foo' in Accelerator allocator config.",
      ["max_split_size_mb:64,foo:2"] = "Unrecognized key 'foo' in Accelerator allocator config.",
      ["max_split_size_mb=64"] = "Unrecognized key 'max_split_size_mb=64' in Accelerator allocator config.",
      ["max_split_size_mb:1"] = "CachingAllocator option max_split_size_mb too small, must be >= 20",
      ["max_non_split_rounding_mb:3"] = "CachingAllocator option max_non_split_rounding_mb too small, must be >= 20",
      ["large_segment_size_mb:4"] = "CachingAllocator option large_segment_size_mb must be > 10 MB",
      ["garbage_collection_threshold:0"] = "garbage_collect_threshold is invalid, set it in (0.0, 1.0)",
      ["garbage_collection_threshold:1.0"] = "garbage_collect_threshold is invalid, set it in (0.0, 1.0)",
      ["per_process_memory_fraction:2"] = "per_process_memory_fraction is invalid, set it in [0.0, 1.0]",
      ["roundup_power2_divisions:3"] = "For roundups, the divisions has to be power of 2 ",
      ["roundup_power2_divisions:[256:3]"] = "For roundups, the divisions has to be power of 2 or 0 to disable roundup ",
      ["roundup_power2_divisions:[300:2]"] = "For roundups, the intervals have to be power of 2 ",
      ["expandable_segments:yes"] = "Expected 'True' or 'False' at index 2 in ConfigTokenizer but got 'yes'",
      ["backend:foo"] = "Unknown allocator backend, options are native and cudaMallocAsync",
      ["max_split_size_mb"] = "expected a number, not ''",
      ["max_split_size_mb:abc"] = "expected a number, not 'abc'",
      ["roundup_power2_divisions:[256:1,"] = "the allocator's settings end too early: \"roundup_power2_divisions:[256:1,\"",
    } do gpus.fails(message, set, text) end
    for _, text in ipairs{"", " max_split_size_mb : 64 ,", "backend:native", "expandable_segments:False", "release_lock_on_cudamalloc:True"} do
      set(text)
    end
  end)

  it("round to parts of powers of two, as PyTorch's table says", function()
    set "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]"
    local divisions = cuda.memory._snapshot().allocator_settings.roundup_power2_divisions
    for size, n in pairs{["1"] = 1, ["256"] = 1, ["512"] = 2, ["1024"] = 4, ["2048"] = 8, ["32768"] = 8} do assert.are.equal(n, divisions[size]) end
    set "roundup_power2_divisions:4"
    for wanted, given in pairs{[1200] = 1536, [(4 << 10) + 1] = 5 << 10, [5 * MiB + 1] = 6 * MiB, [8 * MiB] = 8 * MiB} do
      local before = cuda.memory_allocated()
      local x = bytes(wanted)
      assert.are.equal(given, cuda.memory_allocated() - before)
      x:free()
    end
  end)

  it("keep large blocks whole", function()
    set "max_split_size_mb:32"
    assert.are.equal(32 * MiB, cuda.memory_stats().max_split_size)
    local x = bytes(64 * MiB)
    local place = x:data_ptr()
    assert.are.equal(1, cuda.memory_stats()["oversize_allocations.current"])
    assert.are.equal(1, cuda.memory_stats()["oversize_segments.current"])
    x:free()
    local reserved = cuda.memory_reserved()
    local y = bytes(16 * MiB)              -- does not take a part of it
    assert.are.equal(reserved + 16 * MiB, cuda.memory_reserved())
    local z = bytes(50 * MiB)              -- takes it whole: the rest is below the limit of 20 MiB
    assert.are.equal(place, z:data_ptr())
    z:free()
    local w = bytes(40 * MiB)              -- 24 MiB would be left
    assert.are_not.equal(place, w:data_ptr())
    assert.is_truthy(y)
  end)

  it("give the cache back from a threshold on", function()
    local all = cuda.get_device_properties(0).total_memory
    set(("garbage_collection_threshold:%.6f"):format((cuda.memory_reserved() + 60 * MiB) / all))
    local x = bytes(40 * MiB)
    x:free()
    local reserved = cuda.memory_reserved()
    local y = bytes(50 * MiB)
    assert.are.equal(reserved + 10 * MiB, cuda.memory_reserved())
    assert.is_truthy(y)
  end)

  it("change the segments", function()
    set "large_segment_size_mb:40"
    local reserved = cuda.memory_reserved()
    local x = bytes(3 * MiB)
    assert.are.equal(reserved + 40 * MiB, cuda.memory_reserved())
    assert.is_truthy(x)
  end)

  if gpus.simulated then
    it("come from the environment", function()
      gpus.prints("67108864\n0.5\tmax_split_size_mb:64,garbage_collection_threshold:0.5\n",
        "PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:64,garbage_collection_threshold:0.5 TOCHA_CUDA_CACHE=on", [[
        print(torch.cuda.memory_stats().max_split_size)
        local s = torch.cuda.memory._snapshot().allocator_settings
        print(s.garbage_collection_threshold, s.PYTORCH_CUDA_ALLOC_CONF)]])
      gpus.prints("Unrecognized key 'foo' in Accelerator allocator config.\n", "PYTORCH_CUDA_ALLOC_CONF=foo:1", [[
        print((tostring(select(2, pcall(torch.ones, 2, {device = "cuda"}))):match "^[^\n]*"))]])
      gpus.prints("33554432\n", "PYTORCH_ALLOC_CONF=max_split_size_mb:32 PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:64",
        "print(torch.cuda.memory_stats().max_split_size)")
    end)
  end
end)
