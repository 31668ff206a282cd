-- read_optimizers.lua: reads optim/optimizers.lua (plain data; its head explains the notation) into one list with
-- parsed options, states and formulas, and turns formulas into C for the host, in float64.
local read_optimizers = {}
local expressions, option_struct = require "expressions", require "option_struct"

local kinds = {float = "NUMBER", Scalar = "NUMBER", bool = "BOOL", ["bool?"] = "MAYBE", pair = "PAIR"}
local known = {}
for key in ("check states states_first captured numbers step like run doc details added"):gmatch "%S+" do known[key] = true end

local Entry = {}
Entry.__index = Entry

function Entry:fail(message, ...) error(("%s: "):format(self.name) .. message:format(...), 0) end

-- Sets m.options, in order, with their names in formulas. m.reads maps such a name to {option, member: which of its
-- numbers}.
local function parse_signature(m, signature)
  m.options, m.reads = {}, {}
  local keyword_only = false
  local inside = signature:match "^%((.*)%)$" or m:fail("cannot read %s", signature)
  inside = inside:gsub("%b()", function(pair) return (pair:gsub(",", ";")) end)   -- (0.9; 0.999)
  for text in inside:gmatch "[^,]+" do
    text = text:match "^%s*(.-)%s*$"
    local kind, name, default = text:match "^(%S+)%s+([%w_]+)%s*=?%s*(.*)$"
    if text == "*" then
      keyword_only = true
    elseif not kinds[kind] then
      m:fail("cannot read the option '%s'", text)
    else
      local o = {name = name, kind = kinds[kind], default = default, keyword_only = keyword_only, index = #m.options}
      local stem = name:gsub("s$", "")
      m.options[#m.options + 1] = o
      o.names = o.kind == "PAIR" and {stem .. "1", stem .. "2"} or {name}
      for i, read in ipairs(o.names) do m.reads[read] = {option = o, member = i == 1 and "first" or "second"} end
    end
  end
end

-- Parses a state: "number mu_product = 1", "sum = initial_accumulator_value", "momentum_buffer if momentum != 0"
local function parse_state(m, text)
  local body, condition = text:match "^(.-)%s+if%s+(.+)$"
  local declared, initial = (body or text):match "^(.-)%s*=%s*(.+)$"
  declared = declared or body or text
  local name = declared:match "^number%s+([%w_]+)$"
  local is_number = name ~= nil or declared == "step"
  name = name or declared:match "^[%w_]+$" or m:fail("cannot read the state '%s'", text)
  return {name = name, number = is_number, initial = initial and expressions.read(initial, m.name),
    condition = condition and expressions.read(condition, m.name)}
end

local function parse_states(m, texts)
  m.states, m.by_state = {}, {}
  for i, text in ipairs(texts or {}) do
    local s = parse_state(m, text)
    s.index = i - 1
    m.states[i], m.by_state[s.name] = s, s
  end
end

local function check_options_alike(m, base)
  for i = 1, math.max(#m.options, #base.options) do
    if not m.options[i] or not base.options[i] or m.options[i].name ~= base.options[i].name then
      m:fail("its options are not those of %s", base.name)
    end
  end
end

--- Reads one entry. by_name: the entries above it, for `like`.
function read_optimizers.entry(name, entry, by_name)
  local m = setmetatable({name = name, id = name:lower()}, Entry)
  for key, value in pairs(entry) do
    if key ~= 1 and not known[key] then m:fail("unknown field '%s'", key) end
    m[key] = value
  end
  if not m.doc then m:fail "no doc" end
  parse_signature(m, entry[1])
  m.signature = entry[1]
  option_struct.mark_added(name, m.options, m.added)
  if m.like then
    m.base = by_name[m.like] or m:fail("like what? '%s' is not above", m.like)
    check_options_alike(m, m.base)
    return m
  end
  if (m.step == nil) == (m.run == nil) then m:fail "needs step or run" end
  parse_states(m, entry.states)
  m.numbers = expressions.read_block(m.numbers or "", name .. ", numbers")
  m.step = m.step and expressions.read_block(m.step, name .. ", step")
  m.computed = {}   -- the names that `numbers` assigns to, in order
  expressions.each_set(m.numbers, function(s)
    if m.reads[s.name] then m:fail("'%s' is an option", s.name) end
    if not m.by_state[s.name] and not m.computed[s.name] then
      m.computed[#m.computed + 1] = s.name
      m.computed[s.name] = true
    end
  end)
  return m
end

-- Options of PyTorch's optimizers for their different ways of computing, which have no effect here; and options
-- that mean the same in every optimizer (write_optimizers.lua).
local without_effect, everywhere = {}, {}
for name in ("foreach fused capturable differentiable"):gmatch "%a+" do without_effect[name] = true end
for name in ("maximize weight_decay decoupled_weight_decay"):gmatch "[%a_]+" do everywhere[name] = true end

--- Fails if an option of an entry has no default, or if no formula reads an option or a state, which would be silently
-- ignored.
function read_optimizers.check(m)
  if not m.step then return end
  local read = {step = true}
  local function add(name) read[name] = true end
  for _, s in ipairs(m.states) do
    if s.initial then expressions.each_name(s.initial, add) end
    if s.condition then expressions.each_name(s.condition, add) end
  end
  for _, block in ipairs {m.numbers, m.step} do expressions.each_read(block, add) end
  for _, o in ipairs(m.options) do
    if o.default == "" and o.kind ~= "MAYBE" then m:fail("the option %s has no default", o.name) end
    for _, name in ipairs(o.names) do
      if not (read[name] or without_effect[name] or everywhere[name]) then m:fail("nothing reads the option %s", name) end
    end
  end
  for _, s in ipairs(m.states) do
    if not read[s.name] then m:fail("nothing reads the state %s", s.name) end
  end
  local sets_parameter = false
  expressions.each_set(m.step, function(s) sets_parameter = sets_parameter or s.name == "p" end)
  if not sets_parameter then m:fail "step does not assign to the parameter, p" end
end

--- Returns the optimizers of the file, in order.
function read_optimizers.load(path)
  local out, by_name = {}, {}
  local env = {optimizer = function(name)
    return function(entry)
      local m = read_optimizers.entry(name, entry, by_name)
      read_optimizers.check(m)
      out[#out + 1], by_name[name] = m, m
    end
  end}
  assert(loadfile(path, "t", env))()
  return out
end

-- --- formulas on the host ---------------------------------------------------------------------------------
local functions = {sqrt = "sqrt", abs = "fabs", exp = "exp", log = "log", maximum = "fmax", minimum = "fmin"}

local function host_style(m)
  return {
    fail = function(...) m:fail(...) end,
    number = function(text) return text end,
    name = function(name)
      local state = m.by_state[name]
      if m.reads[name] then return "x." .. name end
      if m.computed[name] or name == "first" or state and state.number then return name end
      m:fail("'%s' is neither option, number nor computed", name)
    end,
    power = function(a, b) return ("pow(%s, %s)"):format(a, b) end,
    call = function(name, args, e)
      if name == "is_float" or name == "is_tensor" then   -- asks for the kind of an option's number
        local read = m.reads[e[2].name] or m:fail("%s of what is no option", name)
        local tensor = ("o[%d].tensors[%d]"):format(read.option.index, read.member == "first" and 0 or 1)
        if name == "is_tensor" then return ("(%s != NULL)"):format(tensor) end
        return ("(o[%d].%s.kind == TOCHA_SCALAR_FLOAT && !%s)"):format(read.option.index, read.member, tensor)
      elseif name == "rounded" then
        return ("rounded(state, %s)"):format(args[1])
      end
      local c = functions[name] or m:fail("no function '%s' of numbers", name)
      for i, arg in ipairs(args) do args[i] = arg:gsub("^%d+$", "%0.0") end   -- C++ has other functions for integers
      return ("%s(%s)"):format(c, table.concat(args, ", "))
    end,
  }
end

--- Returns an expression as C for the host. Options are members of x (see write_optimizers.lua), other names
-- variables.
function read_optimizers.host_c(m, e) return expressions.c(e, host_style(m)) end

--- Returns true if the expression has the same value for all elements.
function read_optimizers.is_uniform(m, e)
  local uniform = true
  expressions.each_name(e, function(name)
    local state = m.by_state[name]
    if not (m.reads[name] or m.computed[name] or name == "first" or state and state.number) then uniform = false end
  end)
  return uniform
end

return read_optimizers
