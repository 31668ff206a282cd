-- distributed/profile.lua: communication in the profiles of torch.profiler: rows among the sums, a thread of its own in the trace, and
-- profile:communication(): how much of it ran while this rank computed, how long the rank waited, and for whom.
local torch = ...
local support = torch._part "support"
local profiler, driver = torch.profiler, torch._distributed

-- PyTorch's names: of the call, and of what a backend runs.
local calls = {all_reduce = "allreduce_", broadcast = "broadcast_", reduce = "reduce_", all_gather = "allgather_",
  all_gather_into_tensor = "_allgather_base_", gather = "gather_", scatter = "scatter_", reduce_scatter = "reduce_scatter_",
  reduce_scatter_tensor = "_reduce_scatter_base_", all_to_all = "alltoall_", all_to_all_single = "alltoall_base_", send = "send",
  recv = "recv_", barrier = "barrier"}
local runs = {all_gather_into_tensor = "all_gather", reduce_scatter_tensor = "reduce_scatter", all_to_all_single = "all_to_all"}
local runs_of_nccl = {all_gather_into_tensor = "_all_gather_base", reduce_scatter_tensor = "_reduce_scatter_base",
  all_to_all_single = "all_to_all"}

local function name_of(e)
  local other = e.backend == "nccl" and runs_of_nccl or runs
  return ("%s:%s"):format(e.backend, other[e.operation] or e.operation)
end

