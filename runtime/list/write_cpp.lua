-- write_cpp.lua: writes what <tocha/tocha.hpp> says about the lists: for every operator that C programs may call, class of modules,
-- initializer and optimizer an inline function in C++ around the C function. Called by generate.lua.
--
--   include/tocha/cpp/methods.hpp      the methods of Tensor, included within the class
--   include/tocha/cpp/functions.hpp    the operators as functions, in the namespaces of Python, and as symbols
--   include/tocha/cpp/modules.hpp      the constructors of torch.nn, forwards with more than tensors, the initializers
--   include/tocha/cpp/optimizers.hpp   the constructors of torch.optim, schedulers included
--
-- Parameters are in PyTorch's order, those by keyword last, with PyTorch's defaults. Left out are size_average and reduce, which
-- PyTorch deprecates (a text in their place would count as true), and return_indices if the number of results depends on it (there
-- is NAME_with_indices). Methods whose name is a type in C++ (x.float()) are left out, too: x.to(tocha::float32).
local types = require "c_types"
local optimizers = require "read_optimizers"
local modules = require "write_modules"
local schedulers = require "write_schedulers"
local write_cpp = {}

local deprecated = {size_average = true, reduce = true}   -- of kind bool?

-- --- parameters -----------------------------------------------------------------------------------------
-- The C++ types of parameters by kind, and those of parameters that may be omitted.
local required = {
  tensor = "const Tensor &", operand = "const Operand &", tensors = "const TensorList &", scalar = "Scalar ",
  int = "int64_t ", dim = "int64_t ", index = "int64_t ", float = "double ", bool = "bool ", string = "Text ",
  dtype = "DType ", device = "Device ", generator = "const Generator &", module = "const Module &",
  ints = "const Ints &", dims = "const Ints &", size = "const Ints &", floats = "const Floats &",
}
local optional = {
  int = "std::optional<int64_t> ", dim = "std::optional<int64_t> ", float = "std::optional<double> ", bool = "std::optional<bool> ",
  scalar = "const std::optional<Scalar> &",
}
local keywords = {}
for word in ("and bool char default delete double explicit float int long new not operator or register short signed template this typename union unsigned using xor"):gmatch "%S+" do
  keywords[word] = true
end

local function identifier(name) return keywords[name] and name .. "_value" or name end
local function type_of(p) return p.words and "const Padding &" or p.optional and optional[p.kind] or required[p.kind] end

-- Returns the C++ default of a parameter, or nil if a call must give it.
local function default_of(p)
  local d = p.default
  if p.stated then return nil end
  if d == nil then
    return p.optional and "{}" or nil
  end
  if types.list_kind[p.kind] then
    if tonumber(d) then return d end
    return "{" .. d:gsub("[%[%]()]", "") .. "}"
  end
  if p.kind == "string" then return '"' .. d:gsub("[\"']", "") .. '"' end
  if p.kind == "dtype" then return "TOCHA_" .. d:upper() end
  return d
end

-- Returns the C argument for a parameter that C++ does not have, or nil. single: the function returns the first result alone.
local function constant(p, single)
  if p.kind ~= "bool" then return nil end
  if p.optional and deprecated[p.name] then return "nullptr" end
  return single and p.name == "return_indices" and "false" or nil
end

-- Returns the C arguments that a parameter becomes.
local function c_arguments(p, single)
  local n = identifier(p.name)
  if constant(p, single) then return constant(p, single) end
  if types.list_kind[p.kind] then return ("%s.count(), %s.data()"):format(n, n) end
  if p.optional and optional[p.kind] then return ("detail::pointer(%s)"):format(n) end
  return (({tensor = "%s.get()", module = "%s.get()", string = "%s.get()", generator = "%s.get()", operand = "%s.operand", scalar = "%s.scalar"})[p.kind] or "%s"):format(n)
end

