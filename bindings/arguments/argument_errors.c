/* argument_errors.c: PyTorch's messages for arguments that do not fit a signature. Functions that
 * PyTorch writes in C++ and in Python have different messages. */
#include <stdio.h>
#include <string.h>

#include "arguments/arguments.h"

const char *public_name(const tocha_parameter *p) {
  return strcmp(p->name, "self") == 0 ? "input" : strcmp(p->name, "stop") == 0 ? "end" : p->name;
}

static const char *name_of(const signature *s, int i) {
  if (python_name(s, i)) return python_name(s, i);
  return s->aliases ? public_name(&s->parameters[i]) : s->parameters[i].name;
}

bool is_required(const tocha_parameter *p) {
  return (p->stated && !p->variadic) || (!p->optional && !p->has_default);
}

/* --- values of the wrong kind ------------------------------------------------------------------------------ */

/* Returns true if the Python function calls the operator behind it as a method of its first
 * argument. */
static bool calls_method(const signature *s) {
  const tocha_python_words *w = s->words;
  return s->python && w && w->inner && w->uses && w->uses[0] && strcmp(w->uses[0], w->inner) == 0;
}

/* Returns the name of the operator whose message complains of a value. */
static const char *complaining_function(const signature *s) {
  return s->words && s->words->inner ? s->words->inner : s->function;
}

/* Returns true if that operator has its own name for parameter i. */
static bool has_inner_name(const signature *s, int i) {
  return s->words && s->words->inner_parameters && s->words->inner_parameters[i];
}

static const char *complaining_name(const signature *s, int i) {
  return has_inner_name(s, i) ? s->words->inner_parameters[i] : name_of(s, i);
}

/* Returns that operator's name of the kind of parameter i. */
static const char *complaining_kind(const signature *s, int i) {
  bool own = s->words && s->words->inner_kinds && s->words->inner_kinds[i];
  return own ? s->words->inner_kinds[i] : s->parameters[i].python;
}

/* Raises PyTorch's error for the first element of the wrong kind in a list. Returns if there is
 * none. */
static void check_elements(lua_State *L, const char *name, const signature *s, const mismatch *why,
                           const char *hint) {
  const tocha_parameter *p = &s->parameters[why->parameter];
  bool tensors = p->kind == TOCHA_KIND_TENSORS;
  int64_t ignored;
  if (tensors && p->variadic) /* a list of all arguments stands for the parameter */
    raise_message(L, TOCHA_TYPE_ERROR, "expected Tensor as element %d in argument %d, but got %s",
                  why->position - why->parameter, why->parameter, python_type(L, why->index));
  const char *kind = complaining_kind(s, why->parameter);
  bool list = is_list_parameter(p) || strncmp(kind, "tuple", strlen("tuple")) == 0;
  if (lua_type(L, why->index) != LUA_TTABLE || !(tensors || list)) return;
  int count = table_length(L, why->index);
  for (int i = 1; i <= count; i++) {
    lua_rawgeti(L, why->index, i);
    bool ok = tensors ? to_tensor(L, -1) != NULL : to_integer(L, -1, &ignored);
    if (!ok && tensors)
      raise_hinted(L, TOCHA_TYPE_ERROR,
                   lua_type(L, -1) == LUA_TTABLE && lua_rawlen(L, -1) == 0
                       ? "keywords stand in a table after the list: ({a, b}, {dim = 0})"
                       : NULL,
                   "expected Tensor as element %d in argument %d, but got %s", i - 1, why->position,
                   python_type(L, -1));
    if (!ok && (!why->by_keyword || has_inner_name(s, why->parameter)))
      raise_hinted(L, TOCHA_TYPE_ERROR, hint,
                   "%s(): argument '%s' (position %d) must be %s, but found element of type %s at "
                   "pos %d",
                   name, complaining_name(s, why->parameter),
                   (why->by_keyword ? why->parameter : why->position) + 1 - s->self_count, kind,
                   python_type(L, -1), i - 1);
    lua_pop(L, 1);
  }
}

