/* operators.c: the operators in Lua: their registration, the choice of a signature, calls and
 * results. */
#include <string.h>

#include "arguments/arguments.h"

/* Returns true if a factory is called with requires_grad = true. */
static bool asks_for_gradients(const tocha_op *op, const tocha_arg *args) {
  if (!(op->flags & TOCHA_OP_FACTORY)) return false;
  for (int i = 0; i < op->parameter_count; i++)
    if (strcmp(op->parameters[i].name, "requires_grad") == 0) return args[i].value.flag;
  return false;
}

/* Calls an operator with out=, pushes the value of that keyword from the table at kw, and
 * returns the number of results. [-0, +results, e] */
static int call_with_out(lua_State *L, const tocha_op *op, const tocha_arg *args, int kw) {
  tocha_context *cx = CX(L);
  const tocha_arg *out = &args[op->parameter_count];
  bool many = op->result_count > 1;
  tocha_tensor *const *outs = many ? out->value.tensors : &out->tensor;
  if (many && out->count != op->result_count)
    return raise_message(L, TOCHA_TYPE_ERROR, "expected tuple of %d elements but got %d",
                         op->result_count, out->count);
  if (!tocha_call_out(cx, op, args, outs)) return raise_error(L);
  if (asks_for_gradients(op, args) && !tocha_set_requires_grad(cx, outs[0], true))
    return raise_error(L);
  lua_getfield(L, kw, "out");
  if (!many) return 1;
  need_stack(L, op->result_count);
  int list = lua_gettop(L);
  for (int i = 0; i < op->result_count; i++) lua_rawgeti(L, list, i + 1);
  return op->result_count;
}

/* Raises the error for a call that fits a signature which PyTorch has and Tocha lacks. */
static int raise_refused(lua_State *L, const tocha_op *op) {
  return raise_message(L, TOCHA_NOT_IMPLEMENTED_ERROR,
                       "Could not run 'aten::%s' with arguments from the 'CPU' backend.",
                       op->refused->name);
}

/* Returns true if the only argument is a table that gives self: torch.Tensor.sum{self = x}.
 * [-0, +0, e] */
static bool is_keyword_self(lua_State *L) {
  if (lua_gettop(L) != 1 || lua_type(L, 1) != LUA_TTABLE) return false;
  bool given = lua_geti(L, 1, 1) != LUA_TNIL || lua_getfield(L, 1, "self") != LUA_TNIL ||
               lua_getfield(L, 1, "input") != LUA_TNIL;
  lua_settop(L, 1);
  return given;
}

/* Pushes the keyword `name` of the table at kw, and returns true if it is given. [-0, +1, m] */
static bool given(lua_State *L, int kw, const char *name) {
  lua_pushstring(L, name);
  return lua_rawget(L, kw) != LUA_TNIL;
}

/* Takes layout, of which there is one, and pin_memory out of a factory's keywords: replaces
 * c->kw by a table without them. Returns false if neither is given. Called only if nothing fits,
 * so that other calls pay nothing. [-0, +?, e] */
static bool take_memory_words(lua_State *L, const overloads *o, call *c, bool *pinned) {
  const tocha_op *op = o->items[o->count - 1].op; /* the overloads for tensors come first */
  if (!(op->flags & TOCHA_OP_FACTORY) || !c->kw) return false;
  bool layout = given(L, c->kw, "layout"), pin = given(L, c->kw, "pin_memory");
  if (!layout && !pin) return false;
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
  lua_getfield(L, -1, "strided");
  if (layout && !lua_rawequal(L, -1, -4))
    raise_message(L, TOCHA_TYPE_ERROR, "%s(): argument 'layout' must be torch.layout, not %s",
                  op->lua_name, python_type(L, -4));
  if (pin && !lua_isboolean(L, -3))
    raise_message(L, TOCHA_TYPE_ERROR, "%s(): argument 'pin_memory' must be bool, not %s",
                  op->lua_name, python_type(L, -3));
  *pinned = pin && lua_toboolean(L, -3);
  lua_settop(L, lua_gettop(L) - 4);
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, c->kw);) {
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "layout";
    bool taken = strcmp(key, "layout") == 0 || strcmp(key, "pin_memory") == 0;
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    if (taken)
      lua_pop(L, 2);
    else
      lua_rawset(L, -4);
  }
  c->kw = lua_gettop(L);
  return true;
}

/* Calls the first overload that fits. Returns the number of pushed results, or -1 if none fits.
 * [-0, +results, e] */
static int call_fitting(lua_State *L, binding *b, const overloads *o, const call *c,
                        argument_arena *a, tocha_arg *args) {
  mismatch why;
  int top = lua_gettop(L);
  for (int i = 0; i < o->count; i++) {
    const tocha_op *op = o->items[i].op;
    const signature *s = &o->items[i].signature;
    a->used = 0;
    if (fit_arguments(L, s, c, a, args, &why)) {
      if (o->items[i].refused) return raise_refused(L, op);
      bool out = c->kw && s->count > op->parameter_count && args[op->parameter_count].given;
      return out ? call_with_out(L, op, args, c->kw) : call_and_push(L, b, op, args);
    }
    if (tocha_failed(b->cx)) return raise_error(L);
    if (why.reason == WRONG_ELEMENT)
      return raise_mismatch(L, s, c, &why); /* PyTorch has chosen this one by then */
    lua_settop(L, top);
  }
  return -1;
}

