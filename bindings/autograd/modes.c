/* modes.c: no_grad and other modes, which are blocks: to-be-closed variables, or a function in
 * last place; and the settings of a context.
 *
 * The call enters the mode. A guard that is dropped without being closed leaves its mode when it
 * is collected, with a warning that shows the right form. */
#include <string.h>

#include "function_table.h"
#include "lua/callback.h"
#include "lua/guard.h"
#include "tocha/attention.h"
#include "tocha/random.h"

#define ADVICE "`local _ <close> = torch.no_grad()`, or torch.no_grad(function() ... end)"

/* --- switches ------------------------------------------------------------------------------------- */

typedef struct switch_guard {
  guard head;
  bool old;
} switch_guard;

static void leave_grad(tocha_context *cx, guard *g, bool nested) {
  if (!nested) tocha_set_grad_enabled(cx, ((switch_guard *)g)->old);
}
static void leave_inference(tocha_context *cx, guard *g, bool nested) {
  if (!nested) tocha_set_inference_mode(cx, ((switch_guard *)g)->old);
}

typedef struct mode_switch {
  guard_class class;
  bool (*set)(tocha_context *cx, bool value); /* returns the old value */
} mode_switch;

static const mode_switch grad_mode = {{"torch.autograd.grad_mode.no_grad", ADVICE,
                                       sizeof(switch_guard), sizeof(bool), leave_grad, NULL, NULL},
                                      tocha_set_grad_enabled};
static const mode_switch inference = {{"torch.autograd.grad_mode.inference_mode", ADVICE,
                                       sizeof(switch_guard), sizeof(bool), leave_inference, NULL,
                                       NULL},
                                      tocha_set_inference_mode};

/* Enters a mode, and pushes its guard or the results of the block that runs under it. Returns the
 * number of results. `setting`: the mode may be meant to last. [-0, +results, e] */
static int enter_block(lua_State *L, const mode_switch *mode, bool value, const tocha_arg *block,
                       bool setting) {
  switch_guard *g = push_guard(L, &mode->class);
  g->old = mode->set(CX(L), value);
  open_guard(L, &g->head);
  if (block && block->given) {
    lua_insert(L, 2);
    lua_settop(L, 2);
    return call_guarded(L, 1);
  }
  g->head.setting = setting;
  return 1;
}

/* Raises if a function to decorate is given. PyTorch decorates functions; here a function is the
 * block. */
static void refuse_orig_func(lua_State *L, const tocha_arg *orig_func, const char *name) {
  if (orig_func->given)
    raise_message(L, TOCHA_TYPE_ERROR, "%s.__init__() takes 1 positional argument but 2 were given",
                  name);
}

int torch_no_grad(lua_State *L, const tocha_arg *args) {
  refuse_orig_func(L, &args[0], "no_grad");
  return enter_block(L, &grad_mode, false, &args[1], false);
}
int torch_enable_grad(lua_State *L, const tocha_arg *args) {
  refuse_orig_func(L, &args[0], "enable_grad");
  return enter_block(L, &grad_mode, true, &args[1], false);
}

int torch_inference_mode(lua_State *L, const tocha_arg *args) {
  int mode = any_index(&args[0]);
  bool value = !mode || lua_isnil(L, mode) || lua_toboolean(L, mode);
  return enter_block(L, &inference, value, &args[1], false);
}

/* Sets the mode permanently: torch.set_grad_enabled(false). Its guard brings the old mode back if
 * it is closed. */
int torch_set_grad_enabled(lua_State *L, const tocha_arg *args) {
  int mode = any_index(&args[0]);
  if (lua_type(L, mode) != LUA_TBOOLEAN)
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not %s",
                         python_type(L, mode));
  return enter_block(L, &grad_mode, lua_toboolean(L, mode), &args[1], true);
}

/* --- anomaly mode --------------------------------------------------------------------------------- */

