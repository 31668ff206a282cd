-- example.lua: an example of a page of the site, as the entries that the prompt would see.
--
-- example_request {code, kind, below, before, reset} -> example_reply {printed}
--   kind    "entries" (with prompts, answers below), "lines" (entries without prompts) or "program" (shows no last value)
--   below   what the page prints below a program
--   before  what the examples of the page take for granted, reset: undoes what an example has set; both are Lua
--   printed what the page says that the example prints; missing if it says nothing
local function lines_of(text) return (text .. "\n"):gmatch "(.-)\n" end

local function typed(text)
  local entries, printed = {}, {}
  for line in lines_of(text) do
    local prompt, rest = line:match "^(>>?) (.*)$"
    if prompt == ">" then
      entries[#entries + 1] = rest
    elseif prompt and #entries > 0 then
      entries[#entries] = entries[#entries] .. "\n" .. rest
    else
      printed[#printed + 1] = line
    end
  end
  return entries, table.concat(printed, "\n")
end

local function cut(text, session)
  local entries, open = {}, nil
  for line in lines_of(text) do
    local entry = open and open .. "\n" .. line or line
    open = not session.is_complete(entry) and entry or nil
    if not open and entry:find "%S" then entries[#entries + 1] = entry end
  end
  entries[#entries + 1] = open
  return entries
end

-- The answer of a program stands behind its arrows, or in the block below.
local function program(text, below)
  local arrows = {}
  for answer in text:gmatch "%-%->[ \t]?([^\n]*)" do arrows[#arrows + 1] = answer end
  return {text .. "\n;"}, below or arrows[1] and table.concat(arrows, "\n")
end

local prepared = false -- what stands before the examples has run

--- Runs the example of a request. execute(request) answers an execute_request, and returns the reply.
return function(request, session, execute)
  local code, kind = request.code, request.kind
  if request.before and not prepared then execute {code = request.before .. ";", silent = true} end
  if request.reset then execute {code = request.reset, silent = true} end
  prepared = true
  local entries, printed
  if kind == "entries" then
    entries, printed = typed(code)
  elseif kind == "lines" then
    entries = cut(code, session)
  else
    entries, printed = program(code, request.below)
  end
  local payload
  for i, entry in ipairs(entries) do
    local reply = execute {code = entry, figures = i == #entries, stop_on_error = false}
    payload = reply.payload
    if reply.status ~= "ok" and (kind ~= "entries" or reply.ename == "KeyboardInterrupt") then break end
  end
  return {status = "ok", printed = printed, payload = payload}
end
