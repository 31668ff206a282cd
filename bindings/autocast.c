/* autocast.c: autocast regions in Lua. A region is entered by the call; it is a to-be-closed
 * variable, a function in last place, or a wrapper: torch.autocast("cuda")(f). */
#include <string.h>

#include "module.h"
#include "tocha/amp.h"

static const char REGION[] = "torch.autocast";

/* --- regions -------------------------------------------------------------------------------- */

typedef struct region {
  tocha_autocast_region old;
  bool open;
  bool enabled; /* as it was asked for: what a wrapper enters again */
  tocha_device_type device;
  tocha_dtype dtype;
  int cache_enabled;
} region;

static int region_close(lua_State *L) {
  region *r = luaL_checkudata(L, 1, REGION);
  if (r->open) tocha_autocast_leave(CX(L), &r->old);
  r->open = false;
  return 0;
}

static int region_gc(lua_State *L) {
  region *r = luaL_checkudata(L, 1, REGION);
  if (!r->open) return 0;
  region_close(L); /* raises, to be forgotten, where the state is on its way out */
  lua_warning(
      L,
      "torch: an autocast region was entered and its guard dropped; write "
      "`local _ <close> = torch.autocast(\"cuda\")`, or torch.autocast(\"cuda\", function() "
      "... end)",
      0);
  return 0;
}

static int region_tostring(lua_State *L) {
  lua_pushfstring(L, "<torch.amp.autocast_mode.autocast object at %p>", lua_touserdata(L, 1));
  return 1;
}

/* Enters the region that r describes. */
static void enter(lua_State *L, region *r) {
  if (!tocha_autocast_enter(CX(L), r->device, r->dtype, r->enabled, r->cache_enabled, &r->old))
    raise_error(L);
  r->open = true;
}

static region *new_region(lua_State *L) {
  region *r = lua_newuserdatauv(L, sizeof *r, 0);
  memset(r, 0, sizeof *r);
  luaL_setmetatable(L, REGION);
  return r;
}

/* Calls the function at index 1 with the arguments above it, under the region on top. */
static int call_within(lua_State *L, int arguments) {
  lua_toclose(L, -1); /* left however the function ends */
  int base = lua_gettop(L);
  luaL_checkstack(L, arguments + 2, NULL);
  for (int i = 0; i <= arguments; i++) lua_pushvalue(L, i + 1);
  lua_call(L, arguments, LUA_MULTRET);
  return lua_gettop(L) - base;
}

/* Upvalues: the region, the function. */
static int wrapped(lua_State *L) {
  const region *like = lua_touserdata(L, lua_upvalueindex(1));
  int n = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  region *r = new_region(L);
  *r = *like;
  r->open = false;
  enter(L, r);
  return call_within(L, n);
}

/* region(f): a function that runs f in such a region; the region itself is left. */
static int region_call(lua_State *L) {
  region *r = luaL_checkudata(L, 1, REGION);
  if (lua_type(L, 2) != LUA_TFUNCTION)
    return raise_message(
        L, TOCHA_TYPE_ERROR,
        "autocast()(func) requires a callable, but got %s. Did you mean to use autocast as a "
        "context manager? For example:\n    with torch.autocast(device_type=...):\n        output "
        "= model(input)",
        python_type(L, 2));
  if (r->open) tocha_autocast_leave(CX(L), &r->old);
  r->open = false;
  lua_settop(L, 2);
  lua_pushcclosure(L, wrapped, 2);
  return 1;
}

/* --- arguments ------------------------------------------------------------------------------ */

static const tocha_parameter region_parameters[] = {
    {"device_type", TOCHA_KIND_STRING, false, false, false, false, {0}, "str"},
    {"dtype", TOCHA_KIND_DTYPE, true, false, false, false, {0}, "torch.dtype"},
    {"enabled", TOCHA_KIND_BOOL, false, true, false, false, {0}, "bool"},
    {"cache_enabled", TOCHA_KIND_BOOL, true, false, false, false, {0}, "bool"}};

