-- trials.lua: calls of torch that tocha --check tries on samples of their arguments: tensors of the device meta, which have sizes but no
-- elements. types: the types of a script (types.lua).
local torch = ...
local kinds = torch._part "check.kinds"
local trials = {}

-- --- samples -------------------------------------------------------------------------------------

local sample_of

-- Returns a table with samples of the items of a constructor, keywords too, or nil if an item is not known.
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
trials.sample_of = sample_of

-- --- calls ---------------------------------------------------------------------------------------

-- Returns the signature and purpose of a value from the lists. torch.numpy replaces some functions of torch by its own.
local function help_on(t)
  local name = (t.path or ""):match "^torch%.([%w_]+)$"
  return torch._list_help(t.value) or name and torch._list_help(torch._functions "torch"[name])
end

--- Returns true if calls of a function change nothing but their arguments.
function trials.is_pure(t)
  local known = help_on(t)
  local name = known and known:match "^[%w_]+"
  if not known or name == "from_file" or name == "item" or t.value == torch.autograd.grad then return false end
  return known:find "%-> %(?Tensor" ~= nil or known:find "%-> Size" ~= nil or known:find "%-> bool" ~= nil
end

local constructed = {["torch.nn."] = "module", ["torch.optim."] = "optimizer", ["torch.optim.lr_scheduler."] = "object",
  ["torch.utils.data."] = "object", ["torch.datasets."] = "dataset", ["torch.vision.datasets."] = "dataset", ["torch.distributions."] = "distribution"}
local of_data = {DataLoader = "loader", TensorDataset = "dataset", Subset = "dataset", ConcatDataset = "dataset"}

--- Returns the kind of the objects that a class of torch makes, or nil if the path is not that of such a class.
function trials.kind_made(path)
  local space, name = (path or ""):match "^(.*%.)([%w_]+)$"
  if not name or not (name:find "^%u" or space == "torch.datasets.") then return nil end
  if name == "Parameter" or name == "Buffer" or name == "Module" then return nil end
  return space == "torch.utils.data." and of_data[name] or constructed[space]
end

local function nothing() end

-- Returns a value for an argument that is not known: a table with the same keywords, or a tensor.
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

-- Returns true if a sample of type t is only one of many values that the type allows.
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

-- Returns true if a type has a number that may be an integer or a float, so that the dtype of a result is not known.
local function is_of_either_kind(self, t)
  if not t then return true end
  if t.kind ~= "table" then return t.kind == "number" and t.int == nil end
  for _, item in ipairs(t.node.items) do
    if not item.name and is_of_either_kind(self, self:of(item.value)) then return true end
  end
  return false
end

--- Returns samples of a call's arguments, packed, with a stand-in for each unknown one. Fields: known (all are known), vague (sizes
--- were made up), undated (dtypes were).
function trials.arguments(self, list, first)
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

--- Calls a function of torch on samples. Returns the types of its results (nil if nothing is known), the error of torch if the call
-- failed, and the first result itself.
function trials.try(f, arguments)
  local packed = table.pack(pcall(f, table.unpack(arguments, 1, arguments.n)))
  if not packed[1] then return nil, type(packed[2]) == "table" and packed[2].message and packed[2] or nil end
  if not arguments.known then return nil end
  local out = {}
  for i = 2, packed.n do out[i - 1] = kinds.classify(packed[i], arguments.vague, arguments.undated) or false end
  return out, nil, packed[2]
end

--- Returns the types of the results that all signatures of a function agree on. torch.autograd.grad has one result for each input.
function trials.results_of_help(t)
  if t.value == torch.autograd.grad then return nil end
  local agreed
  for result in (help_on(t) or ""):gmatch "%f[^\n\0][%w_]+%b() %-> ([^\n]+)" do
    if agreed and agreed ~= result then return nil end
    agreed = result
  end
  if agreed == "Tensor" then return {kinds.tensor()} end
  if agreed == "Tensor[]" then return {{kind = "list", of = kinds.tensor()}} end
  if agreed and agreed:find "^%(Tensor" then
    local out = {}
    for mark, name in agreed:gmatch "Tensor(%??) ([%w_]+)" do
      if mark == "?" then break end   -- it depends on the arguments if there is such a result
      out[#out + 1] = kinds.tensor(name == "indices" and torch.int64 or nil)
    end
    return out
  end
end
trials.is_of_either_kind = is_of_either_kind

return trials
