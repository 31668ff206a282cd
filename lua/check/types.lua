-- types.lua: the kinds of values that expressions of a script give, for tocha --check. Calls of torch are tried on samples: tensors of
-- the device meta, which have sizes and no elements. A type is a table {kind = ...}, or nil where nothing is known. Kinds:
--   tensor (dtype and sizes if known)   number (int: true, false or unknown; value)   string (value)   boolean   nil   never   size
--   table (node)   list (of)   function (node)   iterator (of: the types of its values)   value (a value of torch or Lua, its path)
--   class (node)   instance (class)   module, optimizer, dataset, loader, object (class: their value)   arguments (the global arg)
-- maybe: the value may be nil or false instead.
local torch = ...
local Types = {}
Types.__index = Types

local never, unknown_number = {kind = "never"}, {kind = "number"}
local integer, float, text, boolean = {kind = "number", int = true}, {kind = "number", int = false}, {kind = "string"}, {kind = "boolean"}
local maybe_text = {kind = "string", maybe = true}

local function tensor(dtype, sizes) return {kind = "tensor", dtype = dtype, sizes = sizes} end

-- --- samples -------------------------------------------------------------------------------------

local function sizes_of(value)
  local sizes = {}
  for i, n in pairs(value.shape) do sizes[i + 1] = n end
  return sizes
end

-- The path of a value of torch below a dotted path.
local function named(value, path) return {kind = "value", value = value, path = path} end

local sample_of

-- A sample of the elements of a constructor; nil and false where one is not known. Its keywords too.
local function sample_of_table(types, node)
  local out, count = {}, 0
  for i, item in ipairs(node.items) do
    local key = item.name
    if item.key or not key and i == #node.items and (item.value.tag == "Vararg") then return nil end
    if not key then
      local last = i == #node.items and not item.name
      local values = last and types:results(item.value) or {types:of(item.value)}
      for _, one in ipairs(values) do
        count = count + 1
        out[count] = sample_of(types, one)
        if out[count] == nil then return nil end
      end
      if #values == 0 then return nil end
    else
      out[key] = sample_of(types, types:of(item.value))
      if out[key] == nil then return nil end
    end
  end
  return out
end

