/* arguments.c: from Lua values to a parameter list's arguments: positions, keywords, kinds. */
#include <string.h>

#include "arguments.h"
#include "ops/convert.h"

/* --- Python's names of things -------------------------------------------------------------------- */

const char *python_type(lua_State *L, int index) {
  switch (lua_type(L, index)) {
  case LUA_TNONE:
  case LUA_TNIL:
    return "NoneType";
  case LUA_TBOOLEAN:
    return "bool";
  case LUA_TNUMBER:
    return lua_isinteger(L, index) ? "int" : "float";
  case LUA_TSTRING:
    return "str";
  case LUA_TFUNCTION:
    return "function";
  case LUA_TTABLE: {
    int type = luaL_getmetafield(L, index, "__name");
    if (type != LUA_TNIL) lua_pop(L, 1);
    return type == LUA_TSTRING ? "object" : "list";
  }
  default:
    break;
  }
  tocha_tensor *t = to_tensor(L, index);
  if (t) return t->flags & TOCHA_FLAG_PARAMETER ? "Parameter" : "Tensor";
  int type = luaL_getmetafield(L, index, "__name");
  const char *name = type == LUA_TSTRING ? lua_tostring(L, -1) : "object";
  if (type != LUA_TNIL) lua_pop(L, 1); /* the metatable keeps the text */
  return name;
}

int table_length(lua_State *L, int index) {
  lua_Unsigned length = lua_rawlen(L, index); /* a sparse table may have any border */
  if (length > (1u << 27)) luaL_error(L, "a table is too long");
  return (int)length;
}

/* --- splitting ------------------------------------------------------------------------------------- */

/* How a table may be read: as keywords only when it is plain; *strings, *others count its keys. */
static bool is_plain_table(lua_State *L, int index, int *strings, int *others) {
  if (lua_type(L, index) != LUA_TTABLE) return false;
  if (lua_getmetatable(L, index)) {
    lua_pop(L, 1);
    return false;
  }
  *strings = *others = 0;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING)
      ++*strings;
    else
      ++*others;
  }
  return true;
}

int split_arguments(lua_State *L, int first, int *kw) {
  int n = lua_gettop(L) - first + 1, strings, others;
  *kw = 0;
  if (n < 1 || lua_type(L, -1) != LUA_TTABLE) return n;
  int last = first + n - 1;
  if (!is_plain_table(L, last, &strings, &others)) return n;
  if (n == 1 && strings > 0) {
    lua_Integer count = (lua_Integer)lua_rawlen(L, last);
    if (count > 250) luaL_error(L, "too many arguments in a table");
    luaL_checkstack(L, (int)count + 8, "too many arguments");
    for (lua_Integer i = 1; i <= count; i++) lua_rawgeti(L, last, i);
    lua_rotate(L, last, (int)count); /* the table goes behind its own positional arguments */
    *kw = last + (int)count;
    return (int)count;
  }
  if (n > 1 && others == 0) {
    *kw = last;
    return n - 1;
  }
  return n;
}

/* --- one value ---------------------------------------------------------------------------------------- */

/* Memory for the lists of one call: a piece of the C stack, then userdata on the Lua stack. */
typedef struct arena {
  int64_t numbers[128];
  int used;
} arena;

static void *take(lua_State *L, arena *a, size_t count) {
  if (count <= (size_t)(TOCHA_COUNT(a->numbers) - a->used)) {
    void *p = a->numbers + a->used;
    a->used += (int)count;
    return p;
  }
  luaL_checkstack(L, 2, NULL);
  return lua_newuserdatauv(L, count * 8, 0);
}

bool to_integer(lua_State *L, int index, int64_t *value) {
  int is_number;
  if (lua_isinteger(L, index)) {
    *value = lua_tointegerx(L, index, &is_number);
    return true;
  }
  tocha_tensor *t = to_tensor(L, index);
  tocha_scalar s;
  if (!t || t->numel != 1 || tocha_dtype_is_floating(t->dtype) || t->device.type == TOCHA_META)
    return false;
  if (!tocha_item(CX(L), t, &s)) return false;
  *value = s.value.integer;
  return true;
}

