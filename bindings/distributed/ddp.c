/* ddp.c: torch._distributed.reducer: what torch.nn.parallel.DistributedDataParallel does in C. */
#include "lua/callback.h"
#include "distributed/distributed.h"
#include "nn/module.h"
#include "tocha/ddp.h"

static const char REDUCER[] = "torch.distributed.Reducer";
enum { BEGIN = 1, END, VALUES = 2 }; /* user values: the functions of a communication hook */

typedef struct reducer_box {
  tocha_ddp *ddp; /* NULL: not made yet, or ended */
  binding *b;
} reducer_box;

static tocha_ddp *check_reducer(lua_State *L) {
  const reducer_box *box = luaL_checkudata(L, 1, REDUCER);
  if (!box->ddp) luaL_error(L, "the reducer has ended");
  return box->ddp;
}

static int end_reducer(lua_State *L) {
  reducer_box *box = luaL_checkudata(L, 1, REDUCER);
  if (box->ddp && is_open(L)) tocha_ddp_free(box->ddp);
  box->ddp = NULL;
  return 0;
}

/* --- making one -------------------------------------------------------------------------------------- */

static bool flag_of(lua_State *L, int table, const char *name) {
  lua_getfield(L, table, name);
  bool is = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return is;
}

/* Returns the strings of the list at `index`, ended by NULL, in a userdata that is left on the stack.
 * [-0, +1, m] */
static const char *const *push_names(lua_State *L, int index) {
  lua_Integer count = lua_isnil(L, index) ? 0 : luaL_len(L, index);
  const char **names = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *names, 0);
  for (lua_Integer i = 0; i < count; i++) {
    lua_geti(L, index, i + 1);
    names[i] = luaL_checkstring(L, -1); /* the list keeps it */
    lua_pop(L, 1);
  }
  names[count] = NULL;
  return names;
}

/* Returns the numbers of the list at `index`, and how many they are, in a userdata that is left on the stack. [-0, +1, e] */
static const double *push_numbers(lua_State *L, int index, int *count) {
  *count = lua_istable(L, index) ? (int)luaL_len(L, index) : 0;
  double *numbers = lua_newuserdatauv(L, ((size_t)*count + 1) * sizeof *numbers, 0);
  for (int i = 0; i < *count; i++, lua_pop(L, 1)) {
    lua_geti(L, index, i + 1);
    numbers[i] = luaL_checknumber(L, -1);
  }
  return numbers;
}

/* Returns the plan at `index`: a list of lists of the parameters' numbers, or nil. Its numbers are in a userdata that is left on the
 * stack. [-0, +1, e] */
static tocha_ddp_plan push_plan(lua_State *L, int index) {
  lua_Integer buckets = lua_istable(L, index) ? luaL_len(L, index) : 0, count = 0, at = buckets;
  for (lua_Integer b = 1; b <= buckets; b++, lua_pop(L, 1)) {
    lua_geti(L, index, b);
    luaL_checktype(L, -1, LUA_TTABLE);
    count += luaL_len(L, -1);
  }
  int *numbers = lua_newuserdatauv(L, ((size_t)(buckets + count) + 1) * sizeof *numbers, 0);
  for (lua_Integer b = 0; b < buckets; b++, lua_pop(L, 1)) {
    lua_geti(L, index, b + 1);
    numbers[b] = (int)luaL_len(L, -1);
    for (int i = 1; i <= numbers[b]; i++, lua_pop(L, 1)) {
      lua_geti(L, -1, i);
      numbers[at++] = (int)luaL_checkinteger(L, -1);
    }
  }
  return (tocha_ddp_plan){(int)buckets, numbers, numbers + buckets};
}

/* (module, group, options, ignored, plan) Returns a reducer. options: PyTorch's arguments by their names. */
static int new_reducer(lua_State *L) {
  lua_settop(L, 5);
  luaL_checktype(L, 3, LUA_TTABLE);
  tocha_ddp_options options = {.module = check_module(L, 1), .group = check_group(L, 2)};
  options.ignored = push_names(L, 4);
  options.plan = push_plan(L, 5);
  lua_getfield(L, 3, "bucket_cap_mb");
  options.bucket_cap_mb = luaL_optnumber(L, -1, 0);
  lua_getfield(L, 3, "bucket_cap_mb_list");
  options.bucket_cap_mb_list = push_numbers(L, lua_gettop(L), &options.bucket_cap_mb_count);
  options.find_unused_parameters = flag_of(L, 3, "find_unused_parameters");
  options.gradient_as_bucket_view = flag_of(L, 3, "gradient_as_bucket_view");
  options.static_graph = flag_of(L, 3, "static_graph");
  options.no_init_sync = flag_of(L, 3, "no_init_sync");
  options.keep_buffers = flag_of(L, 3, "keep_buffers");
  options.keep_buffers_later = flag_of(L, 3, "keep_buffers_later");
  reducer_box *box = lua_newuserdatauv(L, sizeof *box, VALUES);
  *box = (reducer_box){NULL, binding_of(L)};
  luaL_setmetatable(L, REDUCER);
  note_place(L);
  if (!(box->ddp = tocha_ddp_new(CX(L), &options))) return raise_error(L);
  remember_object(L, -1, box);
  return 1;
}

