/* files.c: files by number, for the streams of programs that Lua starts. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

#include "platform/platform.h"
#include "processes/processes.h"

static int check_file(lua_State *L) { return (int)luaL_checkinteger(L, 1); }

static int push_file(lua_State *L, int file) {
  if (file < 0) return push_system_error(L);
  lua_pushinteger(L, file);
  return 1;
}

static int push_success(lua_State *L, bool done) {
  if (!done) return push_system_error(L);
  lua_pushboolean(L, true);
  return 1;
}

/* pipe(): returns the end to read from and the end to write to. */
static int open_pipe(lua_State *L) {
  int ends[2];
  if (!platform_open_pipe(ends)) return push_system_error(L);
  lua_pushinteger(L, ends[0]);
  lua_pushinteger(L, ends[1]);
  return 2;
}

/* open(path, "r" | "w" | "a"): returns a file, which "w" makes anew, and to whose end "a" writes. */
static int open_file(lua_State *L) {
  static const char *const modes[] = {"r", "w", "a", NULL};
  static const int how[] = {PLATFORM_READ, PLATFORM_WRITE | PLATFORM_CREATE | PLATFORM_EMPTY,
                            PLATFORM_WRITE | PLATFORM_CREATE | PLATFORM_APPEND};
  return push_file(L,
                   platform_open(luaL_checkstring(L, 1), how[luaL_checkoption(L, 2, "r", modes)]));
}

static int close_file(lua_State *L) {
  lua_pushboolean(L, platform_close(check_file(L)));
  return 1;
}

/* read(file, size): returns at most `size` bytes, "" at the end, or nil if there are none at present. */
static int read_file(lua_State *L) {
  size_t size = (size_t)luaL_optinteger(L, 2, 1 << 16);
  luaL_Buffer b;
  char *to = luaL_buffinitsize(L, &b, size);
  int64_t got = platform_read(check_file(L), to, size);
  if (got < 0) return push_system_error(L);
  luaL_pushresultsize(&b, (size_t)got);
  return 1;
}

/* content(file): returns all that a scratch file has. */
static int file_content(lua_State *L) {
  platform_status status;
  int file = check_file(L);
  if (!platform_file_status(file, &status)) return push_system_error(L);
  luaL_Buffer b;
  char *to = luaL_buffinitsize(L, &b, (size_t)status.size);
  int64_t got = platform_read_at(file, to, (size_t)status.size, 0);
  luaL_pushresultsize(&b, got < 0 ? 0 : (size_t)got);
  return 1;
}

static int write_file(lua_State *L) {
  size_t size;
  const char *text = luaL_checklstring(L, 2, &size);
  return push_success(L, platform_write(check_file(L), text, size));
}

static int never_wait(lua_State *L) { return push_success(L, platform_never_wait(check_file(L))); }

/* wait(files, seconds): waits until one of the files has something to read, and returns {file = true} for those that
 * have, which are none after that time or after a signal. */
static int wait_for_files(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  double seconds = luaL_checknumber(L, 2);
  int count = (int)luaL_len(L, 1);
  int *files = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *files, 0);
  bool *ready = lua_newuserdatauv(L, (size_t)count + 1, 0);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, 1, i + 1);
    files[i] = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
  }
  double milliseconds = seconds * 1000;
  platform_wait_for_files(count, files, ready,
                          milliseconds < 0     ? 0
                          : milliseconds > 1e6 ? 1000000
                                               : (int)(milliseconds + 0.999));
  lua_newtable(L);
  for (int i = 0; i < count; i++) {
    if (!ready[i]) continue;
    lua_pushboolean(L, true);
    lua_rawseti(L, -2, files[i]);
  }
  return 1;
}

/* scratch(): returns a file without a name, and a path by which other processes open it. */
static int scratch_file(lua_State *L) {
  char path[1024];
  int file = platform_scratch_file(path, sizeof path);
  if (file < 0) return push_system_error(L);
  lua_pushinteger(L, file);
  lua_pushstring(L, path);
  return 2;
}

static int remove_scratch_file(lua_State *L) {
  platform_remove_scratch_file(check_file(L), luaL_checkstring(L, 2));
  return 0;
}

static int make_folder(lua_State *L) {
  lua_pushboolean(L, platform_make_folder(luaL_checkstring(L, 1), false));
  return 1;
}

/* remove_file(path, number): removes the file of a path if it has that number in its file system (the inode). Returns true if it did. */
static int remove_file(lua_State *L) {
  platform_status status;
  const char *path = luaL_checkstring(L, 1);
  uint64_t number = (uint64_t)luaL_checkinteger(L, 2);
  bool is_same = platform_path_status(path, &status) && status.number == number;
  lua_pushboolean(L, is_same && remove(path) == 0);
  return 1;
}

static int is_terminal(lua_State *L) {
  lua_pushboolean(L, platform_is_terminal(check_file(L)));
  return 1;
}

void open_process_files(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"pipe", open_pipe},          {"open", open_file},
      {"close", close_file},        {"read", read_file},
      {"content", file_content},    {"write", write_file},
      {"never_wait", never_wait},   {"wait", wait_for_files},
      {"scratch", scratch_file},    {"remove_scratch", remove_scratch_file},
      {"make_folder", make_folder}, {"remove_file", remove_file},
      {"is_terminal", is_terminal}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