static bool to_ints(lua_State *L, int index, arena *a, tocha_arg *arg) {
  int ndim;
  const int64_t *sizes = to_size(L, index, &ndim);
  if (sizes || ndim == 0) {
    arg->value.ints = sizes;
    arg->count = ndim;
    return true;
  }
  if (lua_type(L, index) != LUA_TTABLE) return false;
  int count = table_length(L, index);
  int64_t *numbers = take(L, a, (size_t)count + 1);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, index, i + 1);
    bool ok = to_integer(L, -1, &numbers[i]);
    lua_pop(L, 1);
    if (!ok) return false;
  }
  arg->value.ints = numbers;
  arg->count = count;
  return true;
}

static bool to_tensors(lua_State *L, int index, arena *a, tocha_arg *arg) {
  if (lua_type(L, index) != LUA_TTABLE) return false;
  int count = table_length(L, index);
  tocha_tensor **tensors = take(L, a, (size_t)count + 1);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, index, i + 1); /* the table keeps it alive */
    tensors[i] = to_tensor(L, -1);
    lua_pop(L, 1);
    if (!tensors[i]) return false;
  }
  arg->value.tensors = tensors;
  arg->count = count;
  return true;
}

/* Converts the value at index for p; false when it is of another kind. alone: the list of a call
 * with no other positional argument, which may be spelled out. */
static bool read_value(lua_State *L, int index, const tocha_parameter *p, bool alone, arena *a,
                       tocha_arg *arg) {
  memset(arg, 0, sizeof *arg);
  arg->given = true;
  switch (p->kind) {
  case TOCHA_KIND_TENSOR:
    return (arg->tensor = to_tensor(L, index)) != NULL;
  case TOCHA_KIND_OPERAND:
    return (arg->tensor = to_tensor(L, index)) != NULL || to_scalar(L, index, &arg->value.scalar);
  case TOCHA_KIND_SCALAR: {
    if (to_scalar(L, index, &arg->value.scalar)) return true;
    tocha_tensor *t = to_tensor(L, index);
    return t && t->ndim == 0 && !tocha_requires_grad(t) && tocha_item(CX(L), t, &arg->value.scalar);
  }
  case TOCHA_KIND_INT:
  case TOCHA_KIND_DIM:
  case TOCHA_KIND_INDEX:
    return to_integer(L, index, &arg->value.integer);
  case TOCHA_KIND_FLOAT: {
    if (lua_type(L, index) != LUA_TNUMBER) {
      tocha_tensor *t = to_tensor(L, index);
      tocha_scalar s;
      if (!t || t->ndim != 0 || !tocha_item(CX(L), t, &s)) return false;
      arg->value.real = tocha_scalar_real(s);
      return true;
    }
    arg->value.real = lua_tonumber(L, index);
    return true;
  }
  case TOCHA_KIND_BOOL:
    arg->value.flag = lua_toboolean(L, index);
    return lua_type(L, index) == LUA_TBOOLEAN;
  case TOCHA_KIND_STRING:
    if (lua_type(L, index) != LUA_TSTRING) return false;
    arg->value.string = lua_tostring(L, index);
    return true;
  case TOCHA_KIND_DTYPE:
    return to_dtype(L, index, &arg->value.dtype);
  case TOCHA_KIND_DEVICE:
    return to_device(L, index, &arg->value.device);
  case TOCHA_KIND_DIMS:
  case TOCHA_KIND_INTS:
  case TOCHA_KIND_SIZE: {
    int64_t one;
    if (to_ints(L, index, a, arg)) return true;
    bool one_is_enough = p->variadic ? alone : p->kind == TOCHA_KIND_DIMS;
    if (one_is_enough && to_integer(L, index, &one)) {
      int64_t *number = take(L, a, 1);
      *number = one;
      arg->value.ints = number;
      arg->count = 1;
      return true;
    }
    return false;
  }
  case TOCHA_KIND_TENSORS:
    return to_tensors(L, index, a, arg);
  case TOCHA_KIND_GENERATOR:
    return (arg->value.generator = to_generator(L, index)) != NULL;
  default:
    return false;
  }
}

/* --- a whole list --------------------------------------------------------------------------------------- */