-- Returns a C++ parameter for each parameter that is not constant: {type, name, default}. What precedes one without a default has none.
local function parameters_of(list, single)
  local out, open = {}, true
  for i = #list, 1, -1 do
    local p = list[i]
    if not constant(p, single) then
      local default = default_of(p)
      open = open and default ~= nil
      table.insert(out, 1, {type = type_of(p), name = identifier(p.name), default = open and default or nil})
    end
  end
  return out
end

-- Returns the C++ of the context: that of the first tensor, or the parameter `cx` if there is none.
local function context_of(list)
  for _, kind in ipairs {"tensor", "operand", "tensors"} do
    for _, p in ipairs(list) do
      if p.kind == kind and not p.optional then return identifier(p.name) .. ".context()" end
    end
  end
  return "cx"
end

-- --- functions ------------------------------------------------------------------------------------------
-- Returns what a function returns, and its body. op: parameters, results, list, value; c: the C function.
local function body_of(op, c, context, first)
  local arguments = {first or "call.context()"}
  for _, p in ipairs(op.parameters) do arguments[#arguments + 1] = c_arguments(p, op.last_optional) end
  local head = ("const detail::Call call(%s); "):format(context)
  local function call(...) return ("%s(%s)"):format(c, table.concat(arguments, ", ") .. ...) end
  if op.list then
    return "std::vector<Tensor>", head .. ("tocha_tensors r; const bool ok = %s; return call.list(ok, r);"):format(call ", &r")
  elseif op.value then
    return "bool", head .. ("bool r = false; const bool ok = %s; return call.value(ok, r);"):format(call ", &r")
  elseif op.last_optional then
    return "Tensor", head .. ("tocha_tensor *r = nullptr; const bool ok = %s; return call.tensor(ok ? r : nullptr);"):format(call ", &r, nullptr")
  elseif #op.results > 1 then
    local pointers, tensors = {}, {}
    for i in ipairs(op.results) do pointers[i], tensors[i] = ("&r[%d]"):format(i - 1), "Tensor" end
    local tuple = ("std::tuple<%s>"):format(table.concat(tensors, ", "))
    return tuple, head .. ("tocha_tensor *r[%d] = {}; const bool ok = %s; return call.tensors<%s>(ok, r);"):format(#op.results,
      call(", " .. table.concat(pointers, ", ")), tuple)
  end
  return "Tensor", head .. ("return call.tensor(%s);"):format(call "")
end

-- Returns {name, doc, parameters, returns, body, method} for an operator, or for its method.
local function of_operator(op, is_method)
  local context = context_of(op.parameters)
  local parameters = parameters_of(op.parameters, op.last_optional)
  local returns, body
  if is_method then
    local rest = {parameters = {table.unpack(op.parameters, 2)}, results = op.results, list = op.list, value = op.value}
    returns, body = body_of(rest, select(2, types.function_names(op)), "context_", "context_, tensor_")
    table.remove(parameters, 1)
  else
    if context == "cx" then table.insert(parameters, 1, {type = "tocha_context *", name = "cx"}) end
    returns, body = body_of(op, select(2, types.function_names(op)), context)
  end
  return {name = op.lua_name, overload = op.name:match "%.(.+)$", doc = op.doc, parameters = parameters, returns = returns, body = body, method = is_method}
end

local is_flag = {["bool "] = true, ["std::optional<bool> "] = true}

-- Makes calls of overloads unambiguous: if two of them accept the same arguments, the later one (or the one that has more) must be
-- given the first argument by which they differ. Functions with the same parameters get the name of their overload, too. If one of
-- them takes true or false there, it takes nothing that C++ would convert to it.
local function separate(a, b)
  local common = 0
  while a.parameters[common + 1] and b.parameters[common + 1] and a.parameters[common + 1].type == b.parameters[common + 1].type do
    common = common + 1
  end
  for _, f in ipairs {a, b} do
    local p = f.parameters[common + 1]
    if a.parameters[common + 1] and b.parameters[common + 1] and is_flag[p.type] then p.type, p.exact = "bool ", true end
  end
  local function least(f)
    local n = 0
    for i, p in ipairs(f.parameters) do if not p.default then n = i end end
    return n
  end
  if math.max(least(a), least(b)) > common then return end
  local stricter = b.parameters[common + 1] and b or a
  if not stricter.parameters[common + 1] then
    b.name = b.name .. "_" .. assert(b.overload, b.name)
    return
  end
  for i = 1, common + 1 do stricter.parameters[i].default = nil end
end

local function separate_all(functions)
  local of = {}
  for _, f in ipairs(functions) do
    for _, other in ipairs(of[f.name] or {}) do separate(other, f) end
    of[f.name] = of[f.name] or {}
    table.insert(of[f.name], f)
  end
end

-- Returns a function's declaration. An exact parameter is deduced, so that no conversion takes place.
local function declaration(f)
  local list, exact = {}, false
  for i, p in ipairs(f.parameters) do
    list[i] = (p.exact and "Flag " or p.type) .. p.name .. (p.default and " = " .. p.default or "")
    exact = exact or p.exact
  end
  return ("%s%s%s %s(%s)"):format(exact and "template <class Flag = bool, std::enable_if_t<std::is_same_v<Flag, bool>, int> = 0> " or "",
    f.method and "" or "inline ", f.returns, f.name, table.concat(list, ", "))
end

local function definition(f)
  local doc = f.doc:match "^[^\n]*":gsub("%*/", "* /")
  return ("/* %s */\n%s%s { %s }\n"):format(doc, declaration(f), f.method and " const" or "", f.body)
end

-- Returns the functions of a namespace, or the methods ("method"), in order.
local function functions_of(list, namespace)
  local out = {}
  for _, op in ipairs(list) do
    local forms, is_method = {}, namespace == "method"
    for _, form in ipairs(op.forms) do forms[form] = true end
    local wanted
    if is_method then
      wanted = (forms.method or op.attribute) and not keywords[op.lua_name]
    elseif namespace == "torch" then
      wanted = forms.torch or forms._VF or not next(forms)
    else
      wanted = forms[namespace]
    end
    if wanted and not types.is_private(op) then out[#out + 1] = of_operator(op, is_method) end
  end
  separate_all(out)
  return out
end

-- --- symbols --------------------------------------------------------------------------------------------
-- C++'s symbols: the operator of two tensors; then how a number on the left is written.
local symbols = {
  {"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "div"}, {"%", "remainder"},
  {"<", "lt", "gt"}, {"<=", "le", "ge"}, {">", "gt", "lt"}, {">=", "ge", "le"}, {"==", "eq", "eq"}, {"!=", "ne", "ne"},
  {"&", "bitwise_and", "bitwise_and"}, {"|", "bitwise_or", "bitwise_or"}, {"^", "bitwise_xor", "bitwise_xor"},
  {"<<", "bitwise_left_shift"}, {">>", "bitwise_right_shift"},
}

local function symbols_source()
  local out = {}
  local function line(...) out[#out + 1] = (...):format(select(2, ...)) end
  for _, s in ipairs(symbols) do
    local symbol, name, mirrored = s[1], s[2], s[3]
    line("inline Tensor operator%s(const Tensor &a, const Tensor &b) { return %s(a, b); }\n", symbol, name)
    line("inline Tensor operator%s(const Tensor &a, Scalar b) { return %s(a, b); }\n", symbol, name)
    line("inline Tensor operator%s(Scalar a, const Tensor &b) { return %s; }\n", symbol, mirrored and mirrored .. "(b, a)" or name .. "(a, b)")
  end
  for _, s in ipairs {{"+", "add_"}, {"-", "sub_"}, {"*", "mul_"}, {"/", "div_"}} do
    for _, type in ipairs {"const Tensor &", "Scalar "} do
      line("inline Tensor &operator%s=(Tensor &a, %sb) { a.%s(b); return a; }\n", s[1], type, s[2])
    end
  end
  line "inline Tensor operator-(const Tensor &a) { return neg(a); }\ninline Tensor operator~(const Tensor &a) { return bitwise_not(a); }\n"
  return table.concat(out)
end

-- --- files ----------------------------------------------------------------------------------------------
local function file(name, about, include, body)
  local guard = "TOCHA_CPP_" .. name:upper():gsub("%.", "_")
  return ("/* %s: %s (generated from the lists; do not edit). */\n#ifndef %s\n#define %s\n\n#include \"tocha/cpp/%s\"\n\nnamespace tocha {\n\n%s\n} // namespace tocha\n\n#endif\n")
    :format(name, about, guard, guard, include, body)
end

local function definitions(functions)
  local out = {}
  for i, f in ipairs(functions) do out[i] = definition(f) end
  return table.concat(out)
end

local function within(namespace, body) return ("namespace %s {\n%s} // namespace %s\n\n"):format(namespace, body, namespace) end

local function functions_file(list)
  return file("functions.hpp", "the operators as functions", "context.hpp", definitions(functions_of(list, "torch")) .. "\n" .. symbols_source() .. "\n" ..
    within("functional", definitions(functions_of(list, "nn.functional"))) .. within("linalg", definitions(functions_of(list, "linalg"))) ..
    within("special", definitions(functions_of(list, "special"))))
end

-- Returns the constructors of a class: with all arguments, and with the option struct.
local function constructors(m)
  local snake, arguments = modules.snake(m.name), {"cx"}
  local parameters = parameters_of(m.parameters)
  table.insert(parameters, 1, {type = "tocha_context *", name = "cx"})
  for _, p in ipairs(m.parameters) do arguments[#arguments + 1] = c_arguments(p) end
  local out = definition {name = m.name, doc = m.doc, parameters = parameters, returns = "Module",
    body = ("return Module(cx, tocha_nn_%s(%s));"):format(snake, table.concat(arguments, ", "))}
  if #m.parameters == 0 then return out end
  return out .. ("inline Module %s(tocha_context *cx, const tocha_%s_options &options) { return Module(cx, tocha_nn_%s_with(cx, &options)); }\n")
    :format(m.name, snake, snake)
end

-- Returns the function that calls a module's forward with all arguments.
local function forward(m)
  local returns, body = body_of(m.call, "tocha_nn_" .. modules.snake(m.name) .. "_forward", "module.context()", "call.context(), module.get()")
  local parameters = parameters_of(m.call.parameters)
  table.insert(parameters, 1, {type = "const Module &", name = "module"})
  return definition {name = modules.snake(m.name) .. "_forward", doc = "The forward of " .. m.name .. m.call.signature, parameters = parameters, returns = returns, body = body}
end

local function initializer(m)
  local returns, body = body_of({parameters = m.parameters, results = {"result"}}, "tocha_init_" .. m.name, context_of(m.parameters))
  return definition {name = m.name, doc = m.doc, parameters = parameters_of(m.parameters), returns = returns, body = body}
end

local sequential = [[
/* Modules called one after the other. */
inline Module Sequential(tocha_context *cx, std::initializer_list<ModuleRef> children) {
  Module module(cx, tocha_nn_sequential(cx));
  int number = 0;
  for (const ModuleRef &child : children)
    if (!tocha_register_module(cx, module.get(), std::to_string(number++).c_str(), child.module)) detail::throw_error(cx);
  return module;
}
]]

local function modules_file(runtime)
  local list, out, initializers = modules.load(runtime), {}, {}
  for _, m in ipairs(list.modules) do
    if m.name ~= "Module" then out[#out + 1] = constructors(m) .. (m.call and forward(m) or "") end
  end
  for i, m in ipairs(list.initializers) do initializers[i] = initializer(m) end
  return file("modules.hpp", "the classes of torch.nn", "module.hpp", within("nn", table.concat(out) .. sequential .. "\n" .. within("init", table.concat(initializers))))
end

local option_types = {NUMBER = "Scalar ", BOOL = "bool ", MAYBE = "std::optional<bool> ", PAIR = "std::pair<double, double> "}

-- Returns the statement that sets the option of parameter p.
local function set_option(p)
  local name = identifier(p.name)
  if p.kind == "ints" then return ("options.%s_count = %s.count(); options.%s = %s.data(); "):format(p.name, name, p.name, name) end
  local value = p.kind == "floats" and ("detail::floats(%s)"):format(name) or c_arguments(p)
  return ("options.%s = %s; "):format(p.name, value)
end

-- Returns the constructor of a scheduler, or "" if <tocha/cpp/scheduler.hpp> has it.
local function scheduler(m)
  if not m.signature then return "" end
  local parameters, body = parameters_of(m.parameters), {("tocha_%s_options options; tocha_%s_options_init(&options, sizeof options); "):format(m.id, m.id)}
  table.insert(parameters, 1, {type = "Optimizer &", name = "optimizer"})
  for _, p in ipairs(m.parameters) do body[#body + 1] = set_option(p) end
  body[#body + 1] = ("return Scheduler(optimizer.context(), tocha_optim_%s(optimizer.context(), optimizer.get(), &options));"):format(m.id)
  return definition {name = m.name, doc = m.doc, parameters = parameters, returns = "Scheduler", body = table.concat(body)}
end

local function optimizers_file(runtime)
  local out = {[[
namespace detail {
inline tocha_option option(Scalar number) {
  tocha_option option = {};
  option.given = true;
  option.first = number.scalar;
  return option;
}
inline tocha_option option(std::optional<bool> flag) {
  tocha_option option = {};
  option.given = flag.has_value();
  option.first = tocha_boolean(flag.value_or(false));
  return option;
}
inline tocha_option option(std::pair<double, double> pair) {
  tocha_option option = detail::option(Scalar(pair.first));
  option.second = tocha_float(pair.second);
  return option;
}
} // namespace detail

]]}
  local constructors_ = {}
  for i, m in ipairs(optimizers.load(runtime .. "/optim/optimizers.lua")) do
    local parameters, options = {{type = "const TensorList &", name = "parameters"}}, {}
    for j, o in ipairs(m.options) do
      local default = o.kind == "MAYBE" and "{}" or o.kind == "PAIR" and o.default:gsub("[()]", ""):gsub(";", ","):gsub("^(.*)$", "{%1}") or o.default
      parameters[j + 1] = {type = option_types[o.kind], name = identifier(o.name), default = default}
      options[j] = ("detail::option(%s)"):format(o.kind == "BOOL" and ("Scalar(%s)"):format(o.name) or identifier(o.name))
    end
    constructors_[i] = definition {name = m.name, doc = m.doc, parameters = parameters, returns = "Optimizer",
      body = ("const tocha_option options[] = {%s}; return Optimizer(\"%s\", parameters, options);"):format(table.concat(options, ", "), m.name)}
  end
  for _, m in ipairs(schedulers.load(runtime .. "/optim/schedulers.lua")) do constructors_[#constructors_ + 1] = scheduler(m) end
  return file("optimizers.hpp", "the classes of torch.optim", "scheduler.hpp", table.concat(out) .. within("optim", table.concat(constructors_)))
end

write_cpp.functions_of = functions_of

--- Writes the headers below output. list: the operators.
function write_cpp.generate(list, runtime, output, write)
  local folder = output .. "/include/tocha/cpp/"
  write(folder .. "methods.hpp", "/* methods.hpp: the operators that are methods of Tensor; part of its class (generated from the lists; do not edit). */\n" ..
    definitions(functions_of(list, "method")))
  write(folder .. "functions.hpp", functions_file(list))
  write(folder .. "modules.hpp", modules_file(runtime))
  write(folder .. "optimizers.hpp", optimizers_file(runtime))
end

return write_cpp
