/* open.c: luaopen_torch: everything is put together. */
#include "arguments/functions.h"
#include "io/io.h"
#include "lua/guard.h"
#include "nn/module.h"

static const binding_hooks hooks = {.open = luaopen_torch,
                                    .source = lua_source,
                                    .source_name = lua_source_name,
                                    .functions = function_list,
                                    .push_module_path = push_module_path,
                                    .to_module = to_module,
                                    .to_optimizer = to_optimizer,
                                    .under_device = under_device,
                                    .push_node_of = push_node_of,
                                    .mark_uninitialized = mark_uninitialized};

int luaopen_torch(lua_State *L) {
  luaL_checkversion(L);
  need_stack(L, 20);
  if (is_open(L)) { /* under another name */
    lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
    return 1;
  }
  open_errors(L);
  open_traceback(L);
  open_format(L);
  open_state(L, &hooks);
  lua_createtable(L, 0, 1024); /* torch */
  int torch = lua_gettop(L);
  lua_createtable(L, 0, 1024); /* methods of tensors */
  int methods = lua_gettop(L);
  lua_pushvalue(L, torch);
  lua_setfield(L, LUA_REGISTRYINDEX, "tocha.torch");
  open_collector(L, torch);
  open_warnings(L, torch);
  open_guards(L);
  open_namespaces(L, torch);
  open_types(L, torch);
  open_modes(L, torch);
  open_operators(L, torch, methods);
  open_attributes(L, methods);
  open_subscripts(L);
  open_autograd(L);
  open_functions_of_lua(L, torch);
  open_saving(L, torch);
  open_construct(L, torch);
  open_functions(L, torch, methods);
  open_cuda(L, torch, methods);
  open_tensor(L, methods);
  lua_getfield(L, torch, "tensor");
  lua_setfield(L, LUA_REGISTRYINDEX, "tocha.tensor");
  lua_pushvalue(L, methods);
  lua_setfield(L, torch, "Tensor");
  open_modules(L, torch);
  open_nn_functions(L, torch);
  open_replicate(L, torch);
  open_optim(L, torch);
  open_grad_scaler(L);
  open_help(L, torch);
  open_support(L, torch);
  open_terminal(L, torch);
  open_io(L, torch);
  lua_getfield(L, torch, "_io");
  open_serialization(L);
  lua_pop(L, 1);
  open_profiler(L, torch);
  open_workers(L, torch);
  lua_pushstring(L, tocha_version());
  lua_setfield(L, torch, "__version__");
  lua_getfield(L, torch, "_part");
  lua_pushliteral(L, "torch"); /* lua/torch/init.lua */
  lua_call(L, 1, 0);
  make_namespace(L, torch, "torch");
  lua_pushvalue(L, torch);
  return 1;
}

/* What `require "torch.nn"` and the like find in torch.so when they come before `require "torch"`; the parts written in Lua have
 * theirs in what lua/embed.lua writes. */
int luaopen_torch_autograd(lua_State *L);
int luaopen_torch_linalg(lua_State *L);
int luaopen_torch_nn(lua_State *L);
int luaopen_torch_nn_functional(lua_State *L);
int luaopen_torch_nn_init(lua_State *L);
int luaopen_torch_nn_utils(lua_State *L);
int luaopen_torch_optim(lua_State *L);

int luaopen_torch_autograd(lua_State *L) { return open_by_name(L); }
int luaopen_torch_linalg(lua_State *L) { return open_by_name(L); }
int luaopen_torch_nn(lua_State *L) { return open_by_name(L); }
int luaopen_torch_nn_functional(lua_State *L) { return open_by_name(L); }
int luaopen_torch_nn_init(lua_State *L) { return open_by_name(L); }
int luaopen_torch_nn_utils(lua_State *L) { return open_by_name(L); }
int luaopen_torch_optim(lua_State *L) { return open_by_name(L); }
