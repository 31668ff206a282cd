-- gradients.lua: turns the gradient rules of the entries, expressions made of operators (operator_calls.lua), into C.
--
-- In a rule: `grad` is the gradient of the first result (grad_NAME of a named one), parameter names
-- are the forward arguments, `result` (or a result's name) the forward results, sizes(x), dtype(x)
-- those of a differentiable input.
local expressions, Calls = require "expressions", require "operator_calls"
local rules = {}

-- save_inputs, save_results: the tensors that the rule reads
local Rule = setmetatable({}, {__index = Calls})
Rule.__index = Rule

function Rule:edge(name)
  local p = self.by_name[name]
  if not p or not self.op.grad[name] then self:fail("sizes() and dtype() take a differentiable input, not " .. name) end
  local index = 0
  for _, q in ipairs(self.op.parameters) do
    if q == p then return index end
    if self.op.grad[q.name] then index = index + 1 end
  end
end

-- Returns a property of an input, such as its sizes. The input need not be saved for that.
function Rule:property(name, node)
  local edge = self:edge(node and node.name)
  if name == "dtype" then return {kind = "dtype", c = ("tocha_edge_shape(f, %d).dtype"):format(edge)} end
  if name ~= "sizes" then self:fail(name .. "() has no place in a rule") end
  return {kind = "ints", c = ("tocha_edge_shape(f, %d).ndim, tocha_edge_shape(f, %d).sizes"):format(edge, edge)}
end

function Rule:name(t)
  if t == "grad" then return {kind = "tensor", c = "f->grads[0]"} end
  for i, r in ipairs(self.op.results) do
    if t == "grad_" .. r then return {kind = "tensor", c = ("f->grads[%d]"):format(i - 1)} end
    if t == r then
      self.save_results[i] = true
      return {kind = "tensor", c = ("f->results[%d]"):format(i - 1)}
    end
  end
  local e, p = Calls.name(self, t), self.by_name[t]
  if p and (p.kind == "tensor" or p.kind == "operand") then self.save_inputs[p.index] = true end
  return e
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
  local state = setmetatable({op = op, by_name = {}, save_inputs = {}, save_results = {}, headers = {}}, Rule)
  for i, p in ipairs(op.parameters) do
    p.index = i - 1
    state.by_name[p.name] = p
  end
  local body, edge, edge_inputs, all_inputs = {}, 0, {}, {}
  for _, p in ipairs(op.parameters) do
    local text = op.grad[p.name]
    if text then
      state.text = text
      local e = state:typed(expressions.read(text, op.name))
      body[#body + 1] = ("  if (tocha_wants_grad(f, %d)) f->out[%d] = %s;\n"):format(edge, edge, state:coerce(e, {kind = "tensor", name = p.name}))
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