/* Other spellings PyTorch allows for a parameter's name, with the same meaning. */
static const char *const aliases[][2] = {{"self", "input"},
                                         {"stop", "end"},
                                         {"dim", "axis"},
                                         {"keepdim", "keepdims"},
                                         {"tensors", "seq"}};

int push_keyword(lua_State *L, int kw, const char *name) {
  if (lua_getfield(L, kw, name) != LUA_TNIL) return lua_gettop(L);
  lua_pop(L, 1);
  for (int i = 0; i < TOCHA_COUNT(aliases); i++) {
    if (strcmp(name, aliases[i][0]) != 0) continue;
    if (lua_getfield(L, kw, aliases[i][1]) != LUA_TNIL) return lua_gettop(L);
    lua_pop(L, 1);
  }
  return 0;
}

int count_keywords(lua_State *L, int kw) {
  int count = 0;
  lua_pushnil(L);
  while (lua_next(L, kw)) {
    lua_pop(L, 1);
    count += lua_type(L, -1) == LUA_TSTRING;
  }
  return count;
}

static bool is_name_of(const tocha_parameter *p, const char *key, lua_State *L, int kw) {
  if (strcmp(p->name, key) == 0) return true;
  for (int i = 0; i < TOCHA_COUNT(aliases); i++) {
    if (strcmp(p->name, aliases[i][0]) != 0 || strcmp(key, aliases[i][1]) != 0) continue;
    bool both = lua_getfield(L, kw, p->name) != LUA_TNIL; /* then the alias is one too many */
    lua_pop(L, 1);
    return !both;
  }
  return false;
}

static const char *unknown_keyword(lua_State *L, int kw, const tocha_parameter *parameters,
                                   int count) {
  lua_pushnil(L);
  while (lua_next(L, kw)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING) continue;
    const char *key = lua_tostring(L, -1);
    bool known = false;
    for (int i = 0; i < count && !known; i++) known = is_name_of(&parameters[i], key, L, kw);
    if (!known) return key;
  }
  return NULL;
}

bool is_list_parameter(const tocha_parameter *p) {
  return p->kind == TOCHA_KIND_INTS || p->kind == TOCHA_KIND_DIMS || p->kind == TOCHA_KIND_SIZE;
}

/* zeros(2, 3): the numbers from `at` on are one list. */
static bool gather(lua_State *L, int first, int at, int n, arena *a, tocha_arg *arg,
                   mismatch *why) {
  int64_t *numbers = take(L, a, (size_t)(n - at) + 1);
  memset(arg, 0, sizeof *arg);
  for (int i = at; i < n; i++) {
    if (!to_integer(L, first + i, &numbers[i - at])) {
      why->reason = WRONG_KIND;
      why->index = first + i;
      why->element = i - at;
      return false;
    }
  }
  arg->value.ints = numbers;
  arg->count = n - at;
  arg->given = true;
  return true;
}

/* broadcast_tensors(a, b): the tensors from `at` on are one list. */
static bool gather_tensors(lua_State *L, int first, int at, int n, arena *a, tocha_arg *arg,
                           mismatch *why) {
  tocha_tensor **tensors = take(L, a, (size_t)(n - at) + 1);
  memset(arg, 0, sizeof *arg);
  for (int i = at; i < n; i++) {
    tensors[i - at] = to_tensor(L, first + i);
    if (!tensors[i - at]) {
      why->reason = WRONG_KIND;
      why->index = first + i;
      why->position = i;
      return false;
    }
  }
  arg->value.tensors = tensors;
  arg->count = n - at;
  arg->given = true;
  return true;
}

/* Whether a table of the wrong kind begins as a list of integers: PyTorch looks at the first element
 * to choose a signature, and complains of the others afterwards. */
static bool finds_wrong_element(lua_State *L, const tocha_parameter *p, mismatch *why) {
  int64_t ignored;
  if (!is_list_parameter(p) || lua_type(L, why->index) != LUA_TTABLE) return false;
  int count = table_length(L, why->index);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, why->index, i + 1);
    bool ok = to_integer(L, -1, &ignored);
    lua_pop(L, 1);
    if (ok) continue;
    why->element = i;
    return i > 0;
  }
  return false;
}

/* Fits arguments to parameters. Leaves what args point into on the Lua stack. alone: as for
 * read_value. */
