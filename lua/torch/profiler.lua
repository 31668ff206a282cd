-- profiler.lua: torch.profiler: measures the time and the memory of a program: by operator, by module, by line. Off, it costs
-- nothing.
local torch = ...
local support = torch._part "support"
local driver, define, clock = torch._profiler, torch._define, torch._clock
local profiler = {}

-- --- the lines of the program ------------------------------------------------------------------------------------

-- Numbers the lines of a program: each file has several, each number has a text and the time spent on it.
local Lines = {}
Lines.__index = Lines

local function new_lines() return setmetatable({by_source = {}, names = {}, seconds = {}, hits = {}, current = 0, since = clock()}, Lines) end

-- Adds the time since the last change to the line that was current, and makes another line current. Returns the new line's
-- number.
function Lines:enter(source, line)
  local now, current = clock(), self.current
  if current > 0 then self.seconds[current] = self.seconds[current] + now - self.since end
  self.since = now
  local of_source = self.by_source[source]
  if not of_source then
    of_source = {}
    self.by_source[source] = of_source
  end
  local number = of_source[line]
  if not number then
    number = #self.names + 1
    of_source[line] = number
    self.names[number] = ("%s:%d"):format(source, line)
    self.seconds[number], self.hits[number] = 0, 0
  end
  if number ~= current then driver.mark(number) end
  self.current = number
  return number
end

-- Returns true if a function is the program's own, not one of Tocha's.
local function is_own(info) return info.what ~= "C" and not info.short_src:find "^%[tocha%]" end

-- Returns the hook that is called when a line begins, or when a function returns to the middle of one.
function Lines:hook()
  return function(event, line)
    if event == "line" then
      local info = debug.getinfo(2, "S")
      if is_own(info) then
        local number = self:enter(info.short_src, line)
        self.hits[number] = self.hits[number] + 1
      end
      return
    end
    local info = debug.getinfo(2, "S")
    local caller = is_own(info) and debug.getinfo(3, "Sl")
    if caller and is_own(caller) then self:enter(caller.short_src, caller.currentline) end
  end
end

-- --- ranges with a name ------------------------------------------------------------------------------------------

local active   -- the profile that is on

