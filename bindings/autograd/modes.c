/* modes.c: no_grad and the like: a block is a to-be-closed variable or a function in last place.
 *
 * The mode is entered by the call. A guard that is dropped without being closed leaves its mode
 * when it is collected, with a warning that shows the right form. */
#include <string.h>

#include "function_table.h"
#include "tocha/random.h"

static const char GUARD[] = "torch.mode";

typedef enum mode_kind { GRAD, INFERENCE, ANOMALY, DEVICE } mode_kind;

typedef struct guard {
  mode_kind kind;
  bool old, open, optional; /* optional: set_grad_enabled, whose guard may be dropped */
  tocha_device device;      /* the default one before; DEVICE */
} guard;

static bool set_mode(tocha_context *cx, mode_kind kind, bool value) {
  switch (kind) {
  case GRAD:
    return tocha_set_grad_enabled(cx, value);
  case INFERENCE:
    return tocha_set_inference_mode(cx, value);
  case ANOMALY:
    return tocha_set_anomaly(cx, value);
  default:
    return false;
  }
}

static void leave(tocha_context *cx, const guard *g) {
  if (g->kind == DEVICE)
    tocha_set_default_device(cx, g->device);
  else
    set_mode(cx, g->kind, g->old);
}

static int guard_close(lua_State *L) {
  guard *g = luaL_checkudata(L, 1, GUARD);
  if (g->open) leave(CX(L), g);
  g->open = false;
  return 0;
}

static int guard_gc(lua_State *L) {
  guard *g = luaL_checkudata(L, 1, GUARD);
  if (!g->open || g->optional) return 0;
  guard_close(L); /* raises, to be forgotten, where the state is on its way out */
  lua_warning(L,
              "torch: a mode was entered and its guard dropped; write "
              "`local _ <close> = torch.no_grad()`, or torch.no_grad(function() ... end)",
              0);
  return 0;
}

static int guard_tostring(lua_State *L) {
  lua_pushliteral(L, "<torch mode guard>");
  return 1;
}

static guard *enter(lua_State *L, mode_kind kind, bool value) {
  guard *g = lua_newuserdatauv(L, sizeof *g, 0);
  g->kind = kind;
  g->open = false;
  g->optional = false;
  g->device = tocha_default_device(CX(L));
  luaL_setmetatable(L, GUARD);
  g->old = set_mode(CX(L), kind, value);
  g->open = true;
  return g;
}

/* The results of the function at index 1, run in the mode of the guard on top. */
static int run_block(lua_State *L) {
  lua_toclose(L, -1); /* leaves the mode however the function ends */
  int base = lua_gettop(L);
  lua_pushvalue(L, 1);
  lua_call(L, 0, LUA_MULTRET);
  return lua_gettop(L) - base;
}

/* The guard, or the results of the block run under it. optional: the guard may be dropped. */
static int enter_block(lua_State *L, mode_kind kind, bool value, const tocha_arg *block,
                       bool optional) {
  guard *g = enter(L, kind, value);
  if (block && block->given) return run_block(L);
  g->optional = optional;
  return 1;
}

int torch_no_grad(lua_State *L, const tocha_arg *args) {
  return enter_block(L, GRAD, false, &args[0], false);
}
int torch_enable_grad(lua_State *L, const tocha_arg *args) {
  return enter_block(L, GRAD, true, &args[0], false);
}

int torch_inference_mode(lua_State *L, const tocha_arg *args) {
  int mode = any_index(&args[0]);
  bool value = !mode || lua_isnil(L, mode) || lua_toboolean(L, mode);
  return enter_block(L, INFERENCE, value, &args[1], false);
}

/* torch.set_grad_enabled(false) simply sets; its guard puts the old mode back when closed. */
int torch_set_grad_enabled(lua_State *L, const tocha_arg *args) {
  return enter_block(L, GRAD, args[0].value.flag, &args[1], true);
}