static bool fit(lua_State *L, const tocha_parameter *parameters, int count, int positional,
                bool alone, int first, int n, int kw, arena *a, tocha_arg *args, mismatch *why) {
  int at = 0, keywords = 0;
  why->reason = FITS;
  why->element = 0;
  why->by_keyword = false;
  luaL_checkstack(L, count + 8, NULL);
  bool open = positional && parameters[positional - 1].variadic &&
              (alone || !is_list_parameter(&parameters[positional - 1]));
  if (n > positional && !open) {
    why->reason = TOO_MANY;
    return false;
  }
  for (int i = 0; i < count; i++) {
    const tocha_parameter *p = &parameters[i];
    int index = 0;
    why->parameter = i;
    why->position = at;
    if (!p->keyword_only && at < n) {
      if (p->variadic && p->kind == TOCHA_KIND_TENSORS && to_tensor(L, first + at)) {
        if (!gather_tensors(L, first, at, n, a, &args[i], why)) return false;
        at = n;
        continue;
      }
      if (p->variadic && alone && is_list_parameter(p) && lua_type(L, first + at) == LUA_TNUMBER) {
        int rest = n - at, later = 0;
        for (int k = i + 1; k < positional; k++)
          later += !parameters[k].has_default && !parameters[k].optional;
        if (rest - later >= 1 && i + 1 == positional) {
          if (kw && push_keyword(L, kw, p->name)) {
            why->reason = TWICE;
            return false;
          }
          if (!gather(L, first, at, n, a, &args[i], why)) return false;
          at = n;
          continue;
        }
      }
      index = first + at++;
    }
    if (kw) {
      int found = push_keyword(L, kw, p->name);
      if (found && index && !lua_isnil(L, index)) {
        why->reason = TWICE;
        return false;
      }
      why->by_keyword = found != 0;
      if (found) {
        index = found;
        keywords++;
      }
    }
    if (!index || lua_isnil(L, index)) {
      if (!p->optional && !p->has_default) {
        why->reason = index ? WRONG_KIND : MISSING;
        why->index = index;
        return false;
      }
      args[i] = p->standard;
      if (p->has_default && !args[i].given) args[i].given = true;
      if (p->optional && !p->has_default) memset(&args[i], 0, sizeof args[i]);
      continue;
    }
    if (!read_value(L, index, p, alone, a, &args[i])) {
      why->index = index;
      why->reason = finds_wrong_element(L, p, why) ? WRONG_ELEMENT : WRONG_KIND;
      return false;
    }
  }
  if (at < n) {
    why->reason = TOO_MANY;
    return false;
  }
  if (kw && keywords < count_keywords(L, kw)) {
    why->keyword = unknown_keyword(L, kw, parameters, count);
    why->reason = why->keyword ? UNKNOWN_KEYWORD : FITS;
    return !why->keyword;
  }
  return true;
}

void read_arguments(lua_State *L, const char *name, const tocha_parameter *parameters, int count,
                    int positional, int first, int n, int kw, int self_count, tocha_arg *args) {
  arena *a = lua_newuserdatauv(L, sizeof *a, 0); /* outlives this function */
  mismatch why;
  a->used = 0;
  if (!fit(L, parameters, count, positional, true, first, n, kw, a, args, &why))
    raise_mismatch(L, name, parameters, count, positional, n, self_count, &why);
}

/* --- operators -------------------------------------------------------------------------------------------------- */

void default_arguments(const tocha_op *op, tocha_arg *args) {
  for (int i = 0; i < op->parameter_count; i++)
    if (!args[i].given && op->parameters[i].has_default) {
      args[i] = op->parameters[i].standard;
      args[i].given = true;
    }
}

/* out=: taken out of the keywords' count; the result is copied there. */
static tocha_tensor *take_out(lua_State *L, int *kw) {
  if (!*kw || lua_getfield(L, *kw, "out") == LUA_TNIL) {
    if (*kw) lua_pop(L, 1);
    return NULL;
  }
  tocha_tensor *out = to_tensor(L, -1);
  if (!out) return NULL;    /* refused later as an unknown keyword */
  lua_createtable(L, 0, 4); /* the keywords without it */
  int rest = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, *kw)) {
    if (lua_type(L, -2) == LUA_TSTRING && strcmp(lua_tostring(L, -2), "out") != 0) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, rest);
    } else {
      lua_pop(L, 1);
    }
  }
  *kw = rest;
  return out;
}