typedef struct anomaly_guard {
  guard head;
  bool old, old_check_nan;
} anomaly_guard;

static void leave_anomaly(tocha_context *cx, guard *g, bool nested) {
  const anomaly_guard *a = (anomaly_guard *)g;
  if (nested) return;
  tocha_set_anomaly(cx, a->old);
  tocha_set_anomaly_check_nan(cx, a->old_check_nan);
}

static const guard_class anomaly = {"torch.autograd.anomaly_mode.detect_anomaly",
                                    ADVICE,
                                    sizeof(anomaly_guard),
                                    2 * sizeof(bool),
                                    leave_anomaly,
                                    NULL,
                                    NULL};

/* Sets *argument to the traceback from the innermost function of the program on, without its heading,
 * of tocha_new_text. Always returns true. */
static bool copy_trace(lua_State *L, binding *b, void *argument) {
  char **copy = argument;
  lua_Debug ar;
  int level = 1;
  (void)b;
  while (lua_getstack(L, level, &ar) && lua_getinfo(L, "S", &ar) &&
         (*ar.what == 'C' || strncmp(ar.source, "=[tocha]", 8) == 0))
    level++;
  push_traceback(L, level);
  const char *text = lua_tostring(L, -1), *first = text ? strchr(text, '\n') : NULL;
  if (first) *copy = tocha_new_text(first + 1);
  return true;
}

/* Returns the traceback of the thread that calls the operator, of tocha_new_text, or NULL. */
static char *forward_trace(void *user) {
  char *copy = NULL;
  call_back_quietly(user, copy_trace, &copy);
  return copy;
}

static anomaly_guard *enter_anomaly(lua_State *L, bool on, bool check_nan) {
  binding *b = binding_of(L);
  anomaly_guard *g = push_guard(L, &anomaly);
  tocha_set_forward_trace(b->cx, forward_trace, b);
  g->old = tocha_set_anomaly(b->cx, on);
  g->old_check_nan = tocha_set_anomaly_check_nan(b->cx, check_nan);
  open_guard(L, &g->head);
  return g;
}

int torch_autograd_detect_anomaly(lua_State *L, const tocha_arg *args) {
  show_warning(L, "UserWarning",
               "Anomaly Detection has been enabled. This mode will increase the runtime and should "
               "only be enabled for debugging.");
  enter_anomaly(L, true, args[0].value.flag);
  if (!args[1].given) return 1;
  lua_insert(L, 2);
  lua_settop(L, 2);
  return call_guarded(L, 1);
}

int torch_autograd_set_detect_anomaly(lua_State *L, const tocha_arg *args) {
  enter_anomaly(L, args[0].value.flag, args[1].value.flag)->head.setting = true;
  return 1;
}

int torch_set_anomaly_enabled(lua_State *L, const tocha_arg *args) {
  lua_settop(L, 0);
  tocha_set_forward_trace(CX(L), forward_trace, binding_of(L));
  tocha_set_anomaly(CX(L), args[0].value.flag);
  tocha_set_anomaly_check_nan(CX(L), args[1].value.flag);
  return 0;
}

int torch_is_anomaly_check_nan_enabled(lua_State *L, const tocha_arg *args) {
  (void)args;
  bool enabled = tocha_set_anomaly_check_nan(CX(L), true);
  tocha_set_anomaly_check_nan(CX(L), enabled);
  lua_pushboolean(L, enabled);
  return 1;
}

int torch_is_grad_enabled(lua_State *L, const tocha_arg *args) {
  (void)args;
  lua_pushboolean(L, tocha_grad_enabled(CX(L)));
  return 1;
}

int torch_is_anomaly_enabled(lua_State *L, const tocha_arg *args) {
  (void)args;
  bool enabled = tocha_set_anomaly(CX(L), false);
  tocha_set_anomaly(CX(L), enabled);
  lua_pushboolean(L, enabled);
  return 1;
}

