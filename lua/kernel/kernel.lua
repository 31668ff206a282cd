-- kernel.lua: a notebook's requests, answered in the session of the prompt (lua/prompt/session.lua). Messages are Jupyter's.
-- wire.lua signs and sends them.
local torch = ...
local json = torch._part "tools.json"
local render = torch._part "kernel.render"
local display = torch._part "plot.display"
local commands = torch._part "prompt.commands"
local lexer = torch._part "prompt.lexer"

local host, session -- the functions in C, and a page's prepare(content), which changes messages; the session
local count = 0     -- of the entries that were kept
local leaving       -- the program has asked to end
local aborting = 0  -- the number of requests that were waiting when an error occurred
local shown = {}    -- figures that the current cell has shown
local as_prompt     -- shows a lone nil, as the prompt does
local goes_on       -- the last cell left its figures to the next one

local function reply(content) host.send("reply", json.write(content)) end
local function publish(kind, content)
  if host.prepare then host.prepare(content) end
  host.send("publish", kind, json.write(content))
end

-- --- showing -----------------------------------------------------------------------------------------------------

local identities, last_identity = {}, 0

--- Shows a value (see display.lua).
function display.publish(value, id)
  if value ~= nil then shown[value] = true end
  local known = id ~= nil and identities[id]
  if id ~= nil and not known then
    last_identity = last_identity + 1
    identities[id] = ("tocha-%d"):format(last_identity)
  end
  publish(known and "update_display_data" or "display_data",
    {data = render.bundle(value), metadata = {}, transient = {display_id = id ~= nil and identities[id] or nil}})
end

-- Shows figures that were drawn and not shown, as matplotlib's notebooks do.
local function show_figures()
  local plot = rawget(torch, "plot")
  if not plot then return end
  for _, number in ipairs(plot.get_fignums()) do
    local figure = plot.figure(number)
    if shown[figure] then plot.close(figure) else plot.show(figure) end
  end
end

-- --- execute -----------------------------------------------------------------------------------------------------

local function name_of_error(message)
  local err = session.raised
  if message:find "interrupted!$" then return "KeyboardInterrupt" end
  if err == nil then return "SyntaxError" end
  local found, code = pcall(function() return err.code end)
  return type(err) ~= "string" and found and type(code) == "string" and code or "Error"
end

