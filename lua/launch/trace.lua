-- trace.lua: `tocharun --trace DIR`: tells from the ranks' records (runtime/distributed/recorder.c) what happened in a run.
local torch = ...
local json, traces = torch._part "tools.json", torch._part "launch.traces"

local trace = {}

-- Ranks that are named in a line.
local named = 8

-- --- reading -----------------------------------------------------------------------------------------------

-- Returns the folder that has the files: of several attempts the last one's.
local function folder_of(path)
  if next(traces.files(path)) then return path end
  local last
  local listed, names = pcall(torch._io.list, path)
  for _, name in ipairs(listed and names or {}) do
    local number = tonumber(name:match "^attempt_(%d+)$")
    if number and (not last or number > last) and next(traces.files(path .. "/" .. name)) then last = number end
  end
  return last and ("%s/attempt_%d"):format(path, last)
end

-- Returns the records of all ranks: {[rank] = {rank, host, process, entries}}, and the list of ranks.
local function read_all(folder)
  local records, ranks = {}, {}
  for rank, path in pairs(traces.files(folder)) do
    local file = assert(io.open(path, "rb"))
    local read, record = pcall(json.read, file:read "a")
    file:close()
    if read and type(record) == "table" and record.entries then
      records[rank], ranks[#ranks + 1] = record, rank
    else
      io.stderr:write(("%s is no trace\n"):format(path))
    end
  end
  table.sort(ranks)
  return records, ranks
end

-- --- words -------------------------------------------------------------------------------------------------

-- Returns an operation in words, without its place.
local function operation(entry)
  local arguments = {}
  if entry.input_sizes[1] then
    arguments[1] = ("%s [%s]"):format(entry.input_dtypes[1], table.concat(entry.input_sizes[1], ", "))
  elseif #entry.input_dtypes > 0 then
    arguments[1] = entry.input_dtypes[1] .. " []"
  end
  if entry.reduce_op then arguments[#arguments + 1] = entry.reduce_op end
  if entry.root then arguments[#arguments + 1] = ("root %d"):format(entry.root) end
  return ("%s(%s)"):format(entry.profiling_name:match ":(.*)$", table.concat(arguments, ", "))
end

local function with_place(entry) return operation(entry) .. (entry.place ~= "" and " at " .. entry.place or "") end

-- Returns a list of ranks: "ranks 0, 1, 2".
local function list(ranks)
  local shown = table.concat(ranks, ", ", 1, math.min(#ranks, named))
  return ("%s %s%s"):format(#ranks == 1 and "rank" or "ranks", shown, #ranks > named and (" and %d more"):format(#ranks - named) or "")
end

local states = {scheduled = "not yet its turn", started = "under way"}
local function state_of(entry) return states[entry.state] or entry.state end

local function milliseconds(nanoseconds) return ("%.1f ms"):format(nanoseconds / 1e6) end

-- --- groups ------------------------------------------------------------------------------------------------

-- Returns the groups in order: {number, name, size, ranks: those that have records, of[rank] = {[number] = entry}, last[rank], first[rank]}.
local function groups_of(records, ranks)
  local groups, order = {}, {}
  for _, rank in ipairs(ranks) do
    for _, entry in ipairs(records[rank].entries) do
      local group = groups[entry.pg_id]
      if not group then
        group = {number = entry.pg_id, name = entry.process_group[1], size = entry.process_group[2], ranks = {}, of = {}, last = {}, first = {}, pairs = {}}
        groups[entry.pg_id], order[#order + 1] = group, entry.pg_id
      end
      if not group.of[rank] then
        group.of[rank], group.last[rank] = {}, 0
        group.ranks[#group.ranks + 1] = rank
      end
      local number = entry.collective_seq_id
      if number > 0 then
        group.of[rank][number], group.last[rank] = entry, math.max(group.last[rank], number)
        group.first[rank] = math.min(group.first[rank] or number, number)
      elseif entry.state ~= "completed" then
        group.pairs[#group.pairs + 1] = {rank = rank, entry = entry}
      end
    end
  end
  table.sort(order)
  local sorted = {}
  for i, number in ipairs(order) do sorted[i] = groups[number] end
  return sorted
end

-- Returns the last number that all ranks with records have completed, 0 if there is none.
local function last_common(group)
  local number = math.huge
  for _, rank in ipairs(group.ranks) do number = math.min(number, group.last[rank]) end
  local function done(n)
    for _, rank in ipairs(group.ranks) do
      local entry = group.of[rank][n]
      if not entry or entry.state ~= "completed" then return false end
    end
    return true
  end
  while number > 0 and not done(number) do number = number - 1 end
  return number
end

-- Appends a line about ranks without records. Those of the group of all ranks are named.
local function tell_silent(lines, group, indent)
  local silent = {}
  for rank = 0, group.number == 0 and group.size - 1 or -1 do
    if not group.of[rank] then silent[#silent + 1] = rank end
  end
  local count = group.size - #group.ranks
  if count == 0 then return end
  lines[#lines + 1] = ("%s%s left no record: killed, or never in the group"):format(indent,
    #silent > 0 and list(silent) or ("%d of %d ranks"):format(count, group.size))
end

-- Appends what each rank did in the operation of a number, those that did the same in one line.
local function tell_operation(lines, group, number)
  local by_words, order, absent = {}, {}, {}
  for _, rank in ipairs(group.ranks) do
    local entry = group.of[rank][number]
    if entry then
      local words = ("%s, %s"):format(with_place(entry), state_of(entry))
      if not by_words[words] then by_words[words], order[#order + 1] = {}, words end
      table.insert(by_words[words], rank)
    else
      absent[#absent + 1] = rank
    end
  end
  lines[#lines + 1] = ("  Then, number %d:"):format(number)
  for _, words in ipairs(order) do lines[#lines + 1] = ("    %s: %s"):format(list(by_words[words]), words) end
  for _, rank in ipairs(absent) do
    local last = group.of[rank][group.last[rank]]
    lines[#lines + 1] = ("    rank %d has not begun it; its last was %s"):format(rank, last and with_place(last) or "none")
  end
  tell_silent(lines, group, "    ")
end

-- Appends a line if the ranks' operations of a number differ.
local function tell_mismatch(lines, group, number)
  local first
  for _, rank in ipairs(group.ranks) do
    local entry = group.of[rank][number]
    if entry and first and operation(entry) ~= operation(group.of[first][number]) then
      lines[#lines + 1] = ("  Mismatch: rank %d began %s, rank %d %s"):format(first, operation(group.of[first][number]), rank, operation(entry))
      return
    end
    first = first or entry and rank
  end
end

-- Returns how often each rank came last to the operations that all of them completed, and by how much: a list, the worst first.
local function stragglers_of(group)
  local of, sorted, total = {}, {}, 0
  if #group.ranks < 2 then return sorted, total end
  local first, last = 1, last_common(group)
  for _, rank in ipairs(group.ranks) do first = math.max(first, group.first[rank] or math.huge) end
  for number = first, last do
    local earliest, latest, who = math.huge, -math.huge, nil
    for _, rank in ipairs(group.ranks) do
      local entry = group.of[rank][number]
      local time = entry and entry.time_created_ns or earliest
      if time < earliest then earliest = time end
      if time > latest then latest, who = time, rank end
    end
    local s = of[who] or {rank = who, count = 0, sum = 0, most = 0}
    of[who], total = s, total + 1
    s.count, s.sum, s.most = s.count + 1, s.sum + (latest - earliest), math.max(s.most, latest - earliest)
  end
  for _, s in pairs(of) do sorted[#sorted + 1] = s end
  table.sort(sorted, function(a, b) return a.sum > b.sum end)
  return sorted, total
end

local function tell_stragglers(lines, group)
  local sorted, total = stragglers_of(group)
  for i = 1, math.min(#sorted, 3) do
    local s = sorted[i]
    lines[#lines + 1] = ("  %s rank %d came last in %d of %d operations, %s after the first on average, at most %s"):format(
      i == 1 and "Stragglers:" or "           ", s.rank, s.count, total, milliseconds(s.sum / s.count), milliseconds(s.most))
  end
end

local function tell_group(lines, group)
  local common, most = last_common(group), 0
  for _, rank in ipairs(group.ranks) do most = math.max(most, group.last[rank]) end
  lines[#lines + 1] = ("Group %s of %d ranks:"):format(group.name, group.size)
  if common > 0 then
    lines[#lines + 1] = ("  All completed number %d: %s"):format(common, with_place(group.of[group.ranks[1]][common]))
  end
  if most > common then
    tell_mismatch(lines, group, common + 1)
    tell_operation(lines, group, common + 1)
  elseif #group.ranks < group.size then
    tell_silent(lines, group, "  ")
  end
  for i = 1, math.min(#group.pairs, named) do
    local p = group.pairs[i]
    lines[#lines + 1] = ("  rank %d: %s, %s"):format(p.rank, with_place(p.entry), state_of(p.entry))
  end
  tell_stragglers(lines, group)
end

-- --- the timeline ------------------------------------------------------------------------------------------

-- Writes all operations for chrome://tracing: a process for each rank, a row for each group.
local function write_timeline(path, records, ranks)
  local file = assert(io.open(path, "w"))
  local separator = '{"traceEvents": [\n'
  local function event(text)
    file:write(separator, text)
    separator = ",\n"
  end
  for _, rank in ipairs(ranks) do
    event(('{"ph": "M", "name": "process_name", "pid": %d, "args": {"name": %s}}'):format(rank,
      json.write(("rank %d (%s, process %d)"):format(rank, records[rank].host or "?", records[rank].process))))
    local last = 0
    for _, entry in ipairs(records[rank].entries) do last = math.max(last, entry.time_discovered_completed_ns or 0, entry.time_created_ns) end
    for _, entry in ipairs(records[rank].entries) do
      local ended = entry.time_discovered_completed_ns or last
      event(('{"ph": "X", "name": %s, "cat": "%s", "pid": %d, "tid": %d, "ts": %.3f, "dur": %.3f, "args": %s}'):format(
        json.write(entry.profiling_name), entry.state, rank, entry.pg_id, entry.time_created_ns / 1e3, (ended - entry.time_created_ns) / 1e3,
        json.write {operation = operation(entry), place = entry.place, number = entry.collective_seq_id, group = entry.process_group[1],
          state = entry.state}))
    end
  end
  file:write(separator == ",\n" and "" or separator, "\n]}\n")
  file:close()
end

--- Prints what the files in a folder tell, and writes the timeline, if one is wanted. Returns the exit code.
function trace.tell(path, timeline)
  local folder = folder_of(path)
  if not folder then error({usage = ("%s has no traces of ranks (rank_0.json)"):format(path)}, 0) end
  local records, ranks = read_all(folder)
  local lines = {("Traces of %d ranks in %s:"):format(#ranks, folder)}
  for _, rank in ipairs(ranks) do
    local entries = records[rank].entries
    local last = entries[#entries]
    if #ranks <= 32 then
      lines[#lines + 1] = ("  rank %d (%s, process %d): %s"):format(rank, records[rank].host or "?", records[rank].process,
        last and ("last %s, %s"):format(with_place(last), state_of(last)) or "no operation")
    end
  end
  for _, group in ipairs(groups_of(records, ranks)) do tell_group(lines, group) end
  print(table.concat(lines, "\n"))
  if timeline then write_timeline(timeline, records, ranks) end
  return 0
end

return trace
