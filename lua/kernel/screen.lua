-- screen.lua: the terminal of a page (terminal.lua), which shows what web_show of web.c receives.
local torch = ...
local json = torch._part "tools.json"
local open = torch._part "kernel.terminal"
local terminal

return function(message)
  local text, restarts = table.unpack(json.read(message))
  if restarts or not terminal then terminal = open() end
  local past, lines = terminal:write(text)
  local function array(runs)
    for i, run in ipairs(runs) do runs[i] = json.array(run) end
    return json.array(runs)
  end
  for i, chunk in ipairs(past) do past[i] = array(chunk) end
  return json.write {past = json.array(past), open = array(lines)}
end
