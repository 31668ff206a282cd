/* autocast.c: autocast regions in Lua. The call enters a region, which is a to-be-closed
 * variable, a function in last place, or a wrapper: torch.autocast("cuda")(f). */
#include <string.h>

#include "function_table.h"
#include "lua/guard.h"
#include "tocha/amp.h"

/* --- regions -------------------------------------------------------------------------------- */

/* The settings that a region was asked for. */
typedef struct region {
  bool enabled;
  tocha_device_type device;
  tocha_dtype dtype;
  int cache_enabled;
} region;

typedef struct region_guard {
  guard head;
  tocha_autocast_region old;
  region asked; /* a wrapper enters the region again with these */
} region_guard;

static void leave_region(tocha_context *cx, guard *g, bool nested) {
  tocha_autocast_region state = ((region_guard *)g)->old;
  if (nested) { /* only the count of regions may change */
    state.enabled = tocha_autocast_enabled(cx, state.device);
    state.dtype = tocha_autocast_dtype(cx, state.device);
    state.cache_enabled = tocha_autocast_cache_enabled(cx);
  }
  tocha_autocast_leave(cx, &state);
}

static bool same_device(const guard *a, const guard *b) {
  return ((const region_guard *)a)->old.device == ((const region_guard *)b)->old.device;
}

static int region_call(lua_State *L);
static const guard_class region_class = {
    "torch.amp.autocast_mode.autocast",
    "`local _ <close> = torch.autocast(\"cuda\")`, or torch.autocast(\"cuda\", function() ... end)",
    sizeof(region_guard),
    sizeof(tocha_autocast_region),
    leave_region,
    same_device,
    region_call};

/* Enters a region, and pushes its guard. [-0, +1, e] */
static void enter(lua_State *L, const region *r) {
  region_guard *g = push_guard(L, &region_class);
  if (!tocha_autocast_enter(CX(L), r->device, r->dtype, r->enabled, r->cache_enabled, &g->old))
    raise_error(L);
  g->asked = *r;
  open_guard(L, &g->head);
}

/* (arguments...) Runs a wrapped function in its region. Upvalues: the region, the function. */
static int wrapped(lua_State *L) {
  const region *r = lua_touserdata(L, lua_upvalueindex(1));
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  enter(L, r);
  return call_guarded(L, 1);
}

/* (region, f) Returns a function that runs f in such a region. Leaves the region itself. */
static int region_call(lua_State *L) {
  region_guard *g = to_guard(L, 1, &region_class);
  if (lua_type(L, 2) != LUA_TFUNCTION)
    return raise_message(
        L, TOCHA_TYPE_ERROR,
        "autocast()(func) requires a callable, but got %s. Did you mean to use autocast as a "
        "context manager? For example:\n    with torch.autocast(device_type=...):\n        output "
        "= model(input)",
        python_type(L, 2));
  close_guard(binding_of(L), &g->head);
  region *r = lua_newuserdatauv(L, sizeof *r, 0);
  *r = g->asked;
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, wrapped, 2);
  return 1;
}

/* --- arguments ------------------------------------------------------------------------------ */

/* Returns the device type that the string at `index` names. */
static tocha_device_type read_device_type(lua_State *L, int index) {
  tocha_device device = tocha_cpu();
  tocha_lua_to_device(L, index, &device);
  return (tocha_device_type)device.type;
}

static bool read_truth(lua_State *L, const tocha_arg *arg, bool default_value) {
  int index = any_index(arg);
  tocha_scalar s;
  if (!index || lua_isnil(L, index)) return default_value;
  return to_scalar(L, index, &s) ? tocha_scalar_real(s) != 0 : lua_toboolean(L, index);
}

/* Returns the dtype of a region, or TOCHA_NO_DTYPE if it was omitted. */
static tocha_dtype read_region_dtype(lua_State *L, const tocha_arg *arg) {
  int index = any_index(arg);
  tocha_dtype dtype = TOCHA_NO_DTYPE;
  if (index && !lua_isnil(L, index) && !tocha_lua_to_dtype(L, index, &dtype))
    raise_message(L, TOCHA_TYPE_ERROR,
                  "set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not %s",
                  python_type(L, index));
  return dtype;
}

