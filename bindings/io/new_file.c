/* new_file.c: files that replace another file once they are complete: torch._io.new_file and
 * keep_file. */
#include <lauxlib.h>

#include "io/io.h"

/* A file of Lua's own kind, which all of Lua's functions for files accept. */
typedef struct new_file {
  luaL_Stream stream;
  tocha_file_writer *writer;
} new_file;

/* (file) Deletes a file that was not kept: the function of file:close() and of the collector. */
static int abandon(lua_State *L) {
  new_file *f = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  tocha_file_writer *writer = f->writer;
  f->writer = NULL;
  tocha_file_abandon(writer);
  lua_pushboolean(L, true);
  return 1;
}

/* (path) Returns a file open for writing, which is deleted if it is closed before keep_file. */
static int open_new(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  new_file *f = lua_newuserdatauv(L, sizeof *f, 0);
  *f = (new_file){{NULL, NULL}, NULL}; /* to Lua, a closed file */
  luaL_setmetatable(L, LUA_FILEHANDLE);
  f->writer = tocha_file_begin(CX(L), path);
  if (!f->writer) return raise_error(L);
  f->stream.f = tocha_file_stream(f->writer);
  f->stream.closef = abandon;
  return 1;
}

/* (file) Closes the file, and moves it to its path. */
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