static int raise_wrong_kind(lua_State *L, const signature *s, const mismatch *why) {
  const tocha_parameter *p = &s->parameters[why->parameter];
  const char *name = complaining_function(s);
  const char *got = python_type(L, why->index), *hint = kind_hint(L, p, why->index);
  const char *argument = complaining_name(s, why->parameter);
  bool method = calls_method(s);
  int not_counted = /* self is passed to another function, too */
      method                ? 1
      : name == s->function ? s->self_count
                            : 0;
  if (!hint && to_tensor(L, why->index) && strstr(s->function, ".__init__"))
    hint = "a module is made first, and then called: nn.ReLU()(x)";
  const char *kind = complaining_kind(s, why->parameter);
  check_elements(L, name, s, why, hint);
  if (why->element)
    return raise_hinted(L, TOCHA_TYPE_ERROR, hint,
                        "%s(): argument '%s' failed to unpack the object at pos %d with error "
                        "\"type must be %s,but got %s\"",
                        name, argument, why->element + 1, kind, got);
  bool passed_on = /* C++ receives the argument by position */
      method || (s->python && strcmp(kind, "Number") == 0) || has_inner_name(s, why->parameter);
  if (why->by_keyword && !passed_on)
    return raise_hinted(L, TOCHA_TYPE_ERROR, hint, "%s(): argument '%s' must be %s, not %s", name,
                        argument, kind, got);
  return raise_hinted(L, TOCHA_TYPE_ERROR, hint,
                      "%s(): argument '%s' (position %d) must be %s, not %s", name, argument,
                      (passed_on ? why->parameter : why->position) + 1 - not_counted, kind, got);
}

static int raise_wrong_element(lua_State *L, const signature *s, const mismatch *why) {
  lua_rawgeti(L, why->index, why->element + 1);
  const char *got = python_type(L, -1);
  return raise_hinted(L, TOCHA_TYPE_ERROR, number_hint(L, lua_gettop(L)),
                      "%s(): argument '%s' failed to unpack the object at pos %d with error "
                      "\"type must be %s,but got %s\"",
                      complaining_function(s), complaining_name(s, why->parameter),
                      why->element + 1, complaining_kind(s, why->parameter), got);
}

/* --- names and numbers --------------------------------------------------------------------------------------- */

static int raise_too_many(lua_State *L, const signature *s, const call *c) {
  const char *hint = c->kw ? s->keyword_hint : s->hint;
  if (!hint) hint = results_hint(L, c);
  if (!hint) hint = colon_of_namespace_hint(L);
  int self = s->python ? s->constructor : -s->self_count; /* Python counts self */
  int minimum = self, maximum = s->positional + self, given = c->n + self;
  if (s->count == s->self_count && !s->python && s->self_count)
    return raise_hinted(L, TOCHA_TYPE_ERROR, hint, "Tensor.%s() takes no arguments (%d given)",
                        s->function, given);
  for (int i = 0; i < (s->python ? s->positional : s->count);
       i++) /* sic: C++ counts keywords, too */
    minimum += is_required(&s->parameters[i]);
  if (minimum != maximum)
    return raise_hinted(L, TOCHA_TYPE_ERROR, hint,
                        "%s() takes from %d to %d positional arguments but %d were given",
                        s->function, minimum, maximum, given);
  return raise_hinted(L, TOCHA_TYPE_ERROR, hint,
                      "%s() takes %d positional argument%s but %d %s given", s->function, maximum,
                      maximum == 1 ? "" : "s", given, given == 1 ? "was" : "were");
}

/* Returns a hint for `x.mul(y)`, where the object before the dot is not passed, or NULL. */
static const char *colon_hint(lua_State *L, const signature *s) {
  lua_Debug callee;
  if (!s->self_count || !lua_getstack(L, 0, &callee) || !lua_getinfo(L, "n", &callee)) return NULL;
  if (strcmp(callee.namewhat, "field") != 0) return NULL;
  return lua_pushfstring(L, "a method is called with a colon: x:%s(...)", s->function);
}

/* Raises PyTorch's error for missing arguments, in the words of its parser in C++: it names the
 * first missing parameter and all required ones after it, even if they are given by keyword. */
static int raise_missing(lua_State *L, const signature *s, const mismatch *why) {
  luaL_Buffer b;
  int missing = 0;
  luaL_buffinit(L, &b);
  for (int i = why->parameter; i < s->count; i++) {
    if (!is_required(&s->parameters[i])) continue;
    if (missing++) luaL_addstring(&b, ", ");
    luaL_addchar(&b, '"');
    luaL_addstring(&b, name_of(s, i));
    luaL_addchar(&b, '"');
  }
  luaL_pushresult(&b);
  const char *names = lua_tostring(L, -1);
  return raise_hinted(L, TOCHA_TYPE_ERROR, colon_hint(L, s),
                      "%s() missing %d required positional argument%s: %s", s->function, missing,
                      missing == 1 ? "s" : "", /* sic: PyTorch's plural */
                      names);
}

/* Raises the same error in Python's words, which name the missing parameters only: 'a', 'b', and
 * 'c'. */
