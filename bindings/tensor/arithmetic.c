/* arithmetic.c: Lua's operators on tensors: arithmetic (+ - * and the like), and comparisons,
 * which give one truth value. */
#include <string.h>

#include "lua/binding.h"

/* --- arithmetic --------------------------------------------------------------------------------- */

/* Raises Python's error for operands that its operator does not take. `index` is the operand at
 * fault. */
static int refuse_operands(lua_State *L, int index, const char *symbol) {
  const char *left = lua_pushstring(L, python_type(L, 1));
  const char *right = lua_pushstring(L, python_type(L, 2));
  tocha_tensor *t = to_tensor(L, 3 - index);
  const char *hint = NULL;
  if (lua_isnil(L, index) && t && !tocha_is_leaf(t)) /* w = w - lr * w.grad, the second time */
    hint = "the grad of a tensor that was computed is nil, as any misspelled variable; a step that "
           "keeps w "
           "a leaf: torch.no_grad(function() w:sub_(lr * w.grad) end)";
  else if (lua_isnil(L, index))
    hint = "a nil operand is often a misspelled variable";
  bool sequence = index == 1 && (lua_type(L, 1) == LUA_TSTRING || lua_type(L, 1) == LUA_TTABLE);
  if (symbol[0] == '<' && symbol[1] != '<')
    raise_hinted(L, TOCHA_TYPE_ERROR, hint, "'%s' not supported between instances of '%s' and '%s'",
                 symbol, left, right);
  if (sequence && strcmp(symbol, "+") == 0)
    return raise_message(L, TOCHA_TYPE_ERROR, "can only concatenate %s (not \"%s\") to %s", left,
                         right, left);
  return raise_hinted(L, TOCHA_TYPE_ERROR, hint,
                      "unsupported operand type(s) for %s: '%s' and '%s'", symbol, left, right);
}

/* Reads an operand of a metamethod. Returns false if it is neither a tensor nor a number. */
static bool take_operand(lua_State *L, int index, tocha_arg *arg) {
  memset(arg, 0, sizeof *arg);
  arg->given = true;
  arg->tensor = to_tensor(L, index);
  return arg->tensor || to_scalar(L, index, &arg->value.scalar);
}

static void refuse_operand(lua_State *L, int index, const char *symbol) {
  if (strcmp(symbol, "*") == 0 && lua_type(L, index) == LUA_TSTRING) /* Python repeats a text */
    raise_message(L, TOCHA_TYPE_ERROR,
                  "only integer tensors of a single element can be converted to an index");
  refuse_operands(L, index, symbol);
}

static void read_operand(lua_State *L, int index, tocha_arg *arg, const char *symbol) {
  if (!take_operand(L, index, arg)) refuse_operand(L, index, symbol);
}

/* Calls the event of the metatable of the operand at `index` (tensor + object), which Lua itself
 * does only if the first operand lacks the event. Raises if the operand has no such event.
 * [-2, +1, e] */
