/* collectives.c: the collectives of torch.distributed: torch._distributed.all_reduce and the like.
 *
 * Each function is called with (group, async, ...): a handle of a group, or nil; true for an operation that goes on
 * after the call; then the tensors, or tables of tensors, and ranks of the group. The Lua side has checked the types.
 * Each returns the operation. */
#include "distributed/distributed.h"

/* The arguments that each function of this file reads first. */
typedef struct call {
  tocha_context *cx;
  tocha_process_group *group;
  bool async;
  work_box *box; /* at the top of the stack */
} call;

/* Reads the first two arguments and pushes the operation's box. Raises if there are fewer than `count` arguments.
 * [-0, +1, e] */
static call begin_call(lua_State *L, int count) {
  call c = {.cx = CX(L), .group = check_group(L, 1), .async = lua_toboolean(L, 2)};
  if (lua_gettop(L) < count) luaL_error(L, "expected %d arguments", count);
  c.box = push_work(L);
  note_place(L);
  return c;
}

/* Returns the operation at the top, or raises the error with which it did not begin or, if the script waited for it,
 * with which it ended. */
static int end_call(lua_State *L, const call *c, tocha_work *work) {
  c->box->work = work;
  return work ? 1 : raise_error(L);
}

static tocha_tensor *tensor_at(lua_State *L, int index) {
  tocha_tensor *t = to_tensor(L, index);
  if (!t) luaL_typeerror(L, index, "Tensor");
  return t;
}

/* Pushes the tensors of the table at `index` as an array, and returns it; nil is NULL. The table keeps the tensors
 * alive. [-0, +1, e] */
static tocha_tensor **push_list(lua_State *L, int index) {
  if (lua_isnoneornil(L, index)) {
    lua_pushnil(L);
    return NULL;
  }
  luaL_checktype(L, index, LUA_TTABLE);
  lua_Integer n = luaL_len(L, index);
  tocha_tensor **list = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof(tocha_tensor *), 0);
  for (lua_Integer i = 0; i < n; i++) {
    lua_rawgeti(L, index, i + 1);
    list[i] = tensor_at(L, -1);
    lua_pop(L, 1);
  }
  return list;
}

/* Pushes the integers of the table at `index` as an array, and returns it; nil is NULL. [-0, +1, e] */
static int64_t *push_sizes(lua_State *L, int index) {
  if (lua_isnoneornil(L, index)) {
    lua_pushnil(L);
    return NULL;
  }
  luaL_checktype(L, index, LUA_TTABLE);
  lua_Integer n = luaL_len(L, index);
  int64_t *sizes = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *sizes, 0);
  for (lua_Integer i = 0; i < n; i++) {
    lua_rawgeti(L, index, i + 1);
    sizes[i] = luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  return sizes;
}

static int rank_at(lua_State *L, int index) { return (int)luaL_checkinteger(L, index); }
static tocha_reduce_op op_at(lua_State *L, int index) {
  return (tocha_reduce_op)luaL_checkinteger(L, index);
}

/* --- one tensor on each rank ---------------------------------------------------------------------- */

/* (group, async, tensor, op) */
static int all_reduce(lua_State *L) {
  tocha_tensor *t = tensor_at(L, 3);
  tocha_reduce_op op = op_at(L, 4);
  call c = begin_call(L, 4);
  return end_call(L, &c, tocha_all_reduce(c.cx, t, op, c.group, c.async));
}

/* (group, async, tensor, root) */
static int broadcast(lua_State *L) {
  tocha_tensor *t = tensor_at(L, 3);
  int root = rank_at(L, 4);
  call c = begin_call(L, 4);
  return end_call(L, &c, tocha_broadcast(c.cx, t, root, c.group, c.async));
}

/* (group, async, tensor, root, op) */
static int reduce(lua_State *L) {
  tocha_tensor *t = tensor_at(L, 3);
  int root = rank_at(L, 4);
  tocha_reduce_op op = op_at(L, 5);
  call c = begin_call(L, 5);
  return end_call(L, &c, tocha_reduce_to(c.cx, t, root, op, c.group, c.async));
}

/* (group, async, tensor, peer, tag) */
static int send(lua_State *L) {
  tocha_tensor *t = tensor_at(L, 3);
  int peer = rank_at(L, 4), tag = rank_at(L, 5);
  call c = begin_call(L, 5);
  return end_call(L, &c, tocha_send(c.cx, t, peer, tag, c.group, c.async));
}

/* (group, async, tensor, peer, tag) peer: -1 for anyone. */
static int recv(lua_State *L) {
  tocha_tensor *t = tensor_at(L, 3);
  int peer = rank_at(L, 4), tag = rank_at(L, 5);
  call c = begin_call(L, 5);
  return end_call(L, &c, tocha_recv(c.cx, t, peer, tag, c.group, c.async));
}

