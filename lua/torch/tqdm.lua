-- tqdm.lua: torch.tqdm(loader): the same iteration with a progress bar on stderr, if that is a terminal. torch.tqdm(n) counts
-- from 0 to n - 1; torch.tqdm(iterator) and torch.tqdm(pairs(t)) iterate over their arguments. Options and methods are tqdm's.
local torch = ...
local support = torch._part "support"

local read = torch._define("tqdm(iterable?, desc='', total?, leave=true, file?, ncols?, mininterval=0.1, maxinterval?, miniters?, " ..
  "ascii?, disable=false, unit='it', unit_scale?, dynamic_ncols?, smoothing?, bar_format?, initial=0, position?, postfix?, colour?)")
local BLOCKS = {"▏", "▎", "▍", "▌", "▋", "▊", "▉"}
local colours = {black = 30, red = 31, green = 32, yellow = 33, blue = 34, magenta = 35, cyan = 36, white = 37}

local Bar = support.class("tqdm", nil, "torch.tqdm")
local latest = setmetatable({}, {__mode = "v"}) -- the bar whose line is not finished

-- --- text -----------------------------------------------------------------------------------------------

local function interval(seconds)
  local whole = math.floor(seconds)
  local hours, minutes = whole // 3600, whole // 60 % 60
  if hours > 0 then return ("%d:%02d:%02d"):format(hours, minutes, whole % 60) end
  return ("%02d:%02d"):format(minutes, whole % 60)
end

-- Returns three significant digits, or all if that is shorter.
local function short_number(value)
  local short = support.number("%.3g", value):gsub("e([+-])0", "e%1")
  local long = support.python(value)
  return #short < #long and short or long
end

local function value_text(value)
  if torch.is_tensor(value) and value:numel() == 1 then value = value:item() end
  return type(value) == "number" and short_number(value) or tostring(value)
end

local function rate_text(rate, unit)
  if not rate then return "?" .. unit .. "/s" end
  if rate < 1 then return support.number("%5.2f", 1 / rate) .. "s/" .. unit end
  return support.number("%5.2f", rate) .. unit .. "/s"
end

local function blocks(fraction, width, ascii)
  local full = math.floor(fraction * width)
  if full >= width then return (ascii and "#" or "█"):rep(width) end
  local eighths = math.floor((fraction * width - full) * 8)
  if ascii then return ("#"):rep(full) .. (" "):rep(width - full) end
  return ("█"):rep(full) .. (BLOCKS[eighths] or " ") .. (" "):rep(width - full - 1)
end

function Bar:text(columns)
  local elapsed, total = torch._clock() - self.begin, self.total
  local rate = self.n > 0 and elapsed > 0 and self.n / elapsed or nil
  local prefix = self.desc ~= "" and self.desc .. ": " or ""
  local extra = self.postfix ~= "" and ", " .. self.postfix or ""
  if not total then
    return ("%s%d%s [%s, %s%s]"):format(prefix, self.n, self.unit, interval(elapsed), rate_text(rate, self.unit), extra)
  end
  local fraction = total > 0 and math.min(1, self.n / total) or 1
  local left = rate and interval((total - self.n) / rate) or "?"
  local head = ("%s%3d%%|"):format(prefix, math.floor(fraction * 100))
  local tail = ("| %d/%d [%s<%s, %s%s]")
    :format(self.n, total, interval(elapsed), left, rate_text(rate, self.unit), extra)
  local width = math.max(1, math.min(columns - utf8.len(head .. tail) - 1, 60))
  local bar = blocks(fraction, width, self.ascii)
  local code = colours[(self.colour or ""):lower()]
  if code then bar = ("\27[%dm%s\27[0m"):format(code, bar) end
  return head .. bar .. tail
end

-- --- drawing --------------------------------------------------------------------------------------------

function Bar:draw()
  local columns = self.ncols or torch._terminal "stderr" or 80
  io.stderr:write("\r\27[K", self:text(columns))
  io.stderr:flush()
  self.drawn = torch._clock()
  latest.bar = self
end

function Bar:refresh()
  if not self.disable and not self.closed then self:draw() end
end

function Bar:init(...)
  local a = read(...)
  for _, name in ipairs{"file", "unit_scale", "bar_format"} do
    if a[name] then support.fail("NotImplementedError", "tqdm: %s is not supported", name) end
  end
  self.iterable, self.desc, self.total, self.leave = a.iterable, a.desc, a.total, a.leave
  self.ncols, self.ascii, self.colour, self.unit = a.ncols, a.ascii, a.colour, a.unit
  self.mininterval, self.n, self.postfix = a.mininterval, a.initial, ""
  self.disable = a.disable or torch._terminal "stderr" == nil and not torch._part "plot.display".publish
  if self.total == nil then
    local class = support.class_of(a.iterable)
    local kind = math.type(a.iterable)
    if kind then
      self.total = math.tointeger(a.iterable)
    elseif a.iterable ~= nil and type(a.iterable) ~= "function" and not (class and not class.__len) then
      self.total = #a.iterable
    end
  end
  self.begin, self.drawn = torch._clock(), 0
  if latest.bar then latest.bar:close() end
  self:refresh()
end

--- Counts n more steps.
function Bar:update(n)
  self.n = self.n + (n or 1)
  if not self.disable and torch._clock() - self.drawn >= self.mininterval then self:refresh() end
end

--- Closes the bar. Its last state stays on the terminal (unless leave = false). A second call does nothing.
function Bar:close()
  if self.closed then return end
  if not self.disable then
    self:draw()
    io.stderr:write(self.leave and "\n" or "\r\27[K")
    io.stderr:flush()
    latest.bar = nil
  end
  self.closed = true
end

function Bar:set_description(text)
  self.desc = text or ""
  self:refresh()
end

function Bar:set_postfix_str(text)
  self.postfix = text or ""
  self:refresh()
end

--- bar:set_postfix{loss = loss} shows values after the rate, in the order of the names.
function Bar:set_postfix(values)
  local names, parts = {}, {}
  for name in pairs(values or {}) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do parts[i] = name .. "=" .. value_text(values[name]) end
  self.postfix = table.concat(parts, ", ")
  if not self.disable and torch._clock() - self.drawn >= self.mininterval then self:refresh() end
end

--- Writes a line of output above the bar.
function Bar:write(text)
  if not self.disable and not self.closed then io.stderr:write "\r\27[K" end
  print(text)
  self:refresh()
end

-- --- the iteration --------------------------------------------------------------------------------------

local function values_of(iterable)
  local i = -1
  if math.type(iterable) then
    return function()
      i = i + 1
      if i < iterable then return i end
    end
  end
  if torch.is_tensor(iterable) then
    return function()
      i = i + 1
      if i < #iterable then return iterable[i] end
    end
  end
  return support.values(iterable)
end

function Bar.start(self)
  local following, started = values_of(self.iterable), false
  local function pass(first, ...)
    if first == nil then self:close() end
    return first, ...
  end
  return function()
    if started then self:update(1) end
    started = true
    return pass(following())
  end
end

local function close(bar) bar:close() end

-- Returns the values that a for statement takes, including the value that is closed when the loop is left, early or not.
return function(iterable, ...)
  local bar
  if type(iterable) == "function" and select("#", ...) > 1 then -- tqdm(pairs(t)): a function, a state, a control
    local state, control = ...
    local function pass(first, ...)
      control = first
      return first, ...
    end
    bar = Bar(function() return pass(iterable(state, control)) end, select(3, ...))
  else
    bar = Bar(iterable, ...)
  end
  getmetatable(bar).__close, getmetatable(bar).__gc = close, close
  return bar, nil, nil, bar
end
