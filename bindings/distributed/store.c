/* store.c: stores as userdata, with methods that take plain arguments. lua/parts/distributed/stores.lua gives them PyTorch's. */
#include <string.h>

#include "distributed/distributed.h"
#include "sandbox/confined.h"

static const char STORE[] = "tocha.store", BYTES[] = "tocha.store_bytes";

typedef struct store_box {
  tocha_store *store; /* NULL: closed */
} store_box;

/* The memory that a call has allocated. It is freed even if Lua runs out of memory meanwhile. */
typedef struct bytes_box {
  void *bytes;
  tocha_store_value *values;
} bytes_box;

/* --- objects ---------------------------------------------------------------------------------------- */

static store_box *new_box(lua_State *L) {
  store_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = (store_box){0};
  luaL_setmetatable(L, STORE);
  return box;
}

/* Pushes an object of a store, which it retains. [-0, +1, m] */
static void push_store(lua_State *L, tocha_store *store) {
  store_box *box = new_box(L);
  box->store = tocha_store_retain(store);
}

tocha_store *to_store(lua_State *L, int index) {
  const store_box *box = luaL_testudata(L, index, STORE);
  return box ? box->store : NULL;
}

static tocha_store *store_at(lua_State *L, int index) {
  const store_box *box = luaL_checkudata(L, index, STORE);
  if (!box->store) raise_long(L, TOCHA_RUNTIME_ERROR, NULL, "the store was closed");
  return box->store;
}

static int store_gc(lua_State *L) {
  store_box *box = luaL_checkudata(L, 1, STORE);
  tocha_store_free(box->store);
  box->store = NULL;
  return 0;
}

static int bytes_gc(lua_State *L) {
  bytes_box *box = luaL_checkudata(L, 1, BYTES);
  tocha_free(box->bytes);
  tocha_free(box->values);
  *box = (bytes_box){0};
  return 0;
}

static bytes_box *new_bytes(lua_State *L) {
  bytes_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = (bytes_box){0};
  luaL_setmetatable(L, BYTES);
  return box;
}

/* Pushes what was allocated as a string, and frees it. */
static int push_bytes(lua_State *L, bytes_box *box, size_t size) {
  lua_pushlstring(L, box->bytes, size);
  tocha_free(box->bytes);
  box->bytes = NULL;
  return 1;
}

/* Pushes the values as a table of strings, and frees them. */
static int push_values(lua_State *L, bytes_box *box, int count) {
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    lua_pushlstring(L, box->values[i].bytes, box->values[i].size);
    lua_rawseti(L, -2, i + 1);
  }
  tocha_free(box->values);
  box->values = NULL;
  return 1;
}

/* --- arguments -------------------------------------------------------------------------------------- */

static const char *name_at(lua_State *L, int index) {
  size_t length;
  const char *name = luaL_checklstring(L, index, &length);
  if (strlen(name) != length) raise_long(L, TOCHA_VALUE_ERROR, NULL, "a key has a zero byte");
  return name;
}

/* Pushes an array of the names in the table at `index`, which keeps them. [-0, +1, e] */
static const char **names_at(lua_State *L, int index, int *count) {
  luaL_checktype(L, index, LUA_TTABLE);
  *count = table_length(L, index);
  const char **names = lua_newuserdatauv(L, (size_t)(*count + 1) * sizeof *names, 0);
  for (int i = 0; i < *count; i++) {
    if (lua_rawgeti(L, index, i + 1) != LUA_TSTRING)
      raise_long(L, TOCHA_TYPE_ERROR, NULL, "keys are strings");
    names[i] = name_at(L, -1);
    lua_pop(L, 1);
  }
  return names;
}

static void refuse_in_sandbox(lua_State *L) {
  if (is_sandboxed(L))
    raise_long(L, TOCHA_RUNTIME_ERROR, NULL,
               "a sandbox has no stores: it reaches no network and no other process");
}

/* --- constructors ------------------------------------------------------------------------------------- */

/* tcp_store(host, port, world_size, is_server, timeout, wait_for_workers) */
static int tcp_store(lua_State *L) {
  refuse_in_sandbox(L);
  const char *host = luaL_checkstring(L, 1);
  lua_Integer port = luaL_checkinteger(L, 2), world_size = luaL_checkinteger(L, 3);
  store_box *box = new_box(L);
  if (port != (int)port || world_size != (int)world_size) luaL_argerror(L, 2, "out of range");
  box->store = tocha_tcp_store_new(CX(L), host, (int)port, (int)world_size, lua_toboolean(L, 4),
                                   luaL_checknumber(L, 5), lua_toboolean(L, 6));
  return box->store ? 1 : raise_error(L);
}

/* file_store(path, world_size) */
static int file_store(lua_State *L) {
  refuse_in_sandbox(L);
  const char *path = luaL_checkstring(L, 1);
  int world_size = (int)luaL_checkinteger(L, 2);
  store_box *box = new_box(L);
  box->store = tocha_file_store_new(CX(L), path, world_size);
  return box->store ? 1 : raise_error(L);
}

