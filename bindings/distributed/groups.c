/* groups.c: process groups for torch.distributed: torch._distributed.init and the like.
 *
 * A handle is a userdata with a pointer to a group, which belongs to the context. A group that ends leaves its handle
 * empty, so a script may keep handles as long as it likes. */
#include "distributed/distributed.h"

static const char HANDLE[] = "torch.distributed.handle";
/* Registry: a table from the address of each living group to its handle. */
static const char HANDLES[] = "tocha.distributed.handles";

typedef struct group_handle {
  tocha_process_group *group; /* NULL: it has ended */
} group_handle;

/* --- handles ------------------------------------------------------------------------------------- */

/* Pushes a handle without a group. [-0, +1, m] */
static group_handle *new_handle(lua_State *L) {
  group_handle *handle = lua_newuserdatauv(L, sizeof *handle, 0);
  handle->group = NULL;
  luaL_setmetatable(L, HANDLE);
  return handle;
}

/* Gives the handle at the top its group, and enters it among the living ones. [-0, +0, m] */
static void fill_handle(lua_State *L, group_handle *handle, tocha_process_group *group) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, HANDLES);
  lua_pushvalue(L, -2);
  lua_rawsetp(L, -2, group);
  lua_pop(L, 1);
  handle->group = group;
}

static void forget_handle(lua_State *L, group_handle *handle) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, HANDLES);
  lua_pushnil(L);
  lua_rawsetp(L, -2, handle->group);
  lua_pop(L, 1);
  handle->group = NULL;
}

static void forget_handles(lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, HANDLES);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
    ((group_handle *)lua_touserdata(L, -1))->group = NULL;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_setfield(L, LUA_REGISTRYINDEX, HANDLES);
}

tocha_process_group *check_group(lua_State *L, int index) {
  if (lua_isnoneornil(L, index)) return NULL;
  const group_handle *handle = luaL_checkudata(L, index, HANDLE);
  if (!handle->group)
    raise_hinted(L, TOCHA_VALUE_ERROR,
                 "destroy_process_group has ended it; make another one by new_group",
                 "Invalid process group specified");
  return handle->group;
}

void note_place(lua_State *L) {
  if (!push_position(L)) lua_pushliteral(L, "");
  tocha_distributed_note_place(CX(L), lua_tostring(L, -1));
  lua_pop(L, 1);
}

/* --- the functions ------------------------------------------------------------------------------- */

/* (backend, init_method, store, rank, world_size, timeout, group_name, device) Opens the default group. All but
 * rank and world_size, which are -1 if they are not given, may be nil. Returns its handle. */
static int init(lua_State *L) {
  tocha_context *cx = CX(L);
  tocha_distributed_options options = {.backend = luaL_optstring(L, 1, NULL),
                                       .init_method = luaL_optstring(L, 2, NULL),
                                       .store = to_store(L, 3),
                                       .rank = (int)luaL_checkinteger(L, 4),
                                       .world_size = (int)luaL_checkinteger(L, 5),
                                       .timeout = luaL_optnumber(L, 6, 0),
                                       .group_name = luaL_optstring(L, 7, NULL),
                                       .device_id = tocha_cpu()};
  if (!lua_isnoneornil(L, 8) && !tocha_lua_to_device(L, 8, &options.device_id))
    return luaL_typeerror(L, 8, "device");
  group_handle *handle = new_handle(L);
  note_place(L);
  if (!tocha_distributed_init(cx, &options)) return raise_error(L);
  tocha_process_group *group = tocha_default_group(cx);
  if (!group) return raise_error(L);
  fill_handle(L, handle, group);
  receive_questions(L);
  return 1;
}

/* () Ends all groups. */
static int end(lua_State *L) {
  note_place(L);
  bool ended = tocha_distributed_end(CX(L));
  forget_handles(L);
  return ended ? 0 : raise_error(L);
}

/* (factor) */
static int set_factor(lua_State *L) {
  return tocha_distributed_set_factor(CX(L), luaL_checknumber(L, 1)) ? 0 : raise_error(L);
}

static int is_initialized(lua_State *L) {
  lua_pushboolean(L, tocha_distributed_is_initialized(CX(L)));
  return 1;
}