static int raise_missing_python(lua_State *L, const signature *s, const call *c) {
  int missing = 0, written = 0, top = lua_gettop(L);
  need_stack(L, s->count + 8);
  for (int i = c->n; i < s->count; i++) {
    const tocha_parameter *p = &s->parameters[i];
    if (is_required(p) && !p->variadic && !(c->kw && push_keyword(L, s, c->kw, p->name))) missing++;
  }
  lua_settop(L, top);
  lua_pushliteral(L, "");
  for (int i = c->n; i < s->count; i++) {
    const tocha_parameter *p = &s->parameters[i];
    if (!is_required(p) || p->variadic) continue;
    if (c->kw && push_keyword(L, s, c->kw, p->name)) {
      lua_pop(L, 1);
      continue;
    }
    const char *before = written == 0            ? ""
                         : written + 1 < missing ? ", "
                         : missing == 2          ? " and "
                                                 : ", and ";
    lua_pushfstring(L, "%s%s'%s'", lua_tostring(L, -1), before, name_of(s, i));
    lua_replace(L, -2);
    written++;
  }
  return raise_message(L, TOCHA_TYPE_ERROR, "%s() missing %d required positional argument%s: %s",
                       s->function, missing, missing == 1 ? "" : "s", lua_tostring(L, -1));
}

/* Pushes a hint such as "its keywords: lr, momentum". Returns the hint, or NULL if the signature
 * has no keywords. [-0, +1, m] */
static const char *push_keywords(lua_State *L, const signature *s) {
  luaL_Buffer b;
  int written = 0;
  luaL_buffinit(L, &b);
  for (int i = s->self_count; i < s->count; i++) {
    luaL_addstring(&b, written++ ? ", " : "its keywords: ");
    luaL_addstring(&b, name_of(s, i));
  }
  luaL_pushresult(&b);
  return written ? lua_tostring(L, -1) : NULL;
}

static int raise_unknown_keyword(lua_State *L, const signature *s, const char *keyword) {
  nearest near = nearest_to(keyword);
  for (int i = 0; i < s->count; i++) compare_name(&near, s->parameters[i].name);
  const char *hint =
      near.name ? lua_pushfstring(L, "did you mean '%s'?", near.name) : push_keywords(L, s);
  return raise_hinted(L, TOCHA_TYPE_ERROR, hint, "%s() got an unexpected keyword argument '%s'",
                      s->function, keyword);
}

static int raise_twice(lua_State *L, const signature *s, int parameter) {
  return raise_message(L, TOCHA_TYPE_ERROR, "%s() got multiple values for argument '%s'",
                       s->function, name_of(s, parameter));
}

/* Returns the index of the parameter that a keyword names, or s->count if there is none. */
static int parameter_of(lua_State *L, const signature *s, const call *c, const char *key) {
  int i = 0;
  while (i < s->count && !is_name_of(L, s, &s->parameters[i], key, c->kw)) i++;
  return i;
}

void complain_as_python(lua_State *L, const signature *s, const call *c) {
  bool open = s->positional && s->parameters[s->positional - 1].variadic;
  bool missing = false;
  need_stack(L, 8);
  for (const char *key = NULL; c->kw && !s->any_keyword && (key = next_keyword(L, c->kw, key));) {
    int i = parameter_of(L, s, c, key);
    if (i == s->count) raise_unknown_keyword(L, s, key);
    if (i < c->n && !s->parameters[i].keyword_only) raise_twice(L, s, i);
  }
  for (int i = 0; i < s->count; i++) {
    const tocha_parameter *p = &s->parameters[i];
    bool positional = i < c->n && !p->keyword_only;
    bool keyword = c->kw && push_keyword(L, s, c->kw, p->name);
    if (keyword) lua_pop(L, 1);
    missing = missing || (!keyword && !positional && is_required(p) && !p->variadic);
  }
  if (c->n > s->positional && !open) raise_too_many(L, s, c);
  if (missing) raise_missing_python(L, s, c);
}

/* Pushes a number, a boolean or a list of them as Python writes it. Returns NULL for another
 * value, and may then leave values on the stack. [-0, +?, m] */
static const char *push_python_value(lua_State *L, int index) {
  if (lua_type(L, index) == LUA_TBOOLEAN)
    return lua_pushstring(L, lua_toboolean(L, index) ? "True" : "False");
  if (lua_type(L, index) == LUA_TNUMBER) return luaL_tolstring(L, index, NULL);
  if (strcmp(python_type(L, index), "list") != 0) return NULL;
  lua_pushliteral(L, "[");
  for (int i = 1, n = table_length(L, index); i <= n; i++) {
    int type = lua_rawgeti(L, index, i);
    if (type != LUA_TNUMBER && type != LUA_TBOOLEAN) return NULL;
    const char *item = push_python_value(L, lua_gettop(L));
    lua_pushfstring(L, "%s%s%s", lua_tostring(L, -3), i > 1 ? ", " : "", item);
    lua_replace(L, -4);
    lua_pop(L, 2);
  }
  return lua_pushfstring(L, "%s]", lua_tostring(L, -1));
}