static int hash_store(lua_State *L) {
  store_box *box = new_box(L);
  box->store = tocha_hash_store_new(CX(L));
  return box->store ? 1 : raise_error(L);
}

/* prefix_store(prefix, store) */
static int prefix_store(lua_State *L) {
  const char *prefix = name_at(L, 1);
  tocha_store *inner = store_at(L, 2);
  store_box *box = new_box(L);
  box->store = tocha_prefix_store_new(CX(L), prefix, inner);
  return box->store ? 1 : raise_error(L);
}

/* is_store(value) */
static int is_store(lua_State *L) {
  lua_pushboolean(L, luaL_testudata(L, 1, STORE) != NULL);
  return 1;
}

/* --- methods ------------------------------------------------------------------------------------------ */

static int store_set(lua_State *L) {
  size_t size;
  const char *value = luaL_checklstring(L, 3, &size);
  if (!tocha_store_set(CX(L), store_at(L, 1), name_at(L, 2), value, size)) return raise_error(L);
  return 0;
}

static int store_get(lua_State *L) {
  bytes_box *box = new_bytes(L);
  size_t size;
  if (!tocha_store_get(CX(L), store_at(L, 1), name_at(L, 2), &box->bytes, &size))
    return raise_error(L);
  return push_bytes(L, box, size);
}

static int store_add(lua_State *L) {
  int64_t sum;
  if (!tocha_store_add(CX(L), store_at(L, 1), name_at(L, 2), luaL_checkinteger(L, 3), &sum))
    return raise_error(L);
  lua_pushinteger(L, sum);
  return 1;
}

static int store_check(lua_State *L) {
  int count;
  bool all_set;
  const char **names = names_at(L, 2, &count);
  if (!tocha_store_check(CX(L), store_at(L, 1), count, names, &all_set)) return raise_error(L);
  lua_pushboolean(L, all_set);
  return 1;
}

/* wait(names, timeout): < 0 is the store's own. */
static int store_wait(lua_State *L) {
  int count;
  const char **names = names_at(L, 2, &count);
  if (!tocha_store_wait(CX(L), store_at(L, 1), count, names, luaL_checknumber(L, 3)))
    return raise_error(L);
  return 0;
}

static int store_compare_set(lua_State *L) {
  size_t expected_size, desired_size, size;
  const char *expected = luaL_checklstring(L, 3, &expected_size),
             *desired = luaL_checklstring(L, 4, &desired_size);
  bytes_box *box = new_bytes(L);
  if (!tocha_store_compare_set(CX(L), store_at(L, 1), name_at(L, 2), expected, expected_size,
                               desired, desired_size, &box->bytes, &size))
    return raise_error(L);
  return push_bytes(L, box, size);
}

static int store_delete(lua_State *L) {
  bool was_set;
  if (!tocha_store_delete(CX(L), store_at(L, 1), name_at(L, 2), &was_set)) return raise_error(L);
  lua_pushboolean(L, was_set);
  return 1;
}

static int store_append(lua_State *L) {
  size_t size;
  const char *value = luaL_checklstring(L, 3, &size);
  if (!tocha_store_append(CX(L), store_at(L, 1), name_at(L, 2), value, size)) return raise_error(L);
  return 0;
}

static int store_num_keys(lua_State *L) {
  int64_t count;
  if (!tocha_store_num_keys(CX(L), store_at(L, 1), &count)) return raise_error(L);
  lua_pushinteger(L, count);
  return 1;
}

static int store_list_keys(lua_State *L) {
  bytes_box *box = new_bytes(L);
  int count;
  if (!tocha_store_list_keys(CX(L), store_at(L, 1), &count, &box->values)) return raise_error(L);
  return push_values(L, box, count);
}

static int store_multi_get(lua_State *L) {
  int count;
  const char **names = names_at(L, 2, &count);
  bytes_box *box = new_bytes(L);
  if (!tocha_store_multi_get(CX(L), store_at(L, 1), count, names, &box->values))
    return raise_error(L);
  return push_values(L, box, count);
}

/* multi_set(names, values): tables of the same length. */
static int store_multi_set(lua_State *L) {
  int count, values_count;
  const char **names = names_at(L, 2, &count);
  luaL_checktype(L, 3, LUA_TTABLE);
  values_count = table_length(L, 3);
  if (count != values_count)
    raise_long(L, TOCHA_STORE_ERROR, NULL, "multiSet keys and values vectors must be of same size");
  tocha_store_value *values = lua_newuserdatauv(L, (size_t)(count + 1) * sizeof *values, 0);
  for (int i = 0; i < count; i++) {
    if (lua_rawgeti(L, 3, i + 1) != LUA_TSTRING)
      raise_long(L, TOCHA_TYPE_ERROR, NULL, "values are strings");
    values[i].bytes = lua_tolstring(L, -1, &values[i].size);
    lua_pop(L, 1); /* the table keeps it */
  }
  if (!tocha_store_multi_set(CX(L), store_at(L, 1), count, names, values)) return raise_error(L);
  return 0;
}

