-- terminal.lua: text as a terminal shows it, for a page: colours, \r, and the cursor movements that Tocha writes (tqdm, plot.live).
-- A line is a list of runs, {text, style}, with its `width` in characters. A style is CSS.
local OPEN_LINES, OPEN_COST = 100, 30000 -- lines at the end, and their cost, that a program may still move back to and change
local LONGEST = 20000                    -- the cost of a line, and bytes of an escape sequence
local CHUNK = 2000                       -- the cost of lines that are settled at once
local RUN = 20                           -- the cost of a run beside its characters

-- --- styles ------------------------------------------------------------------------------------------------------

-- Returns the colour of xterm's table of 256; the first 16 are the style sheet's.
local function indexed(n)
  if n < 16 then return ("var(--ansi-%d)"):format(n) end
  local function level(place)
    local i = (n - 16) // place % 6
    return i > 0 and 55 + 40 * i or 0
  end
  local grey = 8 + 10 * (n - 232)
  if n >= 232 then return ("rgb(%d,%d,%d)"):format(grey, grey, grey) end
  return ("rgb(%d,%d,%d)"):format(level(36), level(6), level(1))
end

-- Applies the numbers of ESC[...m to a style: {color, background, weight}.
local function restyle(style, numbers)
  local i = 1
  while i <= #numbers do
    local n = numbers[i]
    local digit, side = n % 10, (n >= 40 and n < 50 or n >= 100) and "background" or "color"
    if n == 0 then
      style.color, style.background, style.weight = nil, nil, nil
    elseif n == 1 or n == 22 then
      style.weight = n == 1 and 600 or nil
    elseif n >= 30 and n <= 107 and digit < 8 then
      style[side] = indexed(digit + (n >= 90 and 8 or 0))
    elseif n >= 30 and n <= 107 and digit == 9 then
      style[side] = nil
    elseif (n == 38 or n == 48) and numbers[i + 1] == 5 then
      style[side] = indexed((numbers[i + 2] or 0) & 255)
      i = i + 2
    elseif n == 38 or n == 48 then
      style[side] = ("rgb(%d,%d,%d)"):format(numbers[i + 2] or 0, numbers[i + 3] or 0, numbers[i + 4] or 0)
      i = i + 4
    end
    i = i + 1
  end
end

local function css(style)
  return (style.color and "color:" .. style.color .. ";" or "") .. (style.background and "background:" .. style.background .. ";" or "") ..
    (style.weight and "font-weight:600" or "")
end

-- --- lines -------------------------------------------------------------------------------------------------------

local function append(line, text, style, width)
  local last = line[#line]
  if last and last[2] == style then last[1] = last[1] .. text else line[#line + 1] = {text, style} end
  line.width = line.width + width
end

-- Returns what a line costs a page, in characters.
local function cost(line) return line.width + 1 + RUN * #line end

-- Appends characters `first` to `last` of a line, the first being 1, to another.
local function append_part(out, line, first, last)
  for _, run in ipairs(line) do
    local text, style = run[1], run[2]
    local width = utf8.len(text)
    local low, high = math.max(first, 1), math.min(last, width)
    if low <= high then append(out, text:sub(utf8.offset(text, low), utf8.offset(text, high + 1) - 1), style, high - low + 1) end
    first, last = first - width, last - width
  end
  return out
end

local function start_of(line, width) return append_part({width = 0}, line, 1, width) end

-- Returns the runs of lines first to last, with "\n" between the lines. Neighbours differ in style.
local function joined(lines, first, last)
  local out, parts, style = {}, {}, ""
  for i = first, last do
    if i > first then parts[#parts + 1] = "\n" end
    for _, run in ipairs(lines[i]) do
      if run[2] ~= style then
        if #parts > 0 then out[#out + 1] = {table.concat(parts), style} end
        parts, style = {}, run[2]
      end
      parts[#parts + 1] = run[1]
    end
  end
  if #parts > 0 then out[#out + 1] = {table.concat(parts), style} end
  return out
end

-- --- the terminal ------------------------------------------------------------------------------------------------

local Terminal = {}
Terminal.__index = Terminal

function Terminal:put(text)
  local line, width = self.lines[self.row], utf8.len(text)
  if width > LONGEST then
    local middle = utf8.offset(text, LONGEST + 1)
    self:put(text:sub(1, middle - 1))
    return self:put(text:sub(middle))
  end
  if line.width < self.column then append(line, (" "):rep(self.column - line.width), "", self.column - line.width) end
  if line.width > self.column then
    local new = start_of(line, self.column)
    append(new, text, self.css, width)
    self.lines[self.row] = append_part(new, line, self.column + width + 1, line.width)
  else
    append(line, text, self.css, width)
  end
  self.column = self.column + width
  if cost(self.lines[self.row]) > LONGEST then self:down() end
end

function Terminal:down()
  self.column, self.row = 0, self.row + 1
  if self.row > #self.lines then self.lines[self.row] = {width = 0} end
end

-- ESC[, numbers, a letter.
function Terminal:command(letter, text)
  local numbers, line = {}, self.lines[self.row]
  for number in (text .. ";"):gmatch "(%d*)[^%d]" do numbers[#numbers + 1] = math.tointeger(tonumber(number) or 0) or 0 end
  local n = math.max(numbers[1], 1)
  if letter == "A" then
    self.row = math.max(1, self.row - n)
  elseif letter == "C" then
    self.column = math.min(LONGEST, self.column + n)
  elseif letter == "D" then
    self.column = math.max(0, self.column - n)
  elseif letter == "J" or letter == "K" then
    self.lines[self.row] = start_of(line, letter == "K" and numbers[1] == 2 and 0 or self.column)
    for row = #self.lines, letter == "J" and self.row + 1 or math.huge, -1 do self.lines[row] = nil end
  elseif letter == "m" then
    restyle(self.style, numbers)
    self.css = css(self.style)
  end
end

-- Reads what a control character at `at` begins. Returns the position after it, or nil if its end is still to come.
function Terminal:control(text, at)
  local character = text:sub(at, at)
  if character == "\n" then self:down() end
  if character == "\r" then self.column = 0 end
  if character == "\b" then self.column = math.max(0, self.column - 1) end
  if character ~= "\27" then return at + 1 end
  local numbers, letter, behind = text:match("^\27%[([%d;?]*)(%a)()", at)
  if letter then self:command(letter, numbers) end
  behind = behind or text:match("^\27[_P%]][^\7\27]*\7()", at) or text:match("^\27[_P%]][^\7\27]*\27\\()", at)
  local is_open = text:find("^\27%[?[%d;?]*$", at) or text:find("^\27[_P%]][^\7\27]*\27?$", at)
  if not behind and is_open and #text - at < LONGEST then return nil end
  return behind or text:match("^\27[^\27%c]?[\x80-\xBF]*()", at)
end

-- Returns the number of the last line that can no longer change.
function Terminal:last_closed()
  local first, open = self.row, 0
  while first > 1 and self.row - first < OPEN_LINES and open < OPEN_COST do
    first = first - 1
    open = open + cost(self.lines[first])
  end
  return first - 1
end

-- Removes the lines that can no longer change, and adds their runs to `past`, in chunks.
function Terminal:settle(past)
  local first, last, size = 1, self:last_closed(), 0
  for i = 1, last do
    size = size + cost(self.lines[i])
    if size >= CHUNK or i == last then
      past[#past + 1] = joined(self.lines, first, i)
      first, size = i + 1, 0
    end
  end
  table.move(self.lines, last + 1, #self.lines + last, 1)
  self.row = self.row - last
end

-- Settles the lines of a long text without sequences, but the last ones, without looking at each of them. The cursor must be at the
-- start of the last line. Returns the rest of the text.
function Terminal:settle_text(text, past)
  local reversed, behind = text:reverse(), 0
  for _ = 1, OPEN_LINES do
    behind = reversed:find("\n", behind + 1, true)
    if not behind then return text end
  end
  if #self.lines > 1 then past[#past + 1] = joined(self.lines, 1, #self.lines - 1) end
  self.lines, self.row = {{width = 0}}, 1
  local at, last = 1, #text + 1 - behind -- the newline in front of the rest
  while at <= last do
    local stop = math.min(text:find("\n", at + CHUNK, true) or last, last)
    past[#past + 1] = {{text:sub(at, stop - 1), self.css}}
    at = stop + 1
  end
  return text:sub(at)
end

--- Writes text, which is UTF-8; it may end within a sequence. Returns chunks of lines that can no longer change, and the lines
-- behind them, all as lists of runs.
function Terminal:write(text)
  local past, at = {}, 1
  text = self.rest .. text
  local is_long = #text > CHUNK
  while at and at <= #text do
    if is_long and self.row == #self.lines and self.column == 0 then
      if not text:find("[\27\r\b]", at) then text, at = self:settle_text(text:sub(at), past), 1 end
      is_long = false
    end
    local stop = text:find("[\27\n\r\b]", at) or #text + 1
    if stop > at then self:put(text:sub(at, stop - 1)) end
    at = stop
    if stop <= #text then
      at = self:control(text, stop)
      if not at then self.rest = text:sub(stop) end
    end
    if self.row > 4 * OPEN_LINES then self:settle(past) end
  end
  if at then self.rest = "" end
  local size = 0
  for _, line in ipairs(self.lines) do size = size + cost(line) end
  if size > 2 * OPEN_COST then self:settle(past) end
  return past, joined(self.lines, 1, #self.lines)
end

--- Returns an empty terminal.
return function()
  return setmetatable({lines = {{width = 0}}, row = 1, column = 0, style = {}, css = "", rest = ""}, Terminal)
end
