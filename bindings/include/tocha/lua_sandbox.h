/* lua_sandbox.h: a Lua state for scripts that the host did not write.
 *
 * A sandboxed state has torch and the harmless libraries, and nothing of the process but what is
 * allowed here (docs/sandbox.md). A limit that is reached ends the script: every call of the host
 * that runs Lua code returns an error whose message names the limit, and the script cannot catch it.
 * The state stays ended until tocha_lua_sandbox_restart, and is whole then. */
#ifndef TOCHA_LUA_SANDBOX_H
#define TOCHA_LUA_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <lua.h>

#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The files and limits of a sandboxed state. Zero-initialize: then the state has no files and one
 * thread, and nothing else is limited. */
typedef struct tocha_lua_sandbox {
  const char *folder; /* the folder whose files scripts may read; NULL: none */
  bool writable;      /* and write, make, rename and remove */
  /* Opens files by the host's own means; `folder` is not used then. `mode` is that of fopen. Returns
   * NULL with errno set if there is no such file. NULL: files are those of `folder`. */
  FILE *(*open)(void *user, const char *path, const char *mode);
  void *open_user;
  /* Receives what scripts print; `warning` for what goes to the standard error. NULL: it goes to the
   * process's standard output and error. */
  void (*print)(void *user, const char *text, size_t length, bool warning);
  void *print_user;

  double seconds;           /* of the clock, since the last restart */
  double processor_seconds; /* of the thread that opened or restarted the state */
  uint64_t instructions;    /* of Lua's machine; counting them slows loops of Lua code */
  int threads;              /* of one operator; 0: one. DataLoader's workers are refused */
  size_t output;            /* bytes printed since the last restart */
  size_t files;             /* files open at once */
  size_t file_size;         /* bytes of a file that is written */
  uint64_t reserved[8];     /* zeros; later versions add options in their place */
} tocha_lua_sandbox;

/* Opens the harmless libraries in a new state, in place of luaL_openlibs, and sets the limits;
 * luaopen_torch comes after it, and begins to count time, instructions and output. The strings of `sandbox` are copied. memory: bytes of Lua's memory and
 * tensors together, 0: no limit. Returns false with a message on top if the folder cannot be
 * opened or memory is short. L is the state's main thread. [-0, +(0|1), -] */
TOCHA_API bool tocha_lua_sandbox_open(lua_State *L, const tocha_lua_sandbox *sandbox,
                                      size_t memory);
/* Calls a function as lua_pcall does. Any pcall of the host may be used instead; this one also names
 * the limit if memory is short. [-(arguments + 1), +(results|1), -] */
TOCHA_API int tocha_lua_sandbox_call(lua_State *L, int arguments, int results, int handler);
/* Gives the next script its full time, instructions and output, and lets the state of a script that
 * was ended run again. Call it between two scripts, on the thread that runs the next one. Returns
 * false if the state is no sandbox. [-0, +0, -] */
TOCHA_API bool tocha_lua_sandbox_restart(lua_State *L);
/* Ends the script as a limit does: its error says `reason`, a text that lives until the next restart.
 * Called by functions of the host's that the script calls, such as `print` and `open`. Another thread
 * ends a script by tocha_lua_interrupt. [-0, +0, -] */
TOCHA_API void tocha_lua_sandbox_end(lua_State *L, const char *reason);
/* Returns what ended the script ("limit on time reached (60 s)"), or NULL if it was not ended. The
 * text lives until the next restart. [-0, +0, -] */
TOCHA_API const char *tocha_lua_sandbox_ended(lua_State *L);

#ifdef __cplusplus
}
#endif
#endif
