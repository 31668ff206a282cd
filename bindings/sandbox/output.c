/* output.c: what a script prints: counted, and given to the host. */
#include "sandbox/sandbox.h"

bool write_output(sandbox *s, const char *text, size_t length, bool warning) {
  const tocha_lua_sandbox *g = &s->given;
  size_t left = g->output ? g->output - s->written : length;
  size_t shown = length < left ? length : left;
  if (atomic_load(&s->ended) == SANDBOX_OUTPUT) return false;
  s->written += shown;
  if (g->print)
    g->print(g->print_user, text, shown, warning);
  else
    fwrite(text, 1, shown, warning ? stderr : stdout);
  if (shown < length) end_sandbox(s, SANDBOX_OUTPUT);
  return shown == length;
}

static int64_t write_out(void *user, const char *from, size_t length) {
  return write_output(user, from, length, false) ? (int64_t)length : 0;
}

static int64_t write_err(void *user, const char *from, size_t length) {
  return write_output(user, from, length, true) ? (int64_t)length : 0;
}

/* A script cannot close the standard streams. */
static int keep_open(lua_State *L) {
  luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  stream->closef = keep_open;
  luaL_pushfail(L);
  lua_pushliteral(L, "cannot close standard file");
  return 2;
}

static void set_stream(lua_State *L, const char *name, FILE *file) {
  luaL_Stream *stream = lua_newuserdatauv(L, sizeof *stream, 0);
  *stream = (luaL_Stream){file, keep_open};
  luaL_setmetatable(L, LUA_FILEHANDLE);
  lua_setfield(L, -2, name);
}

/* io.write(...) */
static int write_values(lua_State *L) {
  sandbox *s = sandbox_of(L);
  int count = lua_gettop(L);
  for (int i = 1; i <= count; i++) {
    size_t length;
    const char *text = luaL_checklstring(L, i, &length);
    write_output(s, text, length, false);
  }
  check_sandbox(L, s);
  lua_pushvalue(L, lua_upvalueindex(2)); /* io.stdout, as Lua's own */
  return 1;
}

bool open_sandbox_output(lua_State *L, sandbox *s) {
  s->out = platform_open_writer(write_out, s);
  s->err = platform_open_writer(write_err, s);
  if (s->out) setvbuf(s->out, NULL, _IONBF, 0);
  if (s->err) setvbuf(s->err, NULL, _IONBF, 0);
  if (s->out) set_stream(L, "stdout", s->out);
  if (s->err) set_stream(L, "stderr", s->err);
  lua_pushlightuserdata(L, s);
  lua_getfield(L, -2, "stdout");
  lua_pushcclosure(L, write_values, 2);
  lua_setfield(L, -2, "write");
  return s->out && s->err;
}
