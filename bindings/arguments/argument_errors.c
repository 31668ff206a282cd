/* argument_errors.c: PyTorch's messages for arguments that do not fit. Functions that PyTorch
 * writes in C++ and in Python have different messages. */
#include <stdio.h>
#include <string.h>

#include "arguments/arguments.h"

/* Returns PyTorch's name of a parameter: "input" for self, and "end" for stop, because `end` is
 * not a name in Lua. */
static const char *public_name(const tocha_parameter *p) {
  return strcmp(p->name, "self") == 0 ? "input" : strcmp(p->name, "stop") == 0 ? "end" : p->name;
}

static const char *name_of(const signature *s, int i) {
  if (python_name(s, i)) return python_name(s, i);
  return s->aliases ? public_name(&s->parameters[i]) : s->parameters[i].name;
}

static bool is_required(const tocha_parameter *p) {
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

/* Returns the keyword that follows `after` (NULL: the first one) in alphabetical order, because
 * a table has no order. */
static const char *next_keyword(lua_State *L, int kw, const char *after) {
  const char *first = NULL;
  lua_pushnil(L);
  while (lua_next(L, kw)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    if (name && (!after || strcmp(name, after) > 0) && (!first || strcmp(name, first) < 0))
      first = name;
    lua_pop(L, 1);
  }
  return first;
}

/* Returns the hint for the first argument of a call that is a whole float or a string of digits, or
 * NULL. */
static const char *call_hint(lua_State *L, const call *c) {
  const char *hint = NULL;
  for (int i = 0; i < c->n && !hint; i++) hint = number_hint(L, c->first + i);
  for (const char *name = NULL; c->kw && !hint && (name = next_keyword(L, c->kw, name));) {
    luaL_checkstack(L, 8, NULL);
    lua_getfield(L, c->kw, name);
    hint = number_hint(L, lua_gettop(L));
  }
  return hint;
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

/* Raises the error of the first operation that a Python function performs on an argument of the
 * wrong kind, if that operation fails. */
static void complain_of_use(lua_State *L, const signature *s, const mismatch *why) {
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

/* --- several signatures --------------------------------------------------------------------------------------- */

/* Pushes the types of the arguments as PyTorch lists them: "Tensor, str, dim=int". [-0, +1, e] */
static const char *push_received(lua_State *L, int first, int n, int kw) {
  luaL_Buffer b;
  const char *separator = "";
  luaL_buffinit(L, &b);
  for (int i = 0; i < n; i++) {
    luaL_addstring(&b, separator);
    luaL_addstring(&b, python_type(L, first + i));
    separator = ", ";
  }
  luaL_pushresult(&b);
  if (kw) {
    for (const char *name = NULL; (name = next_keyword(L, kw, name));) {
      lua_getfield(L, kw, name);
      const char *said = strcmp(name, "stop") == 0 ? "end" : name; /* `end` is a keyword in Lua */
      lua_pushfstring(L, "%s%s%s=%s", lua_tostring(L, -2), separator, said, python_type(L, -1));
      lua_replace(L, -3);
      lua_pop(L, 1);
      separator = ", ";
    }
    if (n == 0) { /* sic */
      lua_pushliteral(L, ", ");
      lua_concat(L, 2);
    }
  }
  return lua_tostring(L, -1);
}

/* Returns true if the number of arguments suits the overload. If an overload is named after a
 * parameter ("sum.dim", "div.mode" after rounding_mode), that parameter is required. */
static bool plausible(const struct overload *o, int given) {
  const signature *s = &o->signature;
  const char *suffix = o->refused ? NULL : strchr(o->op->name, '.');
  int required = 0;
  for (int i = 0; i < s->count; i++) {
    const tocha_parameter *p = &s->parameters[i];
    const char *last = strrchr(p->name, '_');
    bool named = suffix && (strncmp(p->name, suffix + 1, strlen(p->name)) == 0 ||
                            (last && strcmp(last + 1, suffix + 1) == 0));
    required += named || is_required(p);
  }
  bool out = o->refused && o->op->flags & TOCHA_OP_OUT; /* PyTorch's overload has out=, too */
  const tocha_parameter *last = s->positional ? &s->parameters[s->positional - 1] : NULL;
  bool open = last && last->variadic && last->kind == TOCHA_KIND_TENSORS; /* not for sizes */
  return given >= required && (open || given <= s->count + out);
}

/* Pushes a signature as PyTorch shows it: "Tensor input, Number alpha = 1". [-0, +1, m] */
static void push_signature(lua_State *L, const struct overload *o) {
  const signature *s = &o->signature;
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int i = s->self_count; i < s->count; i++) {
    const tocha_parameter *p = &s->parameters[i];
    if (i > s->self_count) luaL_addstring(&b, ", ");
    if (i == s->positional) luaL_addstring(&b, "*, ");
    luaL_addstring(&b, p->python);
    luaL_addchar(&b, ' ');
    luaL_addstring(&b, public_name(p));
    char text[32];
    const tocha_arg *d = &p->default_value;
    if (i >= o->op->parameter_count && !o->refused) luaL_addstring(&b, " = None"); /* out */
    if (!p->has_default) continue;
    switch (p->kind) {
    case TOCHA_KIND_BOOL:
      snprintf(text, sizeof text, " = %s", d->value.flag ? "True" : "False");
      break;
    case TOCHA_KIND_FLOAT:
      snprintf(text, sizeof text, " = %g", d->value.real);
      break;
    case TOCHA_KIND_SCALAR:
      snprintf(text, sizeof text, " = %g", tocha_scalar_real(d->value.scalar));
      break;
    case TOCHA_KIND_INT:
    case TOCHA_KIND_DIM:
      snprintf(text, sizeof text, " = %lld", (long long)d->value.integer);
      break;
    default:
      text[0] = '\0';
    }
    luaL_addstring(&b, text);
  }
  luaL_pushresult(&b);
}

/* Returns true if PyTorch's errors show one signature of several, of the method if there is a
 * self. */
static bool shows_one(const overloads *o, const tocha_op *op) {
  return op->flags & (o->self_count ? TOCHA_OP_ONE_SHOWN_METHOD : TOCHA_OP_ONE_SHOWN);
}

/* Returns true if PyTorch's errors speak of several signatures, of the method if there is a
 * self. */
static bool is_overloaded(const overloads *o, const tocha_op *op) {
  return op->flags & (o->self_count ? TOCHA_OP_OVERLOADED_METHOD : TOCHA_OP_OVERLOADED);
}

/* Returns true if the entry stands for several signatures of PyTorch's, as far as the number of
 * arguments tells. */
static bool hides_signatures(const overloads *o, const tocha_op *op, int given) {
  if (op->flags & TOCHA_OP_OUT_ALONE && given > op->parameter_count) return false;
  if (!is_overloaded(o, op) || shows_one(o, op)) return false;
  int shown = 0;
  for (int i = 0; i < o->count; i++) shown += !(o->items[i].op->flags & TOCHA_OP_UNLISTED);
  return op->hides && given >= op->hides && (shown == 1 || op->flags & TOCHA_OP_HIDES);
}

/* Replaces the mismatch by that of an unlisted signature if more of its parameters fit: that
 * signature was probably meant. Returns the signature to which the mismatch belongs. */
static const signature *fit_unlisted(lua_State *L, const overloads *o, const signature *s,
                                     const call *c, argument_arena *a, tocha_arg *args,
                                     mismatch *why) {
  for (int i = 0; i < o->count; i++) {
    mismatch other;
    a->used = 0;
    if (o->items[i].op->flags & TOCHA_OP_UNLISTED &&
        !fit_arguments(L, &o->items[i].signature, c, a, args, &other) &&
        other.parameter > why->parameter) {
      *why = other;
      s = &o->items[i].signature;
    }
  }
  return s;
}

/* Raises the error of the operator behind a function for nil in a required place. The operator
 * checks such places before later ones. */
static void complain_of_nil(lua_State *L, const signature *s, const mismatch *why,
                            const tocha_arg *args) {
  if (why->reason != WRONG_KIND || !s->words || !s->words->inner) return;
  for (int i = 0; i < why->parameter; i++) {
    const tocha_parameter *p = &s->parameters[i];
    if (p->stated && p->optional && !p->variadic && !args[i].given)
      raise_message(L, TOCHA_TYPE_ERROR,
                    "%s(): argument '%s' (position %d) must be %s, not NoneType", s->words->inner,
                    complaining_name(s, i), i + 1, p->python);
  }
}

/* Returns the hint for a keyword that no overload has: the nearest name, or NULL. */
static const char *near_keyword(lua_State *L, const overloads *o, const call *c) {
  for (const char *name = NULL; c->kw && (name = next_keyword(L, c->kw, name));) {
    nearest near = nearest_to(name);
    bool known = false;
    for (int i = 0; i < o->count; i++)
      for (int k = 0; k < o->items[i].signature.count; k++) {
        const tocha_parameter *p = &o->items[i].signature.parameters[k];
        known = known || is_name_of(L, &o->items[i].signature, p, name, c->kw);
        compare_name(&near, p->name);
      }
    if (!known && near.name) return lua_pushfstring(L, "did you mean '%s'?", near.name);
  }
  return NULL;
}

static int list_signatures(lua_State *L, const overloads *o, const call *c, const tocha_op *op) {
  bool one = shows_one(o, op);
  const char *received = push_received(L, c->first + o->self_count, c->n - o->self_count, c->kw);
  lua_pushfstring(L,
                  "%s() received an invalid combination of arguments - got (%s), but expected %s",
                  o->items[0].signature.function, received, one ? "" : "one of:");
  for (int i = 0; i < (one ? 1 : o->count); i++) {
    if (o->items[i].op->flags & TOCHA_OP_UNLISTED) continue;
    push_signature(L, &o->items[i]);
    lua_pushfstring(L, one ? "%s(%s)" : "%s\n * (%s)", lua_tostring(L, -2), lua_tostring(L, -1));
    lua_replace(L, -3);
    lua_pop(L, 1);
  }
  const char *message = lua_tostring(L, -1), *hint = near_keyword(L, o, c);
  if (!hint) hint = call_hint(L, c);
  if (!hint) hint = colon_of_namespace_hint(L);
  return raise_hinted(L, TOCHA_TYPE_ERROR, hint ? hint : results_hint(L, c), "%s", message);
}

/* Returns the number of the signature that a call fits furthest, before a value of the wrong kind,
 * or of the first. PyTorch has one signature for all of them. */
static int nearest_signature(lua_State *L, const overloads *o, const call *c, int given,
                             argument_arena *a, tocha_arg *args) {
  int chosen = -1, reached = -1;
  bool any = false;
  mismatch why;
  for (int i = 0; i < o->count; i++) any = any || plausible(&o->items[i], given);
  for (int i = 0; i < o->count; i++) {
    if (o->items[i].op->flags & TOCHA_OP_UNLISTED) continue;
    if (any && !plausible(&o->items[i], given)) continue;
    a->used = 0;
    fit_arguments(L, &o->items[i].signature, c, a, args, &why);
    bool kind = why.reason == WRONG_KIND || why.reason == WRONG_ELEMENT;
    if (chosen >= 0 && (!kind || why.parameter <= reached)) continue;
    chosen = i;
    reached = kind ? why.parameter : -1;
  }
  return chosen < 0 ? 0 : chosen;
}

int raise_no_overload(lua_State *L, const overloads *o, const call *c, argument_arena *a,
                      tocha_arg *args) {
  int candidates = 0, chosen = 0, given = c->n + (c->kw ? count_keywords(L, c->kw) : 0);
  mismatch why;
  for (int i = 0; i < o->count; i++) {
    if (o->items[i].op->flags & TOCHA_OP_UNLISTED || !plausible(&o->items[i], given)) continue;
    candidates++;
    chosen = i;
  }
  if (o->items[0].signature.python || !is_overloaded(o, o->items[chosen].op))
    chosen = nearest_signature(L, o, c, given, a, args);
  const tocha_op *op = o->items[chosen].op;
  const signature *s = &o->items[chosen].signature;
  if (candidates == 1 && hides_signatures(o, op, given)) candidates++;
  a->used = 0;
  fit_arguments(L, s, c, a, args, &why);
  s = fit_unlisted(L, o, s, c, a, args, &why);
  if (s->python) {
    complain_as_python(L, s, c);
    complain_of_use(L, s, &why);
    complain_of_nil(L, s, &why, args);
  }
  bool began = why.reason == WRONG_KIND && why.element > 0; /* a size, spelled out: rand(2, "x") */
  if (candidates == 1 || !is_overloaded(o, op) || began) return raise_mismatch(L, s, c, &why);
  return list_signatures(L, o, c, op);
}