static int call_other(lua_State *L, int index, const char *event, const char *symbol) {
  int type = lua_type(L, index);
  if ((type != LUA_TTABLE && type != LUA_TUSERDATA) ||
      luaL_getmetafield(L, index, event) == LUA_TNIL)
    refuse_operand(L, index, symbol);
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

/* Replaces a number by a 0-dim tensor, which stays on the Lua stack. [-0, +(0|1), e] */
static void number_to_tensor(lua_State *L, tocha_arg *arg) {
  if (arg->tensor) return;
  tocha_context *cx = CX(L);
  tocha_dtype type = TOCHA_INT64;
  if (arg->value.scalar.kind == TOCHA_SCALAR_FLOAT) type = tocha_default_dtype(cx);
  if (arg->value.scalar.kind == TOCHA_SCALAR_BOOL) type = TOCHA_BOOL;
  tocha_scope s = tocha_scope_begin(cx);
  tocha_tensor *t = tocha_new(cx, 0, NULL, type, tocha_cpu());
  if (!t) raise_error(L);
  tocha_store_scalar(tocha_data(t), type, arg->value.scalar);
  push_tensor(L, t); /* keeps t alive for the length of the call */
  tocha_scope_end(cx, s, NULL);
  arg->tensor = t;
}

/* The operators behind one event of the metatable. For some of them PyTorch has separate
 * signatures for a number on either side. `reversed` is called with the operands exchanged if
 * the number is on the left. */
typedef struct operation {
  binding *binding;
  const char *event, *symbol;
  const tocha_op *tensors, *scalar, *number, *reversed; /* all but tensors may be NULL */
} operation;

/* Lua's events, Python's operators (named in the entries of ours), and the operators' spelling
 * in messages. */
static const struct {
  const char *event, *symbol, *text;
} events_of_arithmetic[] = {{"__add", "+", "+"},    {"__sub", "-", "-"},
                            {"__mul", "*", "*"},    {"__div", "/", "/"},
                            {"__idiv", "//", "//"}, {"__mod", "%", "%"},
                            {"__band", "&", "&"},   {"__pow", "**", "** or pow()"},
                            {"__bor", "|", "|"},    {"__shl", "<<", "<<"},
                            {"__bxor", "^", "^"},   {"__shr", ">>", ">>"}};

/* Returns the operator for these operands. Exchanges the operands for a reversed form, and makes
 * a tensor of a number if the operator needs one. [-0, +(0|1), e] */
static const tocha_op *pick_operator(lua_State *L, const operation *o, tocha_arg *args) {
  if (!args[1].tensor && o->scalar) return o->scalar;
  if (args[0].tensor) {
    if (!args[1].tensor && o->tensors->parameters[1].kind == TOCHA_KIND_TENSOR)
      number_to_tensor(L, &args[1]);
    return o->tensors;
  }
  if (o->reversed) {
    tocha_arg number = args[0];
    args[0] = args[1];
    args[1] = number;
    return o->reversed;
  }
  if (o->number) return o->number;
  number_to_tensor(L, &args[0]);
  return o->tensors;
}

/* Calls the operator of an arithmetic event. Upvalue: the operation. */
static int arithmetic(lua_State *L) {
  const operation *o = lua_touserdata(L, lua_upvalueindex(1));
  binding *b = settled(L, o->binding);
  tocha_context *cx = b->cx;
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  tocha_results results;
  charge_collector(L, b);
  if (!take_operand(L, 1, &args[0])) return call_other(L, 1, o->event, o->symbol);
  if (!take_operand(L, 2, &args[1])) return call_other(L, 2, o->event, o->symbol);
  if (!args[0].tensor && !args[1].tensor) /* a metamethod that was called by hand */
    check_tensor(L, 1, o->tensors->lua_name, "input", 1);
  tocha_scope s = tocha_scope_begin(cx);
  const tocha_op *op = pick_operator(L, o, args);
  for (int i = 2; i < op->parameter_count; i++) args[i] = op->parameters[i].default_value;
  bool ok = tocha_call(cx, op, args, &results);
  if (ok) push_new_tensor(L, b, results.fixed[0]);
  tocha_scope_end(cx, s, NULL);
  return ok ? 1 : raise_error(L);
}

static int unary(lua_State *L) {
  const tocha_op *op = lua_touserdata(L, lua_upvalueindex(1));
  tocha_arg arg;
  binding *b = binding_of(L);
  charge_collector(L, b);
  memset(&arg, 0, sizeof arg);
  arg.tensor = check_tensor(L, 1, op->lua_name, "input", 1);
  arg.given = true;
  return call_and_push(L, b, op, &arg);
}

static int invert(lua_State *L) {
  const tocha_op *op = lua_touserdata(L, lua_upvalueindex(1));
  if (tocha_dtype_is_floating(tocha_dtype_of(check_tensor(L, 1, op->lua_name, "input", 1))))
    return raise_message(
        L, TOCHA_TYPE_ERROR,
        "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
  return unary(L);
}

/* --- comparison: Lua wants one truth value ---------------------------------------------------------- */

/* Adds a hint with the method for the program's comparison. Lua calls a < b for a program's b >
 * a, so both names are possible: "lt" and "gt". */
static void hint_at_method(lua_State *L, const tocha_op *op) {
  tocha_context *cx = CX(L);
  const char *less = op->lua_name, *greater = lua_pushfstring(L, "g%s", less + 1);
  static const char form[] =
      "in Lua a comparison answers true or false; for a tensor of answers: tensor:%s(%s)";
  if (strcmp(op->symbol, "==") == 0)
    tocha_hint(cx, "in Lua == answers true or false; use a:%s(b) for a tensor of answers", less);
  else if (lua_type(L, 1) == LUA_TNUMBER)
    tocha_hint(cx, form, greater, luaL_tolstring(L, 1, NULL));
  else if (lua_type(L, 2) == LUA_TNUMBER)
    tocha_hint(cx, form, less, luaL_tolstring(L, 2, NULL));
  else
    tocha_hint(
        cx,
        "in Lua a comparison answers true or false; for a tensor of answers: a:%s(b) or a:%s(b)",
        less, greater);
}

static int compare(lua_State *L) {
  const tocha_op *op = lua_touserdata(L, lua_upvalueindex(1));
  tocha_context *cx = CX(L);
  tocha_arg args[2];
  tocha_results results;
  tocha_scalar truth;
  read_operand(L, 1, &args[0], op->symbol);
  read_operand(L, 2, &args[1], op->symbol);
  number_to_tensor(L, &args[0]);
  tocha_scope s = tocha_scope_begin(cx);
  bool ok = tocha_call(cx, op, args, &results);
  if (ok && tocha_numel(results.fixed[0]) != 1) {
    ok = false;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               tocha_numel(results.fixed[0])
                   ? "Boolean value of Tensor with more than one value is ambiguous"
                   : "Boolean value of Tensor with no values is ambiguous");
    hint_at_method(L, op);
  }
  ok = ok && tocha_item(cx, results.fixed[0], &truth);
  tocha_scope_end(cx, s, NULL);
  if (!ok) return raise_error(L);
  lua_pushboolean(L, truth.value.integer != 0);
  return 1;
}

static int equal(lua_State *L) {
  if (!to_tensor(L, 1) || !to_tensor(L, 2)) { /* a tensor never equals another userdata */
    lua_pushboolean(L, 0);
    return 1;
  }
  return compare(L);
}

/* Sets an event to `f`, with the operator for one of Python's symbols as upvalue. Used for unary
 * operators and comparisons. The metatable is on top. [-0, +0, m] */
static void set_closure(lua_State *L, const char *event, lua_CFunction f, const char *symbol,
                        int operands) {
  const tocha_op *op;
  for (int i = 0; (op = tocha_op_at(i)); i++)
    if (op->symbol && op->positional == operands && strcmp(op->symbol, symbol) == 0) break;
  lua_pushlightuserdata(L, (void *)op);
  lua_pushcclosure(L, f, 1);
  lua_setfield(L, -2, event);
}

/* Records `op` in `o` if `op` is the first operator for the symbol: with a tensor on the left,
 * or with a number there. */
static void note_operator(operation *o, const char *symbol, const tocha_op *op) {
  if (op->positional != 2) return;
  if (!o->tensors && op->symbol && strcmp(op->symbol, symbol) == 0) o->tensors = op;
  if (!o->reversed && op->reversed && strcmp(op->reversed, symbol) == 0) o->reversed = op;
}

/* Records `op` in `o` if `op` is a variant with a number: "pow.scalar", "pow.number" beside
 * "pow". */
static void note_variant(operation *o, const tocha_op *op, const char *suffix) {
  if (strcmp(op->lua_name, o->tensors->lua_name) != 0) return;
  if (strcmp(suffix, "scalar") == 0) o->scalar = op;
  if (strcmp(suffix, "number") == 0) o->number = op;
}

static void set_arithmetic(lua_State *L) {
  operation *all[TOCHA_COUNT(events_of_arithmetic)];
  const tocha_op *op;
  for (int i = 0; i < TOCHA_COUNT(events_of_arithmetic); i++) {
    all[i] = lua_newuserdatauv(L, sizeof **all, 0);
    *all[i] = (operation){.binding = binding_of(L),
                          .event = events_of_arithmetic[i].event,
                          .symbol = events_of_arithmetic[i].text};
    lua_pushcclosure(L, arithmetic, 1);
    lua_setfield(L, -2, events_of_arithmetic[i].event);
  }
  for (int i = 0; (op = tocha_op_at(i)); i++)
    for (int k = 0; (op->symbol || op->reversed) && k < TOCHA_COUNT(all); k++)
      note_operator(all[k], events_of_arithmetic[k].symbol, op);
  for (int i = 0; (op = tocha_op_at(i)); i++) {
    const char *dot = strchr(op->name, '.');
    for (int k = 0; dot && k < TOCHA_COUNT(all); k++) note_variant(all[k], op, dot + 1);
  }
}

void open_arithmetic(lua_State *L) {
  set_arithmetic(L);
  set_closure(L, "__unm", unary, "-", 1);
  set_closure(L, "__bnot", invert, "~", 1);
  set_closure(L, "__eq", equal, "==", 2);
  set_closure(L, "__lt", compare, "<", 2);
  set_closure(L, "__le", compare, "<=", 2);
}
