-- screen.lua: the terminal of a page (terminal.lua), which shows what web_show of web.c receives.
local torch = ...
local array, write = torch._part "tools.json".array, torch._part "tools.json".write
local open = torch._part "kernel.terminal"
local terminal

local function pairs_of(runs)
  for i, run in ipairs(runs) do runs[i] = array(run) end
  return array(runs)
end

return function(text, restarts)
  if restarts or not terminal then terminal = open() end
  local past, lines = terminal:write(text)
  for i, chunk in ipairs(past) do past[i] = pairs_of(chunk) end
  return write {past = array(past), open = pairs_of(lines)}
end
