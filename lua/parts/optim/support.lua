-- support.lua: features of all optimizers, made in C or derived from torch.optim.Optimizer: hooks around methods, isinstance,
-- and the text of groups.
local torch = ...
local support = torch._part "support"
local fail = support.fail
local optim_support = {}

-- --- hooks --------------------------------------------------------------------------------------------------
-- A hooked method is a field of the optimizer itself, which stands before the method of its class.

local hooked = setmetatable({}, {__mode = "k"})   -- optimizer -> {[method] = {pre = list, post = list}}

local Handle = {__name = "RemovableHandle"}
Handle.__index = Handle
function Handle:remove()
  for i, hook in ipairs(self.list) do
    if hook == self.hook then
      table.remove(self.list, i)
      return
    end
  end
end
Handle.__close = Handle.remove

local function each(list, f)
  for _, entry in ipairs(table.move(list, 1, #list, 1, {})) do f(entry.call) end
end

-- Functions that make hooked methods: wrappers[the method's name](method, its hooks).
local wrappers = {}
function wrappers.step(method, lists)
  return function(self, ...)
    local args, kwargs = {...}, {}
    each(lists.pre, function(hook)
      local new_args, new_kwargs = hook(self, args, kwargs)
      if new_args ~= nil then
        if type(new_args) ~= "table" or new_kwargs == nil and #new_args ~= 2 then
          fail("RuntimeError", "%s must return None or a tuple of (new_args, new_kwargs), but got %s.", tostring(method), support.python(new_args))
        end
        if new_kwargs == nil then new_args, new_kwargs = new_args[1], new_args[2] end
        args, kwargs = new_args, new_kwargs
      end
    end)
    local results = table.pack(method(self, table.unpack(args)))
    each(lists.post, function(hook) hook(self, args, kwargs) end)
    return table.unpack(results, 1, results.n)
  end
end
function wrappers.state_dict(method, lists)
  return function(self)
    each(lists.pre, function(hook) hook(self) end)
    local state = method(self)
    each(lists.post, function(hook)
      local other = hook(self, state)
      if other ~= nil then state = other end
    end)
    return state
  end
end
function wrappers.load_state_dict(method, lists)
  return function(self, state)
    local copy = {}
    for key, value in pairs(state) do copy[key] = value end
    each(lists.pre, function(hook)
      local other = hook(self, copy)
      if other ~= nil then copy = other end
    end)
    method(self, copy)
    each(lists.post, function(hook) hook(self) end)
  end
end

local function register(optimizer, method, when, hook, prepend)
  local of = hooked[optimizer] or {}
  hooked[optimizer] = of
  if not of[method] then
    of[method] = {pre = {}, post = {}}
    optimizer[method] = wrappers[method](optimizer[method], of[method])
  end
  local list = of[method][when]
  local entry = {call = hook}   -- a function that is registered twice runs twice
  table.insert(list, prepend and 1 or #list + 1, entry)
  return setmetatable({list = list, hook = entry}, Handle)
end

--- The methods that register hooks.
optim_support.methods = {}
for _, name in ipairs{"step_pre", "step_post", "state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post"} do
  local method, when = name:match "^(.*)_(%a+)$"
  optim_support.methods["register_" .. name .. "_hook"] = function(self, hook, prepend)
    if type(prepend) == "table" then prepend = prepend.prepend end
    return register(self, method, when, hook, prepend)
  end
end

--- Returns true if an optimizer made in C is of a class: its own, or the base of all.
function optim_support.isinstance(optimizer, class) return class == torch.optim.Optimizer or class ~= nil and class == optimizer.__class__ end

--- Returns true if a method has hooks.
function optim_support.is_hooked(optimizer, method) return hooked[optimizer] ~= nil and hooked[optimizer][method] ~= nil end

-- --- text ---------------------------------------------------------------------------------------------------

--- Returns a value as Python's repr shows it.
function optim_support.repr(value)
  if type(value) == "string" then return ("'%s'"):format(value) end
  if math.type(value) == "float" then
    if value ~= value then return "nan" end
    if value == math.huge or value == -math.huge then return value > 0 and "inf" or "-inf" end
    return "" .. torch.tensor(value, {dtype = torch.float64})
  end
  if not support.is_plain(value) then return support.python(value) end
  local last, out = 0, {}
  for key in pairs(value) do
    if math.type(key) ~= "integer" then return tostring(value) end
    last = math.max(last, key)
  end
  if type(value[1]) == "string" then return support.python_table(value) end   -- the names of parameters are a list
  for i = 1, last do out[i] = optim_support.repr(value[i]) end
  return ("(%s)"):format(table.concat(out, ", "))
end

--- Returns a value as Python's f-string shows it.
function optim_support.text(value)
  if type(value) == "string" or torch.is_tensor(value) then return "" .. value end
  return optim_support.repr(value)
end

local function line(key, value) return ("    %s: %s\n"):format(key, optim_support.text(value)) end

--- Returns the text of an optimizer. names: the options of all groups (nil values are shown, too).
function optim_support.describe(class, groups, names)
  local out = {class .. " ("}
  for i, group in ipairs(groups) do
    local keys = {}
    for _, name in ipairs(names) do keys[name] = true end
    for key in pairs(group) do keys[key] = true end
    local lines = {}
    for key in pairs(keys) do
      if key ~= "params" then lines[#lines + 1] = key end
    end
    table.sort(lines)
    for k, key in ipairs(lines) do lines[k] = line(key, group[key]) end
    out[#out + 1] = ("\nParameter Group %d\n%s"):format(i - 1, table.concat(lines))
  end
  return table.concat(out) .. ")"
end

--- Returns the text of an optimizer of C with the fields of its groups that are not options: extras[i] has those of group i.
function optim_support.with_extras(text, extras)
  local out, group, lines = {}, 0, {}
  local function flush()
    table.sort(lines, function(a, b) return a:match "^%s*(.-):" < b:match "^%s*(.-):" end)
    out[#out + 1] = table.concat(lines)
    lines = {}
  end
  for text_line in (text .. "\n"):gmatch "[^\n]*\n" do
    if text_line:find "^    " then
      lines[#lines + 1] = text_line
    else
      flush()
      out[#out + 1] = text_line
      if text_line:find "^Parameter Group" then
        group = group + 1
        for key, value in pairs(extras[group] or {}) do lines[#lines + 1] = line(tostring(key), value) end
      end
    end
  end
  flush()
  return (table.concat(out):gsub("\n$", ""))
end

--- Returns a learning rate, which may be a tensor of one element, as a number.
function optim_support.number(x) return torch.is_tensor(x) and x:item() or x end

--- Makes a step of an optimizer that changes its parameters one by one: step_one(p, group, state) for each with a gradient.
function optim_support.step_each(optimizer, closure, step_one)
  local loss = closure and closure()
  for _, group in ipairs(optimizer.param_groups) do
    for _, p in ipairs(group.params) do
      if p.grad then step_one(p, group, optimizer.state[p]) end
    end
  end
  return loss
end

return optim_support
