-- types.lua: the types (kinds.lua) of the expressions of a script, for tocha --check. The type of a variable is the union of all values
-- that the script assigns to it; calls of torch are tried on samples (trials.lua).
local torch = ...
local kinds, trials = torch._part "check.kinds", torch._part "check.trials"
local never, unknown_number, integer, float, text, boolean = kinds.never, kinds.unknown_number, kinds.integer, kinds.float, kinds.text, kinds.boolean
local maybe_text, tensor, classify, maybe, union = kinds.maybe_text, kinds.tensor, kinds.classify, kinds.maybe, kinds.union
local sample_of, is_of_either_kind = trials.sample_of, trials.is_of_either_kind
local Types = {}
Types.__index = Types

-- Returns the type of a value of torch at a dotted path.
local function named(value, path) return {kind = "value", value = value, path = path} end

-- --- calls of torch ------------------------------------------------------------------------------

-- Returns the types of the results of a call of a value of torch or of Lua.
function Types:results_of_value(t, list, first)
  local kind = trials.kind_made(t.path)
  if kind then
    local made = {kind = kind, class = t.value}
    if kind ~= "dataset" then made.sample = select(3, trials.try(t.value, trials.arguments(self, list))) end -- which may fetch files
    made.data = kind == "loader" and list[1] and self:loaded(list) or nil
    return {made}
  end
  if t.path == "torch.utils.data.random_split" then return {{kind = "dataset"}, {kind = "dataset"}, {kind = "dataset"}} end
  if t.path == "torch.tqdm" or t.path == "torch.Tensor" then return {list[1] and self:of(list[1]) or nil} end
  local results = trials.is_pure(t) and trials.try(t.value, trials.arguments(self, list, first))
  return results or trials.results_of_help(t) or {}
end

--- Returns the types of the tensors of a batch, if a loader's data set and options determine them.
function Types:loaded(list)
  local data, options = self:of(list[1]), list[2]
  if list[1].tag == "Table" and list[1].items[1] then
    options = list[1]
    data = self:of(options.items[1].value)
  end
  if not data or data.kind ~= "dataset" then return nil end
  for _, item in ipairs(options and options.tag == "Table" and options.items or {}) do
    if item.name == "collate_fn" then return nil end
  end
  return true
end

-- --- Lua's own functions ---------------------------------------------------------------------------

local of_lua = {
  tonumber = maybe(unknown_number), tostring = text, type = text, ["math.floor"] = integer, ["math.ceil"] = integer, ["math.tointeger"] = maybe(integer),
  ["math.sqrt"] = float, ["math.exp"] = float, ["math.sin"] = float, ["math.cos"] = float, ["io.read"] = maybe_text, ["os.clock"] = float,
  ["os.time"] = integer, ["os.getenv"] = maybe_text, ["string.format"] = text, ["string.rep"] = text, ["string.sub"] = text, ["string.upper"] = text,
  ["string.lower"] = text, ["table.concat"] = text, ["string.match"] = nil,
}
local of_strings = {format = text, rep = text, sub = text, upper = text, lower = text, byte = maybe(integer), len = integer, match = maybe_text,
  gsub = text}

-- Methods that only strings have.
local only_of_strings = {match = true, gsub = true, upper = true, lower = true}

local of_attributes = {shape = {kind = "size"}, ndim = integer, itemsize = integer, nbytes = integer, requires_grad = boolean, is_leaf = boolean,
  is_cuda = boolean, dtype = {kind = "dtype"}, device = {kind = "device"}, grad_fn = false}

-- --- expressions ---------------------------------------------------------------------------------

--- Returns the type of an expression's first value, or nil if it is not known.
function Types:of(node) return self:results(node)[1] or nil end

function Types:of_source(source)
  if source.none then return {kind = "nil"} end
  if source.number then return self:number_of_loop(source) end
  if source.value then
    local t = self:results(source.value)[source.result] or nil
    return source.result > 1 and maybe(t) or t
  end
  if source.loop then return self:of_loop(source.loop)[source.result] or nil end
  if source.parameter then return self:of_parameter(source.parameter, source.index) end