/* Enters the region and pushes its guard. If a block is given, the function at index 1, runs it
 * in the region and pushes its results. Returns the number of results. */
static int open_region(lua_State *L, const region *wanted, const tocha_arg *block) {
  if (block->given) lua_settop(L, 1);
  enter(L, wanted);
  return block->given ? call_guarded(L, 1) : 1;
}

/* Enters a region: (device_type, dtype, enabled, cache_enabled, block). */
int torch_autocast(lua_State *L, const tocha_arg *args) {
  region r = {.enabled = true, .cache_enabled = -1};
  int type = any_index(&args[0]);
  tocha_device device;
  bool object = lua_type(L, type) != LUA_TSTRING && tocha_lua_to_device(L, type, &device);
  if (lua_type(L, type) != LUA_TSTRING)
    raise_hinted(L, TOCHA_VALUE_ERROR, object ? "device_type = device.type" : NULL,
                 "Expected `device_type` of type `str`, got: `<class '%s'>`", python_type(L, type));
  r.device = read_device_type(L, type);
  r.dtype = read_region_dtype(L, &args[1]);
  if (r.dtype == TOCHA_NO_DTYPE && !tocha_autocast_available(r.device))
    raise_hinted(L, TOCHA_RUNTIME_ERROR, "autocast is for \"cpu\" and \"cuda\"",
                 "unsupported scalarType");
  r.enabled = read_truth(L, &args[2], true);
  if (any_index(&args[3]) && !lua_isnil(L, any_index(&args[3])))
    r.cache_enabled = read_truth(L, &args[3], true);
  return open_region(L, &r, &args[4]);
}

/* Enters a region by its old spellings: (enabled, dtype, cache_enabled, block). */
static int open_old_region(lua_State *L, tocha_device_type device, const tocha_arg *args) {
  region r = {.device = device, .dtype = read_region_dtype(L, &args[1])};
  if (r.dtype == TOCHA_NO_DTYPE) r.dtype = device == TOCHA_CPU ? TOCHA_BFLOAT16 : TOCHA_FLOAT16;
  r.enabled = read_truth(L, &args[0], true);
  r.cache_enabled = read_truth(L, &args[2], true);
  return open_region(L, &r, &args[3]);
}

int torch_cuda_amp_autocast(lua_State *L, const tocha_arg *args) {
  show_warning(L, "FutureWarning",
               "`torch.cuda.amp.autocast(args...)` is deprecated. Please use "
               "`torch.amp.autocast('cuda', args...)` instead.");
  return open_old_region(L, TOCHA_CUDA, args);
}
int torch_cpu_amp_autocast(lua_State *L, const tocha_arg *args) {
  show_warning(L, "FutureWarning",
               "`torch.cpu.amp.autocast(args...)` is deprecated. Please use "
               "`torch.amp.autocast('cpu', args...)` instead.");
  return open_old_region(L, TOCHA_CPU, args);
}

/* --- settings ------------------------------------------------------------------------------- */

/* Returns the device type of a name. Raises if the device has no autocast. */
static tocha_device_type autocast_device(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  tocha_device_type device = read_device_type(L, -1);
  if (!tocha_autocast_available(device))
    raise_message(L, TOCHA_RUNTIME_ERROR,
                  "unknown device type for autocast in get_autocast_dispatch_key_from_device_type");
  return device;
}

int torch_is_autocast_enabled(lua_State *L, const tocha_arg *args) {
  tocha_device_type device = TOCHA_CUDA; /* the meaning without a name */
  if (args[0].given) device = autocast_device(L, args[0].value.string);
  lua_pushboolean(L, tocha_autocast_enabled(CX(L), device));
  return 1;
}

