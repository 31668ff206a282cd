/* lua_bridge_test.c: <tocha/lua.h> as a host uses it: states, options, values in both directions, calls, errors,
 * interruption. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lualib.h>

#include "check.h"
#include "tocha/binding.h"
#include "tocha/lua.h"
#include "tocha/tocha.h"

/* Runs a chunk, and returns true if it ends well. Its results stay on the stack. */
static bool run(lua_State *L, const char *text) {
  if (!tocha_lua_load(L, text, strlen(text), "=script")) return false;
  return tocha_lua_call(L, 0, LUA_MULTRET);
}

/* Checks that the chunk fails with an error whose message contains `expected`. */
static void check_fails(lua_State *L, const char *text, const char *expected) {
  tocha_context *cx = tocha_lua_context(L);
  bool ok = run(L, text);
  CHECK(!ok);
  if (!strstr(tocha_error(cx)->message, expected))
    printf("# %s: %s\n", text, tocha_error(cx)->message);
  CHECK(strstr(tocha_error(cx)->message, expected) != NULL);
  tocha_clear_error(cx);
  lua_settop(L, 0);
}

/* --- states and options --------------------------------------------------------------------------- */

static void *count_bytes(void *user, void *pointer, size_t old_size, size_t new_size) {
  size_t *held = user;
  *held += new_size - (pointer ? old_size : 0);
  if (new_size) return realloc(pointer, new_size);
  free(pointer);
  return NULL;
}

static void note_log(void *user, int level, const char *message) {
  CHECK(level == TOCHA_LOG_WARNING);
  snprintf(user, 200, "%s", message);
}

static const char *source_of(void *user, const char *module, size_t *size) {
  const char *text = strcmp(module, "game.brain") == 0 ? user : NULL;
  if (text) *size = strlen(text);
  return text;
}

static void states_have_options(void) {
  size_t held = 0;
  char log[200] = "", message[200] = "";
  tocha_lua_options o = {
      .memory = 32 << 20,
      .runtime = {.allocate = count_bytes,
                  .allocate_user = &held,
                  .threads = 1,
                  .log = note_log,
                  .log_user = log},
      .source = source_of,
      .source_user = "local torch = require 'torch' return {answer = torch.ones(6):mul(7)}"};
  lua_State *L = tocha_lua_new_state(&o, message, sizeof message);
  CHECK(L != NULL);
  if (!L) return;
  tocha_context *cx = tocha_lua_context(L);
  CHECK(held > 0 && tocha_threads(cx) == 1);
  CHECK(run(L, "return require 'game.brain'.answer:sum():item()"));
  CHECK(lua_tonumber(L, -1) == 42);
  CHECK(run(L, "warn 'from Lua'") && strcmp(log, "from Lua") == 0);
  CHECK(!tocha_lua_configure(L, &o)); /* torch is open */
  check_fails(L, "require 'game.missing'", "no module 'game.missing' of the host");
  check_fails(L, "return torch.ones(64, 1024, 1024)", "allocate memory");
  check_fails(L, "local t = {} for i = 1, 1e7 do t[i] = {} end", "not enough memory");
  check_fails(L, "local t = {} for i = 1, 1e7 do t[i] = torch.ones(10000) end", "allocate memory");
  CHECK(run(
      L,
      "local x for i = 1, 1000 do x = torch.ones(1 << 20) end return x")); /* garbage counts for nothing */
  CHECK(run(L, "collectgarbage() return torch.ones(1 << 20):sum():item()"));
  lua_close(L);
  CHECK(held == 0);
}