--- record_function(name, function, ...) calls the function with the further arguments; a profile shows the time under that name.
function profiler.record_function(name, f, ...)
  if not active then return f(...) end
  local ranges, start = active.ranges, clock()
  local function finish(...)
    ranges[#ranges + 1] = {name = tostring(name), start = start, seconds = clock() - start}
    return ...
  end
  return finish(f(...))
end

-- --- sums --------------------------------------------------------------------------------------------------------

local function time_text(us)
  if us >= 1e6 then return ("%.3fs"):format(us / 1e6) end
  if us >= 1e3 then return ("%.3fms"):format(us / 1e3) end
  return ("%.3fus"):format(us)
end

-- A row of sums, PyTorch's FunctionEventAvg. PyTorch's older names of what concerns GPUs have "cuda" in place of "device".
local Row = {__name = "FunctionEventAvg"}
local FIELDS = {"cpu_time_total", "self_cpu_time_total", "cpu_memory_usage", "self_cpu_memory_usage", "device_time_total",
  "self_device_time_total", "device_memory_usage", "self_device_memory_usage"}

function Row.__index(row, name)
  if name == "cpu_time" then return row.cpu_time_total / row.count end
  if name == "self_cpu_time" then return row.self_cpu_time_total / row.count end
  if name == "device_time" then return row.device_time_total / row.count end
  local newer = type(name) == "string" and name:gsub("cuda", "device")
  if newer and newer ~= name then return row[newer] end
end
function Row.__tostring(row)
  return ("<FunctionEventAvg key=%s self_cpu_time=%s cpu_time=%s  self_cuda_time=%s cuda_time=%s input_shapes= cpu_memory_usage=%d "
    .. "cuda_memory_usage=%d>"):format(row.key, time_text(row.self_cpu_time_total), time_text(row.cpu_time),
    time_text(row.self_device_time_total), time_text(row.device_time), row.cpu_memory_usage, row.device_memory_usage)
end

--- Returns a row of given sums, as key_averages does for events; sums that are missing are 0.
function profiler._row(fields)
  for _, name in ipairs(FIELDS) do fields[name] = fields[name] or 0 end
  return setmetatable(fields, Row)
end

-- Sums of events: those of an operator, or of a range. Seconds and bytes of the host and of GPUs.
local function sums_of(event)
  return {seconds = event.seconds, bytes = event.bytes - event.gpu_bytes, gpu_seconds = event.gpu_seconds, gpu_bytes = event.gpu_bytes}
end

-- Adds sums to the row of a key: all of them, and those that are its own, without parts that have rows themselves.
local function add(rows, key, all, own)
  local row = rows[key]
  if not row then
    row = profiler._row {key = key, count = 0, device_type = "CPU"}
    rows[key] = row
    rows[#rows + 1] = row
  end
  row.count = row.count + 1
  row.cpu_time_total = row.cpu_time_total + 1e6 * all.seconds
  row.self_cpu_time_total = row.self_cpu_time_total + 1e6 * own.seconds
  row.cpu_memory_usage = row.cpu_memory_usage + all.bytes
  row.self_cpu_memory_usage = row.self_cpu_memory_usage + own.bytes
  row.device_time_total = row.device_time_total + 1e6 * all.gpu_seconds
  row.self_device_time_total = row.self_device_time_total + 1e6 * own.gpu_seconds
  row.device_memory_usage = row.device_memory_usage + all.gpu_bytes
  row.self_device_memory_usage = row.self_device_memory_usage + own.gpu_bytes
end

-- Adds the rows of kernels, copies and fills, which have no time of the CPU.
local function add_activities(rows, activities)
  for _, a in ipairs(activities) do
    local sums = {seconds = 0, bytes = 0, gpu_seconds = a.seconds, gpu_bytes = 0}
    add(rows, a.name, sums, sums)
    rows[a.name].device_type = "CUDA"
  end
end

-- Returns the number of events, which are in order, that began before a time.
local function count_before(events, time)
  local low, high = 0, #events
  while low < high do
    local middle = (low + high) // 2
    if events[middle + 1].start < time then low = middle + 1 else high = middle end
  end
  return low
end

-- Returns a function that gives the sums of the operators within a range.
local function inside(events)
  local running = {[0] = {seconds = 0, bytes = 0, gpu_seconds = 0, gpu_bytes = 0}}
  for i, e in ipairs(events) do
    local sums = sums_of(e)
    for name, value in pairs(running[i - 1]) do sums[name] = sums[name] + value end
    running[i] = sums
  end
  return function(range)
    local first, last = count_before(events, range.start), count_before(events, range.start + range.seconds)
    local sums = {}
    for name, value in pairs(running[last]) do sums[name] = value - running[first][name] end
    return sums
  end
end

-- --- tables ------------------------------------------------------------------------------------------------------

local function bytes_text(n)
  local size = math.abs(n)
  for _, unit in ipairs {{1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "KB"}} do
    if size >= unit[1] then return ("%.2f %s"):format(n / unit[1], unit[2]) end
  end
  return ("%d B"):format(n)
end

-- Returns a name cut to so many columns, with dots if it is too long.
local function shortened(name, max_width)
  local n = utf8.len(name)
  if not n or n < max_width - 3 then return name end
  return name:sub(1, utf8.offset(name, max_width - 2) - 1) .. "..."
end

-- Returns the first `limit` rows under headings, laid out as in PyTorch: the first column is four wider than the longest name of
-- all rows (at most `max_width`), the others have 12 characters, also if a text is longer. Without `max_width` they are wide enough.
local function layout(heads, rows, limit, last_lines, max_width, header)
  local widths, lines = {}, {}
  local function widen(i, text)
    if i == 1 or not max_width then widths[i] = math.max(widths[i], utf8.len(text) or #text) end
  end
  for i, head in ipairs(heads) do
    widths[i] = i == 1 and 0 or 12
    widen(i, head)
  end
  for _, row in ipairs(rows) do
    for i, text in ipairs(row) do widen(i, text) end
  end
  widths[1] = math.min(widths[1] + 4, max_width or math.huge)
  local rule = {}
  for i, width in ipairs(widths) do rule[i] = ("-"):rep(width) end
  local function line(row)
    local parts = {}
    for i, text in ipairs(row) do
      if i == 1 and max_width and row ~= heads and row ~= rule then text = shortened(text, max_width) end
      parts[i] = (" "):rep(widths[i] - (utf8.len(text) or #text)) .. text .. "  "
    end
    return table.concat(parts)
  end
  if header then
    lines[1], lines[2] = ("="):rep(#line(rule) - 2), header
  end
  for _, row in ipairs {rule, heads, rule} do lines[#lines + 1] = line(row) end
  for i = 1, math.min(#rows, limit) do lines[#lines + 1] = line(rows[i]) end
  lines[#lines + 1] = line(rule)
  for _, text in ipairs(last_lines) do lines[#lines + 1] = text end
  return table.concat(lines, "\n") .. "\n"
end

local function share(part, whole) return ("%.2f%%"):format(whole > 0 and 100 * part / whole or 0) end

local Averages = support.class("EventList", nil, "torch.autograd.profiler_util")

local read_table = define "EventList.table(sort_by?, row_limit=100, max_src_column_width=75, max_name_column_width=55, header?)"

-- Returns the headings and a function that gives a row's texts: PyTorch's columns, those of GPUs only if a GPU took part.
local function columns_of(list)
  local gpu_total, activity_total, has_gpu_bytes = 0, 0, false
  for _, row in ipairs(list.rows) do
    if row.device_type == "CUDA" then
      activity_total = activity_total + row.self_device_time_total
    else
      gpu_total = gpu_total + row.self_device_time_total
    end
    has_gpu_bytes = has_gpu_bytes or row.self_device_memory_usage > 0
  end
  if activity_total > 0 then gpu_total = activity_total end   -- operators contain their kernels
  local has_gpu_time = gpu_total > 0
  local heads = {list.what, "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"}
  local function append(out, ...) table.move({...}, 1, select("#", ...), #out + 1, out) end
  if has_gpu_time then append(heads, "Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg") end
  append(heads, "CPU Mem", "Self CPU Mem")
  if has_gpu_bytes then append(heads, "CUDA Mem", "Self CUDA Mem") end
  append(heads, list.what == "Module" and "# of Operators" or "# of Calls")
  return heads, function(row)
    local out = {row.key, share(row.self_cpu_time_total, list.total), time_text(row.self_cpu_time_total), share(row.cpu_time_total, list.total),
      time_text(row.cpu_time_total), time_text(row.cpu_time)}
    if has_gpu_time then
      append(out, time_text(row.self_device_time_total), share(row.self_device_time_total, gpu_total), time_text(row.device_time_total),
        time_text(row.device_time))
    end
    append(out, bytes_text(row.cpu_memory_usage), bytes_text(row.self_cpu_memory_usage))
    if has_gpu_bytes then append(out, bytes_text(row.device_memory_usage), bytes_text(row.self_device_memory_usage)) end
    append(out, tostring(row.count))
    return out
  end, has_gpu_time and gpu_total
end

-- Returns the rows in the order of a field, largest first.
local function sorted_by(rows, field)
  local sorted, place = table.move(rows, 1, #rows, 1, {}), {}
  for i, row in ipairs(sorted) do
    place[row] = i
    if not math.type(row[field]) then support.fail("AttributeError", "'FunctionEventAvg' object has no attribute '%s'", field) end
  end
  table.sort(sorted, function(x, y) return x[field] > y[field] or x[field] == y[field] and place[x] < place[y] end)
  return sorted
end

-- Returns the table as PyTorch lays it out.
function Averages:table(...)
  local a = read_table(...)
  local heads, texts_of, gpu_total = columns_of(self)
  local rows = {}
  for i, row in ipairs(a.sort_by and sorted_by(self.rows, a.sort_by) or self.rows) do rows[i] = texts_of(row) end
  local last_lines = {"Self CPU time total: " .. time_text(self.total)}
  if gpu_total then last_lines[2] = "Self CUDA time total: " .. time_text(gpu_total) end
  return layout(heads, rows, a.row_limit, last_lines, self.what == "Name" and a.max_name_column_width or nil, a.header)
end
function Averages:__len() return #self.rows end
function Averages.item(self, index) return rawget(self, "rows")[index + 1] end
function Averages.__tostring(self) return self:table() end

local function averages(what, sums, total)
  local list = Averages()
  list.what, list.rows, list.total = what, sums, total
  table.sort(sums, function(a, b)
    if a.self_cpu_time_total ~= b.self_cpu_time_total then return a.self_cpu_time_total > b.self_cpu_time_total end
    return a.key < b.key
  end)
  return list
end

--- Returns the list of given rows, in this order.
function profiler._averages(rows, total)
  local list = Averages()
  list.what, list.rows, list.total = "Name", rows, total
  return list
end

-- --- the profile -------------------------------------------------------------------------------------------------

local Profile = support.class("profile", nil, "torch.profiler")

--- Returns the sums by operator, and of the ranges of record_function: a list with table{sort_by, row_limit}.
function Profile:key_averages()
  local rows, total = {}, 0
  for _, e in ipairs(self.events) do
    local sums = sums_of(e)
    add(rows, "aten::" .. e.name, sums, sums)
    total = total + 1e6 * e.seconds
  end
  local within = inside(self.events)
  for _, range in ipairs(self.ranges) do
    local sums = within(range)
    local own = range.seconds - sums.seconds
    sums.seconds = range.seconds
    add(rows, range.name, sums, {seconds = own, bytes = 0, gpu_seconds = 0, gpu_bytes = 0})
    total = total + 1e6 * own
  end
  add_activities(rows, self.activities)
  return averages("Name", rows, total)
end

--- Returns the sums by module: of the operators called while it was the innermost.
function Profile:by_module()
  local rows, total = {}, 0
  for _, e in ipairs(self.events) do
    local sums = sums_of(e)
    add(rows, e.module or "(no module)", sums, sums)
    total = total + 1e6 * e.seconds
  end
  return averages("Module", rows, total)
end

--- Returns a table of the program's lines: all time spent on them, and how much of it in operators.
function Profile:by_line(limit)
  local lines, of_operators, bytes, order, total = self.lines, {}, {}, {}, 0
  for _, e in ipairs(self.events) do
    of_operators[e.mark] = (of_operators[e.mark] or 0) + e.seconds
    bytes[e.mark] = (bytes[e.mark] or 0) + e.bytes
  end
  for number, seconds in ipairs(lines.seconds) do
    order[number] = number
    total = total + seconds
  end
  table.sort(order, function(a, b)
    if lines.seconds[a] ~= lines.seconds[b] then return lines.seconds[a] > lines.seconds[b] end
    return a < b
  end)
  local rows = {}
  for i = 1, math.min(#order, limit or 100) do
    local n = order[i]
    rows[i] = {lines.names[n], share(lines.seconds[n], total), time_text(1e6 * lines.seconds[n]), time_text(1e6 * (of_operators[n] or 0)),
      bytes_text(bytes[n] or 0), tostring(lines.hits[n])}
  end
  return layout({"Line", "Time %", "Time", "in operators", "CPU Mem", "# of Hits"}, rows, #rows, {"Time total: " .. time_text(1e6 * total)})
end

--- Writes the profile for chrome://tracing and Perfetto.
function Profile:export_chrome_trace(path)
  local file, message = io.open(path, "w")
  if not file then support.fail("FileNotFoundError", "%s", message) end
  local quoted = torch._part "tools.json".write
  local function number(x) return support.number("%.3f", x) end
  local separator = '{"traceEvents": [\n'
  -- `track`: "CPU", or "GPU 0" and so on, which is a process of its own to the viewer
  local function event(category, name, start, seconds, more, track)
    file:write(separator, ('{"ph": "X", "cat": "%s", "name": %s, "pid": %s, "tid": 1, "ts": %s, "dur": %s, "args": {%s}}'):format(category,
      quoted(name), track and quoted(track) or "1", number(1e6 * (start - self.start)), number(1e6 * seconds), more))
    separator = ",\n"
  end
  event("user_annotation", "profile", self.start, self.seconds, "")
  for _, range in ipairs(self.ranges) do event("user_annotation", range.name, range.start, range.seconds, "") end
  for _, e in ipairs(self.events) do
    local more = {('"Bytes": %d'):format(e.bytes)}
    if e.module then more[#more + 1] = '"Module": ' .. quoted(e.module) end
    if self.lines.names[e.mark] then more[#more + 1] = '"Line": ' .. quoted(self.lines.names[e.mark]) end
    more = table.concat(more, ", ")
    event("cpu_op", "aten::" .. e.name, e.start, e.seconds, more)
    if e.gpu then event("gpu_op", "aten::" .. e.name, e.gpu_start, e.gpu_seconds, more, "GPU " .. e.gpu) end
  end
  for _, a in ipairs(self.activities) do event("kernel", a.name, a.start, a.seconds, "", "GPU " .. a.gpu) end
  file:write "\n]}\n"
  local written = file:close()
  if not written then support.fail("OSError", "cannot write %s", path) end
end

function Profile.__tostring(self)
  local parts = {self:key_averages():table{row_limit = 20}}
  local modules = self:by_module()
  if #modules.rows > 1 then parts[#parts + 1] = modules:table{row_limit = 20} end
  if #self.lines.names > 0 then parts[#parts + 1] = self:by_line(20) end
  if self.lost > 0 then parts[#parts + 1] = ("%d events were lost"):format(self.lost) end
  return table.concat(parts, "\n")
end

-- Returns the kernels, copies and fills that GPUs ran, in the order of their start: none without CUPTI.
local function collected_activities()
  local activities = {}
  while true do
    local name, gpu, start, seconds = driver.activity(#activities)
    if not name then break end
    activities[#activities + 1] = {name = name, gpu = gpu, start = start, seconds = seconds}
  end
  table.sort(activities, function(a, b) return a.start < b.start end)
  return activities
end

local function collect(profile)
  local events, i = {}, 0
  while true do
    local name, start, seconds, bytes, mark, module = driver.event(i)
    if not name then break end
    local gpu_bytes, gpu, gpu_start, gpu_seconds = driver.gpu(i)
    i = i + 1
    events[i] = {name = name, start = start, seconds = seconds, bytes = bytes, mark = mark, module = module, gpu_bytes = gpu_bytes, gpu = gpu,
      gpu_start = gpu_start, gpu_seconds = gpu_seconds or 0}
  end
  profile.events, profile.activities = events, collected_activities()
end

-- Returns a function that sets this thread's present hook again.
local function keep_hook()
  if not debug.gethook then return function() end end -- a sandbox has no hooks
  local thread, hook, mask, count = (coroutine.running()), debug.gethook()
  if hook == "external hook" then return driver.keep_hook() end -- of a host in C
  return function() debug.sethook(thread, hook, mask, count) end
end

-- Returns true if GPUs are to be timed: CUDA is among the activities, or no activities are named.
local function times_gpus(activities)
  if activities == nil then return true end
  for _, activity in ipairs(activities) do
    if activity == "CUDA" then
      if not torch.cuda.is_available() then torch._warn("CUDA is not available, disabling CUDA profiling") end
      return true
    end
  end
  return false
end

local read_profile = define "profile(activities?, schedule?, on_trace_ready?, *, record_shapes=false, profile_memory=false, with_stack=true)"

--- profile([options,] function) runs the function and returns its profile: print it, or call key_averages(), by_module(),
-- by_line(), export_chrome_trace(path). with_stack = false omits the lines, whose counting takes time.
function profiler.profile(...)
  local arguments = table.pack(...)
  local f = arguments[arguments.n]
  if type(f) ~= "function" then support.fail("TypeError", "profile() expects a function in last place: torch.profiler.profile(function() ... end)") end
  local a = arguments.n > 1 and read_profile(table.unpack(arguments, 1, arguments.n - 1)) or {with_stack = true}
  if a.with_stack and not debug.sethook then
    support.fail("RuntimeError", "a sandbox counts no lines: torch.profiler.profile({with_stack = false}, f)")
  end
  local profile = Profile()
  profile.ranges, profile.lines = {}, new_lines()
  driver.start(times_gpus(a.activities))
  active = profile
  local restore_hook = keep_hook()
  profile.start = clock()
  profile.lines.since = profile.start
  if a.with_stack then debug.sethook(profile.lines:hook(), "lr") end
  support.guarded(function()
    if a.with_stack then restore_hook() end
    local lines = profile.lines
    if lines.current > 0 then lines.seconds[lines.current] = lines.seconds[lines.current] + clock() - lines.since end
    profile.seconds = clock() - profile.start
    local collected, problem = pcall(collect, profile)   -- fails if a kernel did
    active, profile.lost = nil, driver.stop()
    if not collected then error(problem, 0) end
  end, f)
  return profile
end

--- PyTorch's names of activities. Without CUDA among them, GPUs are waited for, so that the CPU's times contain theirs.
profiler.ProfilerActivity = {CPU = "CPU", CUDA = "CUDA"}

return torch._namespace(profiler, "torch.profiler")
