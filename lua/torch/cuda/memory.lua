-- cuda/memory.lua: torch.cuda.memory: the caching allocator of GPU memory: figures, snapshots, a history. Bytes unless said otherwise.
local torch = ...
local support = torch._part "support"
local driver, define = torch._cuda, torch._define
local memory = {}

local function is_available() return driver.device_count() > 0 end

-- Returns the index of the GPU that an argument names; nil for the current one.
local function index_of(device)
  if device == nil then return nil end
  local index = driver.index(device)
  return index >= 0 and index or nil
end

local function number_of(device) return index_of(device) or driver.current_device() end

-- --- figures -------------------------------------------------------------------------------------------

for name, field in pairs{memory_allocated = "allocated", max_memory_allocated = "max_allocated", memory_reserved = "reserved",
    max_memory_reserved = "max_reserved"} do
  memory[name] = define(name .. "(device?)", function(device)
    return is_available() and driver.memory(index_of(device))[field] or 0
  end)
end

for old, new in pairs{memory_cached = "memory_reserved", max_memory_cached = "max_memory_reserved"} do
  memory[old] = define(old .. "(device?)", function(device)
    torch._warn(("`torch.cuda.%s` has been renamed to `torch.cuda.%s`"):format(old, new), "FutureWarning")
    return memory[new](device)
  end)
end

memory.reset_peak_memory_stats = define("reset_peak_memory_stats(device?)", function(device) driver.reset_peak(index_of(device)) end)
memory.reset_max_memory_allocated = memory.reset_peak_memory_stats
memory.reset_max_memory_cached = memory.reset_peak_memory_stats

--- Starts the sums and counts of memory_stats anew: "allocated", "freed", num_ooms and the like.
memory.reset_accumulated_memory_stats = define("reset_accumulated_memory_stats(device?)", function(device)
  driver.reset_sums(index_of(device))
end)

function memory.empty_cache() driver.empty_cache() end

--- Returns the free and total bytes of the GPU, counting all programs.
memory.mem_get_info = define("mem_get_info(device?)", function(device) return driver.memory_info(index_of(device)) end)

--- Returns the statistics of the memory of a GPU as tables in tables; an empty table without a GPU. reserved_bytes_by_private_pools
-- has the figures of pools by the numbers of their handles: "0_1".
memory.memory_stats_as_nested_dict = define("memory_stats_as_nested_dict(device?)", function(device)
  if not is_available() then return {} end
  local stats = driver.statistics(index_of(device))
  stats.num_oom_rejections = 0   -- the policy that rejects requests ahead of time is PyTorch's alone
  stats.reserved_bytes_by_private_pools = driver.pools(index_of(device))
  return stats
end)

-- Returns tables in tables as one table, whose keys are the paths: "allocated_bytes.all.current".
local function flatten(nested, prefix, out)
  for key, value in pairs(nested) do
    local path = prefix .. tostring(key)
    if type(value) == "table" then flatten(value, path .. ".", out) else out[path] = value end
  end
  return out
end

--- Returns the statistics of the memory of a GPU, a table by PyTorch's names: ["allocated_bytes.all.current"] and so on.
memory.memory_stats = define("memory_stats(device?)", function(device)
  return flatten(memory.memory_stats_as_nested_dict(device), "", {})
end)

--- Returns the statistics of pinned memory as tables in tables; an empty table if no GPU was used.
function memory.host_memory_stats_as_nested_dict() return driver.pinned_statistics() end

--- Returns the statistics of pinned memory, a table by PyTorch's names: ["active_bytes.current"] and so on.
function memory.host_memory_stats() return flatten(driver.pinned_statistics(), "", {}) end
function memory.reset_peak_host_memory_stats() driver.reset_pinned_peak() end
function memory.reset_accumulated_host_memory_stats() driver.reset_pinned_sums() end

-- --- a table of them -----------------------------------------------------------------------------------

-- Returns a function that writes a quantity in the unit that is right for another: `from` of a unit are written as one of the next.
local function writer(units, from, step, format)
  return function(value, reference)
    local unit = 1
    while unit < #units and reference >= from do
      value, reference, unit = value // step, reference / step, unit + 1
    end
    return format:format(value, units[unit])
  end