int torch_is_inference_mode_enabled(lua_State *L, const tocha_arg *args) {
  (void)args;
  lua_pushboolean(L, tocha_inference_mode(CX(L)));
  return 1;
}

/* Frees what the function of torch.scope(fn) made and nothing refers to any more, and returns
 * the function's results. Also called as the continuation if the function yielded. */
static int end_scope(lua_State *L, int status, lua_KContext context) {
  (void)status;
  (void)context;
  lua_gc(L, LUA_GCCOLLECT);
  return lua_gettop(L);
}

static int scope(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_callk(L, 0, LUA_MULTRET, 0, end_scope);
  return end_scope(L, LUA_OK, 0);
}

int torch_set_default_dtype(lua_State *L, const tocha_arg *args) {
  tocha_dtype d;
  if (!tocha_lua_to_dtype(L, any_index(&args[0]), &d))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "invalid dtype object: only floating-point types are "
                         "supported as the default type");
  return tocha_set_default_dtype(CX(L), d) ? 0 : raise_error(L);
}

int torch_get_default_dtype(lua_State *L, const tocha_arg *args) {
  (void)args;
  tocha_lua_push_dtype(L, tocha_default_dtype(CX(L)));
  return 1;
}

/* --- the default device --------------------------------------------------------------------------- */

typedef struct device_guard {
  guard head;
  tocha_device old;
} device_guard;

static void leave_device(tocha_context *cx, guard *g, bool nested) {
  if (!nested) tocha_set_default_device(cx, ((device_guard *)g)->old);
}

static const guard_class default_device = {"torch.utils._device.DeviceContext",
                                           ADVICE,
                                           sizeof(device_guard),
                                           sizeof(tocha_device),
                                           leave_device,
                                           NULL,
                                           NULL};

static device_guard *enter_device(lua_State *L, tocha_device d) {
  device_guard *g = push_guard(L, &default_device);
  g->old = tocha_default_device(CX(L));
  if (!tocha_set_default_device(CX(L), d)) raise_error(L);
  open_guard(L, &g->head);
  return g;
}

int under_device(lua_State *L, tocha_device d, int function) {
  lua_pushvalue(L, function);
  lua_replace(L, 1);
  lua_settop(L, 1);
  enter_device(L, d);
  return call_guarded(L, 1);
}

/* Sets the default device: torch.set_default_device(d[, fn]), or runs fn with it. The guard
 * brings the old device back if it is closed. */
int torch_set_default_device(lua_State *L, const tocha_arg *args) {
  tocha_device d = tocha_cpu();
  int index = any_index(&args[0]);
  if (index && !lua_isnil(L, index) && !tocha_lua_to_device(L, index, &d))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "set_default_device(): argument 'device' must be torch.device, not %s",
                         python_type(L, index));
  if (args[1].given) return under_device(L, d, 1);
  enter_device(L, d)->head.setting = true;
  return 1;
}

/* torch._host_random(on) makes random numbers for every device come from the CPU's generator, so
 * that they are the same on all devices. */
static int host_random(lua_State *L) {
  luaL_checktype(L, 1, LUA_TBOOLEAN);
  tocha_set_host_random(CX(L), lua_toboolean(L, 1));
  return 0;
}

int torch_get_default_device(lua_State *L, const tocha_arg *args) {
  (void)args;
  tocha_lua_push_device(L, tocha_concrete_device(CX(L), tocha_default_device(CX(L))));
  return 1;
}

/* Reads an integer as Python's int(text) does: blanks around it, a sign, digits with single
 * underscores between them. Returns false if the text is not an integer. Raises if the number is
 * out of range. */
