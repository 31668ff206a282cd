-- page.lua: the session of a page in a browser: the requests of a notebook (kernel.lua), and two more of the page's editor.
-- bindings/interpreter/web/web.c says which messages there are.
local torch = ...
local json = torch._part "tools.json"

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
  local answer, requests = torch._part "kernel.kernel"(host, session, nil, options.prompt == true)

  local function reply(content) host.send("reply", json.write(content)) end

  -- One digit a character: its style (layout.lua).
  function requests.highlight_request(request)
    local text, digits = request.code, {}
    local cursor = utf8.offset(text, (math.tointeger(request.cursor_pos) or -1) + 1)
    local styles = session.styles(text, cursor or 0)
    for at in utf8.codes(text, true) do digits[#digits + 1] = styles:byte(at) end
    reply {status = "ok", styles = table.concat(digits)}
  end

  -- The columns in front of a line after these lines, and in front of the last of them (-1: as they are).
  function requests.indent_request(request)
    local text = table.concat(request.lines, "\n")
    local own, after = session.indent(text, #text + 1)
    reply {status = "ok", columns = after, line = own}
  end

  return answer
end
