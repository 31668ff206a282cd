/* processes.c: programs that Lua starts, in torch._processes. A process is its number, a file is its
 * number. A function that fails returns nil and a message. */
#include "processes/processes.h"

#include <errno.h>
#include <string.h>

#include <lauxlib.h>

#include "platform/platform.h"
#include "sandbox/confined.h"

int push_system_error(lua_State *L) {
  int code = errno;
  lua_pushnil(L);
  lua_pushstring(L, strerror(code));
  return 2;
}

/* Returns the texts of the list at `index` as an array that ends with NULL, which lies on the stack.
 * [-0, +1, e] */
static const char **push_texts(lua_State *L, int index) {
  lua_Integer count = luaL_len(L, index);
  const char **texts = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *texts, 0);
  for (lua_Integer i = 0; i < count; i++) {
    if (lua_rawgeti(L, index, i + 1) != LUA_TSTRING) luaL_error(L, "a text is expected");
    texts[i] = lua_tostring(L, -1); /* the list keeps it */
    lua_pop(L, 1);
  }
  texts[count] = NULL;
  return texts;
}

static int field_as_file(lua_State *L, const char *name, int otherwise) {
  lua_getfield(L, 1, name);
  int file = (int)luaL_optinteger(L, -1, otherwise);
  lua_pop(L, 1);
  return file;
}

/* start{arguments, environment, input, output, errors, extra, own_group, guard}: returns the number of a
 * new process. */
static int start_program(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_getfield(L, 1, "arguments");
  lua_getfield(L, 1, "environment");
  luaL_checktype(L, 2, LUA_TTABLE);
  luaL_checktype(L, 3, LUA_TTABLE);
  platform_program program = {.streams = {field_as_file(L, "input", PLATFORM_STDIN),
                                          field_as_file(L, "output", PLATFORM_STDOUT),
                                          field_as_file(L, "errors", PLATFORM_STDERR)},
                              .extra = field_as_file(L, "extra", -1),
                              .guard = field_as_file(L, "guard", -1)};
  lua_getfield(L, 1, "own_group");
  program.own_group = lua_toboolean(L, -1);
  program.arguments = (char *const *)push_texts(L, 2);
  program.environment = (char *const *)push_texts(L, 3);
  if (!program.arguments[0]) return luaL_error(L, "a program is expected");
  long process = platform_start_program(&program);
  if (process < 0) return push_system_error(L);
  lua_pushinteger(L, process);
  return 1;
}

/* Pushes {code, signal, signal_name, seconds, memory}. [-0, +1, m] */
static int push_ending(lua_State *L, const platform_ending *ending) {
  lua_createtable(L, 0, 5);
  lua_pushinteger(L, ending->code);
  lua_setfield(L, -2, "code");
  lua_pushnumber(L, ending->seconds);
  lua_setfield(L, -2, "seconds");
  lua_pushinteger(L, ending->memory);
  lua_setfield(L, -2, "memory");
  if (ending->signal) {
    lua_pushinteger(L, ending->signal);
    lua_setfield(L, -2, "signal");
    lua_pushstring(L, platform_signal_name(ending->signal));
    lua_setfield(L, -2, "signal_name");
  }
  return 1;
}

/* ended(process): returns how it has ended: {code, signal, signal_name, seconds, memory}; nil while it runs. */
static int has_ended(lua_State *L) {
  platform_ending ending;
  bool known = platform_has_ended((long)luaL_checkinteger(L, 1), &ending);
  return known ? push_ending(L, &ending) : 0;
}

/* find_ending(process): returns how a process failed that nobody has collected yet, as ended() will, but for seconds and memory; else nil. */
static int find_ending(lua_State *L) {
  platform_ending ending = {0};
  bool known = platform_find_ending(luaL_checkinteger(L, 1), &ending.code, &ending.signal);
  return known ? push_ending(L, &ending) : 0;
}

