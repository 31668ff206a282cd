-- write_api.lua: writes the public interface as JSON, for those who bind another language.
--
--   cc -E -C -dD <tocha/tocha.h> | lua5.4 runtime/list/write_api.lua FOLDER VERSION > tocha_api.json
--
-- FOLDER is that of this file. The keys: `constants`, `enums` {name, values}, `structs` {name, fields}, `opaque` (structs that only the
-- library sees inside), `functions` {name, result, parameters}. Each entry has its header and the comment above it (`doc`), which
-- declarations that follow one another share; an inline function has no symbol (`inline`). `owner` says whom a returned pointer belongs to: see `owners` in the file.
local folder, version = arg[1], arg[2]
package.path = folder .. "/?.lua;" .. package.path
local declarations, json, owners = require "declarations", require "json", require "owners"

local meaning = {
  scope = "The innermost scope, which releases it (tocha_scope_end); tocha_retain keeps it.",
  caller = "The caller, who ends the ownership by the function in `free`.",
  borrowed = "An argument, the context or the library: valid as long as that is, and not freed by the caller.",
  nothing = "Always NULL.",
}

-- Returns the entries of owners.lua by function, as {owner, free}.
local function listed()
  local of = {}
  local function add(names, owner, free)
    for _, name in ipairs(names) do
      if of[name] then error("owners.lua: " .. name .. " is listed twice") end
      of[name] = {owner, free}
    end
  end
  for free, names in pairs(owners.caller) do add(names, "caller", free) end
  add(owners.borrowed, "borrowed")
  add(owners.nothing, "nothing")
  return of
end

-- Sets the owner of what a function returns, if that is a pointer, a list of tensors or tensors through parameters.
local function set_owner(f, of)
  local entry = of[f.name]
  of[f.name] = nil
  if entry then
    f.owner, f.free = entry[1], entry[2]
  elseif f.result:find "^const " and f.result:find "%*$" then
    f.owner = "borrowed"
  elseif f.result == "tocha_module *" and f.name:find "^tocha_nn_" then
    f.owner, f.free = "caller", "tocha_module_release"
  elseif f.name:find "^tocha_optim_" then
    f.owner, f.free = "caller", f.result == "tocha_scheduler *" and "tocha_scheduler_release" or "tocha_optimizer_release"
  elseif f.result == "tocha_tensor *" then
    f.owner = "scope"
  elseif f.result:find "%*$" then
    error("owners.lua does not say who owns the result of " .. f.name)
  elseif #f.parameters > 0 then
    local last = f.parameters[#f.parameters].type
    if last == "tocha_tensors *" and f.result == "bool" then f.owner, f.free = "scope", "tocha_tensors_free" end
    if last == "tocha_tensor **" then f.owner = "scope" end
  end
end

-- Returns the type with the numbers for the enumerators between its brackets.
local function sized(type, values)
  return (type:gsub("%[([%a_][%w_]*)%]", function(name) return "[" .. assert(values[name], name) .. "]" end))
end

local function size_fields(fields, values)
  for _, field in ipairs(fields) do
    field.type = sized(field.type, values)
    if field.fields then size_fields(field.fields, values) end
  end
end

local api = declarations.read(io.read "a")
local values, of = {}, listed()
for _, enum in ipairs(api.enums) do
  for _, item in ipairs(enum.values) do values[item.name] = item.value end
end
for _, struct in ipairs(api.structs) do size_fields(struct.fields, values) end
for _, f in ipairs(api.functions) do set_owner(f, of) end
if next(of) then error("owners.lua: there is no function " .. next(of)) end
api.owners, api.library, api.version = meaning, "tocha", version
io.write(json.encode(api), "\n")