/* Pushes the numbers of the table at `index` as an array of ints, and returns it. [-0, +1, e] */
static int *push_ranks(lua_State *L, int index, int *count) {
  luaL_checktype(L, index, LUA_TTABLE);
  *count = (int)luaL_len(L, index);
  int *ranks = lua_newuserdatauv(L, ((size_t)*count + 1) * sizeof *ranks, 0);
  for (int i = 0; i < *count; i++) {
    lua_rawgeti(L, index, i + 1);
    ranks[i] = (int)luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  return ranks;
}

/* (ranks, backend, timeout, description) Makes a group of ranks of the world. Returns its handle, or nil on a rank
 * that is not a member. */
static int new_group(lua_State *L) {
  int count;
  const char *backend = luaL_optstring(L, 2, NULL), *description = luaL_optstring(L, 4, NULL);
  double timeout = luaL_optnumber(L, 3, 0);
  const int *ranks = push_ranks(L, 1, &count);
  group_handle *handle = new_handle(L);
  tocha_process_group *group = NULL;
  note_place(L);
  if (!tocha_new_group(CX(L), count, ranks, backend, timeout, description, &group))
    return raise_error(L);
  if (!group) return 0;
  fill_handle(L, handle, group);
  return 1;
}

/* (ranks, backend, timeout, description) The same of a group that only its members make, of which this rank is one. */
static int new_group_of_members(lua_State *L) {
  int count;
  const char *backend = luaL_optstring(L, 2, NULL), *description = luaL_optstring(L, 4, NULL);
  double timeout = luaL_optnumber(L, 3, 0);
  const int *ranks = push_ranks(L, 1, &count);
  group_handle *handle = new_handle(L);
  note_place(L);
  tocha_process_group *group =
      tocha_new_group_of_members(CX(L), count, ranks, backend, timeout, description);
  if (!group) return raise_error(L);
  fill_handle(L, handle, group);
  return 1;
}

/* (handle) Ends a group. */
static int end_group(lua_State *L) {
  tocha_process_group *group = check_group(L, 1);
  note_place(L);
  bool ended = tocha_group_end(CX(L), group);
  if (group) forget_handle(L, lua_touserdata(L, 1));
  return ended ? 0 : raise_error(L);
}

/* (handle, waits) Ends this rank's part in a group; the default one stays, but is of no more use. */
static int abort_group(lua_State *L) {
  tocha_context *cx = CX(L);
  tocha_process_group *group = check_group(L, 1);
  bool is_default = group == tocha_default_group(cx);
  note_place(L);
  if (!tocha_group_abort(cx, group, lua_toboolean(L, 2))) return raise_error(L);
  if (!is_default) forget_handle(L, lua_touserdata(L, 1));
  return 0;
}

/* (handle) Returns the rank in the group, its size, backend, name, description, and the table of its ranks in the world. */
static int describe_group(lua_State *L) {
  tocha_context *cx = CX(L);
  tocha_process_group *group = check_group(L, 1);
  int size = tocha_group_size(cx, group);
  const int *ranks = tocha_group_ranks(cx, group);
  if (!ranks) return raise_error(L);
  lua_pushinteger(L, tocha_group_rank(cx, group));
  lua_pushinteger(L, size);
  lua_pushstring(L, tocha_group_backend(cx, group));
  lua_pushstring(L, tocha_group_name(cx, group));
  lua_pushstring(L, tocha_group_description(cx, group));
  lua_createtable(L, size, 0);
  for (int i = 0; i < size; i++) {
    lua_pushinteger(L, ranks[i]);
    lua_rawseti(L, -2, i + 1);
  }
  return 6;
}

/* (handle, seconds) */
static int set_timeout(lua_State *L) {
  tocha_process_group *group = check_group(L, 1);
  return tocha_group_set_timeout(CX(L), group, luaL_checknumber(L, 2)) ? 0 : raise_error(L);
}

/* (name) Returns true if the backend's library is there; else false and the reason. */
static int is_backend_available(lua_State *L) {
  char text[512];
  lua_pushboolean(L, tocha_backend_is_available(CX(L), luaL_checkstring(L, 1), text, sizeof text));
  lua_pushstring(L, text);
  return 2;
}

void open_groups(lua_State *L, int table) {
  static const luaL_Reg functions[] = {{"init", init},
                                       {"end_all", end},
                                       {"is_initialized", is_initialized},
                                       {"set_factor", set_factor},
                                       {"new_group", new_group},
                                       {"new_group_of_members", new_group_of_members},
                                       {"end_group", end_group},
                                       {"abort_group", abort_group},
                                       {"describe_group", describe_group},
                                       {"set_timeout", set_timeout},
                                       {"is_backend_available", is_backend_available},
                                       {NULL, NULL}};
  static const luaL_Reg events[] = {{NULL, NULL}};
  new_metatable(L, HANDLE, events);
  lua_pop(L, 1);
  lua_pushvalue(L, table);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}