/* out=: the call writes there. */
static int call_with_out(lua_State *L, const tocha_op *op, const tocha_arg *args,
                         tocha_tensor *out) {
  tocha_context *cx = CX(L);
  if (tocha_grad_enabled(cx) && (tocha_any_requires_grad(op, args) || tocha_requires_grad(out)))
    return raise_message(L, TOCHA_RUNTIME_ERROR,
                         "%s(): functions with out=... arguments don't support automatic "
                         "differentiation, but one of the arguments requires grad.",
                         op->lua_name);
  return tocha_call_out(cx, op, args, out) ? 0 : raise_error(L);
}

/* The C function behind every operator's name. Upvalue: its overloads. */
static int call_operator(lua_State *L) {
  const overloads *o = lua_touserdata(L, lua_upvalueindex(1));
  int kw, first = 1, n;
  if (o->self_count && lua_gettop(L) == 2 && lua_type(L, 2) == LUA_TTABLE) {
    int inner = split_arguments(L, 2, &kw); /* x:sum{dim = 1}: the only argument after self */
    n = inner + 1;
  } else {
    n = split_arguments(L, 1, &kw);
  }
  tocha_tensor *out = NULL;
  int out_index = 0;
  if (kw && o->ops[0]->flags & TOCHA_OP_OUT) {
    out = take_out(L, &kw);
    if (out) out_index = lua_gettop(L) - 1;
  }
  arena a;
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  mismatch whys[TOCHA_COUNT(o->ops)];
  int top = lua_gettop(L);
  for (int i = 0; i < o->count; i++) {
    const tocha_op *op = o->ops[i];
    a.used = 0;
    if (fit(L, op->parameters, op->parameter_count, op->positional,
            op->positional - o->self_count == 1, first, n, kw, &a, args, &whys[i])) {
      if (!out) return call_and_push(L, op, args);
      call_with_out(L, op, args, out);
      lua_pushvalue(L, out_index);
      return 1;
    }
    if (tocha_failed(CX(L))) return raise_error(L);
    if (whys[i].reason == WRONG_ELEMENT) /* the signature was chosen by then */
      return raise_mismatch(L, op->lua_name, op->parameters, op->parameter_count, op->positional, n,
                            o->self_count, &whys[i]);
    lua_settop(L, top);
  }
  return raise_no_overload(L, o, first, n, kw, whys);
}

int push_results(lua_State *L, const tocha_op *op, tocha_results *results, int self_index) {
  if (op->flags & TOCHA_OP_VALUE) {
    const tocha_arg *v = &results->value;
    switch (results->value_kind) {
    case TOCHA_KIND_BOOL:
      lua_pushboolean(L, v->value.flag);
      break;
    case TOCHA_KIND_INT:
      lua_pushinteger(L, v->value.integer);
      break;
    case TOCHA_KIND_FLOAT:
      lua_pushnumber(L, v->value.real);
      break;
    case TOCHA_KIND_SCALAR:
      push_scalar(L, v->value.scalar);
      break;
    case TOCHA_KIND_DTYPE:
      push_dtype(L, v->value.dtype);
      break;
    case TOCHA_KIND_SIZE:
      push_size(L, v->count, v->value.ints);
      break;
    default:
      lua_pushnil(L);
    }
    return 1;
  }
  if (op->flags & TOCHA_OP_LIST) {
    lua_createtable(L, results->count, 0);
    for (int i = 0; i < results->count; i++) {
      push_tensor(L, results->tensors[i]);
      lua_rawseti(L, -2, i + 1);
    }
    return 1;
  }
  luaL_checkstack(L, results->count + 2, NULL);
  for (int i = 0; i < results->count; i++) {
    if (self_index && to_tensor(L, self_index) == results->tensors[i])
      lua_pushvalue(L, self_index);
    else if (results->tensors[i])
      push_tensor(L, results->tensors[i]);
    else
      lua_pushnil(L);
  }
  return results->count;
}