static int call_operator(lua_State *L);

/* Returns the overloads that refuse a call. PyTorch has two functions behind some names of
 * nn.functional: with return_indices the error is that of NAME_with_indices. [-0, +?, e] */
static const overloads *refusing(lua_State *L, const overloads *o, const call *c) {
  const signature *s = &o->items[0].signature;
  int i = 0;
  if (!s->python || !s->words) return o;
  while (i < s->count && strcmp(s->parameters[i].name, "return_indices") != 0) i++;
  if (i == s->count) return o;
  bool asked =
      i < c->n ? lua_toboolean(L, c->first + i) : c->kw && given(L, c->kw, "return_indices");
  if (!asked || !lua_toboolean(L, i < c->n ? c->first + i : -1)) return o;
  push_namespace(L, o->items[0].op->namespace_);
  lua_pushfstring(L, "%s_with_indices", o->items[0].op->lua_name);
  lua_rawget(L, -2);
  if (lua_tocfunction(L, -1) != call_operator || !lua_getupvalue(L, -1, 1)) return o;
  return lua_touserdata(L, -1); /* the namespace keeps the overloads alive */
}

/* Calls an operator, under any of its names. Upvalue: its overloads. */
static int call_operator(lua_State *L) {
  const overloads *o = lua_touserdata(L, lua_upvalueindex(1));
  binding *b = settled(L, o->binding);
  charge_collector(L, b);
  if (o->self_count && !to_tensor(L, 1) && !is_keyword_self(L))
    return raise_without_self(L, "Tensor", o->items[0].op->lua_name);
  call c = split_call(L, 1, o->self_count);
  argument_arena a;
  tocha_arg args[TOCHA_MAX_PARAMETERS + 1]; /* out= */
  int pushed = call_fitting(L, b, o, &c, &a, args);
  if (pushed >= 0) return pushed;
  bool pinned = false;
  if (take_memory_words(L, o, &c, &pinned)) pushed = call_fitting(L, b, o, &c, &a, args);
  if (pushed < 0) return raise_no_overload(L, refusing(L, o, &c), &c, &a, args);
  if (!pinned) return pushed;
  lua_getfield(L, -1, "pin_memory");
  lua_insert(L, -2);
  lua_call(L, 1, 1);
  return 1;
}

/* Pushes the results of a finished call and returns their number. If a result is `self`, the
 * first argument, and its userdata is at index 1, pushes that userdata. [-0, +results, m] */
static int push_results(lua_State *L, binding *b, const tocha_op *op, tocha_results *results,
                        const tocha_tensor *self) {
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
      tocha_lua_push_dtype(L, v->value.dtype);
      break;
    case TOCHA_KIND_SIZE:
      tocha_lua_push_size(L, v->count, v->value.ints);
      break;
    default:
      lua_pushnil(L);
    }
    return 1;
  }
  if (op->flags & TOCHA_OP_LIST && !results->single) {
    lua_createtable(L, results->count, 0);
    for (int i = 0; i < results->count; i++) {
      push_new_tensor(L, b, results->tensors[i]);
      lua_rawseti(L, -2, i + 1);
    }
    return 1;
  }
  if (results->count > TOCHA_MAX_RESULTS) need_stack(L, results->count + 2);
  for (int i = 0; i < results->count; i++) {
    tocha_tensor *t = results->tensors[i];
    if (!t)
      lua_pushnil(L);
    else if (t == self && to_tensor(L, 1) == t)
      lua_pushvalue(L, 1);
    else
      push_new_tensor(L, b, t);
  }
  return results->count;
}

int call_and_push(lua_State *L, binding *b, const tocha_op *op, const tocha_arg *args) {
  tocha_context *cx = b->cx;
  tocha_results results;
  tocha_scope s = tocha_scope_begin(cx);
  if (!tocha_call(cx, op, args, &results)) {
    tocha_scope_end(cx, s, NULL);
    return raise_error(L);
  }
  const tocha_tensor *self = op->parameter_count ? args[0].tensor : NULL;
  int pushed = push_results(L, b, op, &results, self);
  tocha_results_free(cx, &results);
  tocha_scope_end(cx, s, NULL);
  return pushed;
}

