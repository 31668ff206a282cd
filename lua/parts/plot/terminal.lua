-- terminal.lua: shows a figure in a terminal: as an image if the terminal supports images (kitty's protocol, sixels), else in
-- characters. For the latter, the figure is drawn with two by four dots a character and its texts as they are.
local torch = ...
local raster = torch._part "plot.raster"

local terminal = {}

-- --- a canvas of characters -----------------------------------------------------------------------------

local WIDTH, HEIGHT = 6, 12 -- of a character, in points: text of 10 points is as large as the terminal's
local DOTS = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}} -- of a braille character, by row and column

-- Returns a raster that keeps texts apart.
local function canvas_of(figure, columns, rows)
  local canvas = raster.new(columns * WIDTH, rows * HEIGHT, 2 / WIDTH, figure.face)
  canvas.least_width, canvas.texts = 1, {}
  function canvas:text(text) self.texts[#self.texts + 1] = text end
  return canvas
end

-- Puts the characters of a text in their cells: cells[row][column] = {character, colour}.
local function place(cells, text, columns, rows)
  local plain = torch._part "plot.font".plain(text.text)
  local layout = text.layout
  local middle_x, middle_y = (layout.left + layout.right) / 2 / WIDTH, (layout.top + layout.bottom) / 2 / HEIGHT
  local letters = {}
  for letter in plain:gsub("\n", " "):gmatch(utf8.charpattern) do letters[#letters + 1] = letter end
  local upright = text.rotation % 180 == 90
  local x = math.floor(middle_x - (upright and 0 or #letters / 2) + 0.25)
  local y = math.floor(middle_y - (upright and #letters / 2 or 0))
  if not upright then
    if text.ha == "left" then x = math.floor(layout.left / WIDTH + 0.5) end
    if text.ha == "right" then x = math.floor(layout.right / WIDTH + 0.5) - #letters end
    x = math.max(0, math.min(columns - #letters, x))
  end
  for i, letter in ipairs(letters) do
    local column, row = x + (upright and 0 or i - 1), y + (upright and i - 1 or 0)
    if row >= 0 and row < rows and column >= 0 and column < columns then
      cells[row] = cells[row] or {}
      cells[row][column] = {letter, text.rgb}
    end
  end
end

local function far(a, b)
  return math.abs((a >> 16) - (b >> 16)) + math.abs((a >> 8 & 255) - (b >> 8 & 255)) + math.abs((a & 255) - (b & 255))
end

-- Returns the character of eight dots and its two colours: the most frequent colour as background, distant colours as
-- foreground.
local function cell(pixels, base, width)
  local dots, counts = {}, {}
  for row = 0, 3 do
    for column = 0, 1 do
      local rgb = pixels[base + row * width + column]
      dots[#dots + 1] = rgb
      counts[rgb] = (counts[rgb] or 0) + 1
    end
  end
  local back, highest = dots[1], 0
  for rgb, count in pairs(counts) do
    if count > highest or count == highest and rgb > back then back, highest = rgb, count end
  end
  if highest == 8 then return " ", back, back end
  local upper, lower = dots[1], dots[5]
  if dots[2] == upper and dots[3] == upper and dots[4] == upper and dots[6] == lower and dots[7] == lower and dots[8] == lower then return "▀", upper, lower end
  local bits, red, green, blue, n = 0, 0, 0, 0, 0
  for i, rgb in ipairs(dots) do
    if far(rgb, back) > 90 then
      bits = bits | DOTS[(i - 1) // 2 + 1][(i - 1) % 2 + 1]
      red, green, blue, n = red + (rgb >> 16), green + (rgb >> 8 & 255), blue + (rgb & 255), n + 1
    end
  end
  if n == 0 then return " ", back, back end
  return utf8.char(0x2800 + bits), red // n << 16 | green // n << 8 | blue // n, back
end

local function paint(kind, rgb) return ("\27[%d;2;%d;%d;%dm"):format(kind, rgb >> 16, rgb >> 8 & 255, rgb & 255) end

--- Returns the lines of a figure in this many columns and rows of characters.
function terminal.lines(figure, columns, rows)
  local width, height = figure.width, figure.height
  figure.width, figure.height = columns * WIDTH, rows * HEIGHT
  local canvas = canvas_of(figure, columns, rows)
  local ok, problem = pcall(figure.draw, figure, canvas)
  figure.width, figure.height = width, height
  if not ok then error(problem, 0) end
  local texts = {}
  for _, text in ipairs(canvas.texts) do place(texts, text, columns, rows) end
  local lines = {}
  for row = 0, rows - 1 do
    local parts, front, back = {}, nil, nil
    for column = 0, columns - 1 do
      local letter, f, b = cell(canvas.pixels, row * 4 * canvas.width + column * 2 + 1, canvas.width)
      local written = texts[row] and texts[row][column]
      if written then letter, f = written[1], written[2] end
      if b ~= back then parts[#parts + 1], back = paint(48, b), b end
      if letter ~= " " and f ~= front then parts[#parts + 1], front = paint(38, f), f end
      parts[#parts + 1] = letter
    end
    lines[row + 1] = table.concat(parts) .. "\27[0m"
  end
  return lines
end

-- --- images --------------------------------------------------------------------------------------------

-- A query of kitty's protocol (an image of one pixel), and a question that every terminal answers: a 4 in its list of features
-- means sixels. The wait for the answers is in milliseconds.
local QUESTION, MAX_WAIT = "\27_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\27\\\27[c", 1000

local asked, answered -- once a session

local function answer()
  if not asked then asked, answered = true, torch._ask_terminal(QUESTION, MAX_WAIT) end
  if not answered then return nil end
  if answered:find("\27_Gi=31;OK", 1, true) then return "kitty" end
  return (answered:match "\27%[%?([%d;]*)c$" .. ";"):find "%f[%d]4;" and "sixel" or nil
end

-- Returns how the terminal supports images: "kitty", "sixel", or nil.
local function pictures()
  local wanted = os.getenv "TOCHA_GRAPHICS"
  if wanted then return (wanted == "kitty" or wanted == "sixel") and wanted or nil end
  if os.getenv "TMUX" or os.getenv "STY" then return nil end
  local program, term = os.getenv "TERM_PROGRAM" or "", os.getenv "TERM" or ""
  if os.getenv "KITTY_WINDOW_ID" or term:find "kitty" or program == "WezTerm" or program == "ghostty" then return "kitty" end
  if program == "iTerm.app" or program == "mintty" or term:find "^foot" or term:find "^mlterm" or term:find "^contour" or term:find "sixel" then
    return "sixel"
  end
  return term ~= "" and term ~= "dumb" and term ~= "linux" and answer() or nil
end

-- Returns a PNG file in kitty's protocol, in chunks of at most 4096 letters.
local function kitty(bytes)
  local text, parts = torch._part "tools.base64"(bytes), {}
  for first = 1, #text, 4096 do
    local more = first + 4096 <= #text and 1 or 0
    parts[#parts + 1] = ("\27_G%sm=%d;%s\27\\"):format(first == 1 and "a=T,f=100," or "", more, text:sub(first, first + 4095))
  end
  return table.concat(parts) .. "\n"
end

--- Shows a figure in a notebook, or in the terminal if stdout is one. Otherwise prints the name of its file, which is written if
-- it was not.
function terminal.show(figure)
  local display = torch._part "plot.display"
  if display.publish then return display.publish(figure) end
  local columns = torch._terminal "stdout"
  if not columns then
    if not figure.saved then figure:savefig(("figure_%d.png"):format(figure.number or 1)) end
    io.write(figure.saved, "\n")
    return
  end
  local kind = pictures()
  if kind == "kitty" then return io.write(kitty(figure:png())) end
  if kind == "sixel" then
    local canvas = figure:raster()
    return io.write(torch._part "plot.sixel"(canvas.pixels, canvas.width, canvas.height))
  end
  columns = math.max(30, math.min(columns, 100))
  local rows = math.max(12, math.floor(columns * WIDTH * figure.height / figure.width / HEIGHT + 0.5))
  io.write(table.concat(terminal.lines(figure, columns, rows), "\n"), "\n")
end

return terminal
