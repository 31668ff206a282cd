-- page.lua: the session of a page in a browser: the requests of a notebook (kernel.lua), two more of the page's editor, and one of
-- examples. bindings/interpreter/web/web.c says which messages there are.
local torch = ...
local json = torch._part "tools.json"

-- --- what a page shows -------------------------------------------------------------------------------------------

-- Returns the lines of a message in colours: its first line and its place, the hint, the trace.
local function painted(lines)
  local out, style = {}, "1;31"
  for i, line in ipairs(lines) do
    if line:find "^hint: " then
      style = "33"
    elseif line:find "^stack traceback:" then
      style = "90"
    elseif style == "1;31" and line:find "^at " then
      style = "31"
    end
    out[i] = ("\27[%sm%s\27[0m\n"):format(style, line)
  end
  return table.concat(out)
end

-- Returns the URL of a picture among the forms of a value, or nil.
local function picture(data)
  local svg = data["image/svg+xml"]
  if svg then return "data:image/svg+xml;charset=utf-8," .. svg:gsub("[%%#\n]", {["%"] = "%25", ["#"] = "%23", ["\n"] = "%0A"}) end
  for _, kind in ipairs {"image/png", "image/jpeg"} do
    if data[kind] then return ("data:%s;base64,%s"):format(kind, data[kind]) end
  end
end

local function prepare(content)
  local data = content.data
  if content.traceback then content.text = painted(content.traceback) end
  if not data then return end
  content.picture = picture(data)
  data["image/svg+xml"], data["image/png"], data["image/jpeg"] = nil, nil, nil
  if not content.picture and not data["text/html"] then content.text = data["text/plain"] .. "\n" end
end

-- --- requests ----------------------------------------------------------------------------------------------------

--- Returns answer(kind, text), which answers one request. host: functions in C; options: the page's, as JSON.
return function(host, session, options)
  options = json.read(options)
  if type(options) ~= "table" then options = {} end
  local columns = math.tointeger(options.columns)
  torch._part "plot.display".formats = nil
  torch._terminal = function() return columns end
  session.window = function()
    if columns then return columns, math.tointeger(options.rows) or 24 end
  end
  host.prepare = prepare
  local answer, requests = torch._part "kernel.kernel"(host, session, nil, options.prompt == true)

  local function reply(content) host.send("reply", json.write(content)) end

  -- One digit for each unit of UTF-16: its style (layout.lua).
  function requests.highlight_request(request)
    local text, digits = request.code, {}
    local styles = session.styles(text, #(request.before or "") + 1)
    for at, code in utf8.codes(text, true) do
      digits[#digits + 1] = tostring(styles:byte(at)):rep(code > 0xFFFF and 2 or 1)
    end
    reply {status = "ok", styles = table.concat(digits)}
  end

  -- The last line and a new one, with their blanks.
  function requests.indent_request(request)
    local last = request.code:match "[^\n]*$"
    local own, after = session.indent(request.code, #request.code + 1)
    if own >= 0 then last = (" "):rep(own) .. last:match "^ *(.*)$" end
    reply {status = "ok", lines = last .. "\n" .. (" "):rep(after)}
  end

  function requests.example_request(request)
    local send, answered = host.send, nil
    host.send = function(what, text, ...)
      if what == "reply" then answered = json.read(text) else send(what, text, ...) end
    end
    local good, outcome = pcall(torch._part "kernel.example", request, session, function(entry)
      requests.execute_request(entry)
      return answered
    end)
    host.send = send
    if not good then error(outcome, 0) end
    reply(outcome)
  end

  return answer
end
