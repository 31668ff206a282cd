-- read.lua: reads the entries of the operators, plain data in runtime/ops/FAMILY/*.lua, into one list with
-- parsed signatures. The generator, the reference page and the specs use it.
--
--   op "name" or "name.overload" {
--     "(Tensor self, float beta=1, *, dtype? dtype) -> Tensor",   -- PyTorch's notation
--     forms = {"torch", "method", "nn.functional"},               -- default: torch and method
--     formula = "...",             -- an elementwise operator: its value (list/formulas.lua); without it the C
--                                  -- function tocha_op_NAME (field `implementation`) of the family does the work
--     implementation = "tocha_op_conv", with = {space = 2},   -- constants that a function which several entries share is given
--                                  -- after the parameters, by name in alphabetical order: numbers, bools, texts, and enumerators
--                                  -- ("TOCHA_SCAN_SUM"); "polygamma(n, self)": the C function of another entry of the family, with
--                                  -- these arguments (list/operator_calls.lua)
--     reduce = {sum = "x * x"},    -- a reduction: its row (list/reductions.lua)
--     grad = {self = "rule"},      -- gradient rules made of operators ("zero" and "linear" abbreviate the most common ones); or
--                                  -- backward = "c_function" with differentiable = {...}, saves = {...}
--     keeps = {"self"},            -- saved for backward, so that changes are an error, although no rule reads it; {source = "source"}:
--                                  -- only if source needs a gradient. saves = {mat1 = "mat2"}: read by the C function for mat1's
--                                  -- gradient, one name or a list
--     functional = true,           -- also in nn.functional with `inplace`, as NAME.functional; {...}: with these fields
--     inplace = true,              -- also NAME_ ; "torch": torch.NAME_ too; {...}: with fields of its own (forms = "torch";
--                                  -- implementation: called before the result is copied into self)
--     number_first = true,         -- torch.NAME also accepts a number first, as NAME.number; "both": the second may be a number too;
--                                  -- {...}: with these fields
--     outplace = true,             -- for an operator NAME_: also NAME, on a copy of self; {...}: with these fields
--     copy = true,                 -- for a view: also torch.NAME_copy, whose result has its own memory; "alias_copy": under that name;
--                                  -- {...}: with these fields
--     factory = true,              -- the signature ends with dtype, device and requires_grad; "memory_format": and that
--     out = true,                  -- only if PyTorch lacks the operator (else facts.lua): also takes out=, of a dtype that the result can be cast to
--     memory = "apart",            -- in place: self may share no memory with the operands; "partial" (the default in pointwise): only as a
--                                  -- whole; "inputs": as "apart", but self may be expanded
--     one_device = true,           -- beside tensors of the meta device a scalar of the CPU is refused
--     memory_first = true,         -- `memory`, and the memory of out=, are checked before the operator's own checks (formulas imply it)
--     rounds = "steps",            -- PyTorch's CPU rounds 16-bit results after every step: if the context has PyTorch's digits,
--                                  -- tocha_steps_NAME, with the parameters of tocha_op_NAME, computes them there (dispatch/rounding.h)
--     float8 = true,               -- an operator that no program can call takes float8 tensors; a text: its refusal (of others PyTorch is asked)
--     host = true,                 -- no kernel on devices: their tensors are copied to the CPU and back; "without library": only on a
--                                  -- device whose library of linear algebra is missing
--     view = true, any_device = true,
--     composite = true,            -- made of operators, which record the gradient; "input - tanh(input)": by this expression
--                                  -- (list/operator_calls.lua) instead of a C function
--     symbol = "+",                -- Python's operator for it; reversed = "+": with a number on the left, which comes second then
--     attribute = true,            -- t.NAME is its result
--     lua = "rep",                 -- its other name in Lua, if PyTorch's is a keyword there
--     draws = true,                -- draws random numbers; default: true if it takes a Generator
--     constant = {"weight"},       -- parameters that may not require grad
--     graphless = {"P"},           -- floating-point results that take no part in the graph
--     tied = true,                 -- with create_graph its gradients depend on its inputs, although their derivatives by these are 0
--     leaf = true,                 -- in place on a leaf that requires grad, too: PyTorch leaves the graph alone
--     uninitialized = true,        -- takes a parameter of a lazy module that has no values yet, too, as PyTorch's _allowed_methods
--     sample = {...},              -- shapes of tensor arguments and values of the others; default {{3, 4}}
--                                  -- if the first parameter is `Tensor self`
--     doc = "One sentence, a formula.",
--     same_as = "torch.cat",       -- the operator of which this is another name, or a copy: help shows its example
--     details = "A paragraph on shapes, dtypes and errors.",
--   }
--
-- Kinds of argument: Tensor, Operand (a tensor or a number), Scalar, int, dim, index, float, bool, string, dtype, device,
-- Generator, Number (a float with this name in PyTorch's messages), Tensor[], int[], float[], int[2] (or a single number),
-- int?[2] (elements may be nil or "None": TOCHA_ABSENT), int..., dim..., size... (lists, whose elements may also be separate
-- arguments; with ...! they must be). `?` after a kind: may be nil; after the kind of the last of several results: a call may
-- lack it. `?!`: may be nil, but not omitted. After `*`: by keyword only.
-- Samples: {3, 4} a float tensor of that shape; {3, int = 5} integers below 5; {3, positive = true};
-- {2, 2, bool = true}; a number, string or boolean is the value itself; named entries are keywords.
local header = require "c_types".header
local formulas, reductions, facts = require "formulas", require "reductions", require "facts"
local read = {}
local asked = {}   -- facts that PyTorch decides, by the name of the entry (facts.lua)

local taken = {reals = " bool is an error.", bits = " Integers and bool alone.", integers = " Integers alone."}

-- Returns the sentences about sizes and dtypes that follow from a formula.
local function of_formula(op)
  local formula, tensors = op.formula, 0
  for _, p in ipairs(op.parameters) do
    if p.kind == "tensor" or p.kind == "operand" then tensors = tensors + 1 end
  end
  local text = tensors > 1 and "Element by element; the tensors broadcast." or "Element by element, for tensors of any sizes."
  if formula.result == "bool" then return text .. " The result is bool." end
  if formula.promotion == "floating" then return text .. (op.inplace_of and " self is floating point." or " Integers become floating point.") end
  return text .. (formula.types == "floats" and " Floating point alone." or taken[formula.types] or "")
end

--- Returns the help text of an entry: its sentence, and its paragraph below.
function read.text_of(entry)
  local details = entry.details or type(entry.formula) == "table" and entry.formula.types and of_formula(entry)
  return details and entry.doc .. "\n    " .. details or entry.doc
end

local parse_signature = require "signature".parse
read.parse_signature = parse_signature   -- write_modules.lua reads constructors with it

local function camel(name)
  return (name:gsub("^_*(%a)", string.upper):gsub("_+(%w)", string.upper):gsub("_", ""))
end

local known = {}
for key in ("forms grad backward differentiable saves keeps sample samples doc formula reduce inplace out view composite leaf memory memory_first one_device constant graphless tied " ..
    "implementation with rounds namespace host any_device writes_self draws lua symbol reversed attribute tolerance nondifferentiable nogradcheck alias_of aliases functional number_first unlisted float8 outplace factory uninitialized copy details same_as"):gmatch "%S+" do known[key] = true end

-- Keys that no entry has: PyTorch is asked (facts.lua), and forms inherit them from their operator.
local inherits = {node = true, autocast = true, float8 = true, overloaded = true, hides = true, refused = true, python = true, names = true}

local default_words = {
  cast = "result type {result} can't be cast to the desired output type {out}",
  same = "Found dtype {out} but expected {result}",
  exact = "Expected out tensor to have dtype {result_c}, but got {out_c} instead",
}

-- Returns the rule of out= (its keys: spec/golden/facts.py) with all defaults: true, the name of the dtypes, or a table.
local function out_rule(op)
  local rule = {}
  for key, value in pairs(type(op.out) == "table" and op.out or {dtype = op.out == true and "cast" or op.out}) do rule[key] = value end
  local words = rule.words or {default_words[rule.dtype]}
  if rule.dtype == "exact" then rule.dtype = "same" end
  rule.memory = rule.memory or op.formula and "partial" or "overlaps"
  rule.keeps = rule.resizes == "memory"
  if rule.resizes == nil then rule.resizes = rule.dtype == "dtype" end
  if words[1] then rule[1] = words[1]:gsub("^TypeError: ", function() rule.type_error = true; return "" end) end
  rule[2] = words[2]
  if rule.recorder == nil then rule.recorder = (op.namespace == "linalg" and "linalg_" or "") .. op.lua_name end
  rule.only_out = rule.recorder and rule.recorder:find "^aten::" ~= nil
  return rule
end

-- Returns a gradient rule as an expression. "zero" and "linear" abbreviate rules: an operator that is linear in the
-- parameter has itself as its rule, with grad in the parameter's place.
local function rule_of(op, parameter, text)
  if text == "zero" then return "zeros_like(grad)" end
  if text ~= "linear" then return text end
  local args = {}
  for i, p in ipairs(op.parameters) do
    args[i] = (p.keyword_only and p.name .. "=" or "") .. (p.name == parameter and "grad" or p.name)
  end
  return ("%s(%s)"):format(op.name:gsub("%.", "_"), table.concat(args, ", "))
end

-- Returns the signature of an operator that makes a new tensor.
local function factory_signature(text, format)
  local parameters, results = text:match "^%((.*)%)(.*)$"
  local separator = parameters:find("*", 1, true) and ", " or ", *, "
  return "(" .. parameters .. separator .. "dtype? dtype, device? device, bool requires_grad=false" .. (format and ", memory_format? memory_format" or "") .. ")" .. results
end

local function rules_of(op)
  if not op.grad then return nil end
  local grad = {}
  for parameter, text in pairs(op.grad) do grad[parameter] = rule_of(op, parameter, text) end
  return grad
end

-- Sets op.expression, if the entry computes one: of operators, or (op.direct) the call of another entry's function.
local function read_expression(op)
  if type(op.composite) == "string" then
    op.expression, op.composite = op.composite, true
  elseif op.implementation and op.implementation:find("(", 1, true) then
    op.expression, op.direct, op.implementation = op.implementation, true, nil
  end
end

-- Makes an operator of an entry. inherited: the entry is a form that copies fields of its operator, so it may have
-- unknown fields.
local function make(name, entry, inherited)
  local op = {name = name, lua_name = name:match "^[^.]+", signature = entry.factory and factory_signature(entry[1], entry.factory == "memory_format") or entry[1]}
  for key, value in pairs(entry) do
    if key ~= 1 then
      if not (known[key] or inherited and inherits[key]) then error(name .. ": unknown field '" .. tostring(key) .. "'") end
      op[key] = value
    end
  end
  for key, value in pairs(asked[name] or {}) do
    if entry[key] and not inherited then op.says = key end
    op[key] = value
  end
  if not op.doc then error(name .. ": no doc") end
  op.forms = op.forms or {"torch", "method"}
  op.namespace = op.namespace or ""
  for _, form in ipairs(op.forms) do
    if form ~= "torch" and form ~= "method" then op.namespace = form end
  end
  if op.namespace == "linalg" or op.namespace == "special" then   -- messages call these functions linalg_NAME
    op.python, op.inner = false, op.inner or op.namespace .. "_" .. op.lua_name
  end
  parse_signature(op)
  op.grad = rules_of(op)
  if not (op.sample or op.samples) then
    local first = op.parameters[1]
    if not first or first.kind ~= "tensor" or first.name ~= "self" then error(name .. ": an entry without a sample") end
    op.sample = {{3, 4}}
  end
  if op.draws == nil then
    for _, p in ipairs(op.parameters) do op.draws = op.draws or p.kind == "generator" end
  end
  op.structured = op.out == "exact" or type(op.out) == "table" and op.out.dtype == "exact"   -- in PyTorch's terms
  if op.out then op.out = out_rule(op) end
  op.node = op.node or camel(op.lua_name) .. "Backward0"
  if op.with and not op.implementation then error(name .. ": `with` needs an implementation that it is given to") end
  read_expression(op)
  if op.expression and (op.with or op.rounds or op.formula or op.reduce) then error(name .. ": an expression is all that the entry computes") end
  op.implementation = op.implementation or "tocha_op_" .. name:gsub("%.", "_")
  if op.rounds and op.rounds ~= "steps" then error(name .. ': rounds is "steps" or not given') end
  return op
end

-- Fields of an entry that exclude each other, because only one of the two would have an effect.
local exclusive = {{"view", "host"}, {"view", "inplace"}, {"view", "formula"}, {"view", "reduce"}, {"view", "composite"}, {"formula", "host"},
  {"formula", "reduce"}, {"formula", "composite"}, {"composite", "grad"}, {"composite", "backward"}}
local discrete = {bits = true, integers = true, bool = true, int64 = true, truth = true}   -- types and results without a gradient

--- Fails if an operator has fields that exclude each other, no gradient rule though its elements have one, or a sample
--- that lacks an argument. what: its formula or row, if it has one of its own.
function read.check(op, what)
  for _, pair in ipairs(exclusive) do
    if op[pair[1]] and op[pair[2]] then error(("%s: %s and %s exclude each other"):format(op.name, pair[1], pair[2])) end
  end
  local is_discrete = not what or discrete[what.types] or discrete[what.result]
  if not (is_discrete or op.grad or op.backward or op.nondifferentiable) then
    error(op.name .. ": no gradient rule (if there is none, nondifferentiable = true)")
  end
  for _, sample in ipairs(op.samples or {op.sample}) do
    for i, p in ipairs(op.parameters) do
      if not (p.optional or p.default ~= nil or sample[i] ~= nil or sample[p.name] ~= nil) then
        error(("%s: the sample has no %s"):format(op.name, p.name))
      end
    end
  end
end

local function inplace_form(op)
  local copy = {}
  for key, value in pairs(op) do copy[key] = value end
  local suffix = op.name:match "(%..+)$" or ""
  copy.name, copy.lua_name = op.lua_name .. "_" .. suffix, op.lua_name .. "_"
  copy.refused, copy.lua, copy.symbol, copy.reversed = nil, nil, nil, nil
  copy.inplace_of, copy.parameters_of = op.name, (op.name:gsub("%.", "_"))
  copy.view = nil
  copy.out = nil
  copy.autocast = nil             -- the dtype of an in-place result is self's
  copy.doc = ("%s In-place form of %s: the result is written to self."):format(op.doc, op.lua_name)
  copy.details = op.details and op.details:gsub("Integers become floating point%.", "self is floating point.")
  copy.forms = {}
  for _, form in ipairs(op.forms) do if form == "method" then copy.forms[1] = form end end
  for _, form in ipairs(op.forms) do
    if form ~= "torch" and form ~= "method" then copy.forms[#copy.forms + 1] = form end
  end
  local own = type(op.inplace) == "table" and op.inplace or {forms = type(op.inplace) == "string" and op.inplace}
  for form in (own.forms or ""):gmatch "[%w.]+" do
    copy.forms[#copy.forms + 1] = form
    if form ~= "torch" then copy.namespace = form end
  end
  for key, value in pairs(own) do
    if not known[key] then error(copy.name .. ": unknown field '" .. tostring(key) .. "'") end
    if key ~= "forms" then copy[key] = value end
  end
  if own.implementation then
    copy.expression = nil
    read_expression(copy)
  end
  local first = (op.alias_of and op.alias_of:match "^[^.]+" or op.lua_name) .. "_" .. suffix   -- facts are asked about the first name of aliases
  for key, value in pairs(asked[first] or {}) do
    if own[key] then copy.says = key end
    copy[key] = value
  end
  if own.backward then copy.grad = nil end
  if own.grad then
    copy.rule_of = first          -- the rule is this form's own
    copy.grad = rules_of(copy)
  end
  return copy
end

-- Returns the path by which Lua finds an operator, or nil for an internal one.
local function path_of(op)
  local form = op.forms[1] == "method" and "Tensor" or op.forms[1]
  if not form then return nil end
  return (form == "torch" and "torch." or "torch." .. form .. ".") .. op.lua_name
end

-- Returns the same operator under another name (torch.multiply), or as a function of another namespace
-- ("special.psi"). Nodes keep the first name.
local function alias_form(op, alias)
  local copy, space, last = {}, alias:match "^(.*)%.([%w_]+)$"
  for key, value in pairs(op) do copy[key] = value end
  copy.name, copy.lua_name = alias:gsub("%.", "_") .. (op.name:match "(%..+)$" or ""), last or alias
  if space then
    copy.forms, copy.namespace, copy.inplace, copy.functional, copy.attribute = {space}, space, nil, nil, nil
    copy.python, copy.inner = false, alias:gsub("%.", "_")
  end
  copy.aliases, copy.alias_of, copy.symbol, copy.reversed = nil, op.name, nil, nil
  copy.same_as = path_of(op)
  copy.doc = ("%s Another name of %s."):format(op.doc, copy.same_as)
  for key, value in pairs(asked[copy.name] or {}) do copy[key] = value end
  local second = op.parameters[2]   -- for aliases messages list the signatures of a tensor and of a number
  if second and second.kind == "operand" then copy.overloaded, copy.hides = true, 1 end
  return copy
end

-- Returns torch.nn.functional's form of an activation, which has the parameters input and inplace=: relu.functional
-- for relu.
local function functional_form(op)
  local fields = type(op.functional) == "table" and op.functional or {}
  local parameters = op.notation:match "^%(Tensor self(.*)%) %-> Tensor$"
  if not (parameters or fields[1]) then error(op.name .. ": a functional form is of one tensor, self") end
  local entry = {fields[1] or ("(Tensor input%s, bool inplace=false) -> Tensor"):format(parameters), forms = {"nn.functional"},
    composite = true, overloaded = false, sample = op.sample, samples = op.samples, doc = (op.doc:gsub("%f[%w]self%f[%W]", "input")),
    details = op.details and op.details:gsub("%f[%w]self%f[%W]", "input")}
  for key, value in pairs(fields) do if key ~= 1 then entry[key] = value end end
  local form = make(op.name .. ".functional", entry, true)
  form.family, form.functional_of = op.family, op.name
  return form
end

-- Returns the form with a number first, NAME.number, which PyTorch's messages do not mention. It has the operator's
-- formula, and the second operand's gradient.
local function number_form(op)
  local fields = type(op.number_first) == "table" and op.number_first or {}
  local signature = op.signature:gsub("^%(Tensor self", "(Scalar self")
  local both = op.number_first == "both" or fields.both   -- PyTorch then makes a tensor of the number
  if not both then signature = signature:gsub("Operand", "Tensor") end
  local second = op.parameters[2].name
  local entry = {signature, forms = {"torch"}, formula = op.formula, autocast = op.autocast, node = op.node,
    grad = op.grad and not fields.backward and {[second] = op.grad[second]}, backward = op.nogradcheck and op.backward, differentiable = op.nogradcheck and {second},
    nogradcheck = op.nogradcheck, overloaded = op.overloaded, unlisted = true, doc = op.doc, details = op.details}
  entry.samples = {fields.sample}
  for i, sample in ipairs(fields.sample and {} or op.samples or {op.sample}) do
    entry.samples[i] = {}
    for key, value in pairs(sample) do entry.samples[i][key] = value end
    entry.samples[i][1] = sample[1].int and 5 or 2.5
  end
  for key, value in pairs(fields) do if key ~= "both" then entry[key] = value end end
  local form = make(op.name .. (op.name:find(".", 1, true) and "_number" or ".number"), entry, true)
  form.family, form.aliases = op.family, op.aliases
  return form
end

-- Returns the form NAME of an operator NAME_, which runs on a copy of self.
local function outplace_form(op)
  local name, parameters = op.name:match "^[^.]+_%f[.\0]" and op.name:gsub("_%f[.\0]", "", 1), op.parameters[1]
  if not name or parameters.kind ~= "tensor" then error(op.name .. ": only NAME_ of a tensor has the form NAME") end
  local entry = {op.signature, composite = true, any_device = op.any_device, overloaded = op.overloaded, sample = op.sample,
    samples = op.samples, doc = "A copy of self: " .. op.doc, details = op.details}
  for key, value in pairs(type(op.outplace) == "table" and op.outplace or {}) do entry[key] = value end
  local form = make(name, entry, true)
  form.family, form.outplace_of, form.header = op.family, op.name, header(form)
  return form
end

-- Returns the copying form of a view, such as view_copy of view, whose result has memory of its own.
local function copy_form(op)
  local own = type(op.copy) == "table" and op.copy or {}
  local base, overload = op.name:match "^([^.]+)(.*)$"
  local name = type(op.copy) == "string" and op.copy or base .. "_copy" .. overload
  local entry = {op.signature:gsub("dim%.%.%.", "int[]"):gsub("%.%.%.", "[]"), nil, forms = {"torch"}, node = op.node .. "_copy", grad = op.grad, backward = op.backward,
    differentiable = op.differentiable, overloaded = op.overloaded, sample = op.sample, samples = op.samples,
    doc = type(op.copy) == "string" and "A copy of self." or ("A copy of what %s shows."):format(base)}
  for key, value in pairs(own) do entry[key] = value end
  local form = make(name, entry, true)
  form.family, form.header, form.same_as = op.family, header(form), path_of(op) or "torch." .. base
  if not own.implementation then form.copy_of = op.name end
  if #op.forms == 0 then form.float8 = op.float8 end
  return form
end

-- Runs every list file in order. Calls entry(name, fields, family, file) for each entry, and formula or reduction,
-- with the same arguments, for each formula and row that stands alone.
local function each_entry(runtime, entry, formula, reduction)
  local folder
  local function run(path)
    local file = path:match "[^/]+$"
    local env = {
      op = function(name) return function(fields) entry(name, fields, folder, file) end end,
      formula = function(name) return function(fields) formula(name, fields, folder, file) end end,
      reduction = function(name) return function(fields) reduction(name, fields, folder, file) end end,
    }
    assert(loadfile(runtime .. "/" .. path .. ".lua", "t", env))()
  end
  local index = {family = function(name)
    return function(files)
      folder = name:match "[^/]+$"
      facts.read(("%s/%s/pytorch.json"):format(runtime, name), asked)
      for _, file in ipairs(files) do run(name .. "/" .. file) end
    end
  end}
  assert(loadfile(runtime .. "/list/operators.lua", "t", index))()
end

--- Returns the operators below the folder runtime, in order, including in-place forms and aliases (op.inplace_of and
-- op.alias_of name their base). op.family: the folder of the entry; op.header: its <tocha/ops/HEADER.h> (c_types.lua);
-- op.formula: the formula that computes it (formulas.lua), if there is one; op.reduce: the row (reductions.lua).
-- Also returns all formulas and reductions, in order.
function read.load(runtime)
  local out, by_name, count, known_formulas, rows = {}, {}, {}, formulas.new(), reductions.new()
  asked = {}
  local function add(op)
    if by_name[op.name] then error("operator '" .. op.name .. "' declared twice") end
    by_name[op.name] = op
    out[#out + 1] = op
  end
  -- Entries of one name are several signatures of one function, unless they exist only in nn.functional.
  local function shared_name(base, forms)
    return forms and #forms == 1 and forms[1] == "nn.functional" and "nn.functional." .. base or base
  end
  each_entry(runtime, function(name, fields)
    local key = shared_name(name:match "^[^.]+", fields.forms)
    count[key] = (count[key] or 0) + 1
  end, function() end, function() end)
  each_entry(runtime, function(name, fields, family, file)
    local op = make(name, fields)
    if op.formula then op.formula = known_formulas:of_operator(op, family, file) end
    if op.reduce then op.reduce = rows:of_operator(op, family) end
    read.check(op, known_formulas.by_name[op.formula] or rows.by_name[op.reduce])
    op.family = family
    if op.overloaded == nil then op.overloaded = count[shared_name(op.lua_name, op.forms)] > 1 end
    local forms = {op}
    if op.number_first then forms[2] = number_form(op) end
    for i = 1, #forms do
      for _, alias in ipairs(forms[i].aliases or {}) do forms[#forms + 1] = alias_form(forms[i], alias) end
    end
    for _, form in ipairs(forms) do
      form.header = header(form)
      add(form)
      if form.inplace then
        if op.parameters[1].kind ~= "tensor" then error(name .. ": an in-place form needs a tensor first") end
        add(inplace_form(form))
      end
    end
    if op.functional then
      local form = functional_form(op)
      form.header = header(form)
      add(form)
    end
    if op.outplace then add(outplace_form(op)) end
    if op.copy then add(copy_form(op)) end
  end, function(name, fields, family, file)
    known_formulas:declare(name, fields, family, file, parse_signature)
  end, function(name, fields, family)
    rows:declare(name, fields, family, parse_signature)
  end)
  for _, op in ipairs(out) do
    op.list_of = out
    if op.formula then op.formula = known_formulas:find(op.formula, op.name) end
    if op.reduce then op.reduce = rows:find(op.reduce, op.name) end
  end
  out.by_name, out.formulas, out.reductions = by_name, known_formulas, rows
  return out
end

return read
