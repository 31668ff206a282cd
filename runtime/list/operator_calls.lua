-- operator_calls.lua: turns expressions made of operators into C: gradient rules (gradients.lua), and entries whose value is
-- such an expression (`composite = "input - tanh(input)"`).
--
-- In an expression: the parameters by name, `f(a, b, key=c)` a call of an operator, sizes(x), dtype(x) and device(x) of a tensor,
-- [a, b] a list, + - * / arithmetic, nil for an omitted argument.
local expressions, defaults, types = require "expressions", require "defaults", require "c_types"

local function full_name(op) return (select(2, types.function_names(op))) end

local Calls = {}   -- op: the entry; text: its expression; by_name: its parameters; headers: the set of headers that the C needs
Calls.__index = Calls

function Calls:fail(message) error(("%s: in '%s': %s"):format(self.op.name, self.text, message)) end

-- Returns C that calls an operator, and adds the operator's header to self.headers.
function Calls:operator(name, format, ...)
  local op = self.op.list_of.by_name[name] or self.op.list_of.by_name[name:gsub("_", ".", 1)]
  self.headers[op and op.header or name] = true
  return format:format(...)
end

local function is_tensor(e) return e.kind == "tensor" end

local scalars = {int = "tocha_int(%s)", dim = "tocha_int(%s)", index = "tocha_int(%s)", bool = "tocha_boolean(%s)"}
local function as_scalar(e) return (scalars[e.kind] or "tocha_float(%s)"):format(e.c) end

local function as_operand(e)
  if e.kind == "operand" then return e.c end
  if is_tensor(e) then return ("tocha_operand_of(%s)"):format(e.c) end
  return ("tocha_number(%s)"):format(e.kind == "scalar" and e.c or as_scalar(e))
end

local function as_real(e)
  return e.kind == "scalar" and ("tocha_scalar_real(%s)"):format(e.c) or e.c
end

function Calls:arithmetic(sign, a, b)
  local function T(e) return is_tensor(e) or e.kind == "operand" end
  if a.kind == "int" and b.kind == "int" and sign ~= "/" then -- unsigned, because signed overflow is undefined
    return {kind = "int", c = ("(int64_t)((uint64_t)%s %s (uint64_t)%s)"):format(a.c, sign, b.c)}
  end
  if not T(a) and not T(b) then
    return {kind = (a.kind == "int" and b.kind == "int" and sign ~= "/") and "int" or "float",
      c = ("(%s %s %s)"):format(as_real(a), sign, sign == "/" and "(double)" .. as_real(b) or as_real(b))}
  end
  if not is_tensor(a) then
    if sign == "*" or sign == "+" then
      a, b = b, a
    elseif sign == "-" then
      return {kind = "tensor", c = self:operator("rsub", "tocha_rsub_full(cx, %s, %s, tocha_int(1))", b.c, as_operand(a))}
    else
      return {kind = "tensor", c = self:operator("mul", "tocha_mul_full(cx, %s, %s)", self:operator("reciprocal", "tocha_reciprocal(cx, %s)", b.c), as_operand(a))}
    end
  end
  local name = ({["+"] = "add", ["-"] = "sub", ["*"] = "mul", ["/"] = "div"})[sign]
  local alpha = (sign == "+" or sign == "-") and ", tocha_int(1)" or ""
  return {kind = "tensor", c = self:operator(name, "tocha_%s_full(cx, %s, %s%s)", name, a.c, as_operand(b), alpha)}
end

function Calls:negative(e)
  if is_tensor(e) then return {kind = "tensor", c = self:operator("neg", "tocha_neg(cx, %s)", e.c)} end
  if e.kind == "int" then return {kind = "int", c = ("(int64_t)(0 - (uint64_t)%s)"):format(e.c)} end -- the smallest integer stays itself
  return {kind = "float", c = ("(-%s)"):format(as_real(e))}
end

local constants = {["true"] = {kind = "bool", c = "true"}, ["false"] = {kind = "bool", c = "false"}, ["nil"] = {kind = "nil", c = "NULL"}}