local samples = {
  tensor = function(_, t) return torch.empty(t.sizes or {2, 2}, {dtype = t.dtype}) end,
  number = function(_, t) return t.value or (t.int == false and 2.0 or 2) end,
  string = function(_, t) return t.value or "some text" end,
  boolean = function(_, t) return t.value end,
  size = function() return torch.empty(2, 2).shape end,
  list = function(types, t)
    local one = sample_of(types, t.of)
    return one ~= nil and {one, one} or nil
  end,
  table = function(types, t) return sample_of_table(types, t.node) end,
  ["function"] = function() return function(...) return ... end end,
  iterator = function(types, t)
    local one = t.parameters and sample_of(types, t.of[#t.of])
    return one ~= nil and {torch.nn.Parameter(one)} or nil
  end,
  value = function(_, t) return t.value end,
  module = function(_, t) return t.sample end, optimizer = function(_, t) return t.sample end, object = function(_, t) return t.sample end,
  dataset = function() return torch.utils.data.TensorDataset(torch.empty(4, 2)) end,
  loader = function(_, t) return t.sample end,
}

function sample_of(types, t)
  local make = t and samples[t.kind]
  if not make then return nil end
  local ok, value = pcall(make, types, t)
  if ok then return value end
end

-- The type of a result of a call on samples. vague: sizes of a sample were made up; undated: a dtype was.
local function classify(value, vague, undated)
  if torch.is_tensor(value) then return tensor(not undated and value.dtype or nil, not vague and sizes_of(value) or nil) end
  local kind = type(value)
  if kind == "number" then return math.type(value) == "integer" and integer or float end
  if kind == "string" then return text elseif kind == "boolean" then return boolean elseif kind == "nil" then return {kind = "nil"} end
  if kind == "userdata" and tostring(value):find "^torch%.Size" then return {kind = "size"} end
  if kind == "table" and getmetatable(value) == nil and torch.is_tensor(value[1]) then
    return {kind = "list", of = classify(value[1], true, undated)}
  end
end

-- --- unions --------------------------------------------------------------------------------------

local function same_sizes(a, b)
  if not a.sizes or not b.sizes or #a.sizes ~= #b.sizes then return nil end
  for i, n in ipairs(a.sizes) do if n ~= b.sizes[i] then return nil end end
  return a.sizes
end

local function maybe(t)
  if not t or t.maybe or t.kind == "never" then return t end
  local out = {}
  for key, value in next, t do out[key] = value end
  out.maybe = true
  return out
end

local function union(a, b)
  if not a or not b then return nil end
  if a.kind == "never" then return b elseif b.kind == "never" then return a end
  if a.kind == "nil" then return maybe(b) elseif b.kind == "nil" then return maybe(a) end
  if a.kind ~= b.kind then return nil end
  local out
  if a == b or a.kind == "size" or a.kind == "dataset" then
    out = a
  elseif a.kind == "tensor" then
    out = tensor(a.dtype == b.dtype and a.dtype or nil, same_sizes(a, b))
  elseif a.kind == "number" then
    out = a.int == b.int and {kind = "number", int = a.int} or unknown_number
  elseif a.kind == "string" or a.kind == "boolean" then
    out = {kind = a.kind}
  elseif a.kind == "list" or a.kind == "iterator" then
    return nil
  elseif a.value ~= b.value or a.node ~= b.node or a.class ~= b.class then
    return nil
  else
    out = a
  end
  return (a.maybe or b.maybe) and maybe(out) or out
end

-- --- calls of torch ------------------------------------------------------------------------------

-- Signature and purpose of a value as the lists have them; torch.numpy puts functions of its own in the place of some.
local function help_on(t)
  local name = (t.path or ""):match "^torch%.([%w_]+)$"
  return torch._list_help(t.value) or name and torch._list_help(torch._functions "torch"[name])
end

-- True for a function whose calls change nothing but their arguments.
local function is_pure(t)
  local known = help_on(t)
  local name = known and known:match "^[%w_]+"
  if not known or name == "from_file" or name == "item" or t.value == torch.autograd.grad then return false end
  return known:find "%-> %(?Tensor" ~= nil or known:find "%-> Size" ~= nil or known:find "%-> bool" ~= nil
end

local constructed = {["torch.nn."] = "module", ["torch.optim."] = "optimizer", ["torch.optim.lr_scheduler."] = "object",
  ["torch.utils.data."] = "object", ["torch.datasets."] = "dataset", ["torch.vision.datasets."] = "dataset", ["torch.distributions."] = "distribution"}
local of_data = {DataLoader = "loader", TensorDataset = "dataset", Subset = "dataset", ConcatDataset = "dataset"}

-- The kind of what a call of a value of torch makes, a class's or nil.
local function kind_made(path)
  local space, name = (path or ""):match "^(.*%.)([%w_]+)$"
  if not name or not (name:find "^%u" or space == "torch.datasets.") then return nil end
  if name == "Parameter" or name == "Buffer" or name == "Module" then return nil end
  return space == "torch.utils.data." and of_data[name] or constructed[space]
end

local function nothing() end

-- A value for an argument that is not known: a table with the same keywords, or a tensor.
local function stand_in(self, t)
  if t and t.kind == "boolean" then return true end
  if not t or t.kind ~= "table" then return torch.empty(2, 2) end
  local out = {}
  for _, item in ipairs(t.node.items) do
    local value = sample_of(self, self:of(item.value))
    if value == nil then value = nothing end
    if item.name then out[item.name] = value elseif not item.key then out[#out + 1] = value end
  end
  return out
end

-- True if a sample is one of many that the type allows.
local function is_made_up(self, t)
  if not t then return true end
  if t.kind == "table" then
    for _, item in ipairs(t.node.items) do
      if is_made_up(self, self:of(item.value)) then return true end
    end
    return false
  elseif t.kind == "tensor" then
    return not t.sizes
  end
  return not (t.kind == "string" or t.kind == "boolean" or t.kind == "value" or t.kind == "nil" or t.kind == "number" and t.value)
end

-- True if a type has a number that may be an integer or a fraction, so that the dtype of what is made of it is not known.
local function is_of_either_kind(self, t)
  if not t then return true end
  if t.kind ~= "table" then return t.kind == "number" and t.int == nil end
  for _, item in ipairs(t.node.items) do
    if not item.name and is_of_either_kind(self, self:of(item.value)) then return true end
  end
  return false
end

-- Arguments of a call as samples: packed; whether all are known, sizes were made up, dtypes were. With unknown ones a stand-in.
function Types:arguments(list, first)
  local out = {n = 0, known = true}
  local function add(t)
    local value = sample_of(self, t)
    if value == nil and not (t and t.kind == "nil") then
      out.known = false
      value = stand_in(self, t)
    elseif t.kind == "tensor" then
      out.vague, out.undated = out.vague or not t.sizes, out.undated or not t.dtype
    else
      out.vague, out.undated = out.vague or is_made_up(self, t), out.undated or is_of_either_kind(self, t)
    end
    out.n = out.n + 1
    out[out.n] = value
  end
  if first then add(first) end
  for i, node in ipairs(list) do
    local values = i == #list and self:results(node) or {self:of(node)}
    if i == #list and #values == 0 then out.known = false end
    for j = 1, math.max(#values, i < #list and 1 or 0) do add(values[j] or nil) end
  end
  return out
end

--- Calls a function of torch on samples. Returns the types of its results (nil where nothing is known), and the error, with whether
-- all arguments were known.
function Types:try(f, arguments)
  local packed = table.pack(pcall(f, table.unpack(arguments, 1, arguments.n)))
  if not packed[1] then return nil, type(packed[2]) == "table" and packed[2].message and packed[2] or nil end
  if not arguments.known then return nil end
  local out = {}
  for i = 2, packed.n do out[i - 1] = classify(packed[i], arguments.vague, arguments.undated) or false end
  return out, nil, packed[2]
end

-- The results that all signatures of a function agree on. torch.autograd.grad has as many as it is given inputs.
local function results_of_help(t)
  if t.value == torch.autograd.grad then return nil end
  local agreed
  for result in (help_on(t) or ""):gmatch "%f[^\n\0][%w_]+%b() %-> ([^\n]+)" do
    if agreed and agreed ~= result then return nil end
    agreed = result
  end
  if agreed == "Tensor" then return {tensor()} end
  if agreed == "Tensor[]" then return {{kind = "list", of = tensor()}} end
  if agreed and agreed:find "^%(Tensor" then
    local out = {}
    for mark, name in agreed:gmatch "Tensor(%??) ([%w_]+)" do
      if mark == "?" then break end   -- whether it is given depends on the arguments
      out[#out + 1] = tensor(name == "indices" and torch.int64 or nil)
    end
    return out
  end
end

-- Results of a call of a value of torch or of Lua.
function Types:results_of_value(t, list, first)
  local kind = kind_made(t.path)
  if kind then
    local made = {kind = kind, class = t.value}
    local _, _, sample = self:try(t.value, self:arguments(list))
    made.sample = sample
    made.data = kind == "loader" and list[1] and self:loaded(list) or nil
    return {made}
  end
  if t.path == "torch.utils.data.random_split" then return {{kind = "dataset"}, {kind = "dataset"}, {kind = "dataset"}} end
  if t.path == "torch.tqdm" or t.path == "torch.Tensor" then return {list[1] and self:of(list[1]) or nil} end
  local results = is_pure(t) and self:try(t.value, self:arguments(list, first))
  return results or results_of_help(t) or {}
end

--- The tensors of a batch, where a loader's data set and options say so.
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

-- Methods that nothing but a string has.
local only_of_strings = {match = true, gsub = true, upper = true, lower = true}

local of_attributes = {shape = {kind = "size"}, ndim = integer, itemsize = integer, nbytes = integer, requires_grad = boolean, is_leaf = boolean,
  is_cuda = boolean, dtype = {kind = "dtype"}, device = {kind = "device"}, grad_fn = false}

-- --- expressions ---------------------------------------------------------------------------------

--- The type of an expression's first value; nil where it is not known.
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

--- The type of a variable: the union of what it is given anywhere.
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

-- The field of a table or class that the script gives values to; a second result: whether it does.
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

-- A parameter: self, or what the calls give a function that is only called.
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

-- The values of one turn of a loop.
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

-- What a field of a value of torch or Lua is; nil where it has none.
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

-- The item of a constructor that a variable holds, or what it is given later.
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

-- How many results a function of the script has, nil where its returns differ or end in a call; and how many it names at most.
local function count_returns(f)
  local count, most = #f.returns[1], 0
  for _, values in ipairs(f.returns) do
    most = math.max(most, #values)
    if #values ~= count or values[1] and is_open(values[#values]) then count = nil end
  end
  return count, most
end

-- Results of a function of the script; none are listed where their number is not known and the first is not, either.
function Types:results_of_function(f)
  if #f.returns == 0 then return {{kind = "nil"}} end
  if self.busy[f] then return {never, never, never, never} end
  self.busy[f] = true
  local out = {}
  local count, most = count_returns(f)
  for i = 1, count or math.max(most, 4) do
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

-- Modules whose forward gives more than a tensor.
local function gives_tensor(class)
  local name = tostring(class):match "([%w_]+)'?>?$" or ""
  return not (name:find "LSTM" or name:find "GRU" or name:find "RNN" or name:find "MultiheadAttention" or name:find "Adaptive" or name:find "MaxPool")
end

-- The methods of a class of the script: a function of its own, or one of its base.
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
  return t.sample and self:try(t.sample, self:arguments(node.arguments)) or {tensor()}
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

-- A tensor's arithmetic, tried on samples.
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

--- The types of all values of an expression, false for those that are not known; those of others than calls are one.
function Types:results(node)
  self.nested = self.nested + 1
  local out = self.nested < 150 and by_tag[node.tag](self, node) or {}
  self.nested = self.nested - 1
  return out
end

-- --- what the tree assigns and calls ---------------------------------------------------------------

-- Where an assigned field belongs: the class behind self, the constructor or the class of a variable.
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

--- The types of a tree: assignments are its assigned fields {target, value, result}, calls all its calls.
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

--- True for the name of a tensor's field.
function Types.is_attribute(name) return of_attributes[name] ~= nil end

Types.sample_of, Types.is_pure, Types.kind_made = sample_of, is_pure, kind_made

return Types
