/* argument_errors.c: PyTorch's words for arguments that do not fit. */
#include <stdio.h>
#include <string.h>

#include "arguments.h"

/* --- errors -------------------------------------------------------------------------------------------------- */

static const char *public_name(const tocha_parameter *p) {
  return strcmp(p->name, "self") == 0 ? "input" : strcmp(p->name, "stop") == 0 ? "end" : p->name;
}

static int raise_wrong_kind(lua_State *L, const char *name, const tocha_parameter *parameters,
                            int self_count, const mismatch *why) {
  const tocha_parameter *p = &parameters[why->parameter];
  const char *got = python_type(L, why->index), *hint = NULL;
  bool list = is_list_parameter(p) || p->kind == TOCHA_KIND_TENSORS;
  if (lua_type(L, why->index) == LUA_TNUMBER && !lua_isinteger(L, why->index))
    hint = "in Lua 6 / 2 is the float 3.0; use 6 // 2, or math.tointeger";
  else if (p->kind == TOCHA_KIND_TENSOR && lua_type(L, why->index) == LUA_TTABLE)
    hint = "make a tensor of it: torch.tensor{...}";
  else if (p->kind == TOCHA_KIND_TENSORS && to_tensor(L, why->index))
    hint = "put the tensors into a table: {a, b}";
  if (list && lua_type(L, why->index) == LUA_TTABLE) {
    int count = table_length(L, why->index);
    for (int i = 1; i <= count; i++) {
      lua_rawgeti(L, why->index, i);
      int64_t ignored;
      bool tensors = p->kind == TOCHA_KIND_TENSORS;
      bool ok = !tensors ? to_integer(L, -1, &ignored) : to_tensor(L, -1) != NULL;
      if (!ok && tensors)
        return raise_message(L, TOCHA_TYPE_ERROR,
                             "expected Tensor as element %d in argument %d, but got %s", i - 1,
                             why->position, python_type(L, -1));
      if (!ok && !why->by_keyword)
        return raise_hinted(L, TOCHA_TYPE_ERROR, hint,
                            "%s(): argument '%s' (position %d) must be %s, but found element of "
                            "type %s at pos %d",
                            name, public_name(p), why->position + 1 - self_count, p->python,
                            python_type(L, -1), i - 1);
      lua_pop(L, 1);
    }
  }
  if (why->reason == WRONG_KIND && why->element)
    return raise_hinted(L, TOCHA_TYPE_ERROR, hint,
                        "%s(): argument '%s' failed to unpack the object at pos %d with error "
                        "\"type must be %s,but got %s\"",
                        name, public_name(p), why->element + 1, p->python, got);
  if (why->by_keyword)
    return raise_hinted(L, TOCHA_TYPE_ERROR, hint, "%s(): argument '%s' must be %s, not %s", name,
                        public_name(p), p->python, got);
  return raise_hinted(L, TOCHA_TYPE_ERROR, hint,
                      "%s(): argument '%s' (position %d) must be %s, not %s", name, public_name(p),
                      why->position + 1 - self_count, p->python, got);
}

static int raise_too_many(lua_State *L, const char *name, const tocha_parameter *parameters,
                          int count, int positional, int n, int self_count) {
  int least = -self_count, most = positional - self_count, given = n - self_count;
  if (count == 1 && self_count)
    return raise_message(L, TOCHA_TYPE_ERROR, "Tensor.%s() takes no arguments (%d given)", name,
                         given);
  for (int i = 0; i < positional; i++)
    least += !parameters[i].optional && !parameters[i].has_default;
  if (least < most)
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "%s() takes from %d to %d positional arguments but %d were given", name,
                         least, most, given);
  return raise_message(L, TOCHA_TYPE_ERROR, "%s() takes %d positional argument%s but %d %s given",
                       name, most, most == 1 ? "" : "s", given, given == 1 ? "was" : "were");
}