static bool read_int(lua_State *L, const char *text, int64_t *value) {
  const char *at = text + strspn(text, " \t\n\r\f\v");
  bool negative = *at == '-';
  uint64_t magnitude = 0, limit = negative ? (uint64_t)1 << 63 : UINT64_MAX;
  at += *at == '-' || *at == '+';
  if (*at < '0' || *at > '9') return false;
  while (*at >= '0' && *at <= '9') {
    uint64_t digit = (uint64_t)(*at - '0');
    if (magnitude > (limit - digit) / 10)
      raise_message(L, TOCHA_VALUE_ERROR, "Overflow when unpacking long long");
    magnitude = magnitude * 10 + digit;
    at++;
    if (*at == '_' && at[1] >= '0' && at[1] <= '9') at++;
  }
  at += strspn(at, " \t\n\r\f\v");
  *value = (int64_t)(negative ? 0 - magnitude : magnitude);
  return *at == '\0';
}

/* Returns a seed as Python's int(x), and raises if PyTorch does not accept its range. */
static int64_t to_seed(lua_State *L, tocha_scalar s) {
  if (s.kind != TOCHA_SCALAR_FLOAT) return s.value.integer;
  double x = s.value.real;
  if (x != x) raise_message(L, TOCHA_VALUE_ERROR, "cannot convert float NaN to integer");
  if (x - x != 0) raise_message(L, TOCHA_VALUE_ERROR, "cannot convert float infinity to integer");
  if (x >= 18446744073709551616.0 || x < -9223372036854775808.0)
    raise_message(L, TOCHA_VALUE_ERROR, "Overflow when unpacking long long");
  return x >= 9223372036854775808.0 ? (int64_t)(uint64_t)x : (int64_t)x;
}