static int store_queue_push(lua_State *L) {
  size_t size;
  const char *value = luaL_checklstring(L, 3, &size);
  if (!tocha_store_queue_push(CX(L), store_at(L, 1), name_at(L, 2), value, size))
    return raise_error(L);
  return 0;
}

static int store_queue_pop(lua_State *L) {
  bytes_box *box = new_bytes(L);
  size_t size;
  if (!tocha_store_queue_pop(CX(L), store_at(L, 1), name_at(L, 2), lua_toboolean(L, 3), &box->bytes,
                             &size))
    return raise_error(L);
  return push_bytes(L, box, size);
}

static int store_queue_len(lua_State *L) {
  int64_t length;
  if (!tocha_store_queue_length(CX(L), store_at(L, 1), name_at(L, 2), &length))
    return raise_error(L);
  lua_pushinteger(L, length);
  return 1;
}

/* barrier(name, count, timeout): < 0 is the store's own. */
static int store_barrier(lua_State *L) {
  if (!tocha_store_barrier(CX(L), store_at(L, 1), name_at(L, 2), luaL_checkinteger(L, 3),
                           luaL_checknumber(L, 4)))
    return raise_error(L);
  return 0;
}

static int store_has_extended_api(lua_State *L) {
  lua_pushboolean(L, tocha_store_has_extended_api(store_at(L, 1)));
  return 1;
}

static int store_clone(lua_State *L) {
  tocha_store *store = store_at(L, 1);
  store_box *box = new_box(L);
  box->store = tocha_store_clone(CX(L), store);
  return box->store ? 1 : raise_error(L);
}

static int store_timeout(lua_State *L) {
  lua_pushnumber(L, tocha_store_timeout(store_at(L, 1)));
  return 1;
}

static int store_set_timeout(lua_State *L) {
  tocha_store_set_timeout(store_at(L, 1), luaL_checknumber(L, 2));
  return 0;
}

static int store_kind_of(lua_State *L) {
  lua_pushstring(L, tocha_store_kind(store_at(L, 1)));
  return 1;
}

static int store_host(lua_State *L) {
  lua_pushstring(L, tocha_tcp_store_host(store_at(L, 1)));
  return 1;
}

static int store_port(lua_State *L) {
  lua_pushinteger(L, tocha_tcp_store_port(store_at(L, 1)));
  return 1;
}

static int store_path(lua_State *L) {
  lua_pushstring(L, tocha_file_store_path(store_at(L, 1)));
  return 1;
}

static int store_underlying(lua_State *L) {
  tocha_store *inner = tocha_prefix_store_underlying(store_at(L, 1));
  if (inner)
    push_store(L, inner);
  else
    lua_pushnil(L);
  return 1;
}

/* --- opening ------------------------------------------------------------------------------------------ */

static const luaL_Reg constructors[] = {{"tcp_store", tcp_store},   {"file_store", file_store},
                                        {"hash_store", hash_store}, {"prefix_store", prefix_store},
                                        {"is_store", is_store},     {NULL, NULL}};
static const luaL_Reg methods[] = {{"set", store_set},
                                   {"get", store_get},
                                   {"add", store_add},
                                   {"check", store_check},
                                   {"wait", store_wait},
                                   {"compare_set", store_compare_set},
                                   {"delete_key", store_delete},
                                   {"append", store_append},
                                   {"num_keys", store_num_keys},
                                   {"list_keys", store_list_keys},
                                   {"multi_get", store_multi_get},
                                   {"multi_set", store_multi_set},
                                   {"queue_push", store_queue_push},
                                   {"queue_pop", store_queue_pop},
                                   {"queue_len", store_queue_len},
                                   {"barrier", store_barrier},
                                   {"has_extended_api", store_has_extended_api},
                                   {"clone", store_clone},
                                   {"timeout", store_timeout},
                                   {"set_timeout", store_set_timeout},
                                   {"kind", store_kind_of},
                                   {"host", store_host},
                                   {"port", store_port},
                                   {"path", store_path},
                                   {"underlying_store", store_underlying},
                                   {NULL, NULL}};

/* store.methods are the functions on objects, and store.metatable is theirs, which the part in Lua completes. */
void open_stores(lua_State *L, int table) {
  static const luaL_Reg of_store[] = {{"__gc", store_gc}, {"__close", store_gc}, {NULL, NULL}};
  static const luaL_Reg of_bytes[] = {{"__gc", bytes_gc}, {NULL, NULL}};
  lua_newtable(L);
  luaL_setfuncs(L, constructors, 0);
  lua_newtable(L);
  luaL_setfuncs(L, methods, 0);
  lua_setfield(L, -2, "methods");
  new_metatable(L, BYTES, of_bytes);
  lua_pop(L, 1);
  new_metatable(L, STORE, of_store);
  lua_setfield(L, -2, "metatable");
  lua_setfield(L, table, "store");
}