/* Pushes the argument of that number, given by place or by keyword; nil where it was left out. */
static void push_argument(lua_State *L, const tocha_parameter *parameters, int number, int first,
                          int n, int kw) {
  if (number < n)
    lua_pushvalue(L, first + number);
  else if (kw)
    lua_getfield(L, kw, parameters[number].name);
  else
    lua_pushnil(L);
}

/* The device type in the string at index. */
static tocha_device_type read_device_type(lua_State *L, int index) {
  tocha_device device = tocha_cpu();
  to_device(L, index, &device);
  return (tocha_device_type)device.type;
}

static bool read_truth(lua_State *L, int index, bool default_value) {
  tocha_scalar s;
  if (lua_isnil(L, index)) return default_value;
  return to_scalar(L, index, &s) ? tocha_scalar_real(s) != 0 : lua_toboolean(L, index);
}

/* Reads what describes a region from index `first` on. fixed: the device type of the old
 * spellings, whose arguments are (enabled, dtype, cache_enabled); TOCHA_NO_DEVICE: it is the first
 * argument. */
static region read_region(lua_State *L, int first, tocha_device_type fixed) {
  static const int places[2][4] = {{0, 1, 2, 3}, {-1, 1, 0, 2}};
  tocha_parameter old[3] = {region_parameters[2], region_parameters[1], region_parameters[3]};
  const tocha_parameter *parameters = fixed == TOCHA_NO_DEVICE ? region_parameters : old;
  const int *place = places[fixed != TOCHA_NO_DEVICE];
  int count = fixed == TOCHA_NO_DEVICE ? 4 : 3, kw;
  int n = check_python_arguments(L, "autocast.__init__", parameters, count, count, first, &kw);
  region r = {.device = fixed, .dtype = TOCHA_NO_DTYPE, .enabled = true, .cache_enabled = -1};
  if (fixed == TOCHA_NO_DEVICE) {
    push_argument(L, parameters, 0, first, n, kw);
    tocha_device device;
    bool object = lua_type(L, -1) != LUA_TSTRING && to_device(L, -1, &device);
    if (lua_type(L, -1) != LUA_TSTRING)
      raise_hinted(L, TOCHA_VALUE_ERROR, object ? "device_type = device.type" : NULL,
                   "Expected `device_type` of type `str`, got: `<class '%s'>`", python_type(L, -1));
    r.device = read_device_type(L, -1);
  }
  push_argument(L, parameters, place[1], first, n, kw);
  if (!lua_isnil(L, -1) && !to_dtype(L, -1, &r.dtype))
    raise_message(L, TOCHA_TYPE_ERROR,
                  "set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not %s",
                  python_type(L, -1));
  if (r.dtype == TOCHA_NO_DTYPE && fixed != TOCHA_NO_DEVICE)
    r.dtype = fixed == TOCHA_CPU ? TOCHA_BFLOAT16 : TOCHA_FLOAT16;
  if (r.dtype == TOCHA_NO_DTYPE && !tocha_autocast_available(r.device))
    raise_hinted(L, TOCHA_RUNTIME_ERROR, "autocast is for \"cpu\" and \"cuda\"",
                 "unsupported scalarType");
  push_argument(L, parameters, place[2], first, n, kw);
  r.enabled = read_truth(L, -1, true);
  push_argument(L, parameters, place[3], first, n, kw);
  if (!lua_isnil(L, -1) || fixed != TOCHA_NO_DEVICE) r.cache_enabled = read_truth(L, -1, true);
  return r;
}

static int open_region(lua_State *L, tocha_device_type fixed) {
  bool function = lua_gettop(L) > 0 && lua_type(L, -1) == LUA_TFUNCTION;
  if (function) lua_insert(L, 1);
  region read = read_region(L, function ? 2 : 1, fixed);
  region *r = new_region(L);
  *r = read;
  enter(L, r);
  return function ? call_within(L, 0) : 1;
}

