-- write_options.lua: writes the option struct of each class of modules: its declaration in <tocha/nn/NAME.h>, and the functions that
-- fill it and construct a module from it. Called by write_modules.lua.
local types = require "c_types"
local option_struct = require "option_struct"
local write_options = {}

local list_type = {ints = "tocha_ints ", floats = "tocha_floats "}

local function field(p) return (list_type[p.kind] or types.parameter_c(p):match "^(.-)[%w_]+$") .. p.name end

-- A list that one number may stand for is that number.
local function required(p)
  if p.default ~= nil or p.optional then return nil end
  local single = p.single and p.kind == "ints"
  return single and "int64_t " .. p.name or field(p), ("  options.%s = %s;\n"):format(p.name, single and ("tocha_ints_of(%s)"):format(p.name) or p.name)
end

--- Returns the declarations for class m, whose C name is `name`; "" if its constructor has no parameters.
function write_options.declaration(m, name)
  if #m.parameters == 0 then return "" end
  return option_struct.declaration{title = m.name, id = name, parameters = m.parameters, added = m.added, field = field, required = required,
    constructor = ("/* Constructs a module as tocha_nn_%s does. */\nTOCHA_API tocha_module *tocha_nn_%s_with(tocha_context *cx, const tocha_%s_options *options);")
      :format(name, name, name)}
end

--- Returns the functions for class number `index`.
function write_options.source(m, name, index)
  if #m.parameters == 0 then return "" end
  return option_struct.offsets(name, m.parameters) .. (([[
void tocha_SNAKE_options_init(tocha_SNAKE_options *options, size_t size) {
  tocha_options_init(&tocha_module_classes[INDEX], offsets_SNAKE, options, size);
}
tocha_module *tocha_nn_SNAKE_with(tocha_context *cx, const tocha_SNAKE_options *options) {
  return tocha_construct_with(cx, &tocha_module_classes[INDEX], offsets_SNAKE, options);
}
]]):gsub("%u%u%u%u+", {SNAKE = name, INDEX = tostring(index)}))
end

return write_options