end

function Types:number_of_loop() return integer end

--- Returns the type of a variable, the union of all values that the script assigns to it.
function Types:of_variable(variable)
  if self.known[variable] ~= nil then return self.known[variable] or nil end
  if self.busy[variable] then
    self.cyclic = true
    return never
  end
  if #variable.sources == 0 then return nil end
  self.busy[variable] = true
  local outer = self.depth == 0
  self.depth = self.depth + 1
  local cyclic = self.cyclic
  self.cyclic = false
  local found = never
  for _, source in ipairs(variable.sources) do found = union(found, self:of_source(source)) end
  self.busy[variable] = nil
  self.depth = self.depth - 1
  if outer or not self.cyclic then self.known[variable] = found or false end
  self.cyclic = not outer and (self.cyclic or cyclic)
  return found
end

-- Returns the type of a field of a table or class, and true if the script assigns to the field.
function Types:of_field(owner, name)
  local sources = self.fields[owner] and self.fields[owner][name]
  if not sources then return nil, false end
  local key = sources
  if self.known[key] ~= nil then return self.known[key] or nil, true end
  if self.busy[key] then
    self.cyclic = true
    return never, true
  end
  self.busy[key] = true
  local found = never
  for _, source in ipairs(sources) do found = union(found, self:of_source(source)) end
  self.busy[key] = nil
  if self.depth == 0 then self.known[key] = found or false end
  return found, true
end

