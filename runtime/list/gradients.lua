-- gradients.lua: turns the gradient rules of the entries, expressions made of operators, into C.
--
-- In a rule, `grad` is the gradient of the first result (grad_NAME that of a named one). Parameter names are the forward
-- arguments, and `result` (or a result's name) the forward results. sizes(x) and dtype(x) are those of a differentiable
-- input. `f(a, b, key=c)` calls an operator, and + - * / are arithmetic.
local expressions = require "expressions"
local rules = {}

local list_kind = {ints = true, floats = true, dims = true, size = true}

-- --- defaults ---------------------------------------------------------------------------------------
local function number(text) return tonumber(text) or error("not a number: " .. text) end

local function scalar_c(text)
  if text == "true" or text == "false" then return "tocha_boolean(" .. text .. ")" end
  number(text)
  return (text:find "[.e]" and "tocha_float(%s)" or "tocha_int(%s)"):format(text)
end

local function scalar_static(text)   -- a constant initializer
  if text == "true" or text == "false" then
    return ("{TOCHA_SCALAR_BOOL, {.integer = %d}}"):format(text == "true" and 1 or 0)
  elseif text:find "[.e]" then
    return ("{TOCHA_SCALAR_FLOAT, {.real = %s}}"):format(text)
  end
  return ("{TOCHA_SCALAR_INT, {.integer = %s}}"):format(text)
end

local function int_list(text)
  local items = {}
  for n in text:gmatch "%-?%d+" do items[#items + 1] = n end
  return items
end

--- Returns the default of a parameter as a C expression for a full call.
function rules.default_c(p)
  local d = p.default
  if p.kind == "operand" then return ("tocha_number(%s)"):format(scalar_c(d)) end
  if p.kind == "tensors" then return "0, NULL" end
  if list_kind[p.kind] then
    if not d then return "0, NULL" end
    local items = int_list(d)
    return #items == 0 and "0, NULL" or ("%d, (const int64_t[]){%s}"):format(#items, table.concat(items, ", "))
  end
  if not d then
    return ({dtype = "TOCHA_NO_DTYPE", device = "tocha_no_device()"})[p.kind] or "NULL"
  end
  if p.kind == "scalar" then
    return p.optional and ("&(tocha_scalar){0}" and ("&(const tocha_scalar)%s"):format(scalar_static(d))) or scalar_c(d)
  end
  if p.kind == "string" then return '"' .. d:gsub("[\"']", "") .. '"' end
  if p.kind == "dtype" then return "TOCHA_" .. d:upper() end
  if p.optional then
    local t = ({int = "int64_t", dim = "int64_t", float = "double", bool = "bool"})[p.kind]
    return ("&(const %s){%s}"):format(t, d)
  end
  return d
end

--- Returns the default as a tocha_arg initializer of the table.
function rules.default_arg(p)
  local d = p.default
  if p.kind == "operand" or p.kind == "scalar" then return ("{.value.scalar = %s, .given = true}"):format(scalar_static(d)) end
  if p.kind == "string" then return ('{.value.string = "%s", .given = true}'):format((d:gsub("[\"']", ""))) end
  if p.kind == "float" then return ("{.value.real = %s, .given = true}"):format(d) end
  if p.kind == "bool" then return ("{.value.flag = %s, .given = true}"):format(d) end
  if p.kind == "dtype" then return ("{.value.dtype = TOCHA_%s, .given = true}"):format(d:upper()) end
  if list_kind[p.kind] then
    local items = int_list(d)
    if #items == 0 then return "{.given = true}" end
    return ("{.value.ints = (const int64_t[]){%s}, .count = %d, .given = true}"):format(table.concat(items, ", "), #items)
  end
  return ("{.value.integer = %s, .given = true}"):format(d)
end

-- --- the C of an expression -----------------------------------------------------------------------------
local Rule = {}   -- op: the operator of the rule; by_name: its parameters; headers, save_inputs, save_results: needed by the rule

function Rule:fail(message) error(("%s: in rule '%s': %s"):format(self.op.name, self.text, message)) end

-- Returns C that calls an operator, and notes that its header is needed.
function Rule:operator(name, format, ...)
  local op = self.op.list_of.by_name[name] or self.op.list_of.by_name[name:gsub("_", ".", 1)]
  self.headers[op and op.header or name] = true
  return format:format(...)
end

local function is_tensor(e) return e.kind == "tensor" end

local function as_operand(e)
  if e.kind == "operand" then return e.c end
  if is_tensor(e) then return ("tocha_operand_of(%s)"):format(e.c) end
  if e.kind == "scalar" then return ("tocha_number(%s)"):format(e.c) end
  if e.kind == "int" then return ("tocha_number(tocha_int(%s))"):format(e.c) end
  return ("tocha_number(tocha_float(%s))"):format(e.c)
end

local function as_real(e)
  return e.kind == "scalar" and ("tocha_scalar_real(%s)"):format(e.c) or e.c
end

function Rule:arithmetic(sign, a, b)
  local function T(e) return is_tensor(e) or e.kind == "operand" end
  if a.kind == "int" and b.kind == "int" and sign ~= "/" then -- wraps, because overflow is undefined in C
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

function Rule:negative(e)
  if is_tensor(e) then return {kind = "tensor", c = self:operator("neg", "tocha_neg(cx, %s)", e.c)} end
  if e.kind == "int" then return {kind = "int", c = ("(int64_t)(0 - (uint64_t)%s)"):format(e.c)} end -- the smallest integer remains itself
  return {kind = "float", c = ("(-%s)"):format(as_real(e))}
end

function Rule:edge(name)
  local p = self.by_name[name]
  if not p or not self.op.grad[name] then self:fail("sizes() and dtype() take a differentiable input, not " .. name) end
  local index = 0
  for _, q in ipairs(self.op.parameters) do
    if q == p then return index end
    if self.op.grad[q.name] then index = index + 1 end
  end
end

local constants = {["true"] = {kind = "bool", c = "true"}, ["false"] = {kind = "bool", c = "false"}, ["nil"] = {kind = "nil", c = "NULL"}}

function Rule:name(t)
  if constants[t] then return constants[t] end
  if t == "grad" then return {kind = "tensor", c = "f->grads[0]"} end
  for i, r in ipairs(self.op.results) do
    if t == "grad_" .. r then return {kind = "tensor", c = ("f->grads[%d]"):format(i - 1)} end
    if t == r then
      self.save_results[i] = true
      return {kind = "tensor", c = ("f->results[%d]"):format(i - 1)}
    end
  end
  local p = self.by_name[t] or self:fail("unknown name " .. t)
  local i = p.index
  if p.kind == "tensor" then
    self.save_inputs[i] = true
    return {kind = "tensor", c = ("a[%d].tensor"):format(i)}
  elseif p.kind == "operand" then
    self.save_inputs[i] = true
    return {kind = "operand", c = ("tocha_arg_operand(&a[%d])"):format(i), tensor = ("a[%d].tensor"):format(i)}
  elseif p.kind == "floats" then
    return {kind = "floats", c = ("a[%d].count, a[%d].value.reals"):format(i, i)}
  elseif list_kind[p.kind] then
    return {kind = "ints", c = ("a[%d].count, a[%d].value.ints"):format(i, i)}
  end
  local member = ({scalar = "scalar", int = "integer", dim = "integer", index = "integer", float = "real", bool = "flag",
    string = "string", dtype = "dtype"})[p.kind] or self:fail("cannot use " .. t .. " here")
  local c = ("a[%d].value.%s"):format(i, member)
  return {kind = p.kind, c = c, optional = p.optional and ("(a[%d].given ? &%s : NULL)"):format(i, c)}
end

function Rule:coerce(e, p)
  if p.kind == "tensor" then
    if e.kind == "nil" then return "NULL" end
    if e.tensor then return e.tensor end
    if not is_tensor(e) then self:fail("a tensor expected for " .. p.name) end
    return e.c
  elseif p.kind == "operand" then
    return as_operand(e)
  elseif p.kind == "floats" then
    if e.kind == "floats" then return e.c end
    return e.kind == "nil" and "0, NULL" or ("1, (const double[]){%s}"):format(e.c)
  elseif list_kind[p.kind] then
    if e.kind == "ints" then return e.c end
    if e.kind == "nil" then return "0, NULL" end
    return ("1, (const int64_t[]){%s}"):format(e.c)
  end
  if p.optional and p.kind ~= "string" and p.kind ~= "dtype" then
    if e.kind == "nil" then return "NULL" end
    if e.optional then return e.optional end
    local t = ({int = "int64_t", dim = "int64_t", float = "double", bool = "bool", scalar = "tocha_scalar"})[p.kind]
    return ("&(const %s){%s}"):format(t, e.c)
  end
  if p.kind == "scalar" then
    if e.kind == "scalar" then return e.c end
    return (e.kind == "int" and "tocha_int(%s)" or "tocha_float(%s)"):format(e.c)
  elseif p.kind == "float" then
    return as_real(e)
  end
  return e.c
end

function Rule:call(node)
  local name = node.name
  if name == "sizes" or name == "dtype" then
    local edge = self:edge(node[2] and node[2].name)
    if name == "dtype" then return {kind = "dtype", c = ("tocha_edge_shape(f, %d).dtype"):format(edge)} end
    return {kind = "ints", c = ("tocha_edge_shape(f, %d).ndim, tocha_edge_shape(f, %d).sizes"):format(edge, edge)}
  end
  local target = self.op.list_of.by_name[name]
  for _, op in ipairs(self.op.list_of) do if op.name:gsub("%.", "_") == name then target = op end end
  if not target then self:fail("unknown operator " .. name) end
  local args = {"cx"}
  for i, p in ipairs(target.parameters) do
    local e = node[i + 1] or node.keys[p.name]
    args[#args + 1] = e and self:coerce(self:typed(e), p) or rules.default_c(p)
  end
  self.headers[target.header] = true
  return {kind = "tensor", c = ("tocha_%s_full(%s)"):format(name, table.concat(args, ", "))}
end

function Rule:list(node)
  local items = {}
  for i = 2, #node do items[#items + 1] = self:typed(node[i]).c end
  return {kind = "ints", c = #items == 0 and "0, NULL" or ("%d, (const int64_t[]){%s}"):format(#items, table.concat(items, ", "))}
end

-- Returns a tree of expressions.lua as {kind, c}.
function Rule:typed(node)
  local kind = node[1]
  if kind == "number" then return {kind = node.text:find "[.e]" and "float" or "int", c = node.text} end
  if kind == "string" then return {kind = "string", c = '"' .. node.text .. '"'} end
  if kind == "name" then return self:name(node.name) end
  if kind == "call" then return self:call(node) end
  if kind == "list" then return self:list(node) end
  if kind == "-" and #node == 2 then return self:negative(self:typed(node[2])) end
  if not kind:find "^[+*/-]$" then self:fail(kind .. " has no place in a rule") end
  return self:arithmetic(kind, self:typed(node[2]), self:typed(node[3]))
end

-- --- rules ---------------------------------------------------------------------------------------------
-- Returns a bit for each parameter in a list of names: its positional elements, or the names under the key `of`.
local function named_bits(op, names, of)
  local mask = 0
  for key, wanted in pairs(names or {}) do
    for _, name in ipairs(type(wanted) == "table" and wanted or {wanted}) do
      for i, p in ipairs(op.parameters) do
        if p.name == name and (type(key) == "number" or key == of) then mask = mask | 1 << (i - 1) end
      end
    end
  end
  return mask
end

local function compile(op)
  if op.compiled then return op.compiled end
  local state = {op = op, by_name = {}, save_inputs = {}, save_results = {}, headers = {}}
  for i, p in ipairs(op.parameters) do
    p.index = i - 1
    state.by_name[p.name] = p
  end
  local body, edge, edge_inputs, all_inputs = {}, 0, {}, {}
  for _, p in ipairs(op.parameters) do
    local text = op.grad[p.name]
    if text then
      local rule = setmetatable({text = text}, {__index = function(_, k) return Rule[k] or state[k] end})
      local e = rule:typed(expressions.read(text, op.name))
      body[#body + 1] = ("  if (tocha_wants_grad(f, %d)) f->out[%d] = %s;\n"):format(edge, edge, rule:coerce(e, {kind = "tensor", name = p.name}))
      edge = edge + 1
      local mask = named_bits(op, op.keeps, p.name)   -- this parameter's rule reads them: other rules do not need them saved
      for i in pairs(state.save_inputs) do mask = mask | 1 << i end
      edge_inputs[edge] = mask
      for i in pairs(state.save_inputs) do all_inputs[i] = true end
      state.save_inputs = {}
    end
  end
  for i, result in ipairs(op.results) do
    for _, name in pairs(op.keeps or {}) do state.save_results[i] = state.save_results[i] or name == result end
  end
  for name in pairs(op.grad) do
    if not state.by_name[name] then error(op.name .. ": gradient of unknown parameter " .. name) end
  end
  op.compiled = {body = table.concat(body), headers = state.headers, save_inputs = all_inputs, edge_inputs = edge_inputs, save_results = state.save_results}
  return op.compiled
end

function rules.function_name(op)
  if op.backward then return op.backward end
  local base = op.rule_of and op.list_of.by_name[op.rule_of] or op
  while not base.rule_of and (base.inplace_of or base.alias_of) do base = op.list_of.by_name[base.inplace_of or base.alias_of] end
  return op.grad and "grad_" .. base.name:gsub("%.", "_") or nil
end

--- Returns the names of the hand-written rules.
function rules.handwritten(list)
  local out = {}
  for _, op in ipairs(list) do if op.backward then out[op.backward] = true end end
  return out
end

function rules.masks(op)
  local m = {differentiable = 0, save_inputs = 0, save_results = 0, graphless = 0}
  for i, name in ipairs(op.results) do
    for _, graphless in ipairs(op.graphless or {}) do if name == graphless then m.graphless = m.graphless | 1 << (i - 1) end end
  end
  if op.grad then
    local c = compile(op)
    for i, p in ipairs(op.parameters) do if op.grad[p.name] then m.differentiable = m.differentiable | 1 << (i - 1) end end
    for i in pairs(c.save_inputs) do m.save_inputs = m.save_inputs | 1 << i end
    for _, mask in ipairs(c.edge_inputs) do m.save_inputs = m.save_inputs | mask end
    m.edge_inputs = #c.edge_inputs > 0 and c.edge_inputs or nil
    for i, saves in pairs(c.save_results) do m.save_results = m.save_results | (saves and 1 << (i - 1) or 0) end
  elseif op.backward then
    local function bit(names, items, field)
      for _, name in ipairs(names or {}) do
        for i, item in ipairs(items) do
          if (item.name or item) == name then m[field] = m[field] | 1 << (i - 1) end
        end
      end
    end
    bit(op.differentiable, op.parameters, "differentiable")
    bit(op.saves, op.results, "save_results")
    m.save_inputs, m.edge_inputs = named_bits(op, op.saves), {}
    for i, name in ipairs(op.differentiable) do
      m.edge_inputs[i] = named_bits(op, op.saves, name) | named_bits(op, op.keeps, name)
      m.save_inputs = m.save_inputs | m.edge_inputs[i]
    end
  end
  return m
end

--- Returns the rules of some operators as static C functions, and the set of headers they need.
function rules.source(ops)
  local out, headers = {}, {}
  for _, op in ipairs(ops) do
    if op.grad and (op.rule_of == op.name or not (op.inplace_of or op.alias_of)) then
      local rule = compile(op)
      for header in pairs(rule.headers) do headers[header] = true end
      out[#out + 1] = ("static bool %s(tocha_backward_frame *f) {\n  tocha_context *cx = f->cx;\n  const tocha_arg *a = f->args;\n  (void)a;\n  if (!f->grads[0]) return true;\n%s  return !tocha_failed(cx);\n}\n\n"):format(
        rules.function_name(op), rule.body)
    end
  end
  return table.concat(out), headers
end

return rules
