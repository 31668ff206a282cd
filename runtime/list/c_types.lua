-- c_types.lua: the C types of parameters and results.
local defaults = require "defaults"
local types = {}

local ctype = {   -- kind -> type in full prototypes and implementations
  tensor = "tocha_tensor *", operand = "tocha_operand ", scalar = "tocha_scalar ",
  int = "int64_t ", dim = "int64_t ", index = "int64_t ", float = "double ", bool = "bool ",
  string = "const char *", dtype = "tocha_dtype ", device = "tocha_device ",
  generator = "tocha_generator *", module = "tocha_module *",
}
types.list_kind = {ints = true, floats = true, dims = true, size = true, tensors = true}
types.optional_pointer = {int = true, dim = true, float = true, scalar = true, bool = true}

function types.parameter_c(p)
  if p.kind == "tensors" then return ("int %s_count, tocha_tensor *const *%s"):format(p.name, p.name) end
  if p.kind == "floats" then return ("int %s_count, const double *%s"):format(p.name, p.name) end
  if types.list_kind[p.kind] then return ("int %s_count, const int64_t *%s"):format(p.name, p.name) end
  if p.optional and types.optional_pointer[p.kind] then
    return ("const %s*%s"):format(ctype[p.kind], p.name)   -- NULL if omitted
  end
  return ctype[p.kind] .. p.name
end

local unpack_c = {
  tensor = "a[%d].tensor", scalar = "a[%d].value.scalar", int = "a[%d].value.integer",
  dim = "a[%d].value.integer", index = "a[%d].value.integer", float = "a[%d].value.real",
  bool = "a[%d].value.flag", string = "a[%d].value.string", dtype = "a[%d].value.dtype",
  device = "a[%d].value.device", generator = "a[%d].value.generator", module = "a[%d].value.module",
  operand = "tocha_arg_operand(&a[%d])",
}

--- Returns the C of a single value, given or not.
function types.value(p, i) return unpack_c[p.kind]:format(i) end

--- Returns the C that reads parameter p, the i-th argument from 0, of the array `a`.
function types.unpacked(p, i)
  if p.kind == "tensors" then return ("a[%d].count, a[%d].value.tensors"):format(i, i) end
  if p.kind == "floats" then return ("a[%d].count, a[%d].value.reals"):format(i, i) end
  if types.list_kind[p.kind] then return ("a[%d].count, a[%d].value.ints"):format(i, i) end
  local value = types.value(p, i)
  if p.optional and types.optional_pointer[p.kind] then return ("a[%d].given ? &%s : NULL"):format(i, value) end
  if p.kind == "dtype" then return ("a[%d].given ? %s : TOCHA_NO_DTYPE"):format(i, value) end
  if p.kind == "device" then return ("a[%d].given ? %s : no_device"):format(i, value) end
  return value
end

-- Returns the name of an entry as a part of names that leave no C file.
function types.c_name(op) return (op.name:gsub("%.", "_")) end

--- Returns true if an entry exists for gradients and for other operators: NAME_backward, and what begins with an underscore.
function types.is_private(op) return op.name:find "^_" ~= nil or op.name:find "^[^.]+_backward%f[.\0]" ~= nil end

--- Returns the names of an entry's exported C functions: of the short form, and of the form with all arguments. An overload stands
-- before the underscore of an in-place form, because C++ reserves names with two underscores: tocha_add_full_, tocha_fill_tensor_.
function types.function_names(op)
  local base, overload = op.name:match "^_*([^.]+)(.*)$"
  local stem, inplace = base:match "^(.-)(_?)$"
  stem = (types.is_private(op) and "tocha_private_" or "tocha_") .. stem .. overload:gsub("%.", "_")
  return stem .. inplace, stem .. "_full" .. inplace
end

--- Returns the name of an entry's header below tocha/ops.
function types.header(op)
  local name = op.lua_name:find "%u" and "attribute_" .. op.lua_name:lower() or op.lua_name   -- for t.h, T.h
  return types.is_private(op) and "private/" .. name:gsub("^_+", "") or name
end

function types.return_type(op)
  if op.value then return "bool " end
  if op.list or #op.results > 1 then return "bool " end
  return "tocha_tensor *"
end

-- Returns the parameters through which a public C function returns its results, unless that is a single tensor: a list that
-- the caller owns, a value, or tensors.
function types.return_parameters(op)
  if op.value and op.value ~= "bool" then error(op.name .. ": C has no function that returns " .. op.value) end
  if op.list then return {"tocha_tensors *results"} end
  if op.value then return {"bool *result"} end
  local out = {}
  if #op.results > 1 then
    for _, r in ipairs(op.results) do out[#out + 1] = "tocha_tensor **" .. r end
  end
  return out
end

-- Returns a C parameter list: the context, the call's parameters, and those of the lists that follow.
local function parameter_list(op, ...)
  local out = {"tocha_context *cx"}
  for _, p in ipairs(op.parameters) do out[#out + 1] = types.parameter_c(p) end
  for _, more in ipairs {...} do table.move(more, 1, #more, #out + 1, out) end
  return table.concat(out, ", ")
end

function types.full_parameters(op) return parameter_list(op, types.return_parameters(op)) end

--- Returns the constants of an entry's `with`, in the order of their names, as {parameter = "int space", value = "2"}.
function types.constants(op)
  local names, out = {}, {}
  for name in pairs(op.with or {}) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do
    local value = op.with[name]
    local kind = math.type(value) or type(value)
    local enumerator = kind == "string" and value:find "^TOCHA_[%u%d_]+$"
    local c = enumerator and "int " or ({integer = "int ", float = "double ", boolean = "bool ", string = "const char *"})[kind]
    if not c then error(("%s: `with` cannot have a %s (%s)"):format(op.name, kind, name)) end
    out[i] = {parameter = c .. name, value = kind == "string" and not enumerator and ("%q"):format(value) or tostring(value)}
  end
  return out
end

--- Returns the parameters of the C function behind an entry, which gets the constants of `with` after those of the call.
function types.implementation_parameters(op)
  local more = {}
  for i, constant in ipairs(types.constants(op)) do more[i] = constant.parameter end
  local results = (op.value or op.list) and {"tocha_results *results"} or types.return_parameters(op)
  return parameter_list(op, more, results)
end

function types.short_form(op)     -- Returns the convenient prototype, with positional arguments only and operands as tensors.
  local params, args, differs = {"tocha_context *cx"}, {"cx"}, false
  for _, p in ipairs(op.parameters) do
    if p.kind == "operand" then
      params[#params + 1] = "tocha_tensor *" .. p.name
      args[#args + 1] = ("tocha_operand_of(%s)"):format(p.name)
      differs = true
    elseif p.keyword_only and (p.optional or p.default ~= nil) then
      args[#args + 1] = defaults.c(p)
      differs = true
    else
      params[#params + 1] = types.parameter_c(p)
      if types.list_kind[p.kind] then args[#args + 1] = p.name .. "_count" end
      args[#args + 1] = p.name
    end
  end
  for _, p in ipairs(types.return_parameters(op)) do
    params[#params + 1] = p
    args[#args + 1] = p:match "([%w_]+)$"
  end
  return table.concat(params, ", "), table.concat(args, ", "), differs
end

return types