int call_and_push(lua_State *L, const tocha_op *op, const tocha_arg *args) {
  tocha_context *cx = CX(L);
  tocha_results results;
  size_t mark = cx->scope_count;
  bool ok = tocha_call(cx, op, args, &results);
  if (!ok) {
    tocha_scope s = {mark};
    tocha_scope_end(cx, s, NULL);
    return raise_error(L);
  }
  int self_index = lua_gettop(L) >= 1 ? 1 : 0;
  int pushed = push_results(L, op, &results, self_index);
  tocha_results_free(cx, &results);
  tocha_scope s = {mark};
  tocha_scope_end(cx, s, NULL);
  return pushed;
}

const tocha_op *find_op(const char *name) {
  for (int i = 0; i < tocha_op_count; i++)
    if (strcmp(tocha_op_table[i].name, name) == 0) return &tocha_op_table[i];
  return NULL;
}

/* Adds op under its name to the table at index, joining earlier signatures of that name. */
static overloads *register_op(lua_State *L, int index, const tocha_op *op, bool method) {
  lua_getfield(L, index, op->lua_name);
  overloads *o;
  if (lua_iscfunction(L, -1) && lua_getupvalue(L, -1, 1)) {
    o = lua_touserdata(L, -1);
    lua_pop(L, 2);
  } else {
    lua_pop(L, 1);
    o = lua_newuserdatauv(L, sizeof *o, 0);
    memset(o, 0, sizeof *o);
    o->self_count = method;
    lua_pushcclosure(L, call_operator, 1);
    lua_setfield(L, index, op->lua_name);
  }
  if (o->count < TOCHA_COUNT(o->ops)) o->ops[o->count++] = op;
  return o;
}

/* The names in torch.nn.functional that are not Python functions. */
static bool is_builtin_functional(const char *name) {
  static const char *const names[] = {"bilinear",
                                      "gelu",
                                      "hardshrink",
                                      "linear",
                                      "logsigmoid",
                                      "one_hot",
                                      "prelu",
                                      "softplus",
                                      "softshrink",
                                      "conv1d",
                                      "conv2d",
                                      "conv3d",
                                      "conv_transpose1d",
                                      "conv_transpose2d",
                                      "conv_transpose3d",
                                      "avg_pool1d",
                                      "avg_pool2d",
                                      "avg_pool3d",
                                      "adaptive_avg_pool1d",
                                      "cosine_similarity",
                                      "pairwise_distance",
                                      "pdist",
                                      "pixel_shuffle",
                                      "pixel_unshuffle",
                                      "channel_shuffle",
                                      "scaled_dot_product_attention"};
  for (int i = 0; i < TOCHA_COUNT(names); i++)
    if (strcmp(name, names[i]) == 0) return true;
  size_t length = strlen(name); /* relu_ and the like */
  return length && name[length - 1] == '_';
}

/* The table of torch that a dotted name leads to ("nn.functional"), made where it is missing. */
static void push_namespace(lua_State *L, int torch, const char *name) {
  lua_pushvalue(L, torch);
  while (*name) {
    size_t length = strcspn(name, ".");
    lua_pushlstring(L, name, length);
    lua_pushvalue(L, -1);
    if (lua_rawget(L, -3) != LUA_TTABLE) {
      lua_pop(L, 1);
      lua_newtable(L);
      lua_pushvalue(L, -2);
      lua_pushvalue(L, -2);
      lua_rawset(L, -5);
    }
    lua_replace(L, -3);
    lua_pop(L, 1);
    name += length + (name[length] == '.');
  }
}

void open_operators(lua_State *L, int torch, int methods) {
  for (int i = 0; i < tocha_op_count; i++) {
    const tocha_op *op = &tocha_op_table[i];
    if (op->forms & TOCHA_FORM_TORCH) register_op(L, torch, op, false);
    if (op->forms & TOCHA_FORM_METHOD)
      register_op(L, methods, op, true)->python =
          strcmp(op->lua_name, "split") == 0 || strcmp(op->lua_name, "unflatten") == 0;
    if (op->namespace_[0]) {
      push_namespace(L, torch, op->namespace_);
      register_op(L, lua_gettop(L), op, false)->python =
          strcmp(op->namespace_, "nn.functional") == 0 && !is_builtin_functional(op->lua_name);
      lua_pop(L, 1);
    }
  }
}
