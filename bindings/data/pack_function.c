/* pack_function.c: packs Lua functions into a parcel: their code, their upvalues, the global
 * variables that they mention. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "data/packing.h"

static int add_code(lua_State *L, const void *data, size_t size, void *user) {
  (void)L;
  return append_bytes(user, data, size) ? 0 : 1;
}

static bool is_word(const unsigned char *text, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (text[i] != '_' && !isalnum(text[i])) return false;
  return size > 0 && !isdigit(text[0]);
}

/* (environment, name) Returns a variable's value. The metatable of the globals is ignored. */
static int read_variable(lua_State *L) {
  lua_pushglobaltable(L);
  bool globals = lua_rawequal(L, 1, -1);
  lua_settop(L, 2);
  if (globals)
    lua_rawget(L, 1);
  else
    lua_gettable(L, 1);
  return 1;
}

/* Records a variable of the environment, if it has a value, as one to pack. [-0, +0, m] */
static void note_global(packing *k, int environment, const char *name, size_t size) {
  lua_State *L = k->L;
  int top = lua_gettop(L);
  lua_pushlstring(L, name, size);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, k->globals) == LUA_TNIL) {
    lua_pushcfunction(L, read_variable);
    lua_pushvalue(L, environment);
    lua_pushvalue(L, top + 1);
    if (lua_pcall(L, 2, 1, 0) == LUA_OK && !lua_isnil(L, -1)) {
      lua_pushvalue(L, top + 1);
      lua_rawseti(L, k->globals, (lua_Integer)lua_rawlen(L, k->globals) + 1);
      lua_pushvalue(L, top + 1);
      lua_createtable(L, 1, 0);
      lua_pushvalue(L, -3);
      lua_rawseti(L, -2, 1);
      lua_rawset(L, k->globals);
    }
  }
  lua_settop(L, top);
}

/* Records the variables of an environment that the function at `index` mentions: names among the
 * constants of its code. In bytecode, a constant of text is a byte with the length and then the
 * text. */
static void note_globals(packing *k, int index, int environment) {
  lua_State *L = k->L;
  packing *code = lua_newuserdatauv(L, sizeof *code, 0); /* an error frees the code */
  memset(code, 0, sizeof *code);
  luaL_setmetatable(L, PACKING);
  parcel *p = code->p = calloc(1, sizeof *p);
  lua_pushvalue(L, index);
  if (!p || lua_dump(L, add_code, p, 1)) raise_message(L, TOCHA_MEMORY_ERROR, "not enough memory");
  lua_pop(L, 1);
  for (size_t i = 0; i < p->size; i++) {
    size_t size = (p->bytes[i] & 0x7F) - (size_t)1;
    if (p->bytes[i] <= 0x81 || size >= p->size - i || !is_word(p->bytes + i + 1, size)) continue;
    note_global(k, environment, (const char *)p->bytes + i + 1, size);
  }
  parcel_free(p);
  code->p = NULL;
  lua_pop(L, 1);
}

/* Returns true if a function packed earlier shares this upvalue, and packs a reference to it
 * instead of a copy. (A function that was rolled back has lost its number.) */
static bool put_joined(packing *k, void *id) {
  lua_State *L = k->L;
  int top = lua_gettop(L);
  bool joined = false;
  if (lua_rawgetp(L, k->seen, id) == LUA_TTABLE) {
    lua_rawgeti(L, -1, 1);
    lua_rawgeti(L, -2, 2);
    lua_Integer owner = lua_tointeger(L, -2);
    int number = (int)lua_tointeger(L, -1);
    joined = lua_rawgeti(L, k->order, owner) == LUA_TFUNCTION && lua_upvalueid(L, -1, number) == id;
    if (joined) {
      put_tag(k, PARCEL_JOINED);
      put_number(k, (uint64_t)owner);
      put_number(k, (uint64_t)number);
    }
  }
  lua_settop(L, top);
  return joined;
}

/* Packs an upvalue, whose value is at the top. An upvalue that functions share is packed with
 * the first of them. */
static void pack_upvalue(packing *k, int function, int number, const frame *f) {
  lua_State *L = k->L;
  void *id = lua_upvalueid(L, function, number);
  if (put_joined(k, id)) return;
  lua_pushvalue(L, function);
  lua_rawget(L, k->seen);
  lua_Integer owner = lua_tointeger(L, -1);
  lua_pop(L, 1);
  lua_pushlightuserdata(L, id);
  lua_createtable(L, 2, 0);
  lua_pushinteger(L, owner);
  lua_rawseti(L, -2, 1);
  lua_pushinteger(L, number);
  lua_rawseti(L, -2, 2);
  lua_rawset(L, k->seen); /* the key is an address, which needs no number */
  pack_value(k, lua_gettop(L), f);
}

/* Returns true if the value at the top, an upvalue, is the table in which a function finds its
 * global variables. */
static bool is_environment(lua_State *L, const char *name) {
  lua_pushglobaltable(L);
  bool globals = lua_rawequal(L, -1, -2);
  lua_pop(L, 1);
  return globals || (lua_istable(L, -1) && strcmp(name, "_ENV") == 0);
}

/* Packs the globals instead of the environment at the top, whose variables become global ones in
 * the worker. */
static void pack_environment(packing *k, int function, const frame *f) {
  lua_State *L = k->L;
  int environment = lua_gettop(L);
  lua_pushglobaltable(L);
  pack_value(k, environment + 1, f);
  lua_pop(L, 1);
  if (k->program) note_globals(k, function, environment);
}

void pack_function(packing *k, int index, const frame *f) {
  lua_State *L = k->L;
  lua_Debug ar;
  put_tag(k, PARCEL_FUNCTION);
  size_t head = k->p->size;
  put_number(k, 0);
  lua_pushvalue(L, index);
  if (lua_dump(L, add_code, k->p, 0)) raise_message(L, TOCHA_MEMORY_ERROR, "not enough memory");
  lua_getinfo(L, ">uS", &ar);
  uint64_t size = k->p->size - head - sizeof size;
  memcpy(k->p->bytes + head, &size, sizeof size);
  note_object(k, index);
  put(k, &ar.nups, 1);
  bool own = strncmp(ar.source, "=[tocha]", 8) == 0;
  for (int i = 1; i <= ar.nups; i++) {
    const char *name = lua_getupvalue(L, index, i);
    frame inner = {f, UPVALUE, own ? NULL : name, 0, f->depth + 1};
    if (!own && is_environment(L, name))
      pack_environment(k, index, &inner);
    else
      pack_upvalue(k, index, i, &inner);
    lua_pop(L, 1);
  }
}
