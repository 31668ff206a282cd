-- sessions.lua: types the examples of lua/help/examples/ as the prompt would, for docs/make/examples.lua and spec/docs/help_spec.lua.
local torch = require "torch"
local show = torch._part "prompt.show"
local sessions = {}

local folder = debug.getinfo(1, "S").source:match "^@(.*/)"
local reset = assert(loadfile(folder .. "reset.lua", "t", {torch = torch, os = os, rawget = rawget}))

--- What is shown for each entry of a block, as a list.
function sessions.run(block)
  reset()
  local said, names, write = {}, {torch = torch}, io.write
  function names.print(...)
    local texts = table.pack(...)
    for i = 1, texts.n do texts[i] = tostring(texts[i]) end
    said[#said + 1] = table.concat(texts, "\t")
  end
  setmetatable(names, {__index = _G})
  local terminal = torch._terminal
  torch._terminal = function() end   -- charts are as wide as the terminal
  local answers = {}
  for i, entry in ipairs(block) do
    said = {}
    local f, expression = load("return " .. entry.typed, "=stdin", "t", names), true
    if not f then f, expression = assert(load(entry.typed, "=stdin", "t", names)), false end
    io.write = function(...) said[#said + 1] = table.concat {...}:gsub("\n$", "") end   -- luacheck: ignore 122
    local results = table.pack(pcall(f))
    io.write = write   -- luacheck: ignore 122
    if not results[1] then error(("%s: %s"):format(entry.typed, results[2]), 0) end
    if expression and results.n > 1 and not entry.typed:find ";$" then said[#said + 1] = show.joined(table.pack(table.unpack(results, 2, results.n))) end
    answers[i] = table.concat(said, "\n"):gsub(" +%f[\n\0]", ""):gsub("\n+$", "")
  end
  torch._terminal = terminal
  reset()
  return answers
end

return sessions
