-- wire.lua: the messages of Jupyter's protocol (5.3): which are valid, which are answered at once, which wait for the
-- evaluation. Runs in the thread that has the sockets (bindings/interpreter/kernel/wire.c), in a Lua state of its own.
local json, host, key, version = ...
local handlers = {}

local DELIMITER = "<IDS|MSG>"
local session, sent = host.unique(), 0
local seen, seen_count = {}, 0 -- signatures: a message counts once
local waiting = {}             -- requests of the shell, the oldest first
local current = {ids = {}, header = "{}"} -- the request that is being answered
local held = {stdout = "", stderr = ""}   -- the first bytes of a character whose other bytes have not arrived

-- --- sending -----------------------------------------------------------------------------------------------------

local function signature(header, parent, metadata, content)
  return key == "" and "" or host.hmac(key, header .. parent .. metadata .. content)
end

local function send(channel, kind, content, request, metadata)
  sent = sent + 1
  local header = json.write {msg_id = session .. "_" .. sent, session = session, username = "tocha", date = host.now(), msg_type = kind,
    version = "5.3"}
  local parent, frames = request.header, {}
  metadata = metadata or "{}"
  if channel == "iopub" then frames[1] = kind else table.move(request.ids, 1, #request.ids, 1, frames) end
  for _, frame in ipairs {DELIMITER, signature(header, parent, metadata, content), header, parent, metadata, content} do
    frames[#frames + 1] = frame
  end
  host.send(channel, frames)
end

local function status(state, request) send("iopub", "status", json.write {execution_state = state}, request) end

-- --- receiving ---------------------------------------------------------------------------------------------------

local function is_new(digest)
  if seen[digest] then return false end
  if seen_count > 65536 then seen, seen_count = {}, 0 end
  seen[digest], seen_count = true, seen_count + 1
  return true
end

-- Compares signatures in constant time: as long for a wrong one as for the right one.
local function same(a, b)
  local different = #a ~ #b
  for i = 1, #b do different = different | ((a:byte(i) or 0) ~ b:byte(i)) end
  return different == 0
end

-- Returns the message in frames, {type, ids, header, content}, or nil if there is none or it is not signed with our key.
local function parse(frames)
  local at = 1
  while frames[at] and frames[at] ~= DELIMITER do at = at + 1 end
  if not frames[at + 5] then return nil end
  local digest, header, parent, metadata, content = table.unpack(frames, at + 1, at + 5)
  if key ~= "" and not (same(digest, signature(header, parent, metadata, content)) and is_new(digest)) then return nil end
  local fields = json.read(header)
  if type(fields) ~= "table" or type(fields.msg_type) ~= "string" then return nil end
  return {type = fields.msg_type, ids = table.move(frames, 1, at - 1, 1, {}), header = header, content = content}
end

local control = {}

function control.kernel_info_request() return {status = "ok", protocol_version = "5.3", implementation = "tocha",
  implementation_version = version, banner = "Tocha " .. version .. ": PyTorch's names in " .. _VERSION,
  language_info = {name = "lua", version = _VERSION:match "[%d.]+", mimetype = "text/x-lua", file_extension = ".lua", pygments_lexer = "lua",
    codemirror_mode = "lua"},
  help_links = json.array {{text = "Lua 5.4", url = "https://www.lua.org/manual/5.4/"}, {text = "PyTorch", url = "https://docs.pytorch.org/docs/stable/"}}}
end

function control.interrupt_request()
  host.interrupt()
  return {status = "ok"}
end

function control.shutdown_request(content)
  local restart = type(content) == "table" and content.restart == true
  host.deliver("requests", {"shutdown"})
  host.leave()
  return {status = "ok", restart = restart}
end

local function answer(channel, request)
  status("busy", request)
  local reply = json.write(control[request.type](json.read(request.content)))
  local kind = request.type:gsub("request$", "reply")
  send(channel, kind, reply, request)
  if kind == "shutdown_reply" then send("iopub", kind, reply, request) end
  status("idle", request)
end

--- Handles a message that came on a channel.
function handlers.received(channel, frames)
  local request = parse(frames)
  if not request then return end
  if channel == "stdin" then
    local content = request.type == "input_reply" and json.read(request.content)
    if type(content) == "table" and type(content.value) == "string" then host.deliver("inputs", {content.value}) end
  elseif request.type == "shutdown_request" or channel == "control" and control[request.type] then
    answer(channel, request)
  elseif channel == "shell" then
    waiting[#waiting + 1] = request
    host.deliver("requests", {request.type, request.content})
  end
end

-- --- from the evaluation -----------------------------------------------------------------------------------------

local outgoing = {}

--- Starts the next waiting request.
function outgoing.begin()
  current = table.remove(waiting, 1) or current
  status("busy", current)
  host.deliver("begun", {})
end

function outgoing.done() status("idle", current) end
function outgoing.reply(content) send("shell", current.type:gsub("request$", "reply"), content, current) end
function outgoing.publish(kind, content) send("iopub", kind, content, current) end
function outgoing.starting() status("starting", current) end

--- Sends a request for a line that a program reads.
function outgoing.input() send("stdin", "input_request", json.write {prompt = "", password = false}, current) end

--- Answers kernel_info on the shell, in its turn.
function outgoing.kernel_info() outgoing.reply(json.write(control.kernel_info_request())) end

function handlers.outgoing(_, list) outgoing[list[1]](table.unpack(list, 2)) end

-- Returns the number of bytes at the end of a text that are the beginning of a character.
local function unfinished(text)
  for back = 1, math.min(3, #text) do
    local byte = text:byte(-back)
    if byte >= 0xC0 then return back < (byte >= 0xF0 and 4 or byte >= 0xE0 and 3 or 2) and back or 0 end
    if byte < 0x80 then return 0 end
  end
  return 0
end

--- Sends bytes that came from the program's stdout or stderr.
function handlers.printed(name, bytes)
  local text = held[name] .. bytes
  local rest = unfinished(text)
  held[name] = text:sub(#text - rest + 1)
  text = text:sub(1, #text - rest)
  if text ~= "" then send("iopub", "stream", json.write {name = name, text = text}, current) end
end

return handlers