int torch_autograd_detect_anomaly(lua_State *L, const tocha_arg *args) {
  return enter_block(L, ANOMALY, true, &args[0], false);
}

int torch_autograd_set_detect_anomaly(lua_State *L, const tocha_arg *args) {
  return enter_block(L, ANOMALY, args[0].value.flag, NULL, true);
}

int torch_is_grad_enabled(lua_State *L, const tocha_arg *args) {
  (void)args;
  lua_pushboolean(L, tocha_grad_enabled(CX(L)));
  return 1;
}

int torch_is_inference_mode_enabled(lua_State *L, const tocha_arg *args) {
  (void)args;
  lua_pushboolean(L, tocha_inference_mode(CX(L)));
  return 1;
}

/* torch.scope(fn): what fn made and nothing refers to any more is freed when it returns. */
static int scope(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_call(L, 0, LUA_MULTRET);
  lua_gc(L, LUA_GCCOLLECT);
  return lua_gettop(L);
}

int torch_set_default_dtype(lua_State *L, const tocha_arg *args) {
  tocha_dtype d;
  if (!to_dtype(L, any_index(&args[0]), &d))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "invalid dtype object: only floating-point types are "
                         "supported as the default type");
  return tocha_set_default_dtype(CX(L), d) ? 0 : raise_error(L);
}

int torch_get_default_dtype(lua_State *L, const tocha_arg *args) {
  (void)args;
  push_dtype(L, tocha_default_dtype(CX(L)));
  return 1;
}

int under_device(lua_State *L, tocha_device d, int function) {
  guard *g = enter(L, DEVICE, false);
  lua_pushvalue(L, function);
  lua_replace(L, 1);
  g->optional = !tocha_set_default_device(CX(L), d); /* then there is nothing to leave */
  return g->optional ? raise_error(L) : run_block(L);
}

/* torch.set_default_device(d[, fn]) sets, or runs fn with it; its guard puts the old one back when
 * closed. */
int torch_set_default_device(lua_State *L, const tocha_arg *args) {
  tocha_device d = tocha_cpu();
  int index = any_index(&args[0]);
  if (index && !lua_isnil(L, index) && !to_device(L, index, &d))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "set_default_device(): argument 'device' must be torch.device, not %s",
                         python_type(L, index));
  if (args[1].given) return under_device(L, d, 1);
  enter(L, DEVICE, false)->optional = true;
  return tocha_set_default_device(CX(L), d) ? 1 : raise_error(L);
}

/* torch._host_random(true): random numbers for a device come from the CPU's generator, the same on every
 * device. */
static int host_random(lua_State *L) {
  luaL_checktype(L, 1, LUA_TBOOLEAN);
  tocha_set_host_random(CX(L), lua_toboolean(L, 1));
  return 0;
}

int torch_get_default_device(lua_State *L, const tocha_arg *args) {
  (void)args;
  push_device(L, tocha_concrete_device(CX(L), tocha_default_device(CX(L))));
  return 1;
}

int torch_manual_seed(lua_State *L, const tocha_arg *args) {
  tocha_scalar s;
  int seed = any_index(&args[0]);
  if (lua_type(L, seed) == LUA_TSTRING)
    return raise_message(L, TOCHA_VALUE_ERROR, "invalid literal for int() with base 10: '%s'",
                         lua_tostring(L, seed));
  if (!to_scalar(L, seed, &s))
    return raise_message(
        L, TOCHA_TYPE_ERROR,
        "int() argument must be a string, a bytes-like object or a real number, not '%s'",
        python_type(L, seed));
  tocha_manual_seed(CX(L),
                    (uint64_t)(int64_t)tocha_scalar_real(s) * (s.kind == TOCHA_SCALAR_FLOAT) +
                        (uint64_t)s.value.integer * (s.kind != TOCHA_SCALAR_FLOAT));
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
  lua_getfield(L, -1, "default_generator");
  return 1;
}