int raise_mismatch(lua_State *L, const char *name, const tocha_parameter *parameters, int count,
                   int positional, int n, int self_count, const mismatch *why) {
  switch (why->reason) {
  case TOO_MANY:
    return raise_too_many(L, name, parameters, count, positional, n, self_count);
  case MISSING: {
    char names[256] = "";
    int used = 0, missing = 0;
    for (int i = why->parameter; i < positional && used < (int)sizeof names; i++) {
      if (parameters[i].has_default || parameters[i].optional) break;
      used += snprintf(names + used, sizeof names - (size_t)used, "%s\"%s\"", missing ? ", " : "",
                       public_name(&parameters[i]));
      missing++;
    }
    return raise_message(L, TOCHA_TYPE_ERROR, "%s() missing %d required positional argument%s: %s",
                         name, missing, missing == 1 ? "s" : "", names); /* sic: PyTorch's plural */
  }
  case WRONG_ELEMENT:
    lua_rawgeti(L, why->index, why->element + 1);
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "%s(): argument '%s' failed to unpack the object at pos %d with error "
                         "\"type must be %s,but got %s\"",
                         name, public_name(&parameters[why->parameter]), why->element + 1,
                         parameters[why->parameter].python, python_type(L, -1));
  case UNKNOWN_KEYWORD: {
    const char *names[TOCHA_MAX_PARAMETERS + 1];
    int k = 0;
    for (int i = 0; i < count && k < TOCHA_MAX_PARAMETERS; i++) names[k++] = parameters[i].name;
    names[k] = NULL;
    const char *near = nearest_name(why->keyword, names);
    const char *hint = near ? lua_pushfstring(L, "did you mean '%s'?", near) : NULL;
    return raise_hinted(L, TOCHA_TYPE_ERROR, hint, "%s() got an unexpected keyword argument '%s'",
                        name, why->keyword);
  }
  case TWICE:
    return raise_message(L, TOCHA_TYPE_ERROR, "%s() got multiple values for argument '%s'", name,
                         public_name(&parameters[why->parameter]));
  default:
    return raise_wrong_kind(L, name, parameters, self_count, why);
  }
}

/* "(Tensor, str, dim=int)" as PyTorch lists what it got. */
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
    lua_pushnil(L);
    while (lua_next(L, kw)) {
      if (lua_type(L, -2) == LUA_TSTRING) {
        lua_pushfstring(L, "%s%s%s=%s", lua_tostring(L, -3), separator, lua_tostring(L, -2),
                        python_type(L, -1));
        lua_replace(L, -4);
        separator = ", ";
      }
      lua_pop(L, 1);
    }
    if (n == 0) { /* sic */
      lua_pushliteral(L, ", ");
      lua_concat(L, 2);
    }
  }
  return lua_tostring(L, -1);
}

/* Whether the number of arguments alone would suit op. An overload that is named after a parameter
 * ("sum.dim") is the one that was given it. */
static bool plausible(lua_State *L, const tocha_op *op, int n, int kw) {
  const char *suffix = strchr(op->name, '.');
  int required = 0, given = n + (kw ? count_keywords(L, kw) : 0);
  for (int i = 0; i < op->parameter_count; i++) {
    const tocha_parameter *p = &op->parameters[i];
    bool named = suffix && strncmp(p->name, suffix + 1, strlen(p->name)) == 0;
    required += named || (!p->optional && !p->has_default);
  }
  return given >= required && given <= op->parameter_count + (op->flags & TOCHA_OP_OUT ? 1 : 0);
}

/* "Tensor input, Number alpha = 1": a signature as PyTorch shows it. */
static void push_signature(lua_State *L, const tocha_op *op, int self_count) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int i = self_count; i < op->parameter_count; i++) {
    const tocha_parameter *p = &op->parameters[i];
    if (i > self_count) luaL_addstring(&b, ", ");
    if (i == op->positional) luaL_addstring(&b, "*, ");
    luaL_addstring(&b, p->python);
    luaL_addchar(&b, ' ');
    luaL_addstring(&b, public_name(p));
    char text[32];
    const tocha_arg *d = &p->default_value;
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
  if (op->flags & TOCHA_OP_OUT && !self_count)
    luaL_addstring(&b, op->positional < op->parameter_count ? ", Tensor out = None"
                                                            : ", *, Tensor out = None");
  luaL_pushresult(&b);
}

/* One entry of the list that stands for several signatures of the same length in PyTorch: tensor
 * and number alternatives. */
static bool hides_signatures(const tocha_op *op, int given) {
  if (!(op->flags & TOCHA_OP_OVERLOADED) || op->flags & TOCHA_OP_ONE_SHOWN) return false;
  if (op->parameter_count && op->parameters[0].kind == TOCHA_KIND_SCALAR) return true;
  if (strcmp(op->name, "any") == 0 || strcmp(op->name, "all") == 0) return true;
  if (op->positional < op->parameter_count && given > op->positional &&
      op->parameters[op->positional].kind == TOCHA_KIND_GENERATOR)
    return true; /* with and without a generator */
  if (strcmp(op->name, "eye") == 0 && given > 1) return true;
  for (int i = 0; i < op->parameter_count; i++)
    if (op->parameters[i].kind == TOCHA_KIND_OPERAND) return true;
  return false;
}

/* The operator behind a Python function, which is what complains of a wrong kind. */
static const char *inner_name(const tocha_op *op, bool python) {
  static const char *const names[][2] = {{"cross_entropy", "cross_entropy_loss"},
                                         {"nll_loss", "nll_loss_nd"},
                                         {"logsigmoid", "log_sigmoid"}};
  for (int i = 0; i < TOCHA_COUNT(names); i++)
    if ((python || i == 2) && strcmp(op->lua_name, names[i][0]) == 0) return names[i][1];
  return op->lua_name;
}