--- Returns the value of a name: a constant, or a parameter.
function Calls:name(t)
  if constants[t] then return constants[t] end
  local p = self.by_name[t] or self:fail("unknown name " .. t)
  local i, c = p.index, types.unpacked(p, p.index)
  if p.kind == "tensor" then return {kind = "tensor", c = c} end
  if p.kind == "operand" then return {kind = "operand", c = c, tensor = ("a[%d].tensor"):format(i)} end
  if p.kind == "floats" or p.kind == "tensors" then return {kind = p.kind, c = c} end
  if types.list_kind[p.kind] then return {kind = "ints", c = c} end
  if p.optional and types.optional_pointer[p.kind] then return {kind = p.kind, c = types.value(p, i), optional = c} end
  return {kind = p.kind, c = c}
end

local element = {ints = "const int64_t", dims = "const int64_t", size = "const int64_t", floats = "const double", tensors = "tocha_tensor *const"}
local element_kind = {floats = "float", tensors = "tensor"}
local pointed = {int = "int64_t", dim = "int64_t", float = "double", bool = "bool", scalar = "tocha_scalar"}

-- Returns the value as one number, flag or text.
local function as_single(e, p)
  if p.kind == "scalar" and e.kind ~= "scalar" then return as_scalar(e) end
  return p.kind == "float" and as_real(e) or e.c
end

-- Returns the value as a count and a pointer.
function Calls:as_list(e, p)
  if e.kind == "nil" then return "0, NULL" end
  if element[e.kind] then
    if element[e.kind] ~= element[p.kind] then self:fail(("%s is no list of %s"):format(e.kind, p.kind)) end
    return e.c
  end
  local items = {}
  for i, item in ipairs(e.items or {e}) do items[i] = self:coerce(item, {kind = element_kind[p.kind] or "int", name = p.name}) end
  return #items == 0 and "0, NULL" or ("%d, (%s[]){%s}"):format(#items, element[p.kind], table.concat(items, ", "))
end

--- Returns the C of a value as parameter p takes it.
function Calls:coerce(e, p)
  if element[p.kind] then return self:as_list(e, p) end
  if e.kind == "nil" then return defaults.c {kind = p.kind} end
  if p.kind == "tensor" then
    if e.tensor then return e.tensor end
    if not is_tensor(e) then self:fail("a tensor expected for " .. p.name) end
    return e.c
  end
  if p.kind == "operand" then return as_operand(e) end
  if p.optional and types.optional_pointer[p.kind] then
    return e.optional or ("(const %s[]){%s}"):format(pointed[p.kind], as_single(e, p))
  end
  return as_single(e, p)
end

-- Returns sizes(x), dtype(x) or device(x) as {kind, c}.
function Calls:property(name, node)
  local p = node and self.by_name[node.name]
  if not p or p.kind ~= "tensor" or p.optional then self:fail(name .. "() takes a parameter that is a tensor") end
  local x = types.unpacked(p, p.index)
  if name == "sizes" then return {kind = "ints", c = ("%s->ndim, %s->sizes"):format(x, x)} end
  if name == "dtype" then return {kind = "dtype", c = ("(tocha_dtype)%s->dtype"):format(x)} end
  return {kind = "device", c = x .. "->device"}
end

local properties = {sizes = true, dtype = true, device = true}

-- Returns the operator that a node calls.
function Calls:target(node)
  local target = self.op.list_of.by_name[node.name]
  for _, op in ipairs(self.op.list_of) do if op.name:gsub("%.", "_") == node.name then target = op end end
  return target or self:fail("unknown operator " .. node.name)
end

