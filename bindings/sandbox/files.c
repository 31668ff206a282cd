/* files.c: the files of a sandbox: those of the host's folder, or what the host's function opens. The
 * io library of scripts and the context of torch open files here and nowhere else. */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <string.h>

#include <lualib.h>

#include "sandbox/confined.h"

/* --- opening ----------------------------------------------------------------------------------------- */

/* Returns what platform_open needs for a mode of fopen, or 0 if it is no mode. */
static int open_how(const char *mode) {
  size_t length = strlen(mode);
  bool plus = length > 1 && mode[1] == '+';
  if (length > 3 || (mode[plus + 1] && strcmp(mode + plus + 1, "b") != 0)) return 0;
  switch (mode[0]) {
  case 'r':
    return plus ? PLATFORM_READ | PLATFORM_WRITE : PLATFORM_READ;
  case 'w':
    return PLATFORM_WRITE | PLATFORM_CREATE | PLATFORM_EMPTY | (plus ? PLATFORM_READ : 0);
  case 'a':
    return PLATFORM_WRITE | PLATFORM_CREATE | PLATFORM_APPEND | (plus ? PLATFORM_READ : 0);
  default:
    return 0;
  }
}

static bool may_grow(void *user, int64_t size) {
  sandbox *s = user;
  if (!s->given.file_size || size <= (int64_t)s->given.file_size) return true;
  end_sandbox(s, SANDBOX_FILE_SIZE);
  return false;
}

/* Makes the stream of an open file. Only regular files: a pipe or a device may keep a reader waiting
 * for ever. Returns NULL with errno set, and closes the file then. */
static FILE *stream_of(sandbox *s, int file, const char *mode, int how) {
  platform_status status;
  int number = EACCES;
  if (platform_file_status(file, &status) && status.kind == PLATFORM_FILE) {
    bool bounded = s->given.file_size && how & PLATFORM_WRITE;
    FILE *stream =
        bounded ? platform_bounded_stream(file, mode, may_grow, s) : platform_stream_of(file, mode);
    if (stream) return stream;
    number = errno ? errno : ENOTSUP;
  } else if (status.kind == PLATFORM_FOLDER) {
    number = EISDIR;
  }
  platform_close(file);
  errno = number;
  return NULL;
}

FILE *open_sandbox_file(sandbox *s, const char *path, const char *mode) {
  const tocha_lua_sandbox *g = &s->given;
  int how = open_how(mode);
  if (!how) return errno = EINVAL, NULL;
  if (how & PLATFORM_WRITE && !g->writable) return errno = EACCES, NULL;
  if (g->open) return g->open(g->open_user, path, mode);
  if (s->folder < 0) return errno = EACCES, NULL;
  int file = platform_open_beneath(s->folder, path, how | PLATFORM_AT_ONCE);
  return file < 0 ? NULL : stream_of(s, file, mode, how);
}

/* --- for the context ------------------------------------------------------------------------------------ */

static FILE *open_for_context(void *user, const char *path, tocha_file_use use) {
  return open_sandbox_file(user, path, use == TOCHA_FILE_READ ? "rb" : "wb");
}

static bool move_file(void *user, const char *from, const char *to) {
  const sandbox *s = user;
  return platform_move_beneath(s->folder, from, to);
}

static bool remove_file(void *user, const char *path) {
  const sandbox *s = user;
  return s->folder >= 0 && platform_remove_beneath(s->folder, path);
}

static void close_context(void *user) { release_sandbox(user); }

bool confine_context(lua_State *L, tocha_context *cx) {
  sandbox *s = find_sandbox(L);
  if (!s) return true;
  tocha_confinement c = {.user = s,
                         .open = open_for_context,
                         .move = s->given.open ? NULL : move_file,
                         .remove = remove_file,
                         .count = count_memory,
                         .close = close_context,
                         .threads = s->given.threads > 0 ? s->given.threads : 1};
  atomic_fetch_add(&s->owners, 1);
  if (!tocha_confine(cx, &c)) return release_sandbox(s), false;
  atomic_store(&s->context, cx);
  return true;
}

void forget_context(lua_State *L) {
  sandbox *s = find_sandbox(L);
  if (s) atomic_store(&s->context, NULL);
}

int sandbox_folder(lua_State *L) {
  const sandbox *s = find_sandbox(L);
  return s ? s->folder : -1;
}

bool is_sandboxed(lua_State *L) { return find_sandbox(L) != NULL; }

bool is_writable(lua_State *L) {
  const sandbox *s = find_sandbox(L);
  return !s || (s->given.writable && !s->given.open);
}

/* --- the io library --------------------------------------------------------------------------------------- */

typedef struct opened_file {
  luaL_Stream stream; /* what Lua's own functions expect */
  sandbox *s;
} opened_file;

static int close_file(lua_State *L) {
  opened_file *f = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  f->s->open_files--;
  int done = fclose(f->stream.f) == 0;
  return luaL_fileresult(L, done, NULL);
}

/* Pushes an open file, or fails as io.open does. Returns the number of values. [-0, +n, e] */
static int push_opened(lua_State *L, sandbox *s, const char *path, const char *mode) {
  if (s->given.files && s->open_files >= s->given.files) {
    lua_gc(L, LUA_GCCOLLECT); /* closes files that the script has forgotten */
    if (s->open_files >= s->given.files) end_sandbox(s, SANDBOX_FILES);
    check_sandbox(L, s);
  }
  opened_file *f = lua_newuserdatauv(L, sizeof *f, 0);
  *f = (opened_file){{NULL, NULL}, s};
  luaL_setmetatable(L, LUA_FILEHANDLE);
  f->stream.f = open_sandbox_file(s, path, mode);
  if (!f->stream.f) return luaL_fileresult(L, 0, path);
  s->open_files++;
  f->stream.closef = close_file;
  return 1;
}

/* io.open(path, mode) */
static int open_file(lua_State *L) {
  const char *path = luaL_checkstring(L, 1), *mode = luaL_optstring(L, 2, "r");
  luaL_argcheck(L, open_how(mode), 2, "invalid mode");
  return push_opened(L, sandbox_of(L), path, mode);
}

/* io.lines(path, ...) */
static int file_lines(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  if (push_opened(L, sandbox_of(L), path, "r") != 1)
    return luaL_error(L, "%s", lua_tostring(L, -2));
  lua_replace(L, 1);
  lua_getfield(L, 1, "lines");
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}

/* io.close(file) */
static int close_argument(lua_State *L) {
  luaL_checkudata(L, 1, LUA_FILEHANDLE);
  lua_getfield(L, 1, "close");
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

static int show_file(lua_State *L) {
  const luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  lua_pushstring(L, stream->closef ? "file (open)" : "file (closed)");
  return 1;
}

void open_sandbox_files(lua_State *L, sandbox *s) {
  static const luaL_Reg functions[] = {
      {"open", open_file}, {"lines", file_lines}, {"close", close_argument}, {NULL, NULL}};
  lua_createtable(L, 0, 8);
  lua_pushcfunction(L, luaopen_io); /* makes the methods of files */
  lua_call(L, 0, 1);
  lua_getfield(L, -1, "type");
  lua_setfield(L, -3, "type");
  lua_pop(L, 1);
  luaL_getmetatable(L, LUA_FILEHANDLE);
  lua_pushliteral(L, LUA_FILEHANDLE);
  lua_setfield(L, -2, "__metatable");
  lua_pushcfunction(L, show_file);
  lua_setfield(L, -2, "__tostring");
  lua_pop(L, 1);
  set_sandbox_functions(L, functions);
  open_sandbox_output(L, s);
}
