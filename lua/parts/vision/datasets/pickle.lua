-- vision/datasets/pickle.lua: reads the pickles of CIFAR's version for Python: dicts, lists, numbers, texts and NumPy's arrays of bytes. Nothing is
-- executed: the names that a file may call are those below, and each makes a plain value.
local torch = ...
local fail = torch._part "support".fail

local MARK, DEEPEST = {}, 1000000 -- values on the stack

-- --- what a file may call --------------------------------------------------------------------------------------

-- An array before its state is known: {array = true}; then {rows = bytes, shape = {...}}.
local function reconstruct() return {array = true} end
local function dtype(arguments)
  if arguments[1] ~= "u1" then fail("ValueError", "a pickle has an array of %s; bytes (u1) are read", tostring(arguments[1])) end
  return {dtype = "u1"}
end

-- The text of code points below 256 as bytes: how protocol 2 of Python 3 writes them.
local function encode(arguments)
  if arguments[2] ~= "latin1" or type(arguments[1]) ~= "string" then fail("ValueError", "a pickle has a string in another encoding than latin1") end
  local bytes = {}
  for _, code in utf8.codes(arguments[1]) do
    if code > 255 then fail("ValueError", "a pickle has a string in another encoding than latin1") end
    bytes[#bytes + 1] = string.char(code)
  end
  return table.concat(bytes)
end

local CALLS = {["_codecs encode"] = encode, ["numpy dtype"] = dtype, ["numpy ndarray"] = fail}
for _, core in ipairs{"core", "_core"} do CALLS["numpy." .. core .. ".multiarray _reconstruct"] = reconstruct end

-- (version, shape, dtype, is column-major, bytes)
local function build(object, state)
  if type(object) ~= "table" or type(state) ~= "table" then fail("ValueError", "a pickle sets the state of something else than an array") end
  if object.dtype then return end
  local shape, bytes, count = state[2], state[5], 1
  if not object.array or type(shape) ~= "table" or type(bytes) ~= "string" or type(state[3]) ~= "table" or not state[3].dtype or state[4] then
    fail("ValueError", "a pickle has an array that is not one of bytes, row by row")
  end
  for _, n in ipairs(shape) do
    if math.type(n) ~= "integer" or n < 0 then fail("ValueError", "a pickle has an array of no shape") end
    count = count * n
  end
  if count ~= #bytes then fail("ValueError", "a pickle has an array of %d bytes where its shape needs %d", #bytes, count) end
  object.array, object.shape, object.bytes = nil, shape, bytes
end

-- --- the machine --------------------------------------------------------------------------------------------------

local machine = {}
machine.__index = machine

function machine:take(format)
  local ok, value, at = pcall(string.unpack, format, self.text, self.at)
  if not ok then fail("EOFError", "a pickle ends early") end
  self.at = at
  return value
end

function machine:line()
  local line, at = self.text:match("^([^\n]*)\n()", self.at)
  if not line then fail("EOFError", "a pickle ends early") end
  self.at = at
  return line
end

function machine:push(value)
  if self.top >= DEEPEST then fail("ValueError", "a pickle is too large") end
  self.top = self.top + 1
  self.stack[self.top] = value
end

function machine:pop()
  if self.top == 0 or self.stack[self.top] == MARK then fail("ValueError", "a pickle takes what it has not put") end
  self.top = self.top - 1
  return self.stack[self.top + 1]
end

-- The values above the last mark.
function machine:pop_marked()
  local at = self.top
  while at > 0 and self.stack[at] ~= MARK do at = at - 1 end
  if at == 0 then fail("ValueError", "a pickle has no mark") end
  local values = table.move(self.stack, at + 1, self.top, 1, {})
  self.top = at - 1
  return values
end

function machine:container()
  local value = self.stack[self.top]
  if type(value) ~= "table" or value == MARK then fail("ValueError", "a pickle adds to what is no list and no dict") end
  return value
end

function machine:remember(key) self.memo[key] = self.stack[self.top] end
function machine:recall(key)
  if self.memo[key] == nil then fail("ValueError", "a pickle recalls what it has not kept") end
  self:push(self.memo[key])
end

function machine:global(module, name)
  local key = tostring(module) .. " " .. tostring(name)
  if not CALLS[key] then fail("ValueError", "a pickle names %s, which is not called", (key:gsub(" ", "."))) end
  self:push{call = CALLS[key]}
end

local function set_items(m, items)
  local dict = m:container()
  for i = 1, #items, 2 do
    if items[i + 1] == nil or type(items[i]) ~= "string" and type(items[i]) ~= "number" then fail("ValueError", "a pickle has a dict without keys") end
    dict[items[i]] = items[i + 1]
  end
end

local function append(m, items)
  local list = m:container()
  table.move(items, 1, #items, #list + 1, list)
end

local function tuple(n)
  return function(m)
    local values = {}
    for i = n, 1, -1 do values[i] = m:pop() end
    m:push(values)
  end
end

local function pushes(format)
  return function(m) m:push(m:take(format)) end
end

-- None is false here: nothing in these files tells them apart.
local STEPS = {
  ["("] = function(m) m:push(MARK) end,
  ["}"] = function(m) m:push{} end, ["]"] = function(m) m:push{} end, [")"] = function(m) m:push{} end,
  N = function(m) m:push(false) end, ["\x88"] = function(m) m:push(true) end, ["\x89"] = function(m) m:push(false) end,
  K = pushes "<I1", M = pushes "<I2", J = pushes "<i4", G = pushes ">d", U = pushes "<s1", T = pushes "<s4", C = pushes "<s1", B = pushes "<s4",
  X = pushes "<s4", ["\x8c"] = pushes "<s1", ["\x8d"] = pushes "<s8", ["\x8e"] = pushes "<s8",
  I = function(m) m:push(math.tointeger(tonumber(m:line())) or 0) end,
  ["\x80"] = function(m) m:take "B" end, ["\x95"] = function(m) m:take "<I8" end,
  q = function(m) m:remember(m:take "<I1") end, r = function(m) m:remember(m:take "<I4") end,
  ["\x94"] = function(m)
    m:remember(m.kept)
    m.kept = m.kept + 1
  end,
  h = function(m) m:recall(m:take "<I1") end, j = function(m) m:recall(m:take "<I4") end,
  ["\x85"] = tuple(1), ["\x86"] = tuple(2), ["\x87"] = tuple(3), t = function(m) m:push(m:pop_marked()) end,
  a = function(m)
    local value = m:pop()
    append(m, {value})
  end,
  e = function(m) append(m, m:pop_marked()) end,
  s = function(m)
    local value, key = m:pop(), m:pop()
    set_items(m, {key, value})
  end,
  u = function(m) set_items(m, m:pop_marked()) end,
  c = function(m)
    local module = m:line()
    m:global(module, m:line())
  end,
  ["\x93"] = function(m)
    local name, module = m:pop(), m:pop()
    m:global(module, name)
  end,
  R = function(m)
    local arguments, f = m:pop(), m:pop()
    if type(f) ~= "table" or not f.call or f.call == fail or type(arguments) ~= "table" then fail("ValueError", "a pickle calls what is no function") end
    m:push(f.call(arguments))
  end,
  b = function(m)
    local state, object = m:pop(), m.stack[m.top]
    build(object, state)
  end,
}

--- The value in a pickle's bytes. An array is {bytes = ..., shape = {...}}.
return function(text)
  local m = setmetatable({text = text, at = 1, stack = {}, top = 0, memo = {}, kept = 0}, machine)
  while true do
    local code = m:take "c1"
    if code == "." then return m:pop() end
    local step = STEPS[code]
    if not step then fail("ValueError", "a pickle has the code %d, which is not read", code:byte()) end
    step(m)
  end
end
