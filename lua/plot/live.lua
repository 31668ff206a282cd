-- live.lua: one line in a training loop draws its curves again and again in the same place of the terminal.
local torch = ...
local text = torch._part "plot.text"
local support = torch._part "support"

local curves, drawn, last, title = {}, 0, -math.huge, nil

local function redraw()
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

--- live{loss = loss, accuracy = accuracy} adds a point to each curve, and draws them, ten times a second at most, where stdout is a terminal. live()
--- draws the last points and ends the picture; it returns the curves: a table of numbers for each name.
return function(values, options)
  if values == nil then
    local all = curves
    if torch._terminal "stdout" and next(all) then redraw() end
    curves, drawn, last, title = {}, 0, -math.huge, nil
    return all
  end
  if not support.is_plain(values) then values = {loss = values} end
  title = options and options.title or title
  for name, value in pairs(values) do
    curves[name] = curves[name] or {}
    table.insert(curves[name], torch.is_tensor(value) and value:item() or value + 0.0)
  end
  if torch._terminal "stdout" and torch._clock() - last >= 0.1 then
    redraw()
    last = torch._clock()
  end
end
