/* folder.c: torch._io.list and the like: what folders and files hold, for the parts written in
 * Lua. */
#include <errno.h>
#include <lauxlib.h>
#include <string.h>

#include "io/io.h"
#include "platform/platform.h"
#include "sandbox/confined.h"

/* Opens a file or folder of the sandbox. Returns -1 with errno set if there is none. */
static int open_in_sandbox(lua_State *L, const char *path) {
  int folder = sandbox_folder(L);
  if (folder >= 0) return platform_open_beneath(folder, path, PLATFORM_READ | PLATFORM_AT_ONCE);
  errno = EACCES;
  return -1;
}

static bool path_status(lua_State *L, const char *path, platform_status *status) {
  if (!is_sandboxed(L)) return platform_path_status(path, status);
  int file = open_in_sandbox(L, path);
  bool known = file >= 0 && platform_file_status(file, status);
  if (file >= 0) platform_close(file);
  return known;
}

static bool make(lua_State *L, const char *path) {
  if (!is_sandboxed(L)) return platform_make_folder(path, false);
  errno = EACCES;
  return is_writable(L) && sandbox_folder(L) >= 0 &&
         platform_make_folder_beneath(sandbox_folder(L), path);
}

static platform_folder *open_folder_at(lua_State *L, const char *path) {
  if (!is_sandboxed(L)) return platform_open_folder(path);
  int file = open_in_sandbox(L, path);
  platform_folder *folder = file < 0 ? NULL : platform_folder_of_file(file);
  if (file >= 0 && !folder) platform_close(file);
  return folder;
}

/* (path) Returns true if the path is a folder, false if it is a file, or nothing if it does not
 * exist. */
static int is_folder(lua_State *L) {
  platform_status status;
  if (!path_status(L, luaL_checkstring(L, 1), &status)) return 0;
  lua_pushboolean(L, status.kind == PLATFORM_FOLDER);
  return 1;
}

/* (path) Makes a folder. Does nothing if the path exists. */
static int make_folder(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  if (make(L, path) || errno == EEXIST) return 0;
  int number = errno;
  return raise_message(L, TOCHA_OS_ERROR, "[Errno %d] %s: '%s'", number, strerror(number), path);
}

/* A folder that is being read. The collector closes it if an error of Lua ends the reading. */
static const char FOLDER[] = "tocha.folder";
static int folder_gc(lua_State *L) {
  platform_folder **folder = luaL_checkudata(L, 1, FOLDER);
  if (*folder) platform_close_folder(*folder);
  *folder = NULL;
  return 0;
}

/* (path) Returns a table of the names in a folder, in any order, without "." and "..". */
static int list(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  platform_folder **folder = lua_newuserdatauv(L, sizeof *folder, 0);
  *folder = NULL;
  luaL_setmetatable(L, FOLDER);
  *folder = open_folder_at(L, path);
  if (!*folder) {
    int number = errno;
    return raise_message(L, number == ENOENT ? TOCHA_FILE_NOT_FOUND_ERROR : TOCHA_OS_ERROR,
                         "[Errno %d] %s: '%s'", number, strerror(number), path);
  }
  lua_newtable(L);
  int count = 0;
  for (const char *name; (name = platform_next_name(*folder)) != NULL;) {
    lua_pushstring(L, name);
    lua_rawseti(L, -2, ++count);
  }
  return 1;
}

/* (bytes) Returns the decompressed bytes of a gzip file. */
static int gunzip(lua_State *L) {
  tocha_tensor *bytes = check_tensor(L, 1, "gunzip", "bytes", 1);
  tocha_scope s = tocha_scope_begin(CX(L));
  return push_from_scope(L, tocha_gunzip(CX(L), bytes), s);
}

/* (bytes, level) Returns the bytes compressed in zlib's format. */
static int compress(lua_State *L) {
  tocha_tensor *bytes = check_tensor(L, 1, "compress", "bytes", 1);
  int level = (int)luaL_checkinteger(L, 2);
  tocha_scope s = tocha_scope_begin(CX(L));
  return push_from_scope(L, tocha_compress(CX(L), bytes, level), s);
}

/* (file) Returns the file's MD5 sum. */
static int md5(lua_State *L) {
  char sum[33];
  if (!tocha_md5(CX(L), check_file(L, 1), sum)) return raise_error(L);
  lua_pushstring(L, sum);
  return 1;
}

/* (first bytes, path or nil, expected kind) Returns a hint with the kind of the file, or nothing
 * if it is unknown. */
static int file_kind(lua_State *L) {
  size_t length;
  const char *head = luaL_checklstring(L, 1, &length), *path = luaL_optstring(L, 2, NULL);
  const char *name = tocha_file_kind_name(head, length), *cure = tocha_file_kind_cure(head, length);
  if (!name) return 0;
  lua_pushfstring(L, path ? "'%s' is %s, not %s: %s" : "%sthis is %s, not %s: %s", path ? path : "",
                  name, luaL_checkstring(L, 3), cure);
  return 1;
}

void open_folder(lua_State *L) {
  static const luaL_Reg functions[] = {{"is_folder", is_folder}, {"make_folder", make_folder},
                                       {"list", list},           {"gunzip", gunzip},
                                       {"compress", compress},   {"md5", md5},
                                       {"file_kind", file_kind}, {NULL, NULL}};
  static const luaL_Reg folder[] = {{"__gc", folder_gc}, {NULL, NULL}};
  new_metatable(L, FOLDER, folder);
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
