/* coalesced.c: operations that begin as one, and the division of a group's connections. */
#include "distributed/distributed.h"

/* (group, tensor) Returns true if operations on tensors of its device can begin as one. */
static int coalesces(lua_State *L) {
  tocha_context *cx = CX(L);
  tocha_tensor *t = to_tensor(L, 2);
  if (!t) return luaL_typeerror(L, 2, "Tensor");
  bool can = tocha_group_coalesces(cx, check_group(L, 1), tocha_device_of(t));
  if (tocha_failed(cx)) return raise_error(L);
  lua_pushboolean(L, can);
  return 1;
}

/* (group) Collects operations from now on. */
static int start(lua_State *L) {
  return tocha_coalescing_start(CX(L), check_group(L, 1)) ? 0 : raise_error(L);
}

/* (group, async) Begins them. Returns the operation; nothing if there are none. */
static int end(lua_State *L) {
  tocha_context *cx = CX(L);
  tocha_process_group *group = check_group(L, 1);
  work_box *box = push_work(L);
  note_place(L);
  box->work = tocha_coalescing_end(cx, group, lua_toboolean(L, 2));
  if (tocha_failed(cx)) return raise_error(L);
  return box->work ? 1 : 0;
}

/* (group) Forgets them. */
static int drop(lua_State *L) {
  tocha_coalescing_drop(CX(L), check_group(L, 1));
  return 0;
}

/* Pushes the numbers of the tables in the table at `index`, and how many each has, as arrays. [-0, +2, e] */
static int push_split(lua_State *L, int index, int **sizes, int **ranks) {
  luaL_checktype(L, index, LUA_TTABLE);
  int parts = (int)luaL_len(L, index), count = 0;
  *sizes = lua_newuserdatauv(L, ((size_t)parts + 1) * sizeof **sizes, 0);
  for (int p = 0; p < parts; p++) {
    lua_rawgeti(L, index, p + 1);
    luaL_checktype(L, -1, LUA_TTABLE);
    count += (*sizes)[p] = (int)luaL_len(L, -1);
    lua_pop(L, 1);
  }
  *ranks = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof **ranks, 0);
  int *at = *ranks;
  for (int p = 0; p < parts; p++) {
    lua_rawgeti(L, index, p + 1);
    for (int i = 0; i < (*sizes)[p]; i++) {
      lua_rawgeti(L, -1, i + 1);
      *at++ = (int)luaL_checkinteger(L, -1);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  return parts;
}

/* (parent, a table of tables of the parent's ranks, the new group or nil) */
static int divide_group(lua_State *L) {
  tocha_process_group *parent = check_group(L, 1), *child = check_group(L, 3);
  int *sizes, *ranks, parts = push_split(L, 2, &sizes, &ranks);
  note_place(L);
  return tocha_group_split(CX(L), parent, parts, sizes, ranks, child) ? 0 : raise_error(L);
}

void open_coalesced(lua_State *L, int table) {
  static const luaL_Reg functions[] = {{"coalesces", coalesces},       {"start_coalescing", start},
                                       {"end_coalescing", end},        {"drop_coalescing", drop},
                                       {"divide_group", divide_group}, {NULL, NULL}};
  lua_pushvalue(L, table);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}
