/* new_file.c: files that take another's place once they are whole: torch._io.new_file and keep_file. */
#include <lauxlib.h>

#include "io/io.h"

/* A file of Lua's own kind, so that all of Lua's functions for files take it. */
typedef struct new_file {
  luaL_Stream stream;
  tocha_file_writer *writer;
} new_file;

/* file:close(), or the collector: it was not kept. */
static int abandon(lua_State *L) {
  new_file *f = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  tocha_file_writer *writer = f->writer;
  f->writer = NULL;
  tocha_file_abandon(writer);
  lua_pushboolean(L, true);
  return 1;
}

/* (path) -> a file open for writing, which is gone when it is closed */
static int open_new(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  new_file *f = lua_newuserdatauv(L, sizeof *f, 0);
  *f = (new_file){{NULL, NULL}, NULL}; /* closed, to Lua */
  luaL_setmetatable(L, LUA_FILEHANDLE);
  f->writer = tocha_file_begin(CX(L), path);
  if (!f->writer) return raise_error(L);
  f->stream.f = tocha_file_stream(f->writer);
  f->stream.closef = abandon;
  return 1;
}

/* (file): closes it, and puts it in its place */
static int keep(lua_State *L) {
  new_file *f = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  luaL_argcheck(L, f->stream.closef == abandon, 1, "a file of new_file's expected");
  tocha_file_writer *writer = f->writer;
  f->stream.closef = NULL;
  f->writer = NULL;
  return tocha_file_finish(CX(L), writer) ? 0 : raise_error(L);
}

void open_new_file(lua_State *L) {
  static const luaL_Reg functions[] = {{"new_file", open_new}, {"keep_file", keep}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
