-- write_options.lua: writes the option struct of each class of modules: its declaration in <tocha/nn/NAME.h>, and the functions that
-- fill it and construct a module from it. Called by write_modules.lua.
local types = require "c_types"
local write_options = {}

local list_type = {ints = "tocha_ints ", floats = "tocha_floats "}

-- Returns the field, or the parameter of the function with the defaults, for parameter p. A list that one number may stand for is
-- that number there.
local function field(p) return (list_type[p.kind] or types.parameter_c(p):match "^(.-)[%w_]+$") .. p.name end
local function required(p) return p.single and p.kind == "ints" and "int64_t " .. p.name or field(p) end

-- Returns the parameters in the order of the struct: those that the first release had, then those that were added, in the order in
-- which they came.
local function in_order(m)
  local out, by_name = {}, {}
  for _, p in ipairs(m.parameters) do
    by_name[p.name] = p
    if not p.added then out[#out + 1] = p end
  end
  for name in (m.added or ""):gmatch "%S+" do out[#out + 1] = by_name[name] end
  return out
end

--- Returns the declarations for class m, whose C name is `name`; "" if its constructor has no parameters.
function write_options.declaration(m, name)
  if #m.parameters == 0 then return "" end
  local fields, parameters, sets = {}, {}, {}
  for _, p in ipairs(in_order(m)) do
    fields[#fields + 1] = "  " .. field(p) .. ";\n"
    if p.default == nil and not p.optional then
      parameters[#parameters + 1] = required(p)
      sets[#sets + 1] = ("  options.%s = %s;\n"):format(p.name, p.single and p.kind == "ints" and ("tocha_ints_of(%s)"):format(p.name) or p.name)
    end
  end
  return (([[

/* The arguments of NAME. */
typedef struct tocha_SNAKE_options {
  size_t struct_size; /* the bytes that the program knows: up to the end of LAST */
FIELDS} tocha_SNAKE_options;
/* Gives every option of a struct of `size` bytes its default, or zero if it has none. */
TOCHA_API void tocha_SNAKE_options_init(tocha_SNAKE_options *options, size_t size);
/* Constructs a module as tocha_nn_SNAKE does. */
TOCHA_API tocha_module *tocha_nn_SNAKE_with(tocha_context *cx, const tocha_SNAKE_options *options);
static inline tocha_SNAKE_options tocha_SNAKE_defaults(PARAMETERS) {
  tocha_SNAKE_options options;
  tocha_SNAKE_options_init(&options, offsetof(tocha_SNAKE_options, LAST) + sizeof options.LAST);
SETS  return options;
}
]]):gsub("%u%u%u+", {NAME = m.name, SNAKE = name, FIELDS = table.concat(fields), SETS = table.concat(sets), LAST = in_order(m)[#m.parameters].name,
    PARAMETERS = #parameters > 0 and table.concat(parameters, ", ") or "void"}))
end

--- Returns the functions for class number `index`.
function write_options.source(m, name, index)
  if #m.parameters == 0 then return "" end
  local offsets = {}
  for i, p in ipairs(m.parameters) do offsets[i] = ("offsetof(tocha_%s_options, %s)"):format(name, p.name) end
  return (([[
static const uint16_t offsets_SNAKE[] = {OFFSETS};
void tocha_SNAKE_options_init(tocha_SNAKE_options *options, size_t size) {
  tocha_options_init(&tocha_module_classes[INDEX], offsets_SNAKE, options, size);
}
tocha_module *tocha_nn_SNAKE_with(tocha_context *cx, const tocha_SNAKE_options *options) {
  return tocha_construct_with(cx, &tocha_module_classes[INDEX], offsets_SNAKE, options);
}
]]):gsub("%u%u%u%u+", {SNAKE = name, INDEX = tostring(index), OFFSETS = table.concat(offsets, ", ")}))
end

return write_options
