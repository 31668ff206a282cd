-- connections.lua: finds the source of each argument of the operator that a module names (its field op): an input,
-- an option, a member, the flag `training`, or the operator's default. An entry whose options or members would not
-- reach the operator is refused here, because at run time the operator would silently compute with a default
-- instead.
local connections = {}

local function kinds(text, family)
  local out = {}
  for kind in text:gmatch "%S+" do out[kind] = family end
  return out
end

-- An option becomes an argument of another kind within the same family; all other kinds must be equal.
local family_of = setmetatable(kinds("operand scalar float int dim index", "a number"), {__index = function(_, kind) return kind end})
for kind, family in pairs(kinds("ints dims size", "a list")) do family_of[kind] = family end

local holds_tensor = {tensor = true, operand = true}

local function by_name(list)
  local out = {}
  for i, x in ipairs(list) do out[x.name] = {value = x, index = i - 1} end
  return out
end

-- Returns the inputs of forward by name, with their index and a flag if they may be omitted; the number of inputs
-- that are required follows.
local function read_inputs(m)
  local out, count, required = {}, 0, 0
  for name, mark in (m.inputs or "input"):gmatch "([%w_]+)(%??)" do
    out[name] = {index = count, optional = mark == "?"}
    count = count + 1
    if mark == "" then required = count end
  end
  return out, required
end

-- Returns true if C or Lua code of the class may read options and members, so that not all of them need to reach the operator.
local function has_code(m) return m.init or m.reset or m.forward or m.run or m.script or m.container end

-- Returns true if a line of the entry (a check, a size, a condition, an initializer's argument) reads the option.
local function is_read(m, option)
  for _, lines in ipairs {m.check or {}, m.parameter_lines or {}, m.buffer_lines or {}} do
    for _, line in ipairs(lines) do
      if line:find("%f[%w_]" .. option .. "%f[^%w_]") then return true end
    end
  end
  return option == "inplace" or (option == "dtype" or option == "device") and #m.members > 0
end

local Connection = {}
Connection.__index = Connection

function Connection:fail(message, ...) error(("%s: "):format(self.m.name) .. message:format(...), 0) end

-- Fails if an option does not fit the operator's parameter p.
function Connection:check_option(p, option)
  if family_of[option.kind] ~= family_of[p.kind] then
    self:fail("the option %s is %s, the parameter %s of %s is %s", option.name, option.kind, p.name, self.op.name, p.kind)
  end
  if option.optional and option.default == nil and not p.optional and p.kind ~= "dim" then
    self:fail("the option %s may be None, the parameter %s of %s may not", option.name, p.name, self.op.name)
  end
end

-- Returns, as C, the source of the operator's parameter p, which has number i.
function Connection:source(i, p)
  local name = self.m.as and self.m.as[p.name] or p.name
  local input = self.inputs[p.name]
  self.reached[name] = true
  if i <= self.required or input and input.optional then
    if not holds_tensor[p.kind] then self:fail("the input %s of %s is no tensor but %s", p.name, self.op.name, p.kind) end
    self.reached_inputs = self.reached_inputs + 1
    return tostring(i <= self.required and i - 1 or input.index)
  elseif name == "training" and p.kind == "bool" then
    return "TOCHA_FROM_TRAINING"
  elseif self.members[name] and holds_tensor[p.kind] then
    return "TOCHA_FROM_MEMBER"
  elseif self.options[name] and p.kind ~= "tensor" then
    self:check_option(p, self.options[name].value)
    return ("TOCHA_FROM_OPTIONS + %d"):format(self.options[name].index)
  elseif p.kind == "tensor" and (self.m.init or self.m.reset) then   -- C code creates the member
    return "TOCHA_FROM_MEMBER"
  elseif self.options[name] then
    self:fail("the option %s is no member: buffers = {'%s'} keeps it for %s", name, name, self.op.name)
  elseif self.members[name] then
    self:fail("the member %s is a tensor, the parameter %s of %s is %s", name, p.name, self.op.name, p.kind)
  elseif p.default == nil and not p.optional and not self.m.forward then
    self:fail("nothing of the module suits the parameter %s of its operator %s", p.name, self.op.name)
  end
  return "TOCHA_FROM_DEFAULT"
end

-- Fails if the entry names something that does not exist, or has an option or member that no code reads.
function Connection:check_rest(count)
  local m, parameters = self.m, by_name(self.op.parameters)
  for parameter, name in pairs(m.as or {}) do
    if not parameters[parameter] then self:fail("as: %s has no parameter %s", self.op.name, parameter) end
    if not self.options[name] and not self.members[name] and not has_code(m) then self:fail("as: there is no option or member %s", name) end
  end
  if self.reached_inputs < count then self:fail("not every input is a parameter of %s", self.op.name) end
  if has_code(m) then return end
  for name in pairs(self.members) do
    if not self.reached[name] then self:fail("%s has no parameter for the member %s", self.op.name, name) end
  end
  for _, p in ipairs(m.parameters) do
    if not self.reached[p.name] and not is_read(m, p.name) then self:fail("%s has no parameter for the option %s", self.op.name, p.name) end
  end
end

-- Fails if the in-place form, which replaces the operator if the option inplace is true, has other parameters.
local function check_inplace(self, operators)
  local form = self.options.inplace and not by_name(self.op.parameters).inplace and (operators[self.op.name .. "_"] or self:fail("%s has no in-place form", self.op.name))
  for i, p in ipairs(form and self.op.parameters or {}) do
    local other = form.parameters[i]
    if not other or other.name ~= p.name or other.kind ~= p.kind then self:fail("the parameters of %s are not those of %s", form.name, self.op.name) end
  end
end

--- Returns, for each parameter of the operator of a module's entry (write_modules.module), the argument's source as
-- C: the elements of an int8_t[]. operators: by name. Returns an empty list if the module has no operator.
function connections.of(m, operators)
  if not m.op then return {} end
  local inputs, required = read_inputs(m)
  local self = setmetatable({m = m, op = operators[m.op], inputs = inputs, required = required, reached = {}, reached_inputs = 0,
    options = by_name(m.parameters), members = by_name(m.members)}, Connection)
  if not self.op then self:fail("there is no operator %s", m.op) end
  local out, count = {}, 0
  for i, p in ipairs(self.op.parameters) do out[i] = self:source(i, p) end
  for _ in pairs(inputs) do count = count + 1 end
  self:check_rest(count)
  check_inplace(self, operators)
  return out
end

return connections