-- Returns a list with the C of the target's arguments: those that the node gives, and defaults for the others.
function Calls:arguments(node, target)
  local args, keys = {"cx"}, 0
  for i, p in ipairs(target.parameters) do
    local e = node[i + 1] or node.keys[p.name]
    if node.keys[p.name] then keys = keys + 1 end
    args[#args + 1] = e and self:coerce(self:typed(e), p) or defaults.c(p)
  end
  for _ in pairs(node.keys) do keys = keys - 1 end
  if #node - 1 > #target.parameters or keys ~= 0 then self:fail(node.name .. " has no such parameter") end
  return args
end

function Calls:call(node)
  if properties[node.name] then return self:property(node.name, node[2]) end
  local target = self:target(node)
  if target.list or target.value or #target.results > 1 then self:fail(node.name .. " has not one tensor as its result") end
  self.headers[target.header] = true
  return {kind = "tensor", c = ("%s(%s)"):format(full_name(target), table.concat(self:arguments(node, target), ", "))}
end

function Calls:list(node)
  local items = {}
  for i = 2, #node do items[#items + 1] = self:typed(node[i]) end
  return {kind = "list", items = items}
end

-- Returns a tree of expressions.lua as {kind, c}.
function Calls:typed(node)
  local kind = node[1]
  if kind == "number" then return {kind = node.text:find "[.e]" and "float" or "int", c = node.text} end
  if kind == "string" then return {kind = "string", c = '"' .. node.text .. '"'} end
  if kind == "name" then return self:name(node.name) end
  if kind == "call" then return self:call(node) end
  if kind == "list" then return self:list(node) end
  if kind == "-" and #node == 2 then return self:negative(self:typed(node[2])) end
  if not kind:find "^[+*/-]$" then self:fail(kind .. " has no place among operators") end
  return self:arithmetic(kind, self:typed(node[2]), self:typed(node[3]))
end

-- Returns the C function of the operator that the whole expression calls: its name, and the constants that follow the arguments.
function Calls:behind(target)
  if target.family ~= self.op.family or target.formula or target.reduce or target.expression then
    self:fail(target.name .. " has no function of its own in this family")
  end
  local constants_of = {}
  for i, constant in ipairs(types.constants(target)) do constants_of[i] = constant.value end
  return target.implementation, constants_of
end

-- Returns a list with the address for each result of the target: in r for a result that the entry has, too (the same name;
-- the only result of an entry is the target's first), else NULL.
function Calls:places(target)
  local results, out, found = self.op.results, {}, 0
  for i, name in ipairs(target.results) do
    out[i] = "NULL"
    for k, wanted in ipairs(results) do
      if wanted == name or #results == 1 and i == 1 then
        out[i], found = ("&r->fixed[%d]"):format(k - 1), found + 1
      end
    end
  end
  if found < #results then self:fail(target.name .. " has not the results of the entry") end
  return out
end

-- Returns the C of an expression that is a single call of an operator with several results, and true if r receives them.
function Calls:whole(node, target)
  local args = self:arguments(node, target)
  local name, more = full_name(target), {}
  if self.op.direct then name, more = self:behind(target) else self.headers[target.header] = true end
  if target.list ~= self.op.list or target.value ~= self.op.value or (target.list or target.value) and not self.op.direct then
    self:fail(target.name .. " has another kind of result")
  end
  table.move(more, 1, #more, #args + 1, args)
  local places = (target.list or target.value) and {"r"} or #target.results > 1 and self:places(target) or {}
  table.move(places, 1, #places, #args + 1, args)
  return ("%s(%s)"):format(name, table.concat(args, ", ")), #places > 0
end

--- Returns the C of an entry that is an expression, and true if the C writes the results to r and is a bool; otherwise the C is
--- the only result, a tensor. Adds the headers that the C needs to the set `headers`.
function Calls.entry(op, headers)
  local self = setmetatable({op = op, text = op.expression, by_name = {}, headers = headers}, Calls)
  for i, p in ipairs(op.parameters) do
    p.index = i - 1
    self.by_name[p.name] = p
  end
  local node = expressions.read(op.expression, op.name)
  local target = node[1] == "call" and not properties[node.name] and self:target(node)
  if target and (op.direct or #target.results ~= 1) then return self:whole(node, target) end
  if op.direct or #op.results ~= 1 then self:fail "it is to be a call" end
  return self:coerce(self:typed(node), {kind = "tensor", name = "the result"}), false
end

return Calls