int torch_manual_seed(lua_State *L, const tocha_arg *args) {
  tocha_scalar s;
  int seed = any_index(&args[0]);
  if (lua_type(L, seed) == LUA_TSTRING) {
    s.kind = TOCHA_SCALAR_INT;
    if (!read_int(L, lua_tostring(L, seed), &s.value.integer))
      return raise_message(L, TOCHA_VALUE_ERROR, "invalid literal for int() with base 10: '%s'",
                           lua_tostring(L, seed));
  } else if (!to_scalar(L, seed, &s))
    return raise_message(
        L, TOCHA_TYPE_ERROR,
        "int() argument must be a string, a bytes-like object or a real number, not '%s'",
        python_type(L, seed));
  tocha_manual_seed(CX(L), (uint64_t)to_seed(L, s));
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

/* torch._reduced_precision(dtype [, allowed]) returns, and may set, the switch for reduced
 * precision in a 16-bit type's products on CUDA. */
static int reduced_precision(lua_State *L) {
  tocha_dtype d;
  if (!tocha_lua_to_dtype(L, 1, &d)) return luaL_argerror(L, 1, "a dtype expected");
  if (lua_isboolean(L, 2)) tocha_set_reduced_precision(CX(L), d, lua_toboolean(L, 2));
  lua_pushboolean(L, tocha_reduced_precision(CX(L), d));
  return 1;
}

/* torch._attention_backends([allowed, matrices_first]) returns, and may set, the bits of the backends of attention that may be
 * used. */
static int attention_backends(lua_State *L) {
  if (!lua_isnoneornil(L, 1))
    tocha_set_attention_backends(CX(L), (uint32_t)luaL_checkinteger(L, 1), lua_toboolean(L, 2));
  lua_pushinteger(L, tocha_attention_backends(CX(L)));
  return 1;
}

/* torch._can_use_attention(backend, query, key, value, attn_mask, dropout_p, enable_gqa) returns true if this backend computes
 * the call on CUDA. */
static int can_use_attention(lua_State *L) {
  tocha_tensor *t[4];
  for (int i = 0; i < 4; i++) {
    t[i] = to_tensor(L, 2 + i);
    if (!t[i] && (i < 3 || !lua_isnoneornil(L, 2 + i)))
      return luaL_argerror(L, 2 + i, "a tensor expected");
  }
  tocha_attention_backend backend = (tocha_attention_backend)luaL_checkinteger(L, 1);
  lua_pushboolean(L, tocha_can_use_attention(CX(L), backend, t[0], t[1], t[2], t[3],
                                             luaL_checknumber(L, 6), lua_toboolean(L, 7)));
  return 1;
}

/* torch._cudnn(name [, value]) returns, and may set, a switch of cuDNN: a boolean, or the integer "benchmark_limit". */
static int cudnn(lua_State *L) {
  static const char *const names[] = {"enabled",    "benchmark",       "deterministic",
                                      "allow_tf32", "benchmark_limit", NULL};
  int which = luaL_checkoption(L, 1, NULL, names);
  if (which <= TOCHA_CUDNN_TF32) {
    if (lua_isboolean(L, 2)) tocha_set_cudnn(CX(L), (tocha_cudnn_switch)which, lua_toboolean(L, 2));
    lua_pushboolean(L, tocha_get_cudnn(CX(L), (tocha_cudnn_switch)which));
  } else {
    if (lua_isinteger(L, 2)) tocha_set_cudnn_benchmark_limit(CX(L), lua_tointeger(L, 2));
    lua_pushinteger(L, tocha_get_cudnn_benchmark_limit(CX(L)));
  }
  return 1;
}

/* torch._deterministic([on]) returns, and may set, the request for the same bits on each run. */
static int deterministic(lua_State *L) {
  if (lua_isboolean(L, 1)) tocha_set_deterministic(CX(L), lua_toboolean(L, 1));
  lua_pushboolean(L, tocha_deterministic(CX(L)));
  return 1;
}

/* torch._which_digits([name]) sets which digits the CPU computes, "pytorch" or "fast", if a name
 * is given. Returns the name of the choice. */
static int which_digits(lua_State *L) {
  static const char *const names[] = {"pytorch", "fast", NULL};
  static const tocha_digits values[] = {TOCHA_DIGITS_PYTORCH, TOCHA_DIGITS_FAST};
  if (!lua_isnoneornil(L, 1)) tocha_set_digits(CX(L), values[luaL_checkoption(L, 1, NULL, names)]);
  lua_pushstring(L, names[tocha_get_digits(CX(L)) == TOCHA_DIGITS_FAST]);
  return 1;
}

/* Sets the options of printing: (precision, threshold, edgeitems, linewidth, profile, sci_mode). */
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
  /* a double has at most 1074 digits after the point */
  const int maximum[] = {1074, INT32_MAX, INT32_MAX, INT32_MAX};
  int *const fields[] = {&o->precision, &o->threshold, &o->edgeitems, &o->linewidth};
  for (int i = 0; i < 4; i++) {
    double n = args[i].value.real;
    if (args[i].given) *fields[i] = n >= maximum[i] ? maximum[i] : n > 0 ? (int)n : 0; /* NaN: 0 */
  }
  o->sci_mode = args[5].given ? args[5].value.flag : -1;
  return 0;
}

/* torch._print_threshold(n) sets the number of elements above which tensors are printed in
 * summary, and returns the old number. */
static int print_threshold(lua_State *L) {
  tocha_print_options *o = tocha_printing(CX(L));
  lua_Integer n = luaL_checkinteger(L, 1);
  lua_pushinteger(L, o->threshold);
  o->threshold = n > INT32_MAX ? INT32_MAX : n < 0 ? 0 : (int)n;
  return 1;
}

void open_modes(lua_State *L, int torch) {
  static const luaL_Reg own[] = {{"scope", scope},
                                 {"_host_random", host_random},
                                 {"_attention_backends", attention_backends},
                                 {"_can_use_attention", can_use_attention},
                                 {"_reduced_precision", reduced_precision},
                                 {"_deterministic", deterministic},
                                 {"_cudnn", cudnn},
                                 {"_which_digits", which_digits},
                                 {"_print_threshold", print_threshold},
                                 {NULL, NULL}};
  lua_pushvalue(L, torch);
  luaL_setfuncs(L, own, 0);
  lua_pop(L, 1);
}