int torch_initial_seed(lua_State *L, const tocha_arg *args) {
  (void)args;
  lua_pushinteger(L, (lua_Integer)tocha_generator_initial_seed(tocha_default_generator(CX(L))));
  return 1;
}

int torch_get_num_threads(lua_State *L, const tocha_arg *args) {
  (void)args;
  lua_pushinteger(L, tocha_threads(CX(L)));
  return 1;
}

int torch_set_num_threads(lua_State *L, const tocha_arg *args) {
  int64_t n = args[0].value.integer;
  if (n < 1)
    return raise_message(L, TOCHA_RUNTIME_ERROR, "set_num_threads expects a positive integer");
  if (n > INT32_MAX) return raise_message(L, TOCHA_VALUE_ERROR, "Overflow when unpacking long");
  tocha_set_threads(CX(L), (int)n);
  return 0;
}

static const char *const precisions[] = {"highest", "high", "medium", NULL};

int torch_set_float32_matmul_precision(lua_State *L, const tocha_arg *args) {
  const char *name = args[0].value.string;
  for (int i = 0; precisions[i]; i++) {
    if (strcmp(precisions[i], name) != 0) continue;
    tocha_set_matmul_precision(CX(L), (tocha_matmul_precision)i);
    return 0;
  }
  tocha_warn(CX(L),
             "%s is not one of 'highest', 'high', or 'medium'; the current"
             "setFloat32MatmulPrecision call has no effect.",
             name);
  return 0;
}

int torch_get_float32_matmul_precision(lua_State *L, const tocha_arg *args) {
  (void)args;
  lua_pushstring(L, precisions[tocha_get_matmul_precision(CX(L))]);
  return 1;
}

/* torch._reduced_precision(dtype [, allowed]): the switch of a 16-bit type's products on CUDA. */
static int reduced_precision(lua_State *L) {
  tocha_dtype d;
  if (!to_dtype(L, 1, &d)) return luaL_argerror(L, 1, "a dtype expected");
  if (lua_isboolean(L, 2)) tocha_set_reduced_precision(CX(L), d, lua_toboolean(L, 2));
  lua_pushboolean(L, tocha_reduced_precision(CX(L), d));
  return 1;
}

/* precision, threshold, edgeitems, linewidth, profile, sci_mode */
int torch_set_printoptions(lua_State *L, const tocha_arg *args) {
  tocha_print_options *o = tocha_printing(CX(L));
  if (args[4].given) {
    const char *profile = args[4].value.string;
    bool brief = strcmp(profile, "short") == 0, full = strcmp(profile, "full") == 0;
    o->precision = brief ? 2 : 4;
    o->threshold = full ? INT32_MAX : 1000;
    o->edgeitems = brief ? 2 : 3;
    o->linewidth = 80;
  }
  int *const fields[] = {&o->precision, &o->threshold, &o->edgeitems, &o->linewidth};
  for (int i = 0; i < 4; i++) {
    double n = args[i].value.real;
    if (args[i].given) *fields[i] = n > INT32_MAX ? INT32_MAX : n < 0 ? 0 : (int)n;
  }
  o->sci_mode = args[5].given ? args[5].value.flag : -1;
  return 0;
}

void open_modes(lua_State *L, int torch) {
  static const luaL_Reg events[] = {
      {"__close", guard_close}, {"__gc", guard_gc}, {"__tostring", guard_tostring}, {NULL, NULL}};
  static const luaL_Reg own[] = {{"scope", scope},
                                 {"_host_random", host_random},
                                 {"_reduced_precision", reduced_precision},
                                 {NULL, NULL}};
  luaL_newmetatable(L, GUARD);
  luaL_setfuncs(L, events, 0);
  lua_pop(L, 1);
  lua_pushvalue(L, torch);
  luaL_setfuncs(L, own, 0);
  lua_pop(L, 1);
}