local function fail(message, silent)
  local lines = {}
  message = message:gsub("\n[^\n]*\n%s*%[tocha%] kernel%.kernel:.*", "") -- our own calls
  for line in message:gmatch "[^\n]*" do lines[#lines + 1] = line end
  local content = {ename = name_of_error(lines[1]), evalue = lines[1], traceback = json.array(lines)}
  if not silent then publish("error", content) end
  return content
end

local function evaluate_expressions(expressions)
  local out = {}
  for name, text in pairs(type(expressions) == "table" and expressions or {}) do
    local f, message = load("return " .. tostring(text), "=(expression)", "t", session.locals)
    local values = table.pack(pcall(f or function() error(message, 0) end))
    local good, result = values[1], values[2]
    out[name] = good and {status = "ok", data = render.bundle(result), metadata = {}}
      or {status = "error", ename = "Error", evalue = tostring(result), traceback = json.array {tostring(result)}}
  end
  return out
end

local function payload()
  local list = json.array {}
  if session.prefill then list[1] = {source = "set_next_input", text = session.prefill, replace = false} end
  if leaving then list[#list + 1] = {source = "ask_exit", keepkernel = false} end
  session.prefill = nil
  return list
end

-- Runs a cell. Returns nil, or the content of its error. request.figures == false: the next cell shows the figures.
local function run(code, request, silent)
  function session.shown(values)
    if silent or values.n == 0 or values.n == 1 and values[1] == nil and not as_prompt then return end
    if values[1] ~= nil then shown[values[1]] = true end
    publish("execute_result", {execution_count = count, data = render.values(values), metadata = {}})
  end
  session.raised = nil
  if not goes_on then shown = {} end
  goes_on = request.figures == false
  local message = host.run(code, request.allow_stdin == true)
  if not message and not goes_on then
    session.raised = ""
    message = host.call(show_figures)
  end
  if message and not leaving then return fail(message, silent) end
end

local requests = {}

function requests.execute_request(request)
  local code = type(request.code) == "string" and request.code or ""
  local silent = request.silent == true
  local keeps = not silent and request.store_history ~= false and code:find "%S" ~= nil
  if aborting > 0 then return reply {status = "aborted"} end
  if keeps then count = count + 1 end
  if not silent then publish("execute_input", {code = code, execution_count = count}) end
  local kept = #session.entries
  local problem = run(code, request, silent)
  if not keeps then session.entries[kept + 1] = nil end
  if problem then
    problem.status = "error"
    if request.stop_on_error ~= false then aborting = host.waiting() + 1 end
  else
    problem = {status = "ok", user_expressions = evaluate_expressions(request.user_expressions)}
  end
  problem.execution_count, problem.payload = count, payload()
  reply(problem)
end

-- --- questions ---------------------------------------------------------------------------------------------------

-- Returns the byte after the cursor, whose position Jupyter gives in characters.
local function byte_of(text, position)
  return utf8.offset(text, (math.tointeger(position) or utf8.len(text)) + 1) or #text + 1
end

local function characters(text, byte) return utf8.len(text, 1, byte - 1) or byte - 1 end

function requests.complete_request(request)
  local text = request.code
  local cursor = byte_of(text, request.cursor_pos)
  local first, list = session.complete(text, cursor)
  local matches, kinds = json.array {}, json.array {}
  for i, candidate in ipairs(list or {}) do
    matches[i] = candidate.text
    kinds[i] = {start = characters(text, first), ["end"] = characters(text, cursor), text = candidate.text, type = candidate.kind or "",
      signature = candidate.note or ""}
  end
  reply {status = "ok", matches = matches, cursor_start = characters(text, first or cursor), cursor_end = characters(text, cursor),
    metadata = {_jupyter_types_experimental = kinds}}
end

-- Returns the dotted name at the cursor, or that of the function whose arguments the cursor is in.
local function name_at(text, cursor)
  local first = #text:sub(1, cursor - 1):match "^(.-)[%w_.:]*$" + 1
  local name = text:match("^[%a_][%w_.:]*", first)
  if name then return (name:gsub("[.:]+$", "")) end
  local stack = lexer.walk(lexer.tokens(text:sub(1, cursor - 1)))
  for i = #stack, 1, -1 do
    local before = text:sub(1, stack[i].first - 1):match "([%a_][%w_.:]*)%s*$"
    if before then return before end
  end
end

function requests.inspect_request(request)
  local name = name_at(request.code, byte_of(request.code, request.cursor_pos))
  local text = name and commands.help_on(session, name)
  reply {status = "ok", found = text ~= nil, data = text and {["text/plain"] = text} or {}, metadata = {}}
end

function requests.is_complete_request(request)
  local text = request.code
  if not session.is_complete(text) then
    local _, indent = session.indent(text, #text + 1)
    return reply {status = "incomplete", indent = (" "):rep(math.tointeger(indent) or 0)}
  end
  reply {status = (not text:find "%S" or session.compile(text)) and "complete" or "invalid"}
end

local function pattern_of(glob)
  return "^" .. glob:gsub("[%^%$%(%)%%%.%[%]%+%-]", "%%%0"):gsub("%*", ".*"):gsub("%?", ".") .. "$"
end

function requests.history_request(request)
  local from, to = 1, #session.entries
  local kind, n = request.hist_access_type, math.tointeger(request.n)
  if kind == "range" then
    local start, stop = math.tointeger(request.start) or 0, math.tointeger(request.stop)
    from = math.max(1, start < 0 and to + 1 + start or start)
    to = math.min(to, stop and (stop < 0 and to + stop or stop - 1) or to)
    if (math.tointeger(request.session) or 0) > 1 then to = 0 end
  end
  local glob = kind == "search" and pattern_of(tostring(request.pattern or "*"))
  local list, seen = json.array {}, {}
  for i = to, from, -1 do
    local text = session.entries[i]
    if (not glob or text:find(glob)) and not (request.unique and seen[text]) and not (n and kind ~= "range" and #list >= n) then
      seen[text] = true
      table.insert(list, 1, json.array {1, i, request.output and json.array {text, json.null} or text})
    end
  end
  reply {status = "ok", history = list}
end

function requests.comm_info_request() reply {status = "ok", comms = {}} end

function requests.kernel_info_request() host.send "kernel_info" end

-- Comms are refused.
function requests.comm_open(request) publish("comm_close", {comm_id = tostring(request.comm_id or ""), data = {}}) end

-- --- beginning and end -------------------------------------------------------------------------------------------

local function connect(path)
  local file = assert(io.open(path, "rb"))
  local c, message = json.read(file:read "a")
  file:close()
  if type(c) ~= "table" then error(("%s: %s"):format(path, message or "no connection file"), 0) end
  local addresses = {}
  for i, name in ipairs {"shell", "control", "stdin", "hb", "iopub"} do
    local port = math.tointeger(c[name .. "_port"]) or error(("%s: no %s_port"):format(path, name), 0)
    addresses[i] = ("%s://%s%s%d"):format(c.transport or "tcp", c.ip or "127.0.0.1", c.transport == "ipc" and "-" or ":", port)
  end
  if c.signature_scheme and c.signature_scheme ~= "hmac-sha256" and c.key ~= "" then
    error(("%s: signatures by %s are not known, only hmac-sha256"):format(path, tostring(c.signature_scheme)), 0)
  end
  host.start(addresses, type(c.key) == "string" and c.key or "")
end

-- Replaces `os.exit`, which would lose messages that the notebook has yet to receive.
local function replace_exit()
  os.exit = function() -- luacheck: ignore 122
    leaving = true
    error(setmetatable({}, {__tostring = function() return "the kernel ends" end}), 0)
  end
end

local function answer(kind, text)
  host.begin()
  local request = json.read(text)
  local good, message = pcall(function()
    local handler = requests[kind]
    if handler then handler(type(request) == "table" and request or {}) end
  end)
  if not good then
    local content = {status = "error", ename = "Error", evalue = tostring(message), traceback = json.array {}}
    if kind:find "_request$" then reply(content) end
  end
  if aborting > 0 then aborting = aborting - 1 end
  host.send "done"
end

--- Answers requests until the end of the kernel. Without a connection file it returns the function that answers one request,
-- and the table of requests. like_prompt: a nil is shown, and messages name "stdin", not a cell.
return function(functions, the_session, path, like_prompt)
  host, session, as_prompt = functions, the_session, like_prompt
  if not as_prompt then session.chunk = "cell %d" end
  session.edits = false
  if path then connect(path) end
  replace_exit()
  rawset(session.locals, "display", function(...)
    for i = 1, select("#", ...) do display.publish((select(i, ...))) end
  end)
  if not path then return answer, requests end
  host.send "starting"
  while not leaving do
    local kind, text = host.receive()
    if kind == "shutdown" then break end
    if kind then answer(kind, text) end
  end
end
