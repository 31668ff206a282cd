/* grad_scaler.c: torch.amp.GradScaler in Lua, over the runtime's. An optimizer is one of
 * torch.optim, or any object with param_groups and step. */
#include <string.h>

#include "function_table.h"
#include "lua/callback.h"
#include "nn/module.h"
#include "sandbox/confined.h"
#include "tocha/amp.h"

static const char SCALER[] = "torch.amp.GradScaler";
enum { SCALER_OPTIMIZERS = 1 }; /* user value: a table that keeps the iteration's optimizers */

typedef struct scaler_box {
  tocha_grad_scaler *scaler; /* NULL until made, and after collection */
} scaler_box;

static tocha_grad_scaler *check_scaler(lua_State *L) {
  scaler_box *b = luaL_checkudata(L, 1, SCALER);
  if (!b->scaler) luaL_argerror(L, 1, "a live GradScaler expected");
  return b->scaler;
}

/* --- construction --------------------------------------------------------------------------- */

static tocha_scalar read_number(lua_State *L, int index, tocha_scalar default_value,
                                const char *name) {
  tocha_scalar s;
  if (lua_isnil(L, index)) return default_value;
  tocha_tensor *t = to_tensor(L, index);
  if (t ? !tocha_item(CX(L), t, &s) : !to_scalar(L, index, &s)) {
    if (t) raise_error(L);
    raise_message(L, TOCHA_TYPE_ERROR, "GradScaler: '%s' must be a number, not %s", name,
                  python_type(L, index));
  }
  return s;
}

/* Pushes a scaler. `numbers`: init_scale, growth_factor, backoff_factor, growth_interval and
 * enabled. [-0, +1, e] */
static int construct(lua_State *L, tocha_device_type device, const tocha_arg *numbers) {
  tocha_grad_scaler_options options = tocha_grad_scaler_defaults(device);
  int enabled = any_index(&numbers[4]);
  options.init_scale = numbers[0].value.scalar;
  options.growth_factor = numbers[1].value.scalar;
  options.backoff_factor = numbers[2].value.scalar;
  options.growth_interval = (int64_t)tocha_scalar_real(numbers[3].value.scalar);
  if (enabled && !lua_isnil(L, enabled)) options.enabled = lua_toboolean(L, enabled);
  scaler_box *b = lua_newuserdatauv(L, sizeof *b, 1);
  b->scaler = NULL;
  luaL_setmetatable(L, SCALER);
  lua_newtable(L);
  lua_setiuservalue(L, -2, SCALER_OPTIMIZERS);
  b->scaler = tocha_grad_scaler_new(CX(L), &options);
  return b->scaler ? 1 : raise_error(L);
}

int torch_amp_grad_scaler(lua_State *L, const tocha_arg *args) {
  tocha_device_type device =
      args[0].given ? (tocha_device_type)args[0].value.device.type : TOCHA_CUDA;
  return construct(L, device, args + 1);
}

int torch_cuda_amp_grad_scaler(lua_State *L, const tocha_arg *args) {
  show_warning(L, "FutureWarning",
               "`torch.cuda.amp.GradScaler(args...)` is deprecated. Please use "
               "`torch.amp.GradScaler('cuda', args...)` instead.");
  return construct(L, TOCHA_CUDA, args);
}

int torch_cpu_amp_grad_scaler(lua_State *L, const tocha_arg *args) {
  show_warning(L, "FutureWarning",
               "`torch.cpu.amp.GradScaler(args...)` is deprecated. Please use "
               "`torch.amp.GradScaler('cpu', args...)` instead.");
  return construct(L, TOCHA_CPU, args);
}

static int scaler_gc(lua_State *L) {
  scaler_box *b = luaL_checkudata(L, 1, SCALER);
  tocha_grad_scaler *s = b->scaler;
  b->scaler = NULL;
  tocha_grad_scaler_release(s);
  return 0;
}

static int scaler_tostring(lua_State *L) {
  lua_pushfstring(L, "<torch.amp.grad_scaler.GradScaler object at %p>",
                  shown_address(L, lua_touserdata(L, 1)));
  return 1;
}

/* --- scaling -------------------------------------------------------------------------------- */