static void hosts_choices_stay(void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  lua_gc(L, LUA_GCGEN, 37, 61);
  const char *before = "before = debug.traceback";
  CHECK(luaL_dostring(L, before) == LUA_OK);
  tocha_context *cx = tocha_open(NULL);
  tocha_lua_options o = {.context = cx,
                         .memory = 16 << 20,
                         .leave = TOCHA_LUA_LEAVE_COLLECTOR | TOCHA_LUA_LEAVE_TRACEBACK |
                                  TOCHA_LUA_LEAVE_PRELOAD | TOCHA_LUA_LEAVE_HOOK};
  CHECK(tocha_lua_configure(L, &o));
  CHECK(!tocha_lua_configure(L, &o));
  CHECK(tocha_lua_context(L) == NULL);
  luaL_requiref(L, "torch", luaopen_torch, 1);
  CHECK(tocha_lua_context(L) == cx);
  CHECK(lua_gethook(L) == NULL);
  CHECK(run(L, "assert(debug.traceback == before) for name in pairs(package.preload) do "
               "assert(name:find '^torch%.', name) end"));
  CHECK(lua_gc(L, LUA_GCINC, 0, 0, 0) == LUA_GCGEN);
  CHECK(lua_gc(L, LUA_GCGEN, 0, 0) == LUA_GCINC);
  check_fails(L, "return ('x'):rep(1 << 25)",
              "not enough memory"); /* Lua's memory counts from then on */
  CHECK(run(L, "kept = torch.ones(3) return kept"));
  tocha_tensor *kept = tocha_retain(tocha_lua_to_tensor(L, -1));
  lua_close(L);
  CHECK(!tocha_failed(cx) && tocha_numel(tocha_add(cx, kept, kept)) == 3);
  tocha_release(kept);
  tocha_close(cx);
}

/* --- values ---------------------------------------------------------------------------------------- */

/* blur(image, *, dtype): a host's function. */
static int blur(lua_State *L) {
  tocha_lua_check_tensor(L, 1, "blur", "image");
  return 0;
}
static int check_all(lua_State *L) {
  int ndim;
  switch (lua_tointeger(L, lua_upvalueindex(1))) {
  case 0:
    lua_pushinteger(L, tocha_module_child_count(tocha_lua_check_module(L, 1, "f", "net")));
    return 1;
  case 1:
    lua_pushinteger(L, tocha_lua_check_dtype(L, 1, "f", "kind"));
    return 1;
  case 2:
    lua_pushinteger(L, tocha_lua_check_device(L, 1, "f", "place").type);
    return 1;
  case 3:
    tocha_lua_check_generator(L, 1, "f", "random");
    return 0;
  case 4:
    tocha_lua_check_size(L, 1, &ndim, "f", "shape");
    lua_pushinteger(L, ndim);
    return 1;
  case 5:
    lua_pushinteger(L, tocha_state_dict_count(tocha_lua_check_state_dict(L, 1, "f", "state")));
    return 1;
  default:
    lua_pushinteger(L,
                    tocha_optimizer_group_count(tocha_lua_check_optimizer(L, 1, "f", "optimizer")));
    return 1;
  }
}

static void arguments_are_checked(lua_State *L) {
  static const char *const names[] = {"module", "dtype", "device",   "generator",
                                      "size",   "dict",  "optimizer"};
  lua_register(L, "blur", blur);
  for (int i = 0; i < 7; i++) {
    lua_pushinteger(L, i);
    lua_pushcclosure(L, check_all, 1);
    lua_setglobal(L, names[i]);
  }
  check_fails(L, "blur(7)", "blur(): argument 'image' (position 1) must be Tensor, not int");
  check_fails(L, "blur{1, 2}", "blur(): argument 'image' (position 1) must be Tensor, not ");
  check_fails(L, "module(torch.ones(1))",
              "f(): argument 'net' (position 1) must be Module, not Tensor");
  check_fails(L, "dtype 'float'", "f(): argument 'kind' (position 1) must be torch.dtype, not str");
  check_fails(L, "device(3)", "f(): argument 'place' (position 1) must be torch.device, not int");
  check_fails(L, "generator(nil)",
              "f(): argument 'random' (position 1) must be torch.Generator, not NoneType");
  check_fails(L, "size{2}", "f(): argument 'shape' (position 1) must be torch.Size, not ");
  check_fails(L, "dict{}", "f(): argument 'state' (position 1) must be OrderedDict, not ");
  check_fails(L, "optimizer(1.5)",
              "f(): argument 'optimizer' (position 1) must be Optimizer, not float");
  CHECK(run(L, "local nn = torch.nn local net = nn.Sequential(nn.Linear(2, 2), nn.ReLU()) "
               "assert(module(net) == 2) assert(size(torch.ones(2, 3).shape) == 2) "
               "assert(dict(net:state_dict()) == 2) "
               "assert(optimizer(torch.optim.SGD(net:parameters(), {lr = 1})) == 1) "
               "generator(torch.Generator()) "
               "assert(device 'cpu' == device(torch.device 'cpu')) return dtype(torch.float64)"));
  CHECK(lua_tointeger(L, -1) == TOCHA_FLOAT64);
  lua_settop(L, 0);
}

