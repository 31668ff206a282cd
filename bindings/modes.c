/* modes.c: no_grad and its kin: a block is a to-be-closed variable or a function in last place.
 *
 * The mode is entered by the call. A guard that is dropped without being closed leaves its mode
 * when it is collected, with a warning that shows the right form. */
#include <string.h>

#include "binding.h"
#include "device/devices.h"

static const char GUARD[] = "torch.mode";

typedef enum mode_kind { GRAD, INFERENCE, ANOMALY, DEVICE } mode_kind;

typedef struct guard {
  mode_kind kind;
  bool old, open, optional; /* optional: set_grad_enabled, whose guard may be dropped */
  tocha_device device;      /* the default one before; DEVICE */
} guard;

static bool set_mode(tocha_context *cx, mode_kind kind, bool value) {
  bool old = cx->anomaly;
  switch (kind) {
  case GRAD:
    return tocha_set_grad_enabled(cx, value);
  case INFERENCE:
    return tocha_set_inference_mode(cx, value);
  case ANOMALY:
    cx->anomaly = value;
    break;
  case DEVICE:
    break;
  }
  return old;
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

/* The guard, or the results of the function in last place run under it. */
static int block(lua_State *L, mode_kind kind, bool value, int function) {
  if (lua_type(L, function) != LUA_TFUNCTION) {
    enter(L, kind, value);
    return 1;
  }
  enter(L, kind, value);
  lua_toclose(L, -1); /* leaves the mode however the function ends */
  int base = lua_gettop(L);
  lua_pushvalue(L, function);
  lua_call(L, 0, LUA_MULTRET);
  return lua_gettop(L) - base;
}

static int no_grad(lua_State *L) { return block(L, GRAD, false, 1); }
static int enable_grad(lua_State *L) { return block(L, GRAD, true, 1); }

static int inference_mode(lua_State *L) {
  if (lua_type(L, 1) == LUA_TBOOLEAN) return block(L, INFERENCE, lua_toboolean(L, 1), 2);
  if (lua_type(L, 1) == LUA_TTABLE) {
    lua_getfield(L, 1, "mode");
    return block(L, INFERENCE, lua_isnil(L, -1) || lua_toboolean(L, -1), 2);
  }
  return block(L, INFERENCE, true, 1);
}

/* torch.set_grad_enabled(false) simply sets; its guard puts the old mode back when closed. */
static int set_grad_enabled(lua_State *L) {
  if (lua_type(L, 1) != LUA_TBOOLEAN)
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not %s",
                         python_type(L, 1));
  bool value = lua_toboolean(L, 1);
  if (lua_type(L, 2) == LUA_TFUNCTION) return block(L, GRAD, value, 2);
  enter(L, GRAD, value)->optional = true;
  return 1;
}

static int detect_anomaly(lua_State *L) { return block(L, ANOMALY, true, 1); }

static int set_detect_anomaly(lua_State *L) {
  luaL_checktype(L, 1, LUA_TBOOLEAN);
  enter(L, ANOMALY, lua_toboolean(L, 1))->optional = true;
  return 1;
}

static int is_grad_enabled(lua_State *L) {
  lua_pushboolean(L, tocha_grad_enabled(CX(L)));
  return 1;
}

static int is_inference_mode_enabled(lua_State *L) {
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

static int set_default_dtype(lua_State *L) {
  tocha_dtype d;
  if (!to_dtype(L, 1, &d))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "invalid dtype object: only floating-point types are "
                         "supported as the default type");
  return tocha_set_default_dtype(CX(L), d) ? 0 : raise_error(L);
}

static int get_default_dtype(lua_State *L) {
  push_dtype(L, tocha_default_dtype(CX(L)));
  return 1;
}

/* fn's results with d as the default device. */
int under_device(lua_State *L, tocha_device d, int function) {
  enter(L, DEVICE, false);
  lua_toclose(L, -1);
  int base = lua_gettop(L);
  if (!tocha_set_default_device(CX(L), d)) return raise_error(L);
  lua_pushvalue(L, function);
  lua_call(L, 0, LUA_MULTRET);
  return lua_gettop(L) - base;
}

/* torch.set_default_device(d[, fn]) sets, or runs fn with it; its guard puts the old one back when
 * closed. */
static int set_default_device(lua_State *L) {
  tocha_device d = tocha_cpu();
  if (!lua_isnoneornil(L, 1) && !to_device(L, 1, &d))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "set_default_device(): argument 'device' must be torch.device, not %s",
                         python_type(L, 1));
  if (lua_type(L, 2) == LUA_TFUNCTION) return under_device(L, d, 2);
  enter(L, DEVICE, false)->optional = true;
  return tocha_set_default_device(CX(L), d) ? 1 : raise_error(L);
}

/* torch._host_random(true): random numbers for a device come from the CPU's generator, the same on every
 * device. */
static int host_random(lua_State *L) {
  luaL_checktype(L, 1, LUA_TBOOLEAN);
  CX(L)->host_random = lua_toboolean(L, 1);
  return 0;
}

static int get_default_device(lua_State *L) {
  push_device(L, tocha_concrete_device(CX(L), tocha_default_device(CX(L))));
  return 1;
}

