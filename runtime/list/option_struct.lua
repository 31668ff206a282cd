-- option_struct.lua: option structs, which may grow: their declarations, for modules, optimizers and schedulers. A program that was
-- compiled with a shorter struct says so by struct_size, and the library gives the fields that it lacks their defaults.
local option_struct = {}

--- Marks the parameters that `added` names ("a b"): those that the first release did not have. They need a default.
function option_struct.mark_added(name, parameters, added)
  for word in (added or ""):gmatch "%S+" do
    local found
    for _, p in ipairs(parameters) do
      if p.name == word then found = p end
    end
    if not found or found.default == nil and not found.optional then
      error(("%s: the added parameter %s is missing, or has no default"):format(name, word), 0)
    end
    found.added = true
  end
end

--- Returns the parameters in the order of the struct: those of the first release, then the added ones in the order in which they came.
function option_struct.in_order(parameters, added)
  local out, by_name = {}, {}
  for _, p in ipairs(parameters) do
    by_name[p.name] = p
    if not p.added then out[#out + 1] = p end
  end
  for name in (added or ""):gmatch "%S+" do out[#out + 1] = by_name[name] end
  return out
end

--- Returns the declarations of the struct tocha_ID_options, of the function that fills it, and of the one with the defaults.
--- s: {title, id, parameters, added, field = function that returns a parameter's field in C, required = function that returns its
--- parameter of the function with the defaults and the statements that set it, or nil if it may be omitted, constructor = the
--- constructor's declaration with its comment}.
function option_struct.declaration(s)
  local fields, required, sets = {}, {}, {}
  local list = option_struct.in_order(s.parameters, s.added)
  for i, p in ipairs(list) do
    fields[i] = "  " .. s.field(p) .. ";\n"
    local parameter, statements = s.required(p)
    if parameter then required[#required + 1], sets[#sets + 1] = parameter, statements end
  end
  return (([[

/* The arguments of TITLE. */
typedef struct tocha_SNAKE_options {
  size_t struct_size; /* the bytes that the program knows: up to the end of LAST */
FIELDS} tocha_SNAKE_options;
/* Gives every option of a struct of `size` bytes its default, or zero if it has none. */
TOCHA_API void tocha_SNAKE_options_init(tocha_SNAKE_options *options, size_t size);
CONSTRUCTOR
static inline tocha_SNAKE_options tocha_SNAKE_defaults(PARAMETERS) {
  tocha_SNAKE_options options;
  tocha_SNAKE_options_init(&options, offsetof(tocha_SNAKE_options, LAST) + sizeof options.LAST);
SETS  return options;
}
]]):gsub("%u%u%u+", {TITLE = s.title, SNAKE = s.id, FIELDS = table.concat(fields), SETS = table.concat(sets), LAST = list[#list].name,
    CONSTRUCTOR = s.constructor, PARAMETERS = #required > 0 and table.concat(required, ", ") or "void"}))
end

--- Returns a header of such declarations. comment: what it says at its head; includes: the names of headers in tocha/.
function option_struct.header(name, comment, includes, declarations)
  local guard, lines = "TOCHA_" .. name:upper():gsub("[^%w]", "_"), {}
  for i, include in ipairs(includes) do lines[i] = ('#include "tocha/%s"\n'):format(include) end
  return (([[
/* COMMENT */
#ifndef GUARD
#define GUARD

INCLUDES
#ifdef __cplusplus
extern "C" {
#endif
DECLARATIONS
#ifdef __cplusplus
}
#endif

#endif
]]):gsub("%f[%u]%u%u%u+%f[%U]", {COMMENT = comment, GUARD = guard, INCLUDES = table.concat(lines), DECLARATIONS = table.concat(declarations)}))
end

--- Returns the definition of the places of the fields, in the order of the parameters.
function option_struct.offsets(id, parameters)
  local out = {}
  for i, p in ipairs(parameters) do out[i] = ("offsetof(tocha_%s_options, %s)"):format(id, p.name) end
  return ("static const uint16_t offsets_%s[] = {%s};\n"):format(id, table.concat(out, ", "))
end

return option_struct