/* (group, async) */
static int barrier(lua_State *L) {
  call c = begin_call(L, 2);
  return end_call(L, &c, tocha_barrier(c.cx, c.group, c.async));
}

/* --- a tensor for each rank ----------------------------------------------------------------------- */

/* (group, async, outputs, input) */
static int all_gather(lua_State *L) {
  tocha_tensor *input = tensor_at(L, 4), **outputs = push_list(L, 3);
  call c = begin_call(L, 4);
  return end_call(L, &c, tocha_all_gather(c.cx, outputs, input, c.group, c.async));
}

/* (group, async, output, input) */
static int all_gather_into_tensor(lua_State *L) {
  tocha_tensor *output = tensor_at(L, 3), *input = tensor_at(L, 4);
  call c = begin_call(L, 4);
  return end_call(L, &c, tocha_all_gather_into_tensor(c.cx, output, input, c.group, c.async));
}

/* (group, async, outputs or nil, input, root) */
static int gather(lua_State *L) {
  tocha_tensor *input = tensor_at(L, 4);
  int root = rank_at(L, 5);
  tocha_tensor **outputs = push_list(L, 3);
  call c = begin_call(L, 5);
  return end_call(L, &c, tocha_gather_to(c.cx, outputs, input, root, c.group, c.async));
}

/* (group, async, output, inputs or nil, root) */
static int scatter(lua_State *L) {
  tocha_tensor *output = tensor_at(L, 3);
  int root = rank_at(L, 5);
  tocha_tensor **inputs = push_list(L, 4);
  call c = begin_call(L, 5);
  return end_call(L, &c, tocha_scatter_from(c.cx, output, inputs, root, c.group, c.async));
}

/* (group, async, output, inputs, op) */
static int reduce_scatter(lua_State *L) {
  tocha_tensor *output = tensor_at(L, 3);
  tocha_reduce_op op = op_at(L, 5);
  tocha_tensor **inputs = push_list(L, 4);
  call c = begin_call(L, 5);
  return end_call(L, &c, tocha_reduce_scatter(c.cx, output, inputs, op, c.group, c.async));
}

/* (group, async, output, input, op) */
static int reduce_scatter_tensor(lua_State *L) {
  tocha_tensor *output = tensor_at(L, 3), *input = tensor_at(L, 4);
  tocha_reduce_op op = op_at(L, 5);
  call c = begin_call(L, 5);
  return end_call(L, &c, tocha_reduce_scatter_tensor(c.cx, output, input, op, c.group, c.async));
}

/* (group, async, outputs, inputs) */
static int all_to_all(lua_State *L) {
  tocha_tensor **outputs = push_list(L, 3), **inputs = push_list(L, 4);
  call c = begin_call(L, 4);
  return end_call(L, &c, tocha_all_to_all(c.cx, outputs, inputs, c.group, c.async));
}

/* (group, async, output, input, output sizes or nil, input sizes or nil) */
static int all_to_all_single(lua_State *L) {
  tocha_tensor *output = tensor_at(L, 3), *input = tensor_at(L, 4);
  int64_t *output_sizes = push_sizes(L, 5), *input_sizes = push_sizes(L, 6);
  call c = begin_call(L, 6);
  return end_call(
      L, &c,
      tocha_all_to_all_single(c.cx, output, input, output_sizes, input_sizes, c.group, c.async));
}

/* (group, timeout, wait_all_ranks) Waits, and returns nothing. */
static int monitored_barrier(lua_State *L) {
  tocha_process_group *group = check_group(L, 1);
  double timeout = luaL_checknumber(L, 2);
  note_place(L);
  return tocha_monitored_barrier(CX(L), group, timeout, lua_toboolean(L, 3)) ? 0 : raise_error(L);
}

void open_collectives(lua_State *L, int table) {
  static const luaL_Reg functions[] = {{"all_reduce", all_reduce},
                                       {"broadcast", broadcast},
                                       {"reduce", reduce},
                                       {"send", send},
                                       {"recv", recv},
                                       {"barrier", barrier},
                                       {"monitored_barrier", monitored_barrier},
                                       {"all_gather", all_gather},
                                       {"all_gather_into_tensor", all_gather_into_tensor},
                                       {"gather", gather},
                                       {"scatter", scatter},
                                       {"reduce_scatter", reduce_scatter},
                                       {"reduce_scatter_tensor", reduce_scatter_tensor},
                                       {"all_to_all", all_to_all},
                                       {"all_to_all_single", all_to_all_single},
                                       {NULL, NULL}};
  lua_pushvalue(L, table);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}
