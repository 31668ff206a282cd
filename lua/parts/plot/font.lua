-- font.lua: draws text as strokes, with $10^{-3}$ and $x_{i}$ as raised and lowered text, and measures it.
local torch = ...
local outline = torch._part "plot.outline"

local font = {}

local PEN = 8.6 -- hundredths of the size
local MISSING = "M 10 4 L 10 69 50 69 50 4 10 4"
local LINE_HEIGHT = 1.2

-- --- glyphs ---------------------------------------------------------------------------------------------

local entries -- character -> {width, strokes}
local drawn = {} -- character -> {width = , paths = }

local function read_entries()
  entries = {}
  for character, width, pen in torch._part "plot.glyphs":gmatch "(%S+) (%d+) ([^\n]+)" do
    entries[character] = {tonumber(width), pen}
  end
end

-- The functions that carry out each letter of the notation of glyphs.lua, given its numbers.
local pens = {}
function pens.M(paths, n) paths[#paths + 1] = {n[1], n[2]} end
function pens.L(paths, n) table.move(n, 1, #n, #paths[#paths] + 1, paths[#paths]) end
function pens.C(paths, n) outline.curve(paths[#paths], table.unpack(n)) end
function pens.A(paths, n)
  local whole = math.abs(n[6] - n[5]) == 360 and #paths[#paths] == 0
  outline.arc(paths[#paths], n[1], n[2], n[3], n[4], math.rad(n[5]), math.rad(n[6]), 24)
  paths[#paths].closed = whole
end
function pens.N(paths) paths[#paths + 1] = {} end
function pens.D(paths, n) paths[#paths + 1] = {n[1], n[2] + 0.7, n[1], n[2] - 0.7, dot = true} end

local function glyph(character)
  if drawn[character] then return drawn[character] end
  if not entries then read_entries() end
  local entry = character == " " and {32, ""} or entries[character] or {60, MISSING}
  local paths = {}
  for letter, list in entry[2]:gmatch "([A-Z])([^A-Z]*)" do
    local numbers = {}
    for number in list:gmatch "%S+" do numbers[#numbers + 1] = tonumber(number) end
    pens[letter](paths, numbers)
  end
  drawn[character] = {width = entry[1], paths = paths}
  return drawn[character]
end

-- --- runs: pieces of a line in one size -----------------------------------------------------------------

local GREEK = {alpha = "α", beta = "β", gamma = "γ", delta = "δ", epsilon = "ε", eta = "η", theta = "θ", lambda = "λ", mu = "μ", pi = "π",
  rho = "ρ", sigma = "σ", tau = "τ", phi = "φ", omega = "ω", Delta = "Δ", Sigma = "Σ", Omega = "Ω", infty = "∞", leq = "≤", geq = "≥",
  times = "×", cdot = "·", pm = "±", nabla = "∇", partial = "∂", approx = "≈", to = "→", sqrt = "√"}

-- Adds the runs of a formula: {text, size, shift}, as fractions of the size.
local function formula(runs, text)
  text = text:gsub("\\(%a+)%s*", function(name) return GREEK[name] or name end):gsub("%-", "\u{2212}")
  local at = 1
  while at <= #text do
    local mark, inner, after = text:match("^([%^_])(%b{})()", at)
    if not mark then mark, inner, after = text:match("^([%^_])(" .. utf8.charpattern .. ")()", at) end
    if mark then
      runs[#runs + 1] = {inner:gsub("^{(.*)}$", "%1"), 0.7, mark == "^" and 0.38 or -0.16}
      at = after
    else
      local stop = text:find("[%^_]", at + 1) or #text + 1
      runs[#runs + 1] = {(text:sub(at, stop - 1):gsub("[{}]", "")), 1, 0}
      at = stop
    end
  end
end

local function runs_of(line)
  local runs, at = {}, 1
  for before, inner, after in line:gmatch "(.-)%$(.-)%$()" do
    if before ~= "" then runs[#runs + 1] = {before, 1, 0} end
    formula(runs, inner)
    at = after
  end
  if at <= #line then runs[#runs + 1] = {line:sub(at), 1, 0} end
  return runs
end

local function characters(text)
  if not utf8.len(text) then text = text:gsub("[\x80-\xff]", "?") end
  return text:gmatch(utf8.charpattern)
end

local function width_of_runs(runs, size)
  local width = 0
  for _, run in ipairs(runs) do
    for character in characters(run[1]) do width = width + glyph(character).width * run[2] end
  end
  return width * size / 100
end

local function lines_of(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = runs_of(line) end
  return lines
end

--- Returns the text without the marks of formulas, for a screen reader or a terminal.
function font.plain(text)
  local parts = {}
  for i, line in ipairs(lines_of(text)) do
    parts[i] = ""
    for _, run in ipairs(line) do
      parts[i] = parts[i] .. (run[3] > 0 and "^" or run[3] < 0 and "_" or "") .. run[1]
    end
  end
  return table.concat(parts, "\n")
end

--- Returns the width and height of a text in points, from the top of its capitals to its last baseline.
function font.measure(text, size)
  local width, lines = 0, lines_of(text)
  for _, runs in ipairs(lines) do width = math.max(width, width_of_runs(runs, size)) end
  return width, size * 0.73 + (#lines - 1) * size * LINE_HEIGHT
end

local AT = {left = 0, center = 0.5, right = 1}

-- Adds the paths of a line whose baseline begins at (x, y), y downwards.
local function add_line(paths, runs, x, y, size)
  for _, run in ipairs(runs) do
    local unit, base = size * run[2] / 100, y - run[3] * size
    for character in characters(run[1]) do
      local g = glyph(character)
      for _, path in ipairs(g.paths) do
        local moved = {closed = path.closed}
        for i = 1, #path, 2 do moved[i], moved[i + 1] = x + path[i] * unit, base - path[i + 1] * unit end
        paths[#paths + 1] = moved
      end
      x = x + g.width * unit
    end
  end
end

local function turn(paths, x, y, degrees)
  local c, s = math.cos(math.rad(degrees)), math.sin(math.rad(degrees))
  for _, path in ipairs(paths) do
    for i = 1, #path, 2 do
      local dx, dy = path[i] - x, path[i + 1] - y
      path[i], path[i + 1] = x + dx * c + dy * s, y - dx * s + dy * c
    end
  end
end

--- Returns the strokes of a text at (x, y): {paths, width (of the pen), left, top, right, bottom}. ha: left center right; va: top
-- center baseline bottom; rotation: degrees about (x, y), counterclockwise.
function font.layout(text, x, y, size, ha, va, rotation, bold)
  local lines = lines_of(text)
  local width, height = font.measure(text, size)
  local upright = rotation % 180 == 90
  if upright then -- the anchor is that of the rotated box
    local across = va == "top" and "right" or (va == "bottom" or va == "baseline") and "left" or "center"
    va = ha == "left" and "top" or ha == "right" and "bottom" or "center"
    if rotation % 360 == 90 then ha = across else ha = across == "left" and "right" or across == "right" and "left" or across end
  end
  local top = y
  if va == "center" then top = y - height / 2 elseif va ~= "top" then top = y - height end
  if va == "bottom" then top = top - size * 0.2 end
  local left = x - width * (AT[ha] or 0)
  local paths = {}
  for i, runs in ipairs(lines) do
    local space = width - width_of_runs(runs, size)
    add_line(paths, runs, left + space * (AT[ha] or 0), top + size * 0.73 + (i - 1) * size * LINE_HEIGHT, size)
  end
  if rotation ~= 0 then turn(paths, x, y, rotation) end
  local box = {left, top, left + width, top + height}
  if rotation ~= 0 then
    local corners = {{left, top, left + width, top, left + width, top + height, left, top + height}}
    turn(corners, x, y, rotation)
    local c = corners[1]
    box = {math.min(c[1], c[3], c[5], c[7]), math.min(c[2], c[4], c[6], c[8]), math.max(c[1], c[3], c[5], c[7]),
      math.max(c[2], c[4], c[6], c[8])}
  end
  return {paths = paths, width = size * (bold and PEN * 1.6 or PEN) / 100, left = box[1], top = box[2], right = box[3], bottom = box[4]}
end

return font