/* Raises the error of a Python function for a reduction of the wrong kind. `use` says how the
 * function uses its reduction: "+ str" if it appends text, "reduction" if it looks the value up. */
static void complain_of_reduction(lua_State *L, const char *use, int index) {
  const char *type = python_type(L, index);
  if (strcmp(use, "+ str") == 0 && strcmp(type, "list") == 0)
    raise_message(L, TOCHA_TYPE_ERROR, "can only concatenate list (not \"str\") to list");
  if (strcmp(use, "+ str") == 0)
    raise_message(L, TOCHA_TYPE_ERROR, "unsupported operand type(s) for +: '%s' and 'str'", type);
  const char *value = push_python_value(L, index);
  if (value)
    raise_hinted(L, TOCHA_VALUE_ERROR, "one of 'none', 'mean', 'sum'",
                 "%s is not a valid value for reduction", value);
}

void complain_of_use(lua_State *L, const signature *s, const mismatch *why) {
  const tocha_python_words *w = s->words;
  if (!w || !w->uses || why->reason != WRONG_KIND) return;
  const char *use = w->uses[why->parameter], *type = python_type(L, why->index);
  int kind = lua_type(L, why->index);
  bool single = s->parameters[why->parameter].single;
  bool scalar = !to_tensor(L, why->index) && kind != LUA_TSTRING && kind != LUA_TTABLE &&
                (!single || (kind != LUA_TBOOLEAN && !lua_isinteger(L, why->index)));
  if (!use) return;
  if (strcmp(use, "len()") == 0) {
    if (scalar)
      raise_hinted(L, TOCHA_TYPE_ERROR, number_hint(L, why->index),
                   "object of type '%s' has no len()", type);
  } else if (strcmp(use, "pair()") == 0) {
    if (scalar)
      raise_hinted(L, TOCHA_TYPE_ERROR, number_hint(L, why->index),
                   "%s(): argument '%s' (position %d) must be tuple of ints, but found element of "
                   "type %s at pos 0",
                   w->inner, complaining_name(s, why->parameter), why->parameter + 1, type);
  } else if (strncmp(use, "< ", 2) == 0) {
    raise_hinted(L, TOCHA_TYPE_ERROR, number_hint(L, why->index),
                 "'<' not supported between instances of '%s' and '%s'", type, use + 2);
  } else if (strcmp(use, "int or None") == 0) {
    raise_hinted(L, TOCHA_TYPE_ERROR, number_hint(L, why->index),
                 "%s must be an int or None, got <class '%s%s'>",
                 s->parameters[why->parameter].name, to_tensor(L, why->index) ? "torch." : "",
                 type);
  } else if (strcmp(use, "+ str") == 0 || strcmp(use, "reduction") == 0) {
    complain_of_reduction(L, use, why->index);
  } else if (!why->by_keyword) {
    raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'%s' object has no attribute '%s'", type, use);
  }
}

void complain_of_nil(lua_State *L, const signature *s, const mismatch *why, const tocha_arg *args) {
  if (why->reason != WRONG_KIND || !s->words || !s->words->inner) return;
  for (int i = 0; i < why->parameter; i++) {
    const tocha_parameter *p = &s->parameters[i];
    if (p->stated && p->optional && !p->variadic && !args[i].given)
      raise_message(L, TOCHA_TYPE_ERROR,
                    "%s(): argument '%s' (position %d) must be %s, not NoneType", s->words->inner,
                    complaining_name(s, i), i + 1, p->python);
  }
}

int raise_mismatch(lua_State *L, const signature *s, const call *c, const mismatch *why) {
  if (s->python) {
    complain_as_python(L, s, c);
    complain_of_use(L, s, why);
  }
  const char *unknown = why->element > 0 && c->kw ? unknown_keyword(L, s, c->kw) : NULL;
  if (unknown) return raise_unknown_keyword(L, s, unknown); /* elements are checked last */
  switch (why->reason) {
  case TOO_MANY:
    return raise_too_many(L, s, c);
  case MISSING:
    return raise_missing(L, s, why);
  case WRONG_ELEMENT:
    return raise_wrong_element(L, s, why);
  case UNKNOWN_KEYWORD:
    return raise_unknown_keyword(L, s, why->keyword);
  case TWICE:
    return raise_twice(L, s, why->parameter);
  default:
    return raise_wrong_kind(L, s, why);
  }
}