/* --- passes ------------------------------------------------------------------------------------------ */

static int before_forward(lua_State *L) {
  tocha_ddp *ddp = check_reducer(L);
  note_place(L);
  return tocha_ddp_before_forward(CX(L), ddp) ? 0 : raise_error(L);
}

/* (reducer, outputs) outputs: a list of tensors, or nil. */
static int before_backward(lua_State *L) {
  tocha_ddp *ddp = check_reducer(L);
  lua_settop(L, 2);
  int count = lua_isnil(L, 2) ? 0 : (int)luaL_len(L, 2);
  tocha_tensor **outputs = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *outputs, 0);
  for (int i = 0; i < count; i++) {
    lua_geti(L, 2, i + 1);
    outputs[i] = to_tensor(L, -1);
    lua_pop(L, 1);
  }
  return tocha_ddp_before_backward(CX(L), ddp, count, outputs) ? 0 : raise_error(L);
}

/* (reducer, sync?) Returns if backward passes synchronize, and sets it. */
static int sync(lua_State *L) {
  tocha_ddp *ddp = check_reducer(L);
  lua_pushboolean(L, lua_isnoneornil(L, 2) ? tocha_ddp_sync(ddp)
                                           : tocha_ddp_set_sync(ddp, lua_toboolean(L, 2)));
  return 1;
}

static int keep_buffers(lua_State *L) {
  tocha_ddp_keep_buffers(check_reducer(L));
  return 0;
}

static int set_static_graph(lua_State *L) {
  return tocha_ddp_set_static_graph(CX(L), check_reducer(L)) ? 0 : raise_error(L);
}

/* (reducer, reduces) */
static int shadow_pass(lua_State *L) {
  tocha_ddp *ddp = check_reducer(L);
  note_place(L);
  return tocha_ddp_shadow_pass(CX(L), ddp, lua_toboolean(L, 2)) ? 0 : raise_error(L);
}

/* (reducer, divisor, root) */
static int set_uneven(lua_State *L) {
  tocha_ddp_set_uneven(check_reducer(L), (int)luaL_checkinteger(L, 2),
                       (int)luaL_checkinteger(L, 3));
  return 0;
}

static int sync_state(lua_State *L) {
  tocha_ddp *ddp = check_reducer(L);
  note_place(L);
  return tocha_ddp_sync_state(CX(L), ddp) ? 0 : raise_error(L);
}

/* Returns the plan of the next passes as a list of lists of numbers; nil if there is none yet. */
static int find_plan(lua_State *L) {
  const tocha_ddp *ddp = check_reducer(L);
  int parameters = tocha_ddp_parameter_count(ddp);
  int *order = lua_newuserdatauv(L, 2 * (size_t)parameters * sizeof *order, 0);
  int *sizes = order + parameters, at = 0, count = tocha_ddp_find_plan(CX(L), ddp, order, sizes);
  if (count < 0) return raise_error(L);
  if (count == 0) return 0;
  lua_createtable(L, count, 0);
  for (int b = 0; b < count; b++) {
    lua_createtable(L, sizes[b], 0);
    for (int i = 1; i <= sizes[b]; i++) {
      lua_pushinteger(L, order[at++]);
      lua_rawseti(L, -2, i);
    }
    lua_rawseti(L, -2, b + 1);
  }
  return 1;
}

/* (reducer, plan) */
static int take_plan(lua_State *L) {
  tocha_ddp *ddp = check_reducer(L);
  return tocha_ddp_take_plan(CX(L), ddp, push_plan(L, 2)) ? 0 : raise_error(L);
}

