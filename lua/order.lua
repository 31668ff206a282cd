-- order.lua: warns of `self.a, self.b = A(), B()`, which Lua assigns from right to left: b would stand before a.
local torch = ...

-- The lines of a chunk up to one of them: the statement may have begun a few lines above.
local function lines_until(source, last)
  local text
  if source:sub(1, 1) == "@" then
    local file <close> = io.open(source:sub(2), "rb")
    text = file and file:read "a" or ""
  elseif source:sub(1, 1) ~= "=" then
    text = source
  end
  local lines, number = {}, 0
  for line in ((text or "") .. "\n"):gmatch "([^\n]*)\n" do
    number = number + 1
    if number > last - 10 and number <= last then lines[#lines + 1] = line end
  end
  return table.concat(lines, "\n")
end

local function member(name) return "[.\"']" .. name:gsub("%p", "%%%0") .. "[\"'%]]*%s*" end

local seen = {}   -- places that were looked at

--- A member was registered in that line of a chunk, just after previous.
return function(source, line, name, previous)
  local place = ("%s:%d:%s:%s"):format(source:sub(1, 200), line, name, previous)
  if seen[place] then return end
  seen[place] = true
  if lines_until(source, line):find(member(name) .. ",[^=]-" .. member(previous) .. "[,=]") then
    torch._warn(("Lua assigns from right to left: '%s' is registered before '%s'. Write one assignment a line"):format(previous, name))
  end
end
