-- rules.lua: the mistakes that tocha --check finds in a script's tree, those that users of Python or of plain Lua make first. Each finding
-- is {at = offset, message, write = the line to write instead, or how to correct the mistake}.
local torch = ...
local Types, trials = torch._part "check.types", torch._part "check.trials"
local hints = torch._part "hints"

local Rules = {}
Rules.__index = Rules

function Rules:text(node) return (self.tree.text:sub(node.first, node.last):gsub("%s+", " ")) end

function Rules:report(at, message, write)
  write = write and write:gsub("^write: ", "")
  local key = at .. message
  if self.seen[key] then return end
  self.seen[key], self.seen[at] = true, true
  self.findings[#self.findings + 1] = {at = at, message = message, write = write}
end

function Rules:is(node, kind)
  local t = node and self.types:of(node)
  return t and t.kind == kind and t or nil
end

local function inner(node)
  while node.tag == "Paren" do node = node.inner end
  return node
end

local compared = {["=="] = "eq", ["~="] = "ne", ["<"] = "lt", [">"] = "gt", ["<="] = "le", [">="] = "ge"}
local turned = {["<"] = ">", [">"] = "<", ["<="] = ">=", [">="] = "<="}

-- --- comparisons ---------------------------------------------------------------------------------

-- Returns the comparison in a node if one side is a tensor, and its form as a method: "x:eq(2)".
function Rules:comparison(node)
  node = inner(node)
  if node.tag ~= "Op" or not compared[node.operator] then return nil end
  if self:is(node.left, "tensor") then
    return node, ("%s:%s(%s)"):format(self:receiver(node.left), compared[node.operator], self:text(inner(node.right)))
  elseif self:is(node.right, "tensor") then
    return node, ("%s:%s(%s)"):format(self:receiver(node.right), compared[turned[node.operator] or node.operator], self:text(inner(node.left)))
  end
end

-- Returns the text of a node for use before a colon, in parentheses if it needs them.
function Rules:receiver(node)
  local plain = node.tag == "Name" or node.tag == "Index" or node.tag == "Call" or node.tag == "Method" or node.tag == "Paren"
  return plain and self:text(node) or "(" .. self:text(node) .. ")"
end

local never_equal = {number = "a number", string = "a string", boolean = "a boolean", table = "a table"}

-- Reports `t == 0`, `x.device == "cpu"`, `x.shape == {2, 3}`: Lua never calls __eq for values of different types.
function Rules:check_equality(node)
  if node.operator ~= "==" and node.operator ~= "~=" or self.masks[node] then return end
  local a, b = self.types:of(node.left), self.types:of(node.right)
  if not a or not b then return end
  local object, other, plain = node.left, node.right, b
  if never_equal[a.kind] then object, other, a, plain = node.right, node.left, b, a end
  if not never_equal[plain.kind] or plain.maybe then return end
  local always = node.operator == "==" and "false" or "true"
  local function report(what, write)
    self:report(node.first, ("`%s` is always %s: %s never equals %s in Lua"):format(self:text(node), always, what, never_equal[plain.kind]), write)
  end
  local left, right = self:receiver(object), self:text(other)
  if a.kind == "tensor" and plain.kind ~= "table" then
    local item = plain.kind == "number" and (" for each element, %s:item() %s %s for a tensor of one"):format(left, node.operator, right) or ""
    report("a tensor", ("%s:%s(%s)%s"):format(left, compared[node.operator], right, item))
  elseif a.kind == "device" and plain.kind == "string" then
    report("a device", ("%s.type %s %s"):format(left, node.operator, right))
  elseif a.kind == "dtype" and plain.kind == "string" then
    report("a dtype", ("%s %s torch.%s"):format(left, node.operator, tostring(plain.value):gsub("^torch%.", "")))
  elseif a.kind == "size" and plain.kind == "table" then
    report("a torch.Size", ("%s %s torch.Size(%s)"):format(left, node.operator, right))
  end
end

-- Reports a comparison of tensors that is used as a tensor: x[a > k], (a == b):sum(), torch.where(x > 0, a, b).
function Rules:check_mask(node, use)
  local comparison, method = self:comparison(node)
  if not comparison then return end
  self.masks[comparison] = true
  self:report(comparison.first, ("`%s` is Lua's true or false, not a tensor%s"):format(self:text(comparison), use or ""), method)
end

function Rules:check_method_of_comparison(node)
  local comparison, method = self:comparison(node.object)
  local op = inner(node.object)
  if op.tag ~= "Op" or not compared[op.operator] then return end
  local rest = self.tree.text:sub(node.object.last + 1, node.last)
  self.masks[op] = true
  method = comparison and method or ("%s:%s(%s)"):format(self:receiver(op.left), compared[op.operator], self:text(inner(op.right)))
  self:report(op.first, ("`%s` is Lua's true or false, which has no methods"):format(self:text(op)), method .. rest)
end

-- --- conditions ----------------------------------------------------------------------------------

function Rules:check_condition(node)
  node = inner(node)
  if node.tag == "Op" and (node.operator == "and" or node.operator == "or") then
    self:check_condition(node.left)
    return self:check_condition(node.right)
  end
  if node.tag == "Unary" and node.operator == "not" then return self:check_condition(node.operand) end
  local t = self:is(node, "tensor")
  if not t or t.maybe then return end
  local scalar = t.sizes and #t.sizes == 0
  local text = self:receiver(node)
  local write = scalar and text .. ":item()" or ("%s:any():item(), or %s:all():item()"):format(text, text)
  if t.dtype ~= torch.bool then write = scalar and text .. ":item() ~= 0" or write end
  self:report(node.first, ("every tensor is true in Lua, `%s` too, whatever it holds"):format(self:text(node)), write)
end

-- --- names ---------------------------------------------------------------------------------------

local pythons = {None = "nil", True = "true", False = "false", self = "function Net:forward(x): a method is defined with a colon"}

-- Returns true if a script may make globals in ways that the tree does not show: other files, _G, _ENV.
local function is_opaque(tree)
  for _, name in ipairs {"dofile", "load", "loadfile", "loadstring", "_G", "_ENV", "rawset", "setmetatable"} do
    local global = tree.globals[name]
    if global and #global.uses > 0 and name ~= "setmetatable" then return true end
    for _, use in ipairs(name == "setmetatable" and global and global.uses or {}) do
      local first = use.call and use.call.arguments[1]
      if first and first.tag == "Name" and (first.name == "_G" or first.name == "_ENV") then return true end
    end
  end
  for _, use in ipairs(tree.globals.require and tree.globals.require.uses or {}) do
    local name = use.call and use.call.arguments[1] and use.call.arguments[1].value
    if type(name) ~= "string" or not name:find "^torch" then return true end
  end
  return false
end

function Rules:check_globals()
  local opaque, names, hidden = is_opaque(self.tree), {}, {}
  for _, variable in ipairs(self.tree.variables) do names[#names + 1], hidden[variable.name] = variable.name, true end
  for name, global in next, self.tree.globals do
    if #global.sources == 0 and #global.uses > 0 and rawget(_G, name) == nil and name ~= "arg" and name ~= "_ENV" then
      local use = global.uses[1]
      for _, one in ipairs(global.uses) do if one.first < use.first then use = one end end
      local action = use.call and "call" or use.indexed and "index"
      local begins_with_bracket = self.tree.text:sub(1, use.first - 1):find "\n[ \t]*%($"
      local ended = hidden[name] and (begins_with_bracket and "a line that begins with ( goes on with the line above: put a ; before it"
        or "it is local to a block that has ended: declare it before the block")
      local hint = pythons[name] or ended or action and hints.known(("attempt to %s a nil value (global '%s')"):format(action, name))
      local near = not hint and #name > 2 and torch._nearest(name, names)
      if hint or not opaque then
        self:report(use.first, ("'%s' is not defined: it is nil"):format(name), hint or near and ("did you mean '%s'?"):format(near) or nil)
      end
    elseif #global.uses == 0 and #global.sources > 0 and not opaque and #name > 3 and global.first_target then
      local near = torch._nearest(name, names)
      if near and near ~= name then
        self:report(global.first_target, ("the global '%s' is assigned and never read"):format(name), ("did you mean '%s'?"):format(near))
      end
    end
  end
end

local objects = {tensor = "a tensor", module = "a module", optimizer = "an optimizer", loader = "a loader", size = "a torch.Size", instance = "an object"}

-- Reports an unknown name of a value of torch or of a tensor, with the error and the hint that it would raise.
function Rules:check_name(node, object)
  local name = node.name
  if not name or not name:find "^[%a_][%w_]*$" or name:find "^__" or node.is_target then return end
  local holder
  if object.kind == "tensor" then
    holder = trials.sample_of(self.types, object)
  elseif object.kind == "value" and object.path == "torch.ops" then
    return   -- what modules in C have defined when the script runs
  elseif object.kind == "value" and object.path and object.path:find "^torch%f[.%z]" and type(object.value) == "table" then
    holder = object.value
  elseif object.kind == "module" then
    holder = object.sample
    local owner = holder and node.object.tag == "Name" and node.object.variable
    if owner and select(2, self.types:of_field(owner, name)) then return end
  end
  if holder == nil then return end
  local ok, value = pcall(function() return holder[name] end)
  if not ok and type(value) == "table" and value.code == "AttributeError" then
    return self:report(node.at, value.message, value.hint)
  end
  if not ok or value ~= nil then return end
  if object.kind == "value" and name == "new" then
    self:report(node.at, ("%s.new does not exist"):format(object.path), ("%s(...): a class is called"):format(self:text(node.object)))
  elseif object.kind == "module" and node.tag == "Method" then
    local cure = name == "clone" and ("torch.deepcopy(%s)"):format(self:text(node.object))
    self:report(node.at, ("'%s' object has no method '%s'"):format(tostring(object.sample):match "^%w+", name), cure or nil)
  end
end

-- Reports a field that is called: x.shape(), x:shape().
function Rules:check_field(node, object)
  local field = self:is(object, "tensor") and Types.is_attribute(node.name)
  if field then
    local write = self:text(object) .. "." .. node.name
    if node.name == "shape" then write = ("%s[0], or %s:size(0)"):format(write, self:text(object)) end
    self:report(node.at - 1, ("%s is a field, and no method"):format(node.name), write)
  end
  return field
end

-- Reports a method that is called with a dot: x.sum().
function Rules:check_dot(node)
  local callee = node.callee
  if callee.tag ~= "Index" or callee.key then return end
  if self:check_field(callee, callee.object) then return end
  local t = self.types:of(callee.object)
  if not t or not objects[t.kind] or t.kind == "size" then return end
  local method
  if t.kind == "tensor" then
    method = type(torch.Tensor[callee.name]) == "function"
  elseif t.kind == "instance" then
    local f = self.types:method_of(t.class, callee.name)
    method = f and f.owner
  else
    local ok, value = pcall(function() return t.sample[callee.name] end)
    method = ok and type(value) == "function"
  end
  local first = node.arguments[1]
  if not method or first and self:text(first) == self:text(callee.object) then return end
  local rest = self.tree.text:sub(callee.last + 1, node.last):gsub("%s+", " ")
  self:report(callee.at - 1, "a method is called with a colon", ("%s:%s%s"):format(self:text(callee.object), callee.name, rest))
end

-- --- loops ---------------------------------------------------------------------------------------

local counted = {tensor = true, size = true, module = true, dataset = true}

-- Returns the object whose length a node is (#t, t:size(0), t.shape[0], t:numel()), or nil.
function Rules:length_of(node)
  node = inner(node)
  local object
  if node.tag == "Unary" and node.operator == "#" then
    object = node.operand
  elseif node.tag == "Method" and (node.name == "size" or node.name == "numel" or node.name == "len") then
    object = node.object
  elseif node.tag == "Index" and node.key and node.object.tag == "Index" and node.object.name == "shape" then
    object = node.object.object
  end
  local t = object and self.types:of(object)
  return t and counted[t.kind] and object or nil
end

-- Calls visit(node) for all expressions below a node of the tree.
local function each(node, visit)
  if type(node) ~= "table" then return end
  if node.tag and visit(node) then return end
  for key, child in next, node do
    if type(child) == "table" and key ~= "variable" and key ~= "variables" and key ~= "call" and key ~= "owner" and key ~= "parameters" and
        key ~= "returns" then
      each(child, visit)
    end
  end
end

function Rules:check_count(loop)
  local from, to, variable = loop.values[1], loop.values[2], loop.variables[1]
  if to and self:is(to, "tensor") then
    return self:report(to.first, "the limit of a loop is a number, not a tensor", ("#%s is its length, %s:item() its number"):format(
      self:receiver(to), self:receiver(to)))
  end
  local object = to and self:length_of(to)
  if not object or from.tag ~= "Number" or from.value ~= 1 then return end
  local name, found = self:text(object), false
  each(loop.body, function(node)
    if node.tag == "Index" and node.key and node.key.tag == "Name" and node.key.variable == variable and self:text(node.object) == name then
      found = true
    end
  end)
  if not found then return end
  self:report(from.first, ("%s counts from 0: the last turn is out of bounds, and the first element is left out"):format(name),
    ("for %s = 0, %s - 1 do, or for %s, value in pairs(%s) do"):format(variable.name, self:text(to), variable.name, name))
end

function Rules:check_iterator(loop)
  local first = loop.values[1]
  if #loop.values > 1 then return end
  local call = first.tag == "Call" and first.callee.tag == "Name" and first.callee.name
  if call == "pairs" or call == "ipairs" then
    local over = first.arguments[1]
    local t = over and self.types:of(over)
    if t and t.kind == "iterator" then
      self:report(first.first, "an iterator goes into the loop as it is", ("for p in %s do"):format(self:text(over)))
    elseif t and call == "ipairs" and (counted[t.kind] or t.kind == "loader") then
      self:report(first.first, ("ipairs counts from 1, %s from 0"):format(self:text(over)), ("pairs(%s)"):format(self:text(over)))
    end
    return
  end
  local t = self.types:of(first)
  if t and (t.kind == "tensor" or t.kind == "dataset" or t.kind == "size" or t.kind == "table") and not t.maybe then
    local with = t.kind == "table" and "ipairs" or "pairs"
    self:report(first.first, ("`%s` is no iterator"):format(self:text(first)), ("for i, value in %s(%s) do"):format(with, self:text(first)))
  end
end

-- Reports a tensor as the key of a table, as in names[scores:argmax()]: no two tensors are the same key.
function Rules:check_key(node)
  local key = self:is(node.key, "tensor")
  if not key or node.is_target or not (key.dtype == torch.int64 or key.sizes and #key.sizes == 0) then return end
  self:report(node.key.first, ("`%s` is a tensor, and no key of a table"):format(self:text(node.key)),
    ("%s:item() is its number, counted from 0: %s[%s:item() + 1]"):format(self:receiver(node.key), self:text(node.object), self:receiver(node.key)))
end

-- Returns the object whose length is in math.random(#t), whose result is 1 to #t, or nil.
function Rules:length_in_random(node)
  local drawn = node.tag == "Call" and self:text(node.callee) == "math.random" and #node.arguments == 1
  return drawn and self:length_of(node.arguments[1]) or nil
end

-- Reports wrong subscripts, such as t[#t] and t[n / 2].
function Rules:check_subscript(node)
  if not node.key then return end
  local t = self.types:of(node.object)
  if t and (t.kind == "table" or t.kind == "list") then self:check_key(node) end
  if not t or not counted[t.kind] then return end
  local name = self:text(node.object)
  local length = self:length_of(node.key)
  local sum = inner(node.key)
  if length and self:text(length) == name then
    self:report(node.key.first, ("%s counts from 0: `%s` is out of bounds"):format(name, self:text(node.key)), name .. "[-1] is the last one")
  elseif t.kind == "tensor" and sum.tag == "Op" and sum.operator == "+" and self:length_of(sum.left) and self:text(self:length_of(sum.left)) == name then
    self:report(node.key.first, "a tensor does not grow",
      ("%s = torch.cat{%s, more}; or fill a table and make torch.tensor(list) or torch.stack(list) of it after the loop"):format(name, name))
  end
  local drawn = self:length_in_random(inner(node.key))
  if drawn and self:text(drawn) == name then
    self:report(node.key.first, ("%s counts from 0, and `%s` from 1"):format(name, self:text(node.key)), ("math.random(0, #%s - 1)"):format(name))
  end
  if t.kind ~= "tensor" then return end
  local key = self.types:of(node.key)
  if key and key.kind == "number" and key.int == false then
    local write = sum.tag == "Op" and sum.operator == "/" and ("%s // %s"):format(self:text(sum.left), self:text(sum.right))
    self:report(node.key.first, ("`%s` is a float, and subscripts are integers"):format(self:text(node.key)), write or "x // 1 | 0, or math.tointeger(x)")
  end
  self:check_mask(node.key, ", and no mask")
end

-- --- calls ---------------------------------------------------------------------------------------

-- Reports a call that returns values and their indices, if it is the last in a list.
function Rules:check_last(last, where)
  if not last or last.tag ~= "Call" and last.tag ~= "Method" then return end
  local results = self.types:results(last)
  local a, b = results[1], results[2]
  if a and b and a.kind == "tensor" and b.kind == "tensor" and b.dtype == torch.int64 and a.dtype ~= torch.int64 then
    self:report(last.first, ("`%s` gives two results, values and indices, and both go into %s"):format(self:text(last), where),
      ("(%s): parentheses keep the first"):format(self:text(last)))
  end
end

-- Reports torch.cat{x:max(1)} and F.mse_loss(x:max(1)): both results go into the list, or fill two arguments.
function Rules:check_list_of_results(list)
  for _, argument in ipairs(list) do
    local items = argument.tag == "Table" and argument.items or {}
    local last = items[#items]
    self:check_last(last and not last.name and not last.key and last.value, "the list")
  end
  self:check_last(list[#list], "the call")
end

-- Returns true if an error is about a tensor instead of a number. A tensor with one integer is allowed, but samples have no values.
local function is_of_tensor(message)
  return message:find "not Tensor" and not message:find "must be bool" or message:find "type Tensor" or message:find "got Tensor" or
    message:find "got %([^)]*Tensor"
end

local always = {["unexpected keyword argument"] = true, ["positional arguments? but"] = true}

-- Returns true if an error says that the call itself is wrong, whatever sizes the tensors have.
local function is_certain(err, known)
  if err.code == "TypeError" then
    if known and not is_of_tensor(err.message) then return true end
    for pattern in next, always do if err.message:find(pattern) then return true end end
  end
  local integers = err.message:find "Long" or err.message:find "floating"
  local hint = known and err.hint or ""
  return integers ~= nil and hint:find("x:float()", 1, true) ~= nil or hint:find("tonumber", 1, true) ~= nil
end

-- Checks a call of torch or of a module by trying it on samples.
function Rules:check_call(node, t, first)
  local made = trials.kind_made(t.path)
  if t.kind == "value" and not made and not trials.is_pure(t) then return end
  if made == "dataset" or made == "object" and t.path:find "^torch%.utils%.data" then return end
  local arguments = trials.arguments(self.types, node.arguments, first)
  local _, err = trials.try(t.kind == "module" and t.sample or t.value, arguments)
  if not err or not is_certain(err, arguments.known) then return end
  local write, last = err.hint, node.arguments[#node.arguments]
  if last and err.message:find "positional arguments? but" and (last.tag == "Call" or last.tag == "Method") and #self.types:results(last) > 1 then
    write = ("(%s): parentheses keep the first of several results"):format(self:text(last))
    if self.seen[last.first] then return end   -- check_last has reported it
  end
  self:report(node.first, err.message:match "^[^\n]*":gsub(", but expected.*", ""), write)
end

-- Reports tensors for numbers in string.format("%.2f", t).
function Rules:check_format(arguments, first)
  for i = first, #arguments do
    if self:is(arguments[i], "tensor") then
      local text = self:receiver(arguments[i])
      self:report(arguments[i].first, "string.format takes numbers, not tensors", ("%s:item(), or torch.format, which takes tensors"):format(text))
    end
  end
end

local numbers_only = {["io.write"] = true, ["table.concat"] = true}

-- Reports tensors in calls of Lua's functions: io.write(t), table.concat(t), math.sqrt(t).
function Rules:check_lua_call(node, path)
  for _, argument in ipairs(node.arguments) do
    local t = self:is(argument, "tensor")
    local name = path:match "^math%.(%w+)$"
    local text = self:receiver(argument)
    if t and name and name ~= "type" then
      local write = ("%s(%s:item())"):format(path, text)
      self:report(argument.first, ("%s takes numbers, not tensors"):format(path),
        rawget(torch.Tensor, name) and ("%s:%s(), or %s"):format(text, name, write) or write)
    elseif t and path == "tonumber" then
      self:report(argument.first, "tonumber is nil for a tensor", text .. ":item()")
    elseif t and argument == node.arguments[1] and (path == "table.insert" or path == "table.unpack") then
      self:report(argument.first, path == "table.insert" and "a tensor does not grow" or ("table.unpack counts from 1, %s from 0"):format(text),
        path == "table.insert" and "torch.cat{x, more}; or fill a table and make torch.tensor(list) or torch.stack(list) of it after the loop"
        or text .. ":unpack()")
    elseif t and numbers_only[path] then
      local write = path == "io.write" and ("io.write(tostring(%s)), or torch.format(\"%%.4f\", %s)"):format(text, text)
      local what = path == "io.write" and "strings and numbers" or "a table"
      self:report(argument.first, ("%s takes %s, not a tensor"):format(path, what),
        write or ("table.concat(%s:tolist(), \", \")"):format(text))
    elseif t and not t.maybe and path == "assert" and argument == node.arguments[1] then
      self:check_condition(argument)
    end
  end
end

function Rules:check_any_call(node)
  if node.tag == "Call" then self:check_dot(node) end
  local t
  if node.tag == "Call" then
    t = self.types:of(node.callee)
    if t and t.path == "string.format" then self:check_format(node.arguments, 2) end
  else
    local object = self.types:of(node.object)
    if object and object.kind == "string" and node.name == "format" then self:check_format(node.arguments, 1) end
    local method = object and object.kind == "tensor" and torch.Tensor[node.name]
    if method then t = {kind = "value", value = method, path = "torch.Tensor." .. node.name, self = object} end
    if node.object.tag == "Paren" then self:check_method_of_comparison(node) end
    if self:check_field(node, node.object) then return end
  end
  if t and t.kind == "module" and t.sample then self:check_call(node, t) end
  if not t or t.kind ~= "value" or type(t.path) ~= "string" then return end
  if t.path:find "^torch%f[.%z]" then
    for _, argument in ipairs(node.arguments) do self:check_mask(argument) end
    self:check_list_of_results(node.arguments)
    self:check_call(node, t, t.self)
  else
    self:check_lua_call(node, t.path)
  end
end

-- Reports local x, y = set[i], as a sample is one table.
function Rules:check_sample(variables, values)
  local value = values[1]
  if #variables < 2 or #values ~= 1 or value.tag ~= "Index" or not value.key or not self:is(value.object, "dataset") then return end
  self:report(value.first, "a sample with several parts is one table", ("table.unpack(%s)"):format(self:text(value)))
end

-- --- statements ----------------------------------------------------------------------------------

-- Reports steps such as w = w - lr * w.grad.
function Rules:check_update(statement)
  for i, target in ipairs(statement.targets) do
    local value = statement.values[i] and inner(statement.values[i])
    if target.tag == "Name" and value and value.tag == "Op" then
      local reads
      each(value, function(node)
        if node.tag == "Index" and node.name == "grad" and node.object.tag == "Name" and node.object.variable == target.variable then reads = true end
      end)
      if reads then
        local sign = value.operator == "-" and "sub_" or "add_"
        local step = inner(value.left).tag == "Name" and (value.operator == "-" or value.operator == "+") and self:text(value.right)
        self:report(target.first, ("`%s` becomes a new tensor, which is no leaf and gets no gradient"):format(target.name),
          ("torch.no_grad(function() %s:%s(%s) end)"):format(target.name, step and sign or "copy_", step or self:text(value)))
      end
    end
  end
end

local of_statements = {
  Fornum = Rules.check_count, Forin = Rules.check_iterator,
  Assign = function(self, s)
    self:check_update(s)
    self:check_sample(s.targets, s.values)
  end,
  Local = function(self, s) self:check_sample(s.variables, s.values) end,
  While = function(self, s) self:check_condition(s.condition) end,
  If = function(self, s)
    for _, clause in ipairs(s.clauses) do
      if clause.condition then self:check_condition(clause.condition) end
    end
  end,
}

local of_expressions = {
  Op = Rules.check_equality,
  Unary = function(self, node)
    if node.operator == "not" then self:check_condition(node.operand) end
  end,
  Call = Rules.check_any_call,
  Method = function(self, node)
    local object = self.types:of(node.object)
    if object then self:check_name(node, object) end
    self:check_any_call(node)
  end,
  Index = function(self, node)
    local object = self.types:of(node.object)
    if object then self:check_name(node, object) end
    self:check_subscript(node)
  end,
}

-- Marks the targets of assignments, and collects assigned fields and calls.
local function collect(tree)
  local assignments, calls = {}, {}
  each(tree.body, function(node)
    if node.tag == "Call" then calls[#calls + 1] = node end
    if node.tag == "Index" and node.object.tag == "Name" then node.object.indexed = true end
    if node.tag ~= "Assign" then return end
    for i, target in ipairs(node.targets) do
      local value = node.values[i] or node.values[#node.values]
      local result = node.values[i] and 1 or i - #node.values + 1
      target.is_target = true
      local first = target.tag == "Index" and value and value.tag == "Function" and value.parameters[1]
      if first and first.name == "self" then value.owner = value.owner or target.object end   -- function Net.forward(self, x)
      if target.tag == "Index" then
        assignments[#assignments + 1] = {target = target, value = value, result = result}
      elseif target.variable.global and not node.defines then
        target.variable.first_target = target.variable.first_target or target.first
      end
    end
  end)
  return assignments, calls
end

--- Returns the findings of a tree.
return function(tree)
  local assignments, calls = collect(tree)
  local rules = setmetatable({tree = tree, findings = {}, seen = {}, masks = {}, types = Types.new(tree, assignments, calls)}, Rules)
  each(tree.body, function(node)
    local callee = node.tag == "Call" and node.callee
    if callee and (callee.name == "pcall" or callee.name == "xpcall") then return true end   -- it may fail
    local check = of_statements[node.tag] or of_expressions[node.tag]
    if check then check(rules, node) end
  end)
  rules:check_globals()
  return rules.findings
end