static int manual_seed(lua_State *L) {
  tocha_scalar s;
  if (lua_type(L, 1) == LUA_TSTRING)
    return raise_message(L, TOCHA_VALUE_ERROR, "invalid literal for int() with base 10: '%s'",
                         lua_tostring(L, 1));
  if (!to_scalar(L, 1, &s))
    return raise_message(
        L, TOCHA_TYPE_ERROR,
        "int() argument must be a string, a bytes-like object or a real number, not '%s'",
        python_type(L, 1));
  tocha_manual_seed(CX(L),
                    (uint64_t)(int64_t)tocha_scalar_real(s) * (s.kind == TOCHA_SCALAR_FLOAT) +
                        (uint64_t)s.value.integer * (s.kind != TOCHA_SCALAR_FLOAT));
  lua_getfield(L, lua_upvalueindex(1), "default_generator");
  return 1;
}

static int initial_seed(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)tocha_generator_initial_seed(tocha_default_generator(CX(L))));
  return 1;
}

static int get_num_threads(lua_State *L) {
  lua_pushinteger(L, tocha_threads(CX(L)));
  return 1;
}

static int set_num_threads(lua_State *L) {
  lua_Integer n = luaL_checkinteger(L, 1);
  if (n < 1)
    return raise_message(L, TOCHA_RUNTIME_ERROR, "set_num_threads expects a positive integer");
  if (n > INT32_MAX) return raise_message(L, TOCHA_VALUE_ERROR, "Overflow when unpacking long");
  tocha_set_threads(CX(L), (int)n);
  return 0;
}

static const char *const precisions[] = {"highest", "high", "medium", NULL};

static int set_float32_matmul_precision(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
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

static int get_float32_matmul_precision(lua_State *L) {
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

/* torch.set_printoptions{precision, threshold, edgeitems, linewidth, profile, sci_mode} */
static int set_printoptions(lua_State *L) {
  struct tocha_print_options *o = &CX(L)->print;
  static const char *const known[] = {"precision", "threshold", "edgeitems", "linewidth",
                                      "profile",   "sci_mode",  NULL};
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    lua_pop(L, 1);
    const char *key = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    int i = 0;
    while (known[i] && strcmp(known[i], key) != 0) i++;
    if (!known[i])
      return raise_message(L, TOCHA_TYPE_ERROR,
                           "set_printoptions() got an unexpected keyword argument '%s'", key);
  }
  if (lua_getfield(L, 1, "profile") == LUA_TSTRING) {
    const char *profile = lua_tostring(L, -1);
    bool brief = strcmp(profile, "short") == 0, full = strcmp(profile, "full") == 0;
    o->precision = brief ? 2 : 4;
    o->threshold = full ? INT32_MAX : 1000;
    o->edgeitems = brief ? 2 : 3;
    o->linewidth = 80;
  }
  static const char *const names[] = {"precision", "threshold", "edgeitems", "linewidth"};
  int *const fields[] = {&o->precision, &o->threshold, &o->edgeitems, &o->linewidth};
  for (int i = 0; i < 4; i++) {
    if (lua_getfield(L, 1, names[i]) != LUA_TNIL) {
      lua_Number n = luaL_checknumber(L, -1);
      *fields[i] = n > INT32_MAX ? INT32_MAX : n < 0 ? 0 : (int)n;
    }
  }
  int type = lua_getfield(L, 1, "sci_mode");
  o->sci_mode = type == LUA_TBOOLEAN ? lua_toboolean(L, -1) : -1;
  return 0;
}

void open_modes(lua_State *L, int torch) {
  static const luaL_Reg events[] = {
      {"__close", guard_close}, {"__gc", guard_gc}, {"__tostring", guard_tostring}, {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"no_grad", no_grad},
      {"enable_grad", enable_grad},
      {"inference_mode", inference_mode},
      {"set_grad_enabled", set_grad_enabled},
      {"is_grad_enabled", is_grad_enabled},
      {"is_inference_mode_enabled", is_inference_mode_enabled},
      {"scope", scope},
      {"set_default_dtype", set_default_dtype},
      {"get_default_dtype", get_default_dtype},
      {"set_default_device", set_default_device},
      {"get_default_device", get_default_device},
      {"_host_random", host_random},
      {"initial_seed", initial_seed},
      {"get_num_threads", get_num_threads},
      {"set_num_threads", set_num_threads},
      {"set_printoptions", set_printoptions},
      {"set_float32_matmul_precision", set_float32_matmul_precision},
      {"get_float32_matmul_precision", get_float32_matmul_precision},
      {"_reduced_precision", reduced_precision},
      {NULL, NULL}};
  luaL_newmetatable(L, GUARD);
  luaL_setfuncs(L, events, 0);
  lua_pop(L, 1);
  lua_pushvalue(L, torch);
  luaL_setfuncs(L, functions, 0);
  lua_pushvalue(L, torch);
  lua_pushcclosure(L, manual_seed, 1);
  lua_setfield(L, -2, "manual_seed");
  lua_createtable(L, 0, 4);
  lua_pushcfunction(L, detect_anomaly);
  lua_setfield(L, -2, "detect_anomaly");
  lua_pushcfunction(L, set_detect_anomaly);
  lua_setfield(L, -2, "set_detect_anomaly");
  lua_setfield(L, -2, "autograd");
  lua_pop(L, 1);
}