/* Pushes the scaled value at `index`: a tensor, or a table of tensors at any depth. [-0, +1, e] */
static void push_scaled(lua_State *L, tocha_grad_scaler *s, int index, int depth) {
  tocha_context *cx = CX(L);
  tocha_tensor *t = to_tensor(L, index);
  if (t) {
    tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *scaled = tocha_grad_scaler_scale(cx, s, t);
    if (scaled) push_tensor(L, scaled);
    tocha_scope_end(cx, scope, NULL);
    if (!scaled) raise_error(L);
    return;
  }
  if (lua_type(L, index) != LUA_TTABLE || depth > 200)
    raise_message(L, TOCHA_VALUE_ERROR, "outputs must be a Tensor or an iterable of Tensors");
  int n = table_length(L, index);
  need_stack(L, 8);
  lua_createtable(L, n, 0);
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, index, i);
    push_scaled(L, s, lua_gettop(L), depth + 1);
    lua_rawseti(L, -3, i);
    lua_pop(L, 1);
  }
}

int torch_grad_scaler_scale(lua_State *L, const tocha_arg *args) {
  tocha_grad_scaler *s = check_scaler(L);
  int outputs = any_index(&args[1]);
  if (tocha_grad_scaler_is_enabled(s))
    push_scaled(L, s, outputs, 0);
  else
    lua_pushvalue(L, outputs);
  return 1;
}

/* --- optimizers ----------------------------------------------------------------------------- */

/* Pushes a userdata with the parameters of an optimizer, taken from its param_groups, as an
 * array, and returns the array. Works for any object, not only for those of torch.optim.
 * [-0, +3, e] */
static tocha_tensor **push_parameters(lua_State *L, int optimizer, int *count) {
  int type = lua_type(L, optimizer);
  if ((type != LUA_TTABLE && type != LUA_TUSERDATA) || to_tensor(L, optimizer) ||
      lua_getfield(L, optimizer, "param_groups") != LUA_TTABLE)
    raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'%s' object has no attribute 'param_groups'",
                  python_type(L, optimizer));
  int groups = lua_gettop(L), kept = 0;
  lua_newtable(L); /* all tensors, which this table keeps alive */
  int all = lua_gettop(L);
  for (lua_Integer g = 1; lua_geti(L, groups, g) != LUA_TNIL; g++) {
    lua_getfield(L, -1, "params");
    int n = push_tensors(L, lua_gettop(L), 0);
    for (int i = 1; i <= n; i++) {
      lua_rawgeti(L, -1, i);
      if (!to_tensor(L, -1))
        raise_message(L, TOCHA_ASSERTION_ERROR, "expected param to be torch.Tensor, got %s",
                      python_type(L, -1));
      lua_rawseti(L, all, ++kept);
    }
    lua_settop(L, all);
  }
  lua_settop(L, all);
  tocha_tensor **block = lua_newuserdatauv(L, ((size_t)kept + 1) * sizeof *block, 0);
  for (int i = 0; i < kept; i++) {
    lua_rawgeti(L, all, i + 1);
    block[i] = to_tensor(L, -1);
    lua_pop(L, 1);
  }
  *count = kept;
  return block;
}

/* Returns the address of the optimizer at `index`, by which it is identified, and keeps it alive
 * until the iteration ends. [-0, +0, m] */
static const void *identify(lua_State *L, int index) {
  lua_getiuservalue(L, 1, SCALER_OPTIMIZERS);
  lua_pushvalue(L, index);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  return lua_topointer(L, index);
}

static void forget_optimizers(lua_State *L) {
  lua_newtable(L);
  lua_setiuservalue(L, 1, SCALER_OPTIMIZERS);
}

int torch_grad_scaler_unscale_(lua_State *L, const tocha_arg *args) {
  tocha_grad_scaler *s = check_scaler(L);
  int index = any_index(&args[1]);
  if (!tocha_grad_scaler_is_enabled(s)) return 0;
  tocha_optimizer *o = to_optimizer(L, index);
  bool ok;
  if (o) {
    ok = tocha_grad_scaler_unscale(CX(L), s, o);
  } else {
    int count;
    tocha_tensor **parameters = push_parameters(L, index, &count);
    ok = tocha_grad_scaler_unscale_parameters(CX(L), s, identify(L, index), count, parameters);
  }
  return ok ? 0 : raise_error(L);
}

/* Does everything of a step except the step itself. Returns true if the step should be made.
 * *key is the optimizer's identity. [-0, +0, e] */