/* The first thing a Python function does with an argument that should have been a tensor. */
static const char *first_attribute(const char *function, int parameter) {
  static const struct {
    const char *function, *attribute;
    int parameter;
  } uses[] = {{"softmax", "softmax", 0}, {"log_softmax", "log_softmax", 0}, {"softsign", "abs", 0},
              {"tanhshrink", "tanh", 0}, {"sigmoid", "sigmoid", 0},         {"tanh", "tanh", 0},
              {"glu", "dim", 0}};
  static const char *const losses[] = {"mse_loss",
                                       "l1_loss",
                                       "huber_loss",
                                       "smooth_l1_loss",
                                       "binary_cross_entropy",
                                       "binary_cross_entropy_with_logits"};
  for (int i = 0; i < TOCHA_COUNT(uses); i++)
    if (parameter == uses[i].parameter && strcmp(function, uses[i].function) == 0)
      return uses[i].attribute;
  for (int i = 0; parameter < 2 && i < TOCHA_COUNT(losses); i++)
    if (strcmp(function, losses[i]) == 0) return "size";
  return NULL;
}

/* A Python function's own complaint; returns where the operator behind it would complain. */
static void raise_python_mismatch(lua_State *L, const tocha_op *op, int self_count, int n, int kw,
                                  const mismatch *why) {
  const char *missing[TOCHA_MAX_PARAMETERS] = {NULL}, *attribute;
  char names[512];
  int absent = 0;
  if (why->reason == WRONG_KIND && !why->by_keyword &&
      (attribute = first_attribute(op->lua_name, why->parameter)))
    raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'%s' object has no attribute '%s'",
                  python_type(L, why->index), attribute);
  if (why->reason == WRONG_KIND && why->parameter == 1 && strcmp(op->lua_name, "split") == 0)
    raise_message(L, TOCHA_TYPE_ERROR,
                  "split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, "
                  "not %s",
                  python_type(L, why->index));
  if (why->reason != MISSING) return;
  for (int i = n; i < op->positional; i++) {
    const tocha_parameter *p = &op->parameters[i];
    if (p->has_default || p->optional || (kw && push_keyword(L, kw, p->name))) continue;
    missing[absent++] = public_name(p);
  }
  list_python_names(names, sizeof names, missing, absent);
  raise_message(L, TOCHA_TYPE_ERROR, "%s%s() missing %d required positional argument%s: %s",
                self_count                               ? "Tensor."
                : strcmp(op->lua_name, "threshold") == 0 ? "_"
                                                         : "",
                op->lua_name, absent, absent == 1 ? "" : "s", names);
}

int raise_no_overload(lua_State *L, const overloads *o, int first, int n, int kw,
                      const mismatch *whys) {
  int candidates = 0, chosen = 0;
  for (int i = 0; i < o->count; i++) {
    if (!plausible(L, o->ops[i], n, kw)) continue;
    candidates++;
    chosen = i;
  }
  const tocha_op *op = o->ops[chosen];
  int given = n + (kw ? count_keywords(L, kw) : 0);
  bool hides = o->count == 1 || strcmp(op->name, "where") == 0;
  if (candidates == 1 && hides && hides_signatures(op, given)) candidates++;
  bool overloaded = op->flags & TOCHA_OP_OVERLOADED;
  if (strcmp(op->name, "mm") == 0) { /* the other signature takes an output's dtype */
    if (given == 4 && !kw)
      raise_message(L, TOCHA_TYPE_ERROR, "mm() takes 3 positional arguments but 4 were given");
    overloaded = overloaded && !o->self_count;
  }
  if (o->python) raise_python_mismatch(L, op, o->self_count, n, kw, &whys[chosen]);
  if (candidates == 1 || !overloaded) {
    mismatch why = whys[chosen];
    if (why.by_keyword && why.reason == WRONG_KIND)
      why.index = push_keyword(L, kw, op->parameters[why.parameter].name);
    const char *name =
        why.reason == WRONG_KIND || !o->python ? inner_name(op, o->python) : op->lua_name;
    return raise_mismatch(L, name, op->parameters, op->parameter_count, op->positional, n,
                          o->self_count, &why);
  }
  const char *received = push_received(L, first + o->self_count, n - o->self_count, kw);
  lua_pushfstring(L,
                  "%s() received an invalid combination of arguments - got (%s), but expected %s",
                  op->lua_name, received, op->flags & TOCHA_OP_ONE_SHOWN ? "" : "one of:");
  for (int i = 0; i < o->count && (i == 0 || !(op->flags & TOCHA_OP_ONE_SHOWN)); i++) {
    push_signature(L, o->ops[i], o->self_count);
    lua_pushfstring(L, op->flags & TOCHA_OP_ONE_SHOWN ? "%s(%s)" : "%s\n * (%s)",
                    lua_tostring(L, -2), lua_tostring(L, -1));
    lua_replace(L, -3);
    lua_pop(L, 1);
  }
  return raise_message(L, TOCHA_TYPE_ERROR, "%s", lua_tostring(L, -1));
}