int torch_set_autocast_enabled(lua_State *L, const tocha_arg *args) {
  int at = any_index(&args[0]), named = at && lua_type(L, at) != LUA_TBOOLEAN;
  if (!at)
    return raise_message(
        L, TOCHA_TYPE_ERROR,
        "set_autocast_enabled() received an invalid combination of arguments - got "
        "(), but expected one of:\n * (str device_type, bool enabled)\n * (bool "
        "enabled)\n");
  if (named && lua_type(L, at) != LUA_TSTRING)
    return raise_message(
        L, TOCHA_TYPE_ERROR,
        "set_autocast_enabled(): argument 'device_type' (position 1) must be str, not %s",
        python_type(L, at));
  tocha_device_type device = named ? autocast_device(L, lua_tostring(L, at)) : TOCHA_CUDA;
  if (lua_type(L, at + named) != LUA_TBOOLEAN)
    return raise_message(
        L, TOCHA_TYPE_ERROR,
        "set_autocast_enabled(): argument 'enabled' (position %d) must be bool, not %s", 1 + named,
        python_type(L, at + named));
  tocha_set_autocast_enabled(CX(L), device, lua_toboolean(L, at + named));
  return 0;
}

int torch_get_autocast_dtype(lua_State *L, const tocha_arg *args) {
  lua_pushstring(L, args[0].value.string);
  tocha_dtype dtype = tocha_autocast_dtype(CX(L), read_device_type(L, -1));
  if (dtype == TOCHA_NO_DTYPE)
    return raise_message(L, TOCHA_RUNTIME_ERROR, "unsupported scalarType");
  tocha_lua_push_dtype(L, dtype);
  return 1;
}

int torch_set_autocast_dtype(lua_State *L, const tocha_arg *args) {
  tocha_set_autocast_dtype(CX(L), autocast_device(L, args[0].value.string), args[1].value.dtype);
  return 0;
}

int torch_get_autocast_gpu_dtype(lua_State *L, const tocha_arg *args) {
  (void)args;
  tocha_lua_push_dtype(L, tocha_autocast_dtype(CX(L), TOCHA_CUDA));
  return 1;
}

int torch_set_autocast_gpu_dtype(lua_State *L, const tocha_arg *args) {
  tocha_set_autocast_dtype(CX(L), TOCHA_CUDA, args[0].value.dtype);
  return 0;
}

int torch_get_autocast_cpu_dtype(lua_State *L, const tocha_arg *args) {
  (void)args;
  tocha_lua_push_dtype(L, tocha_autocast_dtype(CX(L), TOCHA_CPU));
  return 1;
}

int torch_set_autocast_cpu_dtype(lua_State *L, const tocha_arg *args) {
  tocha_set_autocast_dtype(CX(L), TOCHA_CPU, args[0].value.dtype);
  return 0;
}

int torch_is_autocast_cpu_enabled(lua_State *L, const tocha_arg *args) {
  (void)args;
  lua_pushboolean(L, tocha_autocast_enabled(CX(L), TOCHA_CPU));
  return 1;
}

int torch_set_autocast_cpu_enabled(lua_State *L, const tocha_arg *args) {
  tocha_set_autocast_enabled(CX(L), TOCHA_CPU, args[0].value.flag);
  return 0;
}

int torch_is_autocast_cache_enabled(lua_State *L, const tocha_arg *args) {
  (void)args;
  lua_pushboolean(L, tocha_autocast_cache_enabled(CX(L)));
  return 1;
}

int torch_set_autocast_cache_enabled(lua_State *L, const tocha_arg *args) {
  tocha_set_autocast_cache_enabled(CX(L), args[0].value.flag);
  return 0;
}

int torch_clear_autocast_cache(lua_State *L, const tocha_arg *args) {
  (void)args;
  tocha_clear_autocast_cache(CX(L));
  return 0;
}

int torch_amp_is_autocast_available(lua_State *L, const tocha_arg *args) {
  lua_pushstring(L, args[0].value.string);
  lua_pushboolean(L, tocha_autocast_available(read_device_type(L, -1)));
  return 1;
}
