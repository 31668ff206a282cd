-- utils/benchmark.lua: torch.utils.benchmark: measures how long something takes.
--
--   local timer = torch.utils.benchmark.Timer{stmt = function() x:matmul(x) end, label = "matmul"}
--   print(timer:blocked_autorange())
--
-- stmt is a function, or a text of Lua that sees the names of globals and what setup, another text or function, makes of them.
local torch = ...
local support = torch._part "support"
local benchmark = {}

-- --- measurements -----------------------------------------------------------------------------------------------

local IQR_WARNING, IQR_GROSS_WARNING, MIN_INTERVAL, MAX_FIGURES = 0.1, 0.25, 25e-9, 4

local Measurement = support.class("Measurement", nil, "torch.utils.benchmark.utils.common")
benchmark.Measurement = Measurement

--- Creates a measurement. number_per_run: how often the statement ran in each of raw_times (seconds); spec: label, sub_label,
-- description, stmt, num_threads.
function Measurement:init(number_per_run, raw_times, spec)
  self.number_per_run, self.raw_times, self.task_spec = number_per_run, raw_times, spec
  self.times = {}
  for i, t in ipairs(raw_times) do self.times[i] = t / number_per_run end
  local sorted = torch.tensor(self.times, {dtype = torch.float64}):sort()
  self.median, self.mean = sorted:quantile(0.5):item(), sorted:mean():item()
  self.p25, self.p75 = sorted:quantile(0.25):item(), sorted:quantile(0.75):item()
  self.iqr = self.p75 - self.p25
  self.num_threads = spec.num_threads or 1
  self.has_warnings = not self:meets_confidence(IQR_WARNING)
end

function Measurement:meets_confidence(threshold) return self.iqr / self.median < (threshold or IQR_WARNING) end

function Measurement:significant_figures()
  local sorted, n = torch.tensor(self.times, {dtype = torch.float64}):sort(), #self.times
  local middle = sorted:narrow(0, n // 4, math.ceil(3 * n / 4) - n // 4)
  local interval = math.max(1.645 * middle:std{correction = 0}:item() / math.sqrt(middle:numel()), MIN_INTERVAL)
  return math.min(math.max(math.floor(math.log(self.median / interval, 10)), 1), MAX_FIGURES)
end

local function unit_of(seconds)
  local scale = math.floor(math.log(seconds, 10) / 3)
  if scale == -3 then return "ns", 1e-9 elseif scale == -2 then return "us", 1e-6 elseif scale == -1 then return "ms", 1e-3 end
  return "s", 1
end

function Measurement:title()
  local spec = self.task_spec
  local head = spec.label or type(spec.stmt) == "string" and spec.stmt or "function"
  return spec.sub_label and head .. ": " .. spec.sub_label or head
end

function Measurement:__tostring()
  local n, spec = #self.times, self.task_spec
  local unit, scale = unit_of(self.median)
  local out = {("<torch.utils.benchmark.utils.common.Measurement object at %s>"):format(support.address(self)), self:title(), spec.description}
  out[#out + 1] = ("  %s%.2f %s"):format(n > 1 and "Median: " or "", self.median / scale, unit)
  if n >= 4 then
    out[#out + 1] = ("  IQR:    %.2f %s (%.2f to %.2f)"):format(self.iqr / scale, unit, self.p25 / scale, self.p75 / scale)
  end
  out[#out + 1] = ("  %d measurement%s, %d runs %s %d thread%s"):format(n, n > 1 and "s" or "", self.number_per_run,
    n > 1 and "per measurement," or ",", self.num_threads, self.num_threads > 1 and "s" or "")
  if self.has_warnings then
    out[#out + 1] = ("  WARNING: Interquartile range is %.1f%% of the median measurement.\n           %s"):format(self.iqr / self.median * 100,
      self:meets_confidence(IQR_GROSS_WARNING) and "This could indicate system fluctuation."
        or "This suggests significant environmental influence.")
  end
  return table.concat(out, "\n")
end

-- --- the timer --------------------------------------------------------------------------------------------------

local Timer = support.class("Timer", nil, "torch.utils.benchmark.utils.timer")
benchmark.Timer = Timer
local read = torch._define "Timer.__init__(stmt='', setup='', timer?, globals?, label?, sub_label?, description?, env?, num_threads=1)"

local function compiled(code, globals)
  if type(code) ~= "string" then return code end
  local f, problem = load(code, "=stmt", "t", globals)
  if not f then support.fail("SyntaxError", "%s", problem) end
  return f
end

local function now()
  if torch.cuda.is_available() then torch.cuda.synchronize() end
  return torch._clock()
end

function Timer:init(...)
  local a = read(...)
  local globals = setmetatable({torch = torch}, {__index = _G})
  for name, value in pairs(a.globals or {}) do globals[name] = value end
  self.task_spec, self.clock = a, a.timer or now
  self.setup, self.stmt = compiled(a.setup, globals), compiled(a.stmt, globals)
end

-- Returns the seconds of `number` runs.
function Timer:_timeit(number)
  self.setup()
  local stmt, begin = self.stmt, self.clock()
  for _ = 1, number do stmt() end
  return math.max(self.clock() - begin, 1e-9)
end

-- Calls f() with the timer's number of threads.
function Timer:_with_threads(f)
  local before = torch.get_num_threads()
  torch.set_num_threads(self.task_spec.num_threads)
  return support.guarded(function() torch.set_num_threads(before) end, f)
end

function Timer:timeit(number)
  number = number or 1000000
  return self:_with_threads(function()
    self:_timeit(math.max(number // 100, 2))
    return Measurement(number, {self:_timeit(number)}, self.task_spec)
  end)
end

-- Returns a number of runs for which the clock's own time is negligible.
function Timer:_block_size(min_run_time)
  local overheads = {}
  for i = 1, 5 do overheads[i] = self:_timeit(0) end
  table.sort(overheads)
  local number = 1
  while number * 10 <= 2147483647 do
    local taken = self:_timeit(number)
    if overheads[3] / taken <= 1e-4 and taken >= min_run_time / 1000 or taken > min_run_time then break end
    number = number * 10
  end
  return number
end

function Timer:_measure(number, min_seconds, max_seconds, enough)
  local times, total = {}, 0
  while total < max_seconds do
    times[#times + 1] = self:_timeit(number)
    total = total + times[#times]
    if total >= min_seconds and enough(times) then break end
  end
  return Measurement(number, times, self.task_spec)
end

local function option(value, key, default)
  if support.is_plain(value) then value = value[key] end
  return value or default
end

function Timer:blocked_autorange(min_run_time)
  local min_seconds = option(min_run_time, "min_run_time", 0.2)
  return self:_with_threads(function()
    return self:_measure(self:_block_size(min_seconds), min_seconds, math.huge, function() return true end)
  end)
end

function Timer:adaptive_autorange(threshold, options)
  if support.is_plain(threshold) then threshold, options = threshold.threshold, threshold end
  options = options or {}
  return self:_with_threads(function()
    local number = self:_block_size(0.05)
    return self:_measure(number, options.min_run_time or 0.01, options.max_run_time or 10.0, function(times)
      return #times > 3 and Measurement(number, times, self.task_spec):meets_confidence(threshold or 0.1)
    end)
  end)
end

return torch._namespace(benchmark, "torch.utils.benchmark")
