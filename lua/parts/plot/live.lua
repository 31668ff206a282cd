-- live.lua: draws the curves of a training loop repeatedly in the same place of the terminal, or of a notebook.
local torch = ...
local text = torch._part "plot.text"
local support = torch._part "support"

local curves, drawn, last, title = {}, 0, -math.huge, nil

-- Publishes a figure that replaces the one before, in a notebook.
local function publish(display)
  local figure = torch._part "plot.figure"{figsize = {6.4, 3.2}}
  local axes, names = figure:add_subplot(), {}
  for name in pairs(curves) do names[#names + 1] = tostring(name) end
  table.sort(names)
  for _, name in ipairs(names) do axes:plot(curves[name], {label = name}) end
  axes:legend()
  if title then axes:set_title(title) end
  display.publish(figure, curves)
end

local function redraw()
  local display = torch._part "plot.display"
  if display.publish then return publish(display) end
  local parts, write = {}, io.write
  io.write = function(...) -- luacheck: ignore 122
    for _, piece in ipairs{...} do parts[#parts + 1] = piece end
  end
  local ok, problem = pcall(text.lines, {values = curves, title = title, height = 10})
  io.write = write -- luacheck: ignore 122
  if not ok then error(problem, 0) end
  local lines = table.concat(parts)
  if drawn > 0 then write(("\27[%dA\27[J"):format(drawn)) end
  write(lines)
  io.stdout:flush()
  drawn = select(2, lines:gsub("\n", ""))
end

-- Returns the seconds between two drawings, or nil if there is no display.
local function pause()
  if torch._part "plot.display".publish then return 0.5 end
  return torch._terminal "stdout" and 0.1
end

--- live{loss = loss, accuracy = accuracy} adds a point to each curve. It draws them at most ten times a second if stdout is a
-- terminal (twice in a notebook). live() draws the last points and ends the drawing. It returns the curves: a table of numbers
-- for each name.
return function(values, options)
  if values == nil then
    local all = curves
    if pause() and next(all) then redraw() end
    curves, drawn, last, title = {}, 0, -math.huge, nil
    return all
  end
  if not support.is_plain(values) then values = {loss = values} end
  title = options and options.title or title
  for name, value in pairs(values) do
    curves[name] = curves[name] or {}
    table.insert(curves[name], torch.is_tensor(value) and value:item() or value + 0.0)
  end
  local seconds = pause()
  if seconds and torch._clock() - last >= seconds then
    redraw()
    last = torch._clock()
  end
end
