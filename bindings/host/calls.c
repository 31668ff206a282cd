/* calls.c: a host's calls of Lua, and errors between the two. */
#include "lua/callback.h"
#include "lua/interrupt.h"

/* --- errors ---------------------------------------------------------------------------------------- */

void tocha_lua_push_error(lua_State *L) {
  if (tocha_failed(CX(L)))
    push_context_error(L);
  else
    lua_pushnil(L);
}

bool tocha_lua_to_error(lua_State *L, int index, tocha_lua_error *e) {
  index = lua_absindex(L, index);
  *e = (tocha_lua_error){TOCHA_RUNTIME_ERROR, "", "", "", "", "", ""};
  if (lua_type(L, index) == LUA_TSTRING) {
    e->message = lua_tostring(L, index);
    e->traceback = kept_traceback(L, index);
    return true;
  }
  if (!is_torch_error(L, index)) return false;
  e->code = error_code(error_field(L, index, "code"));
  e->message = error_field(L, index, "message");
  e->hint = error_field(L, index, "hint");
  e->op = error_field(L, index, "op");
  e->path = error_field(L, index, "path");
  e->position = error_field(L, index, "position");
  e->traceback = error_field(L, index, "traceback");
  return true;
}

int tocha_lua_raise(lua_State *L) { return raise_error(L); }

/* --- calls ------------------------------------------------------------------------------------------ */

static bool call_function(lua_State *L, binding *b, void *results) {
  (void)b;
  lua_call(L, lua_gettop(L) - 1, *(int *)results);
  return true;
}

/* Returns true if no function runs in the thread: the host itself is calling. */
static bool is_outermost(lua_State *L) {
  lua_Debug ar;
  return !lua_getstack(L, 0, &ar);
}

bool tocha_lua_call(lua_State *L, int arguments, int results) {
  binding *b = binding_of(L);
  bool outermost = is_outermost(L);
  bool ok = call_back_in(L, b, arguments + 1, results, call_function, &results);
  if (outermost && !ok) end_request(b->interruptible);
  return ok;
}

typedef struct chunk {
  const char *text, *name;
  size_t size;
} chunk;

static bool load_chunk(lua_State *L, binding *b, void *argument) {
  const chunk *c = argument;
  (void)b;
  if (luaL_loadbufferx(L, c->text, c->size, c->name, "t") != LUA_OK) lua_error(L);
  return true;
}

bool tocha_lua_load(lua_State *L, const char *text, size_t size, const char *name) {
  chunk c = {text, name, size};
  return call_back_in(L, binding_of(L), 0, 1, load_chunk, &c);
}