static int autocast(lua_State *L) { return open_region(L, TOCHA_NO_DEVICE); }
static int cuda_autocast(lua_State *L) {
  tocha_warn(CX(L), "`torch.cuda.amp.autocast(args...)` is deprecated. Please use "
                    "`torch.amp.autocast('cuda', args...)` instead.");
  return open_region(L, TOCHA_CUDA);
}
static int cpu_autocast(lua_State *L) {
  tocha_warn(CX(L), "`torch.cpu.amp.autocast(args...)` is deprecated. Please use "
                    "`torch.amp.autocast('cpu', args...)` instead.");
  return open_region(L, TOCHA_CPU);
}

/* --- settings ------------------------------------------------------------------------------- */

static tocha_device_type check_device_type(lua_State *L, int index, const char *function) {
  if (lua_isnone(L, index))
    raise_message(L, TOCHA_TYPE_ERROR, "%s() missing 1 required positional arguments: \"%s\"",
                  function, "device_type");
  if (lua_type(L, index) != LUA_TSTRING)
    raise_message(L, TOCHA_TYPE_ERROR,
                  "%s(): argument 'device_type' (position %d) must be str, not %s", function, index,
                  python_type(L, index));
  return read_device_type(L, index);
}

static tocha_device_type check_autocast_type(lua_State *L, int index, const char *function) {
  tocha_device_type device = check_device_type(L, index, function);
  if (!tocha_autocast_available(device))
    raise_message(L, TOCHA_RUNTIME_ERROR,
                  "unknown device type for autocast in get_autocast_dispatch_key_from_device_type");
  return device;
}

static bool check_flag(lua_State *L, int index, const char *function) {
  if (lua_type(L, index) != LUA_TBOOLEAN)
    raise_message(L, TOCHA_TYPE_ERROR,
                  "%s(): argument 'enabled' (position %d) must be bool, not %s", function, index,
                  python_type(L, index));
  return lua_toboolean(L, index);
}

static int is_autocast_enabled(lua_State *L) {
  tocha_device_type device = TOCHA_CUDA; /* what is asked without a name */
  if (!lua_isnone(L, 1)) device = check_autocast_type(L, 1, "is_autocast_enabled");
  lua_pushboolean(L, tocha_autocast_enabled(CX(L), device));
  return 1;
}

static int set_autocast_enabled(lua_State *L) {
  bool named = lua_type(L, 1) != LUA_TBOOLEAN;
  if (lua_isnone(L, 1))
    return raise_message(
        L, TOCHA_TYPE_ERROR,
        "set_autocast_enabled() received an invalid combination of arguments - got "
        "(), but expected one of:\n * (str device_type, bool enabled)\n * (bool "
        "enabled)\n");
  tocha_device_type device = TOCHA_CUDA;
  if (named) device = check_autocast_type(L, 1, "set_autocast_enabled");
  tocha_set_autocast_enabled(CX(L), device, check_flag(L, 1 + named, "set_autocast_enabled"));
  return 0;
}

static int get_autocast_dtype(lua_State *L) {
  tocha_device_type device = check_device_type(L, 1, "get_autocast_dtype");
  tocha_dtype dtype = tocha_autocast_dtype(CX(L), device);
  if (dtype == TOCHA_NO_DTYPE)
    return raise_message(L, TOCHA_RUNTIME_ERROR, "unsupported scalarType");
  push_dtype(L, dtype);
  return 1;
}

static int set_autocast_dtype(lua_State *L) {
  tocha_device_type device = check_autocast_type(L, 1, "set_autocast_dtype");
  tocha_dtype dtype;
  if (!to_dtype(L, 2, &dtype))
    return raise_message(
        L, TOCHA_TYPE_ERROR,
        "set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not %s",
        python_type(L, 2));
  tocha_set_autocast_dtype(CX(L), device, dtype);
  return 0;
}

/* torch.get_autocast_gpu_dtype() and its kin; upvalue: the device type. */
static int get_named_dtype(lua_State *L) {
  tocha_device_type device = (tocha_device_type)lua_tointeger(L, lua_upvalueindex(1));
  push_dtype(L, tocha_autocast_dtype(CX(L), device));
  return 1;
}