/* Pushes the same object twice: it is one Lua object, which C gets back. */
#define CHECK_SAME(kind, object)                                                                   \
  do {                                                                                             \
    tocha_lua_push_##kind(L, object);                                                              \
    tocha_lua_push_##kind(L, object);                                                              \
    CHECK(lua_rawequal(L, -1, -2) && tocha_lua_to_##kind(L, -1) == (object));                      \
    lua_setglobal(L, #kind);                                                                       \
    lua_settop(L, 0);                                                                              \
  } while (0)

static void objects_keep_their_identity(lua_State *L) {
  tocha_context *cx = tocha_lua_context(L);
  tocha_scope scope = tocha_scope_begin(cx);
  int64_t size[] = {2, 3};
  tocha_tensor *t = tocha_ones(cx, 2, size);
  CHECK_SAME(tensor, t);
  tocha_module *linear = tocha_nn_linear(cx, 3, 1, true, tocha_cpu(), TOCHA_FLOAT32);
  CHECK_SAME(module, linear);
  tocha_state_dict *dict = tocha_module_state_dict(cx, linear, "", false);
  CHECK_SAME(state_dict, dict);
  tocha_generator *generator = tocha_generator_new(cx, tocha_cpu());
  CHECK_SAME(generator, generator);
  const tocha_optimizer_class *sgd = tocha_find_optimizer_class("SGD");
  int count;
  const tocha_option_declaration *d = tocha_optimizer_options(sgd, &count);
  tocha_option options[TOCHA_MAX_OPTIONS];
  for (int i = 0; i < count; i++) options[i] = d[i].default_value;
  tocha_optimizer *o = tocha_optimizer_new(cx, sgd, options);
  tocha_tensor *weight = NULL;
  tocha_module_member(linear, "weight", &weight, NULL);
  CHECK(tocha_optimizer_add_group(cx, o, 1, &weight, NULL));
  CHECK_SAME(optimizer, o);
  CHECK(run(L,
            "assert(module.weight.shape[1] == 3 and #state_dict == 2 and generator:initial_seed()) "
            "optimizer.param_groups[1].lr = 0.5 "
            "assert(rawequal(optimizer.param_groups[1].params[1], module.weight)) "
            "module(tensor):sum():backward() optimizer:step() kept = tensor * 2 return kept"));
  CHECK(tocha_optimizer_learning_rate(o, 0) == 0.5);
  tocha_tensor *kept = tocha_lua_to_tensor(L, -1); /* made by Lua: pushed again, it is the same */
  tocha_lua_push_tensor(L, kept);
  CHECK(lua_rawequal(L, -1, -2));
  lua_settop(L, 0);
  tocha_lua_push_dtype(L, TOCHA_INT8);
  tocha_lua_push_device(L, tocha_cpu());
  tocha_lua_push_size(L, 2, size);
  lua_setglobal(L, "s");
  lua_setglobal(L, "d");
  lua_setglobal(L, "t");
  CHECK(run(L,
            "assert(t == torch.int8 and d == torch.device 'cpu' and s == torch.ones(2, 3).shape)"));
  tocha_optimizer_release(o);
  tocha_state_dict_release(dict);
  tocha_module_release(linear);
  tocha_scope_end(cx, scope, NULL);
  CHECK(run(L, "tensor, module, state_dict, optimizer, generator, kept = nil collectgarbage() "
               "collectgarbage()"));
  tocha_generator_free(cx, generator);
}

/* An optimizer of Lua has a scheduler of C; Lua reads a state dict that C wrote, and the other way round. */
static void trainings_are_shared(lua_State *L) {
  tocha_context *cx = tocha_lua_context(L);
  tocha_scope scope = tocha_scope_begin(cx);
  size_t length;
  CHECK(run(L, "local nn, optim = torch.nn, torch.optim "
               "function train(o, p) o:zero_grad(); (p * p):sum():backward() o:step() end "
               "p = nn.Parameter(torch.ones(2)) adam = optim.Adam({p}, {lr = 0.5, amsgrad = true}) "
               "train(adam, p) adam.param_groups[1].note = 'kept' return adam"));
  tocha_optimizer *o = tocha_lua_to_optimizer(L, -1);
  tocha_exponential_lr_options options = tocha_exponential_lr_defaults(0.5);
  tocha_scheduler *s = tocha_optim_exponential_lr(cx, o, &options);
  CHECK(s && run(L, "train(adam, p)") && tocha_scheduler_step(cx, s));
  CHECK(run(L, "local g = adam.param_groups[1] "
               "assert(g.lr == 0.25 and g.initial_lr == 0.5 and g.note == 'kept') "
               "assert(tostring(adam):find('    initial_lr: 0.5\\n    lr: 0.25', 1, true)) "
               "return torch.serialization.save_bytes(adam:state_dict())"));
  const char *bytes = lua_tolstring(L, -1, &length);
  tocha_checkpoint *c = tocha_load_bytes(cx, bytes, length, NULL);
  tocha_tensor *p = tocha_set_requires_grad(cx, tocha_ones(cx, 1, (int64_t[]){2}), true);
  tocha_optimizer *other = tocha_optim_adam(cx, 1, &p, NULL);
  tocha_scalar lr = {0};
  CHECK(tocha_optimizer_load_state_dict(cx, other, tocha_checkpoint_root(c)));
  CHECK(tocha_optimizer_number(cx, other, 0, "initial_lr", &lr) && tocha_scalar_real(lr) == 0.5);
  CHECK(*(float *)tocha_data(tocha_optimizer_state(other, 0, 0, 0)) == 2);
  tocha_checkpoint_free(c);
  c = tocha_checkpoint_new(cx);
  CHECK(tocha_checkpoint_set_root(c, tocha_optimizer_state_dict(c, other)));
  char *saved = tocha_save_bytes(cx, c, TOCHA_FORMAT_ZIP, &length);
  lua_pushlstring(L, saved, length);
  lua_setglobal(L, "saved");
  CHECK(run(L, "local fresh = torch.optim.Adam({p}) "
               "fresh:load_state_dict(torch.serialization.load_bytes(saved)) "
               "local g = fresh.param_groups[1] assert(g.lr == 0.25 and g.amsgrad) "
               "assert(torch.equal(fresh.state[p].exp_avg, adam.state[p].exp_avg)) "
               "p, adam, saved, train = nil"));
  tocha_free(saved);
  tocha_checkpoint_free(c);
  tocha_optimizer_release(other);
  tocha_scheduler_release(s);
  tocha_scope_end(cx, scope, NULL);
  lua_settop(L, 0);
}

/* --- calls and errors ------------------------------------------------------------------------------ */

/* apply(function, x): a C function that calls Lua, whose error it passes on. */
static int apply(lua_State *L) {
  tocha_context *cx = tocha_lua_context(L);
  tocha_tensor *x = tocha_lua_check_tensor(L, 2, "apply", "x");
  lua_pushvalue(L, 1);
  tocha_lua_push_tensor(L, x);
  if (!tocha_lua_call(L, 1, 1)) {
    tocha_fail_in(cx, "apply");
    return tocha_lua_raise(L);
  }
  return 1;
}

static void functions_are_called(lua_State *L) {
  tocha_context *cx = tocha_lua_context(L);
  tocha_scope scope = tocha_scope_begin(cx);
  int64_t size[] = {2, 3};
  tocha_tensor *x = tocha_ones(cx, 2, size);
  CHECK(run(L, "return function(x, n) return x * n, {loss = x:sum()}, n + 1 end"));
  tocha_lua_push_tensor(L, x);
  lua_pushinteger(L, 3);
  CHECK(tocha_lua_call(L, 2, 3) && lua_gettop(L) == 3);
  tocha_scalar item;
  CHECK(tocha_item(cx, tocha_sum(cx, tocha_lua_to_tensor(L, 1)), &item) && item.value.real == 18);
  lua_getfield(L, 2, "loss");
  CHECK(tocha_lua_to_tensor(L, -1) && lua_tointeger(L, 3) == 4);
  lua_settop(L, 0);
  tocha_scope_end(cx, scope, NULL);
  CHECK(tocha_scope_size(cx) == 0);
}

static void errors_cross(lua_State *L) {
  tocha_context *cx = tocha_lua_context(L);
  tocha_lua_error e;
  lua_register(L, "apply", apply);
  CHECK(!run(L, "local x = torch.ones(2, 3)\nx:mm(x)"));
  CHECK(tocha_error(cx)->code == TOCHA_RUNTIME_ERROR && strstr(tocha_error(cx)->hint, "transpose"));
  CHECK(strcmp(tocha_error(cx)->message,
               "mm: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)") == 0);
  tocha_lua_push_error(L);
  CHECK(!tocha_failed(cx) && tocha_lua_to_error(L, -1, &e));
  CHECK(strcmp(e.position, "script:2") == 0 && strstr(e.traceback, "script:2") &&
        strcmp(e.op, "mm") == 0);
  lua_settop(L, 0);
  /* Lua, C, Lua, C, Lua: the same object arrives */
  CHECK(run(L,
            "inner = nil local ok, e = pcall(apply, function(x) return apply(function() "
            "local ok, e = pcall(torch.mm, x, x) inner = e error(e) end, x) end, torch.ones(2, 3)) "
            "assert(not ok and rawequal(e, inner)) return e"));
  CHECK(tocha_lua_to_error(L, -1, &e) && strstr(e.hint, "transpose"));
  lua_settop(L, 0);
  CHECK(run(L, "local t = {} local ok, e = pcall(apply, function() error(t) end, torch.ones(1)) "
               "assert(rawequal(e, t))"));
  CHECK(!run(L, "local function f()\n error 'plain'\nend\nf()"));
  tocha_lua_push_error(L);
  CHECK(tocha_lua_to_error(L, -1, &e) && strcmp(e.message, "script:2: plain") == 0 &&
        strstr(e.traceback, "script:4"));
  lua_settop(L, 0);
  check_fails(L, "return return", "unexpected symbol");
  check_fails(L, "\033Lua", "attempt to load a binary chunk");
  /* an error of Lua that the host cleared is gone, also if another one follows */
  tocha_fail(cx, TOCHA_VALUE_ERROR, "the host's own");
  tocha_lua_push_error(L);
  CHECK(tocha_lua_to_error(L, -1, &e) && e.code == TOCHA_VALUE_ERROR &&
        strcmp(e.message, "the host's own") == 0);
  tocha_lua_push_error(L);
  CHECK(lua_isnil(L, -1) && !tocha_lua_to_error(L, -1, &e));
  lua_settop(L, 0);
}

/* --- modules of Lua -------------------------------------------------------------------------------- */

static const char network[] =
    "local Net = torch.nn.Module:extend 'Net'\n"
    "function Net:init() self.layer = torch.nn.Linear(3, 2) self.calls = 0 end\n"
    "function Net:forward(x, mask) self.calls = self.calls + 1 "
    "return self.layer(x), mask and x * mask, {self.calls, {x:sum()}} end\n"
    "local net = Net() net:register_forward_hook(function() hooked = (hooked or 0) + 1 end) return "
    "net";

static void modules_are_called(lua_State *L) {
  tocha_context *cx = tocha_lua_context(L);
  tocha_scope scope = tocha_scope_begin(cx);
  int64_t size[] = {2, 3};
  tocha_tensor *inputs[] = {tocha_ones(cx, 2, size), tocha_zeros(cx, 2, size)};
  CHECK(run(L, network));
  tocha_module *net = tocha_module_retain(tocha_lua_to_module(L, -1));
  lua_settop(L, 0);
  CHECK(run(L, "collectgarbage() collectgarbage()")); /* only C has it now */
  tocha_tensor *y = tocha_module_forward(cx, net, 1, inputs);
  if (!y) printf("# %s\n", tocha_error(cx)->message);
  CHECK(y && tocha_ndim(y) == 2);
  tocha_tensor *results[4];
  CHECK(tocha_module_call_all(cx, net, 2, inputs, 4, results) == 4);
  CHECK(results[0] && results[1] && !results[2] && tocha_ndim(results[3]) == 0);
  CHECK(tocha_module_call_all(cx, net, 1, inputs, 1, results) == 4 && results[0]);
  tocha_lua_push_module(L, net);
  lua_setglobal(L, "net");
  CHECK(run(L, "assert(net.calls == 3 and hooked == 3) net = nil collectgarbage()"));
  tocha_module *linear = tocha_nn_linear(cx, 3, 1, true, tocha_cpu(), TOCHA_FLOAT32);
  CHECK(tocha_module_call_all(cx, linear, 1, inputs, 4, results) == 1 && results[0]);
  CHECK(tocha_module_call_all(cx, linear, 2, inputs, 4, results) < 0);
  tocha_clear_error(cx);
  tocha_module_release(linear);
  tocha_module_release(net);
  tocha_scope_end(cx, scope, NULL);
  CHECK(run(L, "collectgarbage() collectgarbage()"));
}

static tocha_tensor *add_inputs(tocha_context *cx, void *data, tocha_module *module, int count,
                                tocha_tensor *const *inputs) {
  (void)data, (void)module;
  if (count > 2) return tocha_fail(cx, TOCHA_VALUE_ERROR, "%d are too many", count);
  return count == 2 && inputs[1] ? tocha_add(cx, inputs[0], inputs[1]) : inputs[0];
}

/* Lua calls a module whose forward is the host's. */
static void forwards_of_the_host_are_called(lua_State *L) {
  tocha_context *cx = tocha_lua_context(L);
  const tocha_host_object host = {.forward = add_inputs};
  tocha_module *net = tocha_module_new(cx, tocha_find_module_class("Module"), "Sum");
  tocha_module_set_host_object(net, &host);
  tocha_lua_push_module(L, net);
  lua_setglobal(L, "sum");
  CHECK(run(L, "local x = torch.ones(2) assert(sum(x) == x and sum(x, nil) == x) "
               "assert(sum(x, x):sum():item() == 4) "
               "assert(torch.nn.Sequential(sum, torch.nn.ReLU())(x):sum():item() == 2)"));
  CHECK(run(
      L, "local ok, e = pcall(sum, 1) "
         "assert(not ok and tostring(e):find('must be Tensor, not int', 1, true), tostring(e))"));
  CHECK(!run(L, "local x = torch.ones(2) sum(x, x, x)"));
  CHECK(strcmp(tocha_error(cx)->message, "3 are too many") == 0);
  tocha_clear_error(cx);
  CHECK(run(
      L, "local calls = 0 local hook = sum:register_forward_hook(function() calls = calls + 1 end) "
         "sum(torch.ones(2)) assert(calls == 1) hook:remove()"));
  CHECK(tocha_module_get_host_object(net)->forward == add_inputs);
  CHECK(run(L, "sum = nil collectgarbage()"));
  tocha_module_release(net);
}

/* A host's context goes on after the state: what Lua made there no longer calls it. */
static void context_outlives_state(void) {
  tocha_context *cx = tocha_open(NULL);
  tocha_lua_options o = {.context = cx};
  lua_State *L = tocha_lua_new_state(&o, NULL, 0);
  CHECK(L != NULL);
  if (!L) return;
  int64_t size[] = {2, 3};
  tocha_tensor *x = tocha_ones(cx, 2, size);
  CHECK(run(L, network));
  tocha_module *net = tocha_module_retain(tocha_lua_to_module(L, -1));
  CHECK(run(L, "w = torch.ones(3, {requires_grad = true}) w:register_hook(function(g) return g * 2 "
               "end) return w * 2"));
  tocha_tensor *y = tocha_retain(tocha_lua_to_tensor(L, -1));
  CHECK(tocha_module_forward(cx, net, 1, &x) != NULL);
  lua_close(L);
  CHECK(tocha_module_forward(cx, net, 1, &x) == NULL && tocha_failed(cx));
  tocha_clear_error(cx);
  CHECK(!tocha_backward(cx, tocha_sum(cx, y), NULL, false, false));
  CHECK(strstr(tocha_error(cx)->message, "closed"));
  tocha_clear_error(cx);
  tocha_release(y);
  tocha_module_release(net);
  tocha_close(cx);
}

int main(void) {
  states_have_options();
  hosts_choices_stay();
  char message[200];
  lua_State *L = tocha_lua_new_state(NULL, message, sizeof message);
  CHECK(L != NULL);
  if (!L) return finish();
  arguments_are_checked(L);
  objects_keep_their_identity(L);
  trainings_are_shared(L);
  functions_are_called(L);
  errors_cross(L);
  modules_are_called(L);
  forwards_of_the_host_are_called(L);
  context_outlives_state();
  lua_close(L);
  return finish();
}