static bool begin_step(lua_State *L, tocha_grad_scaler *s, int optimizer, const void **key) {
  int top = lua_gettop(L), count;
  bool go = true;
  *key = to_optimizer(L, optimizer);
  if (!*key) *key = lua_topointer(L, optimizer);
  if (!tocha_grad_scaler_is_enabled(s)) return true;
  if (lua_type(L, top) == LUA_TTABLE && top > 2) {
    if (lua_getfield(L, top, "closure") != LUA_TNIL)
      raise_message(L, TOCHA_RUNTIME_ERROR,
                    "Closure use is not currently supported if GradScaler is enabled.");
    lua_settop(L, top);
  }
  tocha_tensor **parameters = push_parameters(L, optimizer, &count);
  identify(L, optimizer);
  if (!tocha_grad_scaler_begin_step(CX(L), s, *key, count, parameters, &go)) raise_error(L);
  lua_settop(L, top);
  return go;
}

/* (scaler, optimizer, arguments of its step...) Makes a step. Returns the results of the step,
 * or if they are nil, true; returns false if the step was skipped. */
int torch_grad_scaler_step(lua_State *L, const tocha_arg *args) {
  tocha_grad_scaler *s = check_scaler(L);
  const void *key;
  int top = lua_gettop(L);
  (void)args;
  if (!begin_step(L, s, 2, &key)) {
    tocha_grad_scaler_end_step(s, key);
    lua_pushboolean(L, 0);
    return 1;
  }
  int type = lua_type(L, 2);
  if ((type != LUA_TTABLE && type != LUA_TUSERDATA) || lua_getfield(L, 2, "step") == LUA_TNIL)
    return raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'%s' object has no attribute 'step'",
                         python_type(L, 2));
  for (int i = 2; i <= top; i++) lua_pushvalue(L, i);
  call_to_end(L, top - 1, LUA_MULTRET);
  tocha_grad_scaler_end_step(s, key);
  int results = lua_gettop(L) - top;
  if (results > 0 && !lua_isnil(L, top + 1)) return results;
  lua_pushboolean(L, 1);
  return 1;
}

int torch_grad_scaler_update(lua_State *L, const tocha_arg *args) {
  tocha_grad_scaler *s = check_scaler(L);
  int index = any_index(&args[1]);
  bool ok;
  if (!index || lua_isnil(L, index)) {
    ok = tocha_grad_scaler_update(CX(L), s);
  } else {
    tocha_operand value = tocha_operand_of(to_tensor(L, index));
    bool number = !value.tensor && lua_type(L, index) == LUA_TNUMBER && !lua_isinteger(L, index);
    if (number) value.scalar = tocha_float(lua_tonumber(L, index));
    if (!number && !value.tensor && tocha_grad_scaler_is_enabled(s) &&
        tocha_grad_scaler_scale_tensor(s))
      return raise_hinted(L, TOCHA_ATTRIBUTE_ERROR, "new_scale is a float: 1024.0",
                          "'%s' object has no attribute 'device'", python_type(L, index));
    ok = tocha_grad_scaler_update_to(CX(L), s, value);
  }
  if (!ok) return raise_error(L);
  forget_optimizers(L);
  return 0;
}

/* --- questions ------------------------------------------------------------------------------ */

int torch_grad_scaler_get_scale(lua_State *L, const tocha_arg *args) {
  (void)args;
  tocha_scalar value;
  if (!tocha_grad_scaler_get_scale(CX(L), check_scaler(L), &value)) return raise_error(L);
  push_scalar(L, value);
  return 1;
}

int torch_grad_scaler__get_growth_tracker(lua_State *L, const tocha_arg *args) {
  (void)args;
  int64_t steps;
  if (!tocha_grad_scaler_get_tracker(CX(L), check_scaler(L), &steps)) return raise_error(L);
  lua_pushinteger(L, steps);
  return 1;
}

int torch_grad_scaler_get_skipped_steps(lua_State *L, const tocha_arg *args) {
  (void)args;
  lua_pushinteger(L, tocha_grad_scaler_skipped_steps(check_scaler(L)));
  return 1;
}

int torch_grad_scaler_is_enabled(lua_State *L, const tocha_arg *args) {
  (void)args;
  lua_pushboolean(L, tocha_grad_scaler_is_enabled(check_scaler(L)));
  return 1;
}

/* (scaler) Returns one of the scaler's factors. Upvalue: a tocha_grad_scaler_factor. */
static int get_factor(lua_State *L) {
  tocha_scalar value;
  tocha_grad_scaler_factor which = (tocha_grad_scaler_factor)lua_tointeger(L, lua_upvalueindex(1));
  if (!tocha_grad_scaler_get(CX(L), check_scaler(L), which, &value)) return raise_error(L);
  push_scalar(L, value);
  return 1;
}