/* memory_kills(): returns how many processes of this control group the system has killed for want of memory. */
static int memory_kills(lua_State *L) {
  lua_pushinteger(L, platform_memory_kills(NULL));
  return 1;
}

/* describe_kill(signal, for_memory): returns how a process was killed, in words. */
static int describe_kill(lua_State *L) {
  char text[160];
  platform_describe_kill((int)luaL_checkinteger(L, 1), lua_toboolean(L, 2), text, sizeof text);
  lua_pushstring(L, text);
  return 1;
}

/* watch(process): returns a file that has something to read once it has ended, nil if there is no such. */
static int watch(lua_State *L) {
  int file = platform_watch_process((long)luaL_checkinteger(L, 1));
  if (file < 0) return 0;
  lua_pushinteger(L, file);
  return 1;
}

/* signal(process, "TERM", group): returns true if it was sent. */
static int send_signal(lua_State *L) {
  int number = platform_signal_number(luaL_checkstring(L, 2));
  lua_pushboolean(L,
                  platform_send_signal((long)luaL_checkinteger(L, 1), lua_toboolean(L, 3), number));
  return 1;
}

static int signal_name(lua_State *L) {
  lua_pushstring(L, platform_signal_name((int)luaL_checkinteger(L, 1)));
  return 1;
}

/* signal_number("TERM"): 0 for an unknown name. */
static int signal_number(lua_State *L) {
  lua_pushinteger(L, platform_signal_number(luaL_checkstring(L, 1)));
  return 1;
}

/* --- this process ---------------------------------------------------------------------------- */

/* environment(): returns the variables of the environment by name. */
static int environment(lua_State *L) {
  lua_newtable(L);
  for (char **variable = platform_environment(); *variable; variable++) {
    const char *equals = strchr(*variable, '=');
    if (!equals) continue;
    lua_pushlstring(L, *variable, (size_t)(equals - *variable));
    lua_pushstring(L, equals + 1);
    lua_rawset(L, -3);
  }
  return 1;
}

static int machine_name(lua_State *L) {
  char name[256];
  lua_pushstring(L, platform_machine_name(name, sizeof name) ? name : "localhost");
  return 1;
}

static int usable_processors(lua_State *L) {
  lua_pushinteger(L, platform_usable_processors());
  return 1;
}

static int process_number(lua_State *L) {
  lua_pushinteger(L, platform_process_number());
  return 1;
}

/* program(): returns the path of the program that this process runs, nil if it is unknown. */
static int program_path(lua_State *L) {
  char path[4096];
  if (!platform_program_path(path, sizeof path)) return 0;
  lua_pushstring(L, path);
  return 1;
}

/* now(): returns the seconds of a clock that is never set. */
static int now(lua_State *L) {
  lua_pushnumber(L, (double)platform_nanoseconds() * 1e-9);
  return 1;
}

/* wall_clock(): returns the nanoseconds since the beginning of 1970. */
static int wall_clock(lua_State *L) {
  lua_pushinteger(L, platform_wall_clock());
  return 1;
}

void open_processes(lua_State *L, int torch) {
  static const luaL_Reg functions[] = {{"start", start_program},
                                       {"ended", has_ended},
                                       {"find_ending", find_ending},
                                       {"memory_kills", memory_kills},
                                       {"describe_kill", describe_kill},
                                       {"watch", watch},
                                       {"signal", send_signal},
                                       {"signal_name", signal_name},
                                       {"signal_number", signal_number},
                                       {"environment", environment},
                                       {"machine_name", machine_name},
                                       {"usable_processors", usable_processors},
                                       {"process_number", process_number},
                                       {"program", program_path},
                                       {"now", now},
                                       {"wall_clock", wall_clock},
                                       {NULL, NULL}};
  if (is_sandboxed(L)) return;
  luaL_newlib(L, functions);
  open_process_files(L);
  open_parcels(L);
  open_hosts(L);
  lua_setfield(L, torch, "_processes");
}
