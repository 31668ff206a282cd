-- legend.lua: the box that names the artists of axes, in the corner in which it hides the fewest points.
local torch = ...
local support = torch._part "support"
local data, font, outline, style = torch._part "plot.data", torch._part "plot.font", torch._part "plot.outline", torch._part "plot.style"

-- Distances as fractions of the font's size.
local HANDLE, GAP, BORDER, SPACING, OUTSIDE, COLUMN = 2, 0.8, 0.4, 0.5, 0.5, 2

-- Places as fractions from the left and from the top.
local PLACES = {["upper right"] = {1, 0}, ["upper left"] = {0, 0}, ["lower left"] = {0, 1}, ["lower right"] = {1, 1}, right = {1, 0.5},
  ["center left"] = {0, 0.5}, ["center right"] = {1, 0.5}, ["lower center"] = {0.5, 1}, ["upper center"] = {0.5, 0}, center = {0.5, 0.5}}
local ORDER = {"upper right", "upper left", "lower left", "lower right", "right", "center left", "center right", "lower center", "upper center", "center"}

local function entries_of(axes, words)
  local entries = {}
  for _, composed in ipairs{false, true} do -- error bars and bars come after all others
    for _, artist in ipairs(words.handles or axes.artists) do
      if artist.handle and artist.label and not tostring(artist.label):find "^_" and (artist.composed or false) == composed then
        entries[#entries + 1] = {artist = artist, text = tostring(artist.label)}
      end
    end
  end
  if not words.labels then return entries end
  local handles = words.handles or {}
  if not words.handles then
    for _, artist in ipairs(axes.artists) do
      if artist.handle then handles[#handles + 1] = artist end
    end
  end
  entries = {}
  for i, text in ipairs(words.labels) do
    if handles[i] then entries[i] = {artist = handles[i], text = tostring(text)} end
  end
  return entries
end

-- Returns how much of the data a box would hide.
local function hidden(axes, view, x, y, width, height)
  local count = 0
  x, y, width, height = x - 3, y - 3, width + 6, height + 6 -- markers have a size
  for _, artist in ipairs(axes.artists) do
    if artist.points then
      local xs, ys = artist.points[1], artist.points[2]
      local px, py
      for i = 1, math.min(#xs, #ys) do
        local qx, qy = view.x(xs[i]), view.y(ys[i])
        if qx > x and qx < x + width and qy > y and qy < y + height then count = count + 1 end
        if px and artist.handle and not artist.sizes then -- a line may cross the box between its points
          for k = 1, 7 do
            local mx, my = px + (qx - px) * k / 8, py + (qy - py) * k / 8
            if mx > x and mx < x + width and my > y and my < y + height then count = count + 0.2 end
          end
        end
        px, py = qx, qy
      end
    elseif artist.from then
      for i = 1, #artist.from do
        local low, high = artist.base[i], artist.base[i] + artist.length[i]
        local a, b, c, d = artist.from[i], artist.to[i], low, high
        if not artist.upright then a, b, c, d = low, high, artist.from[i], artist.to[i] end
        local left, right, top, bottom = view.x(a), view.x(b), view.y(d), view.y(c)
        if left < x + width and right > x and math.min(top, bottom) < y + height and math.max(top, bottom) > y then count = count + 3 end
      end
    end
  end
  return count
end

local function place_in(box, place, width, height, margin)
  local at = PLACES[place]
  return box[1] + margin + (box[3] - box[1] - 2 * margin - width) * at[1], box[2] + margin + (box[4] - box[2] - 2 * margin - height) * at[2]
end

local function best_place(axes, view, box, width, height, margin)
  local best, fewest = nil, math.huge
  for _, place in ipairs(ORDER) do
    local x, y = place_in(box, place, width, height, margin)
    local count = hidden(axes, view, x, y, width, height)
    if count < fewest then best, fewest = place, count end
    if count == 0 then break end
  end
  return best
end

-- Returns the sizes of the columns and of the whole.
local function measure(entries, words, size)
  local columns = math.max(1, math.min(words.ncols or words.ncol or 1, #entries))
  local rows = math.ceil(#entries / columns)
  local widths, width = {}, 2 * BORDER * size
  for c = 1, columns do
    widths[c] = 0
    for r = 1, rows do
      local entry = entries[(c - 1) * rows + r]
      if entry then widths[c] = math.max(widths[c], (font.measure(entry.text, size))) end
    end
    widths[c] = widths[c] + (HANDLE + GAP) * size
    width = width + widths[c] + (c > 1 and COLUMN * size or 0)
  end
  local line = size * (0.97 + SPACING)
  local height = rows * line - SPACING * size + 2 * BORDER * size
  local title = words.title and words.title_size * (0.97 + SPACING) or 0
  if words.title then width = math.max(width, font.measure(words.title, words.title_size) + 2 * BORDER * size) end
  return {rows = rows, widths = widths, width = width, height = height + title, line = line, title = title}
end

local legend_positions = {"handles", "labels"}

return function(Axes)
  function Axes:legend(...)
    local a = data.read("Axes.legend", legend_positions, "loc size title title_fontsize ncol ncols frameon framealpha bbox_to_anchor fancybox"
      .. " shadow facecolor edgecolor", ...)
    if a.count == 1 and a.handles and type(a.handles[1]) == "string" then a.handles, a.labels = nil, a.handles end
    if type(a.loc) == "number" then a.loc = ORDER[a.loc] or "best" end
    if a.loc and a.loc ~= "best" and not PLACES[a.loc] then
      support.fail("ValueError", "'%s' is not a valid value for loc; supported values are 'best', '%s'", tostring(a.loc), table.concat(ORDER, "', '"))
    end
    a.size, a.title_size = style.size(a.size, 10), style.size(a.title_fontsize, 10)
    self.legend_words = a
    return a
  end

  function Axes:draw_legend(canvas, view, box)
    local words = self.legend_words
    local entries = entries_of(self, words)
    if #entries == 0 then return end
    local size = words.size
    local m = measure(entries, words, size)
    local place = words.loc or "best"
    local x, y
    if words.bbox_to_anchor then
      local anchor = words.bbox_to_anchor
      local at = PLACES[place == "best" and "upper left" or place]
      x = box[1] + (box[3] - box[1]) * anchor[1] - m.width * at[1] + (0.5 - at[1]) * 2 * OUTSIDE * size
      y = box[4] - (box[4] - box[2]) * anchor[2] - m.height * at[2] + (0.5 - at[2]) * 2 * OUTSIDE * size
    else
      if place == "best" then place = best_place(self, view, box, m.width, m.height, OUTSIDE * size) end
      x, y = place_in(box, place, m.width, m.height, OUTSIDE * size)
    end
    if words.frameon ~= false then
      canvas:draw{paths = {outline.rounded(x, y, x + m.width, y + m.height, 0.2 * size)}, fill = 0xffffff, fill_alpha = words.framealpha or 0.8,
        stroke = 0xcccccc, stroke_alpha = words.framealpha or 0.8, width = 1}
    end
    local top = y + BORDER * size
    if words.title then
      self:write(canvas, {text = words.title, x = x + m.width / 2, y = top + 0.8 * words.title_size, size = words.title_size, ha = "center"})
      top = top + m.title
    end
    local left = x + BORDER * size
    for i, entry in ipairs(entries) do
      local column, row = (i - 1) // m.rows + 1, (i - 1) % m.rows
      if row == 0 and column > 1 then left = left + m.widths[column - 1] + COLUMN * size end
      local base = top + row * m.line + 0.83 * size
      entry.artist:handle(canvas, left, left + HANDLE * size, base - 0.36 * size)
      self:write(canvas, {text = entry.text, x = left + (HANDLE + GAP) * size, y = base, size = size})
    end
  end
end