/* Returns a list of {parameters = list of their numbers, bytes = }, and true if it follows the first pass. */
static int buckets(lua_State *L) {
  const tocha_ddp *ddp = check_reducer(L);
  lua_newtable(L);
  for (int i = 0; i < tocha_ddp_bucket_count(ddp); i++) {
    lua_createtable(L, 0, 2);
    int count = tocha_ddp_bucket_parameters(ddp, i);
    const int *members = tocha_ddp_bucket_members(ddp, i);
    lua_createtable(L, count, 0);
    for (int k = 0; k < count; k++) {
      lua_pushinteger(L, members[k]);
      lua_rawseti(L, -2, k + 1);
    }
    lua_setfield(L, -2, "parameters");
    lua_pushinteger(L, tocha_ddp_bucket_bytes(ddp, i));
    lua_setfield(L, -2, "bytes");
    lua_rawseti(L, -2, i + 1);
  }
  lua_pushboolean(L, tocha_ddp_has_rebuilt_buckets(ddp));
  return 2;
}

/* --- communication hooks --------------------------------------------------------------------------------- */

typedef struct hook_call {
  const reducer_box *box;
  int function; /* BEGIN or END */
  const tocha_gradient_bucket *bucket;
} hook_call;

/* Pushes a list of tensors; a parameter is the object that the module's script knows. [-0, +1, e] */
static void push_list_of(lua_State *L, int count, tocha_tensor *const *tensors) {
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    tocha_lua_push_tensor(L, tensors[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

/* Calls the function with the bucket's number, a flag for the last one, its buffer, gradients and parameters. */
static bool call_function(lua_State *L, binding *b, void *argument) {
  const hook_call *c = argument;
  if (!push_remembered(L, c->box)) return true; /* the reducer is being collected */
  lua_getiuservalue(L, -1, c->function);
  lua_pushinteger(L, c->bucket->index);
  lua_pushboolean(L, c->bucket->is_last);
  push_new_tensor(L, b, c->bucket->buffer);
  push_list_of(L, c->bucket->count, c->bucket->gradients);
  push_list_of(L, c->bucket->count, c->bucket->parameters);
  lua_call(L, 5, 0);
  return true;
}

static bool begin_hook(tocha_context *cx, void *user, const tocha_gradient_bucket *bucket) {
  (void)cx;
  hook_call c = {user, BEGIN, bucket};
  return call_back(c.box->b, 0, 0, call_function, &c);
}

static bool end_hook(tocha_context *cx, void *user, const tocha_gradient_bucket *bucket) {
  (void)cx;
  hook_call c = {user, END, bucket};
  return call_back(c.box->b, 0, 0, call_function, &c);
}

/* (reducer, begin, end) */
static int register_comm_hook(lua_State *L) {
  tocha_ddp *ddp = check_reducer(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  luaL_checktype(L, 3, LUA_TFUNCTION);
  tocha_comm_hook hook = {.begin = begin_hook, .end = end_hook, .user = lua_touserdata(L, 1)};
  if (!tocha_ddp_register_comm_hook(CX(L), ddp, hook)) return raise_error(L);
  lua_settop(L, 3);
  lua_setiuservalue(L, 1, END);
  lua_setiuservalue(L, 1, BEGIN);
  return 0;
}

/* --- values ------------------------------------------------------------------------------------------------ */

/* (group, tensors, buffer bytes, root) */
static int broadcast_coalesced(lua_State *L) {
  tocha_process_group *group = check_group(L, 1);
  int count = (int)luaL_len(L, 2);
  tocha_tensor **tensors = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *tensors, 0);
  for (int i = 0; i < count; i++) {
    lua_geti(L, 2, i + 1);
    if (!(tensors[i] = to_tensor(L, -1))) return luaL_argerror(L, 2, "tensors expected");
    lua_pop(L, 1);
  }
  note_place(L);
  if (!tocha_broadcast_coalesced(CX(L), group, count, tensors, luaL_checkinteger(L, 3),
                                 (int)luaL_checkinteger(L, 4)))
    return raise_error(L);
  return 0;
}

void open_ddp(lua_State *L, int table) {
  static const luaL_Reg events[] = {{"__gc", end_reducer}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"before_forward", before_forward},
                                     {"before_backward", before_backward},
                                     {"sync", sync},
                                     {"keep_buffers", keep_buffers},
                                     {"set_static_graph", set_static_graph},
                                     {"shadow_pass", shadow_pass},
                                     {"set_uneven", set_uneven},
                                     {"sync_state", sync_state},
                                     {"buckets", buckets},
                                     {"find_plan", find_plan},
                                     {"take_plan", take_plan},
                                     {"register_comm_hook", register_comm_hook},
                                     {NULL, NULL}};
  new_metatable(L, REDUCER, events);
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  lua_pushcfunction(L, new_reducer);
  lua_setfield(L, table, "reducer");
  lua_pushcfunction(L, broadcast_coalesced);
  lua_setfield(L, table, "broadcast_coalesced");
}