static int set_named_dtype(lua_State *L) {
  tocha_dtype dtype;
  if (!to_dtype(L, 1, &dtype))
    return raise_message(
        L, TOCHA_TYPE_ERROR,
        "set_autocast_dtype(): argument 'dtype' (position 1) must be torch.dtype, not %s",
        python_type(L, 1));
  tocha_device_type device = (tocha_device_type)lua_tointeger(L, lua_upvalueindex(1));
  tocha_set_autocast_dtype(CX(L), device, dtype);
  return 0;
}

static int is_autocast_cpu_enabled(lua_State *L) {
  lua_pushboolean(L, tocha_autocast_enabled(CX(L), TOCHA_CPU));
  return 1;
}

static int set_autocast_cpu_enabled(lua_State *L) {
  tocha_set_autocast_enabled(CX(L), TOCHA_CPU, check_flag(L, 1, "set_autocast_cpu_enabled"));
  return 0;
}

static int is_autocast_cache_enabled(lua_State *L) {
  lua_pushboolean(L, tocha_autocast_cache_enabled(CX(L)));
  return 1;
}

static int set_autocast_cache_enabled(lua_State *L) {
  tocha_set_autocast_cache_enabled(CX(L), check_flag(L, 1, "set_autocast_cache_enabled"));
  return 0;
}

static int clear_autocast_cache(lua_State *L) {
  tocha_clear_autocast_cache(CX(L));
  return 0;
}

static int is_autocast_available(lua_State *L) {
  tocha_device_type device = check_device_type(L, 1, "_is_autocast_available");
  lua_pushboolean(L, tocha_autocast_available(device));
  return 1;
}

void open_autocast(lua_State *L, int torch) {
  static const luaL_Reg events[] = {{"__close", region_close},
                                    {"__gc", region_gc},
                                    {"__call", region_call},
                                    {"__tostring", region_tostring},
                                    {NULL, NULL}};
  static const luaL_Reg functions[] = {{"autocast", autocast},
                                       {"_cuda_autocast", cuda_autocast},
                                       {"_cpu_autocast", cpu_autocast},
                                       {"_is_autocast_available", is_autocast_available},
                                       {"is_autocast_enabled", is_autocast_enabled},
                                       {"set_autocast_enabled", set_autocast_enabled},
                                       {"get_autocast_dtype", get_autocast_dtype},
                                       {"set_autocast_dtype", set_autocast_dtype},
                                       {"is_autocast_cpu_enabled", is_autocast_cpu_enabled},
                                       {"set_autocast_cpu_enabled", set_autocast_cpu_enabled},
                                       {"is_autocast_cache_enabled", is_autocast_cache_enabled},
                                       {"set_autocast_cache_enabled", set_autocast_cache_enabled},
                                       {"clear_autocast_cache", clear_autocast_cache},
                                       {NULL, NULL}};
  static const struct {
    const char *name;
    lua_CFunction function;
    tocha_device_type device;
  } named[] = {{"get_autocast_gpu_dtype", get_named_dtype, TOCHA_CUDA},
               {"set_autocast_gpu_dtype", set_named_dtype, TOCHA_CUDA},
               {"get_autocast_cpu_dtype", get_named_dtype, TOCHA_CPU},
               {"set_autocast_cpu_dtype", set_named_dtype, TOCHA_CPU}};
  luaL_newmetatable(L, REGION);
  luaL_setfuncs(L, events, 0);
  lua_pop(L, 1);
  lua_pushvalue(L, torch);
  luaL_setfuncs(L, functions, 0);
  for (int i = 0; i < TOCHA_COUNT(named); i++) {
    lua_pushinteger(L, named[i].device);
    lua_pushcclosure(L, named[i].function, 1);
    lua_setfield(L, -2, named[i].name);
  }
  lua_pop(L, 1);
}