static int set_factor(lua_State *L) {
  tocha_grad_scaler_factor which = (tocha_grad_scaler_factor)lua_tointeger(L, lua_upvalueindex(1));
  tocha_grad_scaler *s = check_scaler(L);
  luaL_checknumber(L, 2);
  tocha_grad_scaler_set(s, which, read_number(L, 2, tocha_int(0), "new_factor"));
  return 0;
}

/* --- state ---------------------------------------------------------------------------------- */

static const char *const state_names[] = {"growth_factor", "backoff_factor", "growth_interval"};

int torch_grad_scaler_state_dict(lua_State *L, const tocha_arg *args) {
  tocha_grad_scaler *s = check_scaler(L);
  lua_createtable(L, 0, 5);
  if (!tocha_grad_scaler_is_enabled(s)) return 1;
  torch_grad_scaler_get_scale(L, args);
  lua_setfield(L, -2, "scale");
  for (int i = 0; i < 3; i++) {
    tocha_scalar value;
    if (!tocha_grad_scaler_get(CX(L), s, (tocha_grad_scaler_factor)i, &value))
      return raise_error(L);
    push_scalar(L, value);
    lua_setfield(L, -2, state_names[i]);
  }
  torch_grad_scaler__get_growth_tracker(L, args);
  lua_setfield(L, -2, "_growth_tracker");
  return 1;
}

static tocha_scalar state_entry(lua_State *L, const char *name) {
  if (lua_getfield(L, 2, name) == LUA_TNIL) raise_message(L, TOCHA_KEY_ERROR, "'%s'", name);
  tocha_scalar value = read_number(L, -1, tocha_int(0), name);
  lua_pop(L, 1);
  return value;
}

int torch_grad_scaler_load_state_dict(lua_State *L, const tocha_arg *args) {
  tocha_grad_scaler *s = check_scaler(L);
  (void)args;
  if (!tocha_grad_scaler_is_enabled(s)) return 0;
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_pushnil(L);
  if (!lua_next(L, 2))
    return raise_message(L, TOCHA_RUNTIME_ERROR,
                         "The source state dict is empty, possibly because it was saved from a "
                         "disabled instance of GradScaler.");
  lua_settop(L, 2);
  tocha_scalar scale_value = state_entry(L, "scale"), factors[3];
  for (int i = 0; i < 3; i++) factors[i] = state_entry(L, state_names[i]);
  tocha_scalar tracker = state_entry(L, "_growth_tracker");
  if (!tocha_grad_scaler_restore(CX(L), s, scale_value, (int64_t)tocha_scalar_real(tracker)))
    return raise_error(L);
  for (int i = 0; i < 3; i++) tocha_grad_scaler_set(s, (tocha_grad_scaler_factor)i, factors[i]);
  return 0;
}

/* --- the object ----------------------------------------------------------------------------- */

/* (scaler, name) Returns a method or a field. Upvalue: the methods. */
static int scaler_index(lua_State *L) {
  tocha_grad_scaler *s = check_scaler(L);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (strcmp(name, "_scale") == 0) {
    tocha_lua_push_tensor(L, tocha_grad_scaler_scale_tensor(s));
  } else if (strcmp(name, "_growth_tracker") == 0) {
    tocha_lua_push_tensor(L, tocha_grad_scaler_tracker_tensor(s));
  } else if (strcmp(name, "_enabled") == 0) {
    lua_pushboolean(L, tocha_grad_scaler_is_enabled(s));
  } else {
    return raise_message(L, TOCHA_ATTRIBUTE_ERROR, "'GradScaler' object has no attribute '%s'",
                         name);
  }
  return 1;
}

void open_grad_scaler(lua_State *L) {
  static const luaL_Reg events[] = {
      {"__gc", scaler_gc}, {"__tostring", scaler_tostring}, {NULL, NULL}};
  new_metatable(L, SCALER, events);
  lua_newtable(L);
  register_functions(L, -1, "GradScaler");
  for (int i = 0; i < 3; i++) {
    lua_pushinteger(L, i);
    lua_pushcclosure(L, get_factor, 1);
    lua_pushfstring(L, "get_%s", state_names[i]);
    lua_insert(L, -2);
    lua_rawset(L, -3);
    lua_pushinteger(L, i);
    lua_pushcclosure(L, set_factor, 1);
    lua_pushfstring(L, "set_%s", state_names[i]);
    lua_insert(L, -2);
    lua_rawset(L, -3);
  }
  lua_pushcclosure(L, scaler_index, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}