-- Returns the operations of the log that have ended.
local function read_log()
  local events = {}
  for i = 0, math.huge do
    local e = driver.logged(i)
    if not e then return events end
    if e.ended > 0 then events[#events + 1] = e end
  end
end

-- --- sums -----------------------------------------------------------------------------------------------------

-- Returns a function that gives the seconds of a range in which an operator ran. events: the operators, in order.
local function computing(events)
  local before, first_behind = {[0] = 0}, {}
  for i, e in ipairs(events) do before[i], first_behind[i] = before[i - 1] + e.seconds, e.start end
  -- Returns the seconds of operators before a time.
  local function until_time(time)
    local low, high = 0, #events
    while low < high do
      local middle = (low + high + 1) // 2
      if first_behind[middle] < time then low = middle else high = middle - 1 end
    end
    if low == 0 then return 0 end
    return before[low - 1] + math.min(events[low].seconds, time - events[low].start)
  end
  return function(from, to) return until_time(to) - until_time(from) end
end

-- Adds an operation to the row of a key.
local function add(rows, key, e, overlapped)
  local row = rows[key]
  if not row then
    row = {key = key, count = 0, bytes = 0, seconds = 0, overlapped = 0, waited = 0, for_others = 0}
    rows[key], rows[#rows + 1] = row, row
  end
  row.count, row.bytes = row.count + 1, row.bytes + e.bytes
  row.seconds, row.overlapped = row.seconds + (e.ended - e.met), row.overlapped + overlapped
  row.waited, row.for_others = row.waited + e.waited, row.for_others + math.max(e.met - e.started, 0)
end

-- Returns the ranks that came last, the one that cost most first.
local function stragglers_of(events)
  local of, sorted = {}, {}
  for _, e in ipairs(events) do
    if e.last_rank >= 0 then
      local s = of[e.last_rank] or {rank = e.last_rank, count = 0, seconds = 0, most = 0}
      if not of[e.last_rank] then of[e.last_rank], sorted[#sorted + 1] = s, s end
      s.count, s.seconds, s.most = s.count + 1, s.seconds + e.lateness, math.max(s.most, e.lateness)
    end
  end
  table.sort(sorted, function(a, b) return a.seconds > b.seconds or a.seconds == b.seconds and a.rank < b.rank end)
  return sorted
end

-- --- the summary ----------------------------------------------------------------------------------------------

local Summary = support.class("Communication", nil, "torch.profiler")

local function bytes_text(n)
  for _, unit in ipairs {{1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "KB"}} do
    if n >= unit[1] then return ("%.2f %s"):format(n / unit[1], unit[2]) end
  end
  return ("%d B"):format(n)
end

local function time_text(seconds)
  if seconds >= 1 then return ("%.3fs"):format(seconds) end
  if seconds >= 1e-3 then return ("%.3fms"):format(1e3 * seconds) end
  return ("%.3fus"):format(1e6 * seconds)
end

local function share(part, whole) return ("%.1f%%"):format(whole > 0 and 100 * part / whole or 0) end

-- Returns the lines of a table: the first column to the left, the others to the right.
local function lines_of(heads, rows)
  local widths, lines = {}, {}
  table.insert(rows, 1, heads)
  for _, row in ipairs(rows) do
    for i, text in ipairs(row) do widths[i] = math.max(widths[i] or 0, #text) end
  end
  for _, row in ipairs(rows) do
    local parts = {}
    for i, text in ipairs(row) do
      local space = (" "):rep(widths[i] - #text)
      parts[i] = i == 1 and text .. space or space .. text
    end
    lines[#lines + 1] = table.concat(parts, "  ")
  end
  return lines
end

function Summary.__tostring(summary)
  local rows = {}
  for _, list in ipairs {summary.operations, summary.ranges} do
    for _, r in ipairs(list) do
      rows[#rows + 1] = {r.key, tostring(r.count), bytes_text(r.bytes), time_text(r.seconds), time_text(r.overlapped),
        share(r.overlapped, r.seconds), time_text(r.waited), time_text(r.for_others)}
    end
  end
  local lines = lines_of({"Communication", "# of Calls", "Bytes", "Time", "overlapped", "", "Waited", "for ranks"}, rows)
  for _, s in ipairs(summary.stragglers) do
    lines[#lines + 1] = ("rank %d came last to %d of %d operations, %s after the first on average, at most %s"):format(s.rank, s.count,
      summary.count, time_text(s.seconds / s.count), time_text(s.most))
  end
  return table.concat(lines, "\n") .. "\n"
end

--- Returns what communication took: `operations` and `ranges` (of record_function: what began within), lists of {key, count, bytes,
-- seconds (that data moved), overlapped (of these, while an operator ran), waited (by the rank), for_others (until all ranks were
-- there)}; `stragglers`, a list of {rank, count (how often it came last), seconds, most (after the first one)}; print shows them.
local function communication(profile)
  local overlap = computing(profile.events)
  local summary, ranges = Summary(), {}
  local events = profile.communications or {}
  summary.operations, summary.ranges, summary.count = {}, ranges, #events
  for _, e in ipairs(events) do
    local overlapped = overlap(e.met, e.ended)
    add(summary.operations, name_of(e), e, overlapped)
    for _, range in ipairs(profile.ranges) do
      if e.begun >= range.start and e.begun < range.start + range.seconds then add(ranges, range.name, e, overlapped) end
    end
  end
  for _, list in ipairs {summary.operations, ranges} do table.sort(list, function(a, b) return a.seconds > b.seconds end) end
  summary.stragglers = stragglers_of(events)
  return summary
end

-- --- the sums of a profile ------------------------------------------------------------------------------------

-- Adds microseconds to a row of key_averages.
local function add_time(rows, key, own, all)
  local row = rows[key]
  if not row then
    row = profiler._row {key = key, count = 0, device_type = "CPU"}
    rows[key], rows[#rows + 1] = row, row
  end
  row.count = row.count + 1
  row.self_cpu_time_total, row.cpu_time_total = row.self_cpu_time_total + 1e6 * own, row.cpu_time_total + 1e6 * all
end

-- Returns the sums of a profile with those of its communication: the calls, and what the backend ran in its own thread.
local function with_communication(profile, averages)
  local rows, total = {}, averages.total
  for _, e in ipairs(profile.communications) do
    add_time(rows, "c10d::" .. calls[e.operation], e.called, e.called)
    add_time(rows, name_of(e), 0, e.ended - e.started)
    total = total + 1e6 * e.called
  end
  table.move(averages.rows, 1, #averages.rows, #rows + 1, rows)
  table.sort(rows, function(a, b)
    if a.self_cpu_time_total ~= b.self_cpu_time_total then return a.self_cpu_time_total > b.self_cpu_time_total end
    return a.key < b.key
  end)
  return profiler._averages(rows, total)
end

-- --- the trace ------------------------------------------------------------------------------------------------

-- Appends the operations to a trace that was written: a row for the collectives of each group, and one for its sends and receives.
local function append_to_trace(profile, path)
  local file <close> = assert(io.open(path, "r+"))
  local quoted, named = torch._part "tools.json".write, {}
  local function number(x) return support.number("%.3f", x) end
  file:seek("end", -#"\n]}\n")
  for _, e in ipairs(profile.communications) do
    local is_pair = e.operation == "send" or e.operation == "recv"
    local row = 1000 + 2 * e.group_number + (is_pair and 1 or 0)
    if not named[row] then
      named[row] = true
      file:write((',\n{"ph": "M", "name": "thread_name", "pid": 1, "tid": %d, "args": {"name": %s}}'):format(row,
        quoted(("group %s (%s)%s"):format(e.group, e.backend, is_pair and ": send and recv" or ""))))
    end
    file:write((',\n{"ph": "X", "cat": "user_annotation", "name": %s, "pid": 1, "tid": %d, "ts": %s, "dur": %s, "args": %s}'):format(
      quoted(name_of(e)), row, number(1e6 * (e.started - profile.start)), number(1e6 * (e.ended - e.started)),
      quoted {["Collective name"] = e.operation, ["In msg nelems"] = e.count, dtype = e.count > 0 and e.dtype or "", Bytes = e.bytes,
        ["Process Group Name"] = e.group, ["Group size"] = e.group_size, Line = e.place, ["Waited (us)"] = 1e6 * e.waited,
        ["For other ranks (us)"] = 1e6 * math.max(e.met - e.started, 0), ["Last rank"] = e.last_rank}))
    file:write((',\n{"ph": "X", "cat": "cpu_op", "name": %s, "pid": 1, "tid": 1, "ts": %s, "dur": %s, "args": {}}'):format(
      quoted("c10d::" .. calls[e.operation]), number(1e6 * (e.begun - profile.start)), number(1e6 * e.called)))
  end
  file:write "\n]}\n"
end

-- --- profiles -------------------------------------------------------------------------------------------------

-- Returns true if a profile has communication.
local function has_any(profile) return profile.communications ~= nil and #profile.communications > 0 end

-- Teaches the class of profiles, once.
local function extend(Profile)
  if Profile.communication then return end
  local key_averages, export, text = Profile.key_averages, Profile.export_chrome_trace, Profile.__tostring
  Profile.communication = communication
  function Profile:key_averages(...)
    local averages = key_averages(self, ...)
    return has_any(self) and with_communication(self, averages) or averages
  end
  function Profile:export_chrome_trace(path)
    export(self, path)
    if has_any(self) then append_to_trace(self, path) end
  end
  function Profile.__tostring(self)
    return has_any(self) and ("%s\n%s"):format(text(self), tostring(self:communication())) or text(self)
  end
end

local profile_without = profiler.profile

--- profile([options,] function) runs the function and returns its profile, with the communication that ran meanwhile: print it, or
-- call communication(), key_averages(), by_module(), by_line(), export_chrome_trace(path).
function profiler.profile(...)
  local arguments, profile, communications = table.pack(...), nil, nil
  driver.log_start()
  support.guarded(function()
    communications = read_log()
    driver.log_stop()
  end, function() profile = profile_without(table.unpack(arguments, 1, arguments.n)) end)
  profile.communications = communications
  extend(support.class_of(profile))
  return profile
end