-- Returns the type of a parameter: that of self, or the union of the arguments if a function is only called.
function Types:of_parameter(f, index)
  if f.owner and index == 1 then
    local owner = self:of(f.owner)
    if owner and owner.kind == "class" then return {kind = "instance", class = owner} end
    return owner and owner.kind == "table" and owner or nil
  end
  local calls = self.calls_of[f]
  if not calls then return nil end
  local found = never
  for _, call in ipairs(calls) do
    local at = index - (f.owner and 1 or 0)
    local node = call.arguments[at]
    local last = call.arguments[#call.arguments]
    if node then
      found = union(found, self:of(node))
    elseif last and (last.tag == "Call" or last.tag == "Method" or last.tag == "Vararg") then
      return nil
    else
      found = union(found, {kind = "nil"})
    end
  end
  return found and found.kind ~= "never" and found or nil
end

-- Returns the types of a loop's variables.
function Types:of_loop(loop)
  if loop.tag == "Fornum" then return {integer} end
  local first = loop.values[1]
  local call = first.tag == "Call" and first.callee.tag == "Name" and first.callee.name
  local over = (call == "pairs" or call == "ipairs") and first.arguments[1] and self:of(first.arguments[1])
  if over then
    if over.kind == "tensor" then return {integer, tensor(over.dtype)} end
    if over.kind == "list" then return {integer, over.of} end
    if over.kind == "loader" and over.data then return {integer, tensor(), tensor(), tensor()} end
    return {}
  end
  local t = #loop.values == 1 and self:of(first)
  if t and t.kind == "loader" and t.data then return {tensor(), tensor(), tensor()} end
  return t and t.kind == "iterator" and t.of or {}
end

local by_tag = {}

function by_tag.Nil() return {{kind = "nil"}} end
function by_tag.True() return {{kind = "boolean", value = true}} end
function by_tag.False() return {{kind = "boolean", value = false}} end
function by_tag.Vararg() return {} end
function by_tag.Number(_, node) return {{kind = "number", int = math.type(node.value) == "integer", value = node.value}} end
function by_tag.String(_, node) return {{kind = "string", value = node.value}} end
function by_tag.Function(_, node) return {{kind = "function", node = node}} end
function by_tag.Table(_, node) return {{kind = "table", node = node}} end
function by_tag.Paren(self, node) return {self:of(node.inner)} end

function by_tag.Name(self, node)
  local variable = node.variable
  if variable.global and #variable.sources == 0 then
    if node.name == "arg" then return {{kind = "arguments"}} end
    local value = rawget(_G, node.name)
    return {value ~= nil and named(value, node.name) or nil}
  end
  return {self:of_variable(variable)}
end

-- Returns the type of a field of a value of torch or Lua, or nil if there is no such field.
local function member(t, name)
  local ok, value = pcall(function() return t.value[name] end)
  if not ok or value == nil then return nil end
  local kind = type(value)
  if kind == "number" then return {kind = "number", int = math.type(value) == "integer"} end
  return named(value, t.path and t.path .. "." .. name)
end

function Types:of_item(node, name)
  for _, item in ipairs(node.items) do if item.name == name then return self:of(item.value) end end
end

-- Returns the type of a field of a table: that of the constructor's item, and of the values that `owner`, its variable, is given later.
function Types:of_table_field(t, name, owner)
  local own, given = self:of_item(t.node, name), nil
  local later
  if owner then later, given = self:of_field(owner, name) end
  if given then return own and union(own, later) or nil end
  return own
end

function by_tag.Index(self, node)
  local t = self:of(node.object)
  local name = node.name
  local owner = node.object.tag == "Name" and node.object.variable
  if not t or t.kind == "never" then return {t} end
  if t.kind == "value" and name then return {member(t, name)} end
  if t.kind == "table" and name then return {self:of_table_field(t, name, owner)} end
  if t.kind == "instance" and name then return {maybe((self:of_field(t.class.node, name)))} end
  if t.kind == "arguments" then return {maybe_text} end
  if t.kind == "size" then return {integer} end
  if t.kind == "list" then return {not name and maybe(t.of) or nil} end
  if t.kind == "module" and (name == "weight" or name == "bias") then return {maybe(tensor())} end
  if t.kind ~= "tensor" then return {} end
  if name == "grad" then return {maybe(tensor(t.dtype))} end
  if name and of_attributes[name] ~= nil then return {of_attributes[name] or nil} end
  if name == "data" or name == "real" then return {t} end
  if name and name:find "^[mHT]" then return {tensor(t.dtype)} end
  if name and torch.Tensor[name] then return {} end
  return {tensor(t.dtype)}
end

local function is_open(node) return node.tag == "Call" or node.tag == "Method" or node.tag == "Vararg" end

-- Returns the number of results of a function of the script, nil if its returns differ or end in a call, and the largest number of
-- values in one return.
local function count_returns(f)
  local count, maximum = #f.returns[1], 0
  for _, values in ipairs(f.returns) do
    maximum = math.max(maximum, #values)
    if #values ~= count or values[1] and is_open(values[#values]) then count = nil end
  end
  return count, maximum
end

-- Returns the types of the results of a function of the script. If their number is not known, unknown types at the end are left out.
function Types:results_of_function(f)
  if #f.returns == 0 then return {{kind = "nil"}} end
  if self.busy[f] then return {never, never, never, never} end
  self.busy[f] = true
  local out = {}
  local count, maximum = count_returns(f)
  for i = 1, count or math.max(maximum, 4) do
    local found = never
    for _, values in ipairs(f.returns) do
      local last = values[#values]
      local one = {kind = "nil"}
      if values[i] then
        one = self:of(values[i])
      elseif last and is_open(last) then
        one = self:results(last)[i - #values + 1] or nil
      end
      found = union(found, one)
    end
    out[i] = found and found.kind ~= "never" and found or false
  end
  while not count and #out > 0 and not out[#out] do out[#out] = nil end
  self.busy[f] = nil
  return out
end

-- Returns true unless the forward of modules of this class may return more than a tensor.
local function gives_tensor(class)
  local name = tostring(class):match "([%w_]+)'?>?$" or ""
  return not (name:find "LSTM" or name:find "GRU" or name:find "RNN" or name:find "MultiheadAttention" or name:find "Adaptive" or name:find "MaxPool")
end

-- Returns a method of a class of the script, its own or one of its base.
function Types:method_of(class, name)
  local sources = self.fields[class.node] and self.fields[class.node][name]
  local f = sources and #sources == 1 and sources[1].value
  return f and f.tag == "Function" and f or nil
end

function by_tag.Call(self, node)
  local t = self:of(node.callee)
  if not t then return {} end
  if t.kind == "value" then
    if t.path == "require" then
      local name = node.arguments[1] and node.arguments[1].value
      local path = type(name) == "string" and name:find "^torch%f[.%z]" and name
      local ok, value = pcall(require, path or "")
      return {path and ok and named(value, path) or nil}
    end
    if of_lua[t.path] then return {of_lua[t.path]} end
    return self:results_of_value(t, node.arguments)
  end
  if t.kind == "function" then return self:results_of_function(t.node) end
  if t.kind == "class" then return {{kind = "instance", class = t}} end
  if t.kind == "instance" then
    local forward = self:method_of(t.class, "forward")
    return forward and self:results_of_function(forward) or {}
  end
  if t.kind ~= "module" or not gives_tensor(t.class) then return {} end
  return t.sample and trials.try(t.sample, trials.arguments(self, node.arguments)) or {tensor()}
end

local returns_self = {eval = true, train = true, to = true, cuda = true, cpu = true, float = true, double = true, half = true, requires_grad_ = true}

local of_modules = {
  parameters = function() return {{kind = "iterator", parameters = true, of = {tensor()}}} end,
  named_parameters = function() return {{kind = "iterator", parameters = true, of = {text, tensor()}}} end,
}

function by_tag.Method(self, node)
  local t, name = self:of(node.object), node.name
  if name == "match" and (not t or t.kind == "string") or not t and only_of_strings[name] then return {maybe_text, maybe_text, maybe_text, maybe_text} end
  if not t or t.kind == "never" then return {t} end
  if t.kind == "tensor" then
    local method = torch.Tensor[name]
    if name == "item" then
      local int = t.dtype and not t.dtype.is_floating_point
      return {t.dtype ~= torch.bool and {kind = "number", int = t.dtype and int} or nil}
    end
    if not method then return {} end
    return self:results_of_value(named(method, "torch.Tensor." .. name), node.arguments, t)
  end
  if t.kind == "string" then return {of_strings[name]} end
  if t.kind == "value" and name == "extend" and type(t.value) == "table" then return {{kind = "class", node = node, base = t}} end
  if t.kind == "class" and name == "extend" then return {{kind = "class", node = node, base = t}} end
  if t.kind == "loader" and name == "enumerate" then return {{kind = "iterator", of = t.data and {integer, tensor(), tensor(), tensor()} or {integer}}} end
  if t.kind == "distribution" then return {(name == "sample" or name == "rsample" or name == "log_prob" or name == "entropy") and tensor() or nil} end
  if t.kind ~= "instance" and t.kind ~= "module" then return {} end
  local own = t.kind == "instance" and self:method_of(t.class, name)
  if own then return self:results_of_function(own) end
  if returns_self[name] then return {t} end
  return of_modules[name] and of_modules[name]() or {}
end

local compares = {["=="] = true, ["~="] = true, ["<"] = true, [">"] = true, ["<="] = true, [">="] = true}

-- Returns the type of a tensor's arithmetic, tried on samples.
function Types:of_arithmetic(node, left, right)
  local other = left.kind == "tensor" and right or left
  if not other then return tensor() end
  local arguments = {n = 2, known = true, sample_of(self, left), sample_of(self, right)}
  if arguments[1] == nil or arguments[2] == nil then return tensor() end
  local vague = left.kind == "tensor" and not left.sizes or right.kind == "tensor" and not right.sizes
  local function is_undated(t) return t.kind == "tensor" and not t.dtype or is_of_either_kind(self, t) end
  local undated = is_undated(left) or is_undated(right)
  local f = load(("local a, b = ...; return a %s b"):format(node.operator))
  local ok, value = pcall(f, arguments[1], arguments[2])
  return ok and classify(value, vague, undated) or tensor()
end

function by_tag.Op(self, node)
  local operator = node.operator
  if compares[operator] then return {boolean} end
  if operator == ".." then return {text} end
  local left, right = self:of(node.left), self:of(node.right)
  if operator == "and" then
    if left and not left.maybe and (left.kind == "tensor" or left.kind == "number" or left.kind == "string") then return {right} end
    return {maybe(right)}
  elseif operator == "or" then
    if not left or not right then return {} end
    if left.kind == "nil" then return {right} end
    if left.kind == "boolean" then return {} end
    if not left.maybe then return {left} end
    local sure = {}
    for key, value in next, left do sure[key] = value end
    sure.maybe = nil
    return {union(sure, right)}
  end
  if left and left.kind == "tensor" or right and right.kind == "tensor" then
    return {left and right and self:of_arithmetic(node, left, right) or tensor()}
  end
  if not left or not right or left.kind == "never" or right.kind == "never" then
    return {left and right and (left.kind == "never" and (right.kind == "number" and unknown_number or right) or left) or nil}
  end
  if left.kind ~= "number" or right.kind ~= "number" then return {} end
  if ("|&~<<>>"):find(operator, 1, true) then return {integer} end
  if operator == "/" or operator == "^" then return {float} end
  if left.int and right.int then return {integer} end
  return {(left.int == false or right.int == false) and float or unknown_number}
end

function by_tag.Unary(self, node)
  if node.operator == "not" then return {boolean} end
  if node.operator == "#" then return {integer} end
  local t = self:of(node.operand)
  if t and t.kind == "number" then return {{kind = "number", int = t.int, value = t.value and node.operator == "-" and -t.value or nil}} end
  return {t and t.kind == "tensor" and t or nil}
end

--- Returns the types of all values of an expression, false for unknown ones. Only calls have several values.
function Types:results(node)
  self.nested = self.nested + 1
  local out = self.nested < 150 and by_tag[node.tag](self, node) or {}
  self.nested = self.nested - 1
  return out
end

-- --- assignments and calls in the tree -------------------------------------------------------------

-- Returns the owner of an assigned field: the class behind self, or the constructor or the class of a variable.
function Types:owner_of(object)
  if object.tag ~= "Name" then return nil end
  local source = object.variable.sources[1]
  local owner = source and source.parameter and source.index == 1 and source.parameter.owner
  if owner then return self:owner_of(owner) end
  local value = #object.variable.sources == 1 and source.value
  return value and value.tag == "Method" and value.name == "extend" and value or object.variable
end

function Types:add_field(target, value, result)
  local owner = target.name and self:owner_of(target.object)
  if not owner then return end
  self.fields[owner] = self.fields[owner] or {}
  local sources = self.fields[owner][target.name] or {}
  self.fields[owner][target.name] = sources
  sources[#sources + 1] = {value = value, result = result}
end

--- Returns the types of a tree. assignments: its assigned fields {target, value, result}; calls: all its calls.
function Types.new(tree, assignments, calls)
  local self = setmetatable({known = {}, busy = {}, fields = {}, calls_of = {}, depth = 0, nested = 0}, Types)
  for _, a in ipairs(assignments) do self:add_field(a.target, a.value, a.result) end
  for _, variable in ipairs(tree.variables) do
    local f = #variable.sources == 1 and variable.sources[1].value
    local list = f and f.tag == "Function" and #variable.uses > 0 and {}
    for _, use in ipairs(list and variable.uses or {}) do
      if not use.call then list = nil break end
      list[#list + 1] = use.call
    end
    if list then self.calls_of[f] = list end
  end
  for _, call in ipairs(calls) do
    local t = self:of(call.callee)
    local forward = t and t.kind == "instance" and self:method_of(t.class, "forward")
    if forward then
      self.calls_of[forward] = self.calls_of[forward] or {}
      table.insert(self.calls_of[forward], call)
    end
  end
  self.known = {}
  return self
end

--- Returns true if a tensor has a field of this name.
function Types.is_attribute(name) return of_attributes[name] ~= nil end

return Types