end
local size_text = writer({"B  ", "KiB", "MiB", "GiB", "TiB", "PiB"}, 768 * 1024, 1024, "%6d %s")
local count_text = writer({" ", "K", "M"}, 750 * 1000, 1000, "%7d %s ")

local BYTES = {{"allocated_bytes", "Allocated memory"}, {"active_bytes", "Active memory"}, {"requested_bytes", "Requested memory"},
  {"reserved_bytes", "GPU reserved memory"}, {"inactive_split_bytes", "Non-releasable memory"}}
local COUNTS = {{"allocation", "Allocations"}, {"active", "Active allocs"}, {"segment", "GPU reserved segments"},
  {"inactive_split", "Non-releasable allocs"}}
local OVERSIZE = {{"oversize_allocations", "Oversize allocations"}, {"oversize_segments", "Oversize GPU segments"}}
local KINDS = {"current", "peak", "allocated", "freed"}

--- Returns the table of the statistics of memory_stats().
function memory._summary(stats, device, abbreviated)
  local rule, thick = ("-"):rep(75), ("="):rep(75)
  local lines = {thick, (" %16s Tocha CUDA memory summary, device ID %-19d "):format("", device), rule,
    ("  %9s CUDA OOMs: %-12d | %6s cudaMalloc retries: %-8d  "):format("", stats.num_ooms, "", stats.num_alloc_retries), thick,
    "        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  "}
  local function add(title, path, reference, text)
    local parts = {}
    for i, kind in ipairs(KINDS) do parts[i] = text(stats[path .. kind], stats[reference .. kind]) end
    lines[#lines + 1] = (" %-21s | %s "):format(title, table.concat(parts, " | "))
  end
  for _, group in ipairs{{BYTES, size_text}, {COUNTS, count_text}} do
    for _, row in ipairs(group[1]) do
      local all = row[1] .. ".all."
      lines[#lines + 1] = rule
      add(row[2], all, all, group[2])
      if not abbreviated then
        add("      from large pool", row[1] .. ".large_pool.", all, group[2])
        add("      from small pool", row[1] .. ".small_pool.", all, group[2])
      end
    end
  end
  for _, row in ipairs(OVERSIZE) do
    lines[#lines + 1] = rule
    add(row[2], row[1] .. ".", row[1] .. ".", count_text)
  end
  lines[#lines + 1] = thick
  return "|" .. table.concat(lines, "|\n|") .. "|\n"
end

--- Returns the statistics as a table to be printed.
memory.memory_summary = define("memory_summary(device?, abbreviated=false)", function(device, abbreviated)
  local number = number_of(device)
  return memory._summary(memory.memory_stats(number), number, abbreviated)
end)

-- --- limits, memory without a tensor ---------------------------------------------------------------------

--- Limits the memory that this program takes from a GPU to a part of all it has; a request beyond it is out of memory.
memory.set_per_process_memory_fraction = define("set_per_process_memory_fraction(fraction, device?)", function(fraction, device)
  driver.current_device()
  if type(fraction) ~= "number" then support.fail("TypeError", "Invalid type for fraction argument, must be `float`") end
  if not (fraction >= 0 and fraction <= 1) then
    support.fail("ValueError", "Invalid fraction value: %s. Allowed range: 0~1", fraction)
  end
  driver.set_fraction(fraction, index_of(device))
end)

memory.get_per_process_memory_fraction = define("get_per_process_memory_fraction(device?)", function(device)
  return driver.fraction(index_of(device))
end)

--- Returns the address of memory for another library. Give it back with caching_allocator_delete.
memory.caching_allocator_alloc = define("caching_allocator_alloc(size, device?, stream?)", function(size, device, stream)
  return driver.new_memory(size, number_of(device), stream)
end)
memory.caching_allocator_delete = define("caching_allocator_delete(mem_ptr)", function(address) driver.free_memory(address) end)

--- Returns the name of the allocator: "native".
function memory.get_allocator_backend() return "native" end

-- --- snapshots -------------------------------------------------------------------------------------------

local function pair(first, second) return torch._part "serialization.plain_pickle".pair(first, second) end

-- Returns the segments of memory with their blocks, of all pools or of one, by its number.
local function segments(pool)
  local out, current = {}, nil
  for _, b in ipairs(driver.blocks()) do
    if pool and b.pool ~= pool then goto continue end
    if not current or current.address ~= b.segment or current.device ~= b.device then
      current = {device = b.device, address = b.segment, total_size = 0, stream = b.stream, segment_type = b.segment_type, allocated_size = 0,
        active_size = 0, requested_size = 0, segment_pool_id = pair(0, b.pool), is_expandable = b.is_expandable, frames = {}, blocks = {}}
      out[#out + 1] = current
    end
    local in_use = b.state == "active_allocated"
    current.total_size = current.total_size + b.size
    if in_use then current.allocated_size = current.allocated_size + b.size end
    if b.state ~= "inactive" then
      current.active_size = current.active_size + b.size
      current.requested_size = current.requested_size + b.requested_size
    end
    current.blocks[#current.blocks + 1] = {address = b.address, size = b.size, requested_size = b.requested_size, state = b.state,
      frames = in_use and driver.frames_of(b.address) or {}}
    ::continue::
  end
  return out
end

--- Returns the segments of all GPUs that the allocator has, or those of a pool, by its handle: a list of tables with `blocks`.
-- include_traces changes nothing: segments have no traces.
memory.memory_snapshot = define("memory_snapshot(mempool_id?, include_traces=true)", function(id)
  if id == nil then return segments() end
  if type(id) ~= "table" or math.type(id[2]) ~= "integer" then
    support.fail("TypeError", "mempool_id must be the handle of a pool: pool.id, graph:pool() or graph_pool_handle()")
  end
  return segments(id[2] ~= 0 and id[2] or nil)
end)

local read_history = define("_record_memory_history(enabled='all', context='all', stacks='all', max_entries?, device?, clear_history=false, "
  .. "compile_context=false, global_record_annotations=false, skip_actions?)")
local CONTEXTS = {none = 0, state = 1, alloc = 2, all = 3}

--- _record_memory_history(enabled?, context?, stacks?, max_entries?) records who asks for memory: "all" requests, or those of memory in use
-- ("state"), with the lines of the program; false or nil ends it. _snapshot() has what was recorded.
function memory._record_memory_history(...)
  driver.current_device()
  if select("#", ...) == 1 and not (...) then return driver.record_history(nil) end
  local a = read_history(...)
  if not a.enabled then return driver.record_history(nil) end
  if a.enabled ~= "all" and a.enabled ~= "state" and a.enabled ~= true then
    support.fail("RuntimeError", "expected state to be 'state', 'all', or None")
  end
  local context = CONTEXTS[a.context or "none"] or support.fail("RuntimeError", "expected context to be 'state', 'alloc', 'all', or None")
  driver.record_history(a.enabled == "state" and "state" or "all", context, a.max_entries, a.clear_history)
end

--- Returns the state of all GPUs' memory, and what was recorded: segments, device_traces, allocator_settings.
function memory._snapshot()
  local traces = {}
  if is_available() then
    for i = 1, driver.device_count() do traces[i] = {} end
    for _, entry in ipairs(driver.history()) do
      local trace = traces[entry.device + 1]
      entry.device = nil
      trace[#trace + 1] = entry
    end
  end
  return {segments = segments(), device_traces = traces, external_annotations = {}, allocator_settings = memory._settings()}
end

--- Returns the settings of the allocator, as snapshots have them.
function memory._settings()
  if is_available() then return driver.settings() end
  return {PYTORCH_CUDA_ALLOC_CONF = "", max_split_size = -1, garbage_collection_threshold = 0.0, expandable_segments = false}
end

--- Replaces the settings that PYTORCH_CUDA_ALLOC_CONF gave: "max_split_size_mb:64,garbage_collection_threshold:0.8".
memory._set_allocator_settings = define("_set_allocator_settings(env)", function(env) driver.set_settings(env) end)

--- Writes _snapshot() as a file that PyTorch's viewer of memory opens (pytorch.org/memory_viz).
memory._dump_snapshot = define("_dump_snapshot(filename='dump_snapshot.pickle')", function(filename)
  support.write_whole(filename, torch._part "serialization.plain_pickle".dumps(memory._snapshot()))
end)

return torch._namespace(memory, "torch.cuda.memory")
