-- order.lua: warns of `self.a, self.b = A(), B()`, which Lua assigns from right to left: b would stand before a.
local torch = ...

local function member(name) return "[.\"']" .. name:gsub("%p", "%%%0") .. "[\"'%]]*%s*" end

local seen = {}   -- places that were checked

--- Checks a member that was registered in that line of a chunk, just after `previous`.
return function(source, line, name, previous)
  local place = ("%s:%d:%s:%s"):format(source:sub(1, 200), line, name, previous)
  if seen[place] then return end
  seen[place] = true
  local text = torch._part "hints.source".lines(source, line - 9, line) or ""   -- the statement may begin a few lines above
  if text:find(member(name) .. ",[^=]-" .. member(previous) .. "[,=]") then
    torch._warn(("Lua assigns from right to left: '%s' is registered before '%s'. Write one assignment a line"):format(previous, name))
  end
end