/* Returns the signature of one form of an operator. */
static signature signature_of(const tocha_op *op, bool method, bool python) {
  bool namespace_ = op->namespace_[0] != '\0';
  bool python_method = op->flags & TOCHA_OP_PYTHON_METHOD;
  bool worded = method ? python_method : namespace_ || python;
  /* For a function that is also in torch, Python's form has no out. */
  bool out = op->flags & TOCHA_OP_OUT && !method &&
             !(python && namespace_ && op->forms & TOCHA_FORM_TORCH);
  signature s = {.function = op->lua_name,
                 .parameters = op->parameters,
                 .count = (uint8_t)(op->parameter_count + out),
                 .positional = op->positional,
                 .self_count = method,
                 .taken = method,
                 .python = python,
                 .aliases = true,
                 .spread = op->positional - method == 1,
                 .words = worded ? op->words : NULL};
  if (s.words && s.words->name && method == python_method) s.function = s.words->name;
  return s;
}

/* Adds a signature under its name to the table at `index`, beside earlier ones of that name.
 * [-0, +0, m] */
static void add_overload(lua_State *L, binding *b, int index, const struct overload *item) {
  int count = 0, name = lua_gettop(L) + 1;
  const overloads *old = NULL;
  lua_pushstring(L, item->op->lua_name);
  lua_pushvalue(L, name);
  lua_rawget(L, index);
  if (lua_tocfunction(L, -1) == call_operator && lua_getupvalue(L, -1, 1)) {
    old = lua_touserdata(L, -1);
    count = old->count;
  }
  overloads *o = lua_newuserdatauv(L, sizeof *o + (size_t)(count + 1) * sizeof *o->items, 0);
  if (old) memcpy(o->items, old->items, (size_t)count * sizeof *o->items);
  o->binding = b;
  o->count = count + 1;
  o->self_count = item->signature.self_count;
  o->items[count] = *item;
  lua_pushcclosure(L, call_operator, 1);
  lua_replace(L, name + 1);
  lua_settop(L, name + 1);
  lua_rawset(L, index);
}

static void register_op(lua_State *L, binding *b, int index, const tocha_op *op, bool method,
                        bool python) {
  struct overload item = {signature_of(op, method, python), op, false};
  add_overload(L, b, index, &item);
  if (op->lua_alias) {
    lua_getfield(L, index, op->lua_name);
    lua_setfield(L, index, op->lua_alias);
  }
  if (!op->refused || method) return;
  item.refused = true;
  item.signature.parameters = op->refused->parameters;
  item.signature.count = op->refused->parameter_count;
  item.signature.positional = op->refused->positional;
  item.signature.spread = false;
  add_overload(L, b, index, &item);
}

/* Returns the overloads of the operator whose function is at `index`, or NULL for another value.
 * [-0, +0, -] */
static const overloads *operators_of(lua_State *L, int index) {
  if (lua_tocfunction(L, index) != call_operator || !lua_getupvalue(L, index, 1)) return NULL;
  const overloads *o = lua_touserdata(L, -1);
  lua_pop(L, 1); /* the function keeps the overloads alive */
  return o;
}

int operator_same_as(lua_State *L) {
  luaL_checkany(L, 1);
  const overloads *o = operators_of(L, 1);
  lua_pushstring(L, o && o->count > 0 ? o->items[0].op->same_as : NULL); /* NULL pushes nil */
  return 1;
}

bool push_operator_help(lua_State *L, int index) {
  const overloads *o = operators_of(L, index);
  if (!o) return false;
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int i = 0; i < o->count; i++) {
    const tocha_op *op = o->items[i].op;
    if (o->items[i].refused) continue;
    lua_pushfstring(L, "%s%s%s\n    %s", i ? "\n" : "", op->lua_name, op->signature, op->doc);
    luaL_addvalue(&b);
  }
  luaL_pushresult(&b);
  return true;
}

/* Registers an operator under each of its forms. [-0, +0, e] */
static void register_forms(lua_State *L, binding *b, int torch, int methods, const tocha_op *op) {
  bool python = op->flags & TOCHA_OP_PYTHON;
  if (op->forms & TOCHA_FORM_TORCH)
    register_op(L, b, torch, op, false, python && !op->namespace_[0]);
  if (op->forms & TOCHA_FORM_METHOD)
    register_op(L, b, methods, op, true, op->flags & TOCHA_OP_PYTHON_METHOD);
  if (op->forms & TOCHA_FORM_ATTRIBUTE) { /* called by subscript.c */
    lua_pushlightuserdata(L, (void *)op);
    lua_setfield(L, methods, op->lua_name);
  }
  if (!op->namespace_[0]) return;
  push_namespace(L, op->namespace_);
  register_op(L, b, lua_gettop(L), op, false, python);
  lua_pop(L, 1);
}

void register_defined(lua_State *L, const tocha_op *op) {
  need_stack(L, 12);
  push_namespace(L, op->namespace_);
  lua_pushstring(L, op->lua_name);
  if (lua_rawget(L, -2) == LUA_TNIL)
    register_op(L, binding_of(L), lua_gettop(L) - 1, op, false, false);
  lua_pop(L, 2);
}

void open_operators(lua_State *L, int torch, int methods) {
  const tocha_op *op;
  binding *b = binding_of(L);
  for (int i = 0; (op = tocha_op_at(i)); i++) register_forms(L, b, torch, methods, op);
  push_namespace(L, "ops"); /* empty until a program defines some */
  lua_pop(L, 1);
}
