/* kept.c: Lua values that a graph keeps.
 *
 * A value is kept in one of two ways. If a graph may ask for it, the registry keeps it. If the
 * userdata of a tensor alone keeps the graph's part of it (tocha_hook_is_private), that userdata
 * alone keeps the value, in an ephemeron table. A function that refers to its own tensor is then
 * garbage together with that tensor. The runtime reports when a private value becomes shared. If
 * a shared one becomes private again, this is found out after the next of Lua's collections. */
#include "autograd/kept.h"

#include <stdlib.h>

/* Registry tables: values_key: userdata of a tensor -> table of its values by reference (weak
 * keys); tensors_key: reference -> that userdata (weak values). */
static const char values_key = 0, tensors_key = 0;
static const char WATCH[] = "tocha.hook_watch";

/* Pushes the userdata of the value's tensor and returns true, or pushes nil and returns false.
 * [-0, +1, -] */
static bool push_tensor_of(lua_State *L, const kept *k) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &tensors_key);
  int type = lua_rawgeti(L, -1, k->reference);
  lua_remove(L, -2);
  return type == LUA_TUSERDATA;
}

void kept_shared(void *user) {
  kept *k = user;
  if (!k->line->b) return;
  lua_State *L = k->line->b->main;
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 6)) return;
  if (push_tensor_of(L, k)) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &values_key);
    lua_pushvalue(L, -2);
    if (lua_rawget(L, -2) == LUA_TTABLE && lua_rawgeti(L, -1, k->reference) != LUA_TNIL)
      lua_rawseti(L, LUA_REGISTRYINDEX, k->reference);
  }
  lua_settop(L, top);
}

static void leave_to_tensor(lua_State *L, const kept *k) {
  if (push_tensor_of(L, k) && tocha_hook_is_private(k->tensor, k->id)) {
    lua_pushboolean(L, false);
    lua_rawseti(L, LUA_REGISTRYINDEX, k->reference);
  }
  lua_pop(L, 1);
}

/* Looks for values that are private again, after each collection. Registers itself for the next
 * one. */
static int watch_gc(lua_State *L) {
  if (!is_open(L)) return 0;
  for (const kept *k = binding_of(L)->kept; k; k = k->next) leave_to_tensor(L, k);
  lua_settop(L, 1);
  luaL_setmetatable(L, WATCH); /* again, for the next collection */
  return 0;
}

kept *keep_value(lua_State *L, int index) {
  binding *b = binding_of(L);
  lua_pushvalue(L, index);
  int reference = luaL_ref(L, LUA_REGISTRYINDEX);
  kept *k = malloc(sizeof *k);
  if (!k) {
    luaL_unref(L, LUA_REGISTRYINDEX, reference);
    luaL_error(L, "not enough memory");
    return NULL;
  }
  kept init = {hold_lifeline(b), b->kept, &b->kept, reference, NULL, 0};
  *k = init;
  if (k->next) k->next->link = &k->next;
  b->kept = k;
  return k;
}

void tie_to_tensor(lua_State *L, kept *k, uint64_t id, int value, int tensor) {
  value = lua_absindex(L, value);
  tensor = lua_absindex(L, tensor);
  k->tensor = to_tensor(L, tensor);
  k->id = id;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &values_key);
  lua_pushvalue(L, tensor);
  if (lua_rawget(L, -2) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, tensor);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
  }
  lua_pushvalue(L, value);
  lua_rawseti(L, -2, k->reference);
  lua_pop(L, 2);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &tensors_key);
  lua_pushvalue(L, tensor);
  lua_rawseti(L, -2, k->reference);
  lua_pop(L, 1);
  leave_to_tensor(L, k);
}

bool push_kept(lua_State *L, const kept *k) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, k->reference);
  return lua_toboolean(L, -1);
}

/* Forgets the value. [-0, +0, -] */
static void forget_value(lua_State *L, const kept *k) {
  int top = lua_gettop(L);
  if (lua_checkstack(L, 6)) {
    if (push_tensor_of(L, k)) {
      lua_rawgetp(L, LUA_REGISTRYINDEX, &values_key);
      lua_pushvalue(L, -2);
      if (lua_rawget(L, -2) == LUA_TTABLE) {
        lua_pushnil(L);
        lua_rawseti(L, -2, k->reference);
      }
    }
    lua_settop(L, top);
    luaL_unref(L, LUA_REGISTRYINDEX, k->reference);
  }
}

void free_kept(void *user) {
  kept *k = user;
  if (k->line->b) forget_value(k->line->b->main, k);
  if (k->link) *k->link = k->next;
  if (k->next) k->next->link = k->link;
  release_lifeline(k->line);
  free(k);
}

void detach_kept(binding *b) {
  if (b->kept) b->kept->link = NULL;
  b->kept = NULL;
}

void new_weak_table(lua_State *L, const char *mode, const void *key) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushstring(L, mode);
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

void open_kept(lua_State *L) {
  static const luaL_Reg watch_events[] = {{"__gc", watch_gc}, {NULL, NULL}};
  new_weak_table(L, "k", &values_key);
  new_weak_table(L, "v", &tensors_key);
  lua_newuserdatauv(L, 0, 0); /* garbage at once */
  new_metatable(L, WATCH, watch_events);
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}
