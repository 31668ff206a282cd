/* interpreter.h: declarations that the files of the program `tocha` share. */
#ifndef TOCHA_INTERPRETER_H
#define TOCHA_INTERPRETER_H

#include <stdbool.h>

#include <lua.h>

#include "interpreter/editor/editor.h"

/* --- calls.c --------------------------------------------------------------------------------- */

/* The name that is put before messages, or NULL for none, at the prompt. */
extern const char *program_name;
void print_message(const char *message);
/* Prints and pops the error object on top if `status` is an error. Returns `status`.
 * [-(0|1), +0, m] */
int report(lua_State *L, int status);

/* Sets the main thread, before anything is called. interactive: Ctrl-C never ends the process,
 * however often it comes. */
void watch_interrupts(lua_State *L, bool interactive);
/* Does what Ctrl-C does. */
void request_interrupt(void);
/* Makes Ctrl-C reach coroutines, too, from now on. [-0, +0, e] */
void track_coroutines(lua_State *L);

/* Returns a string for any error object. A message handler. */
int describe_briefly(lua_State *L);
/* Calls a function as lua_pcall does, with `handler` for messages and with Ctrl-C as an error.
 * [-(arguments + 1), +(results|1), -] */
int call_with_handler(lua_State *L, int arguments, int results, lua_CFunction handler);
/* Does the same with a traceback in messages. */
int protected_call(lua_State *L, int arguments, int results);
/* Does the same for an entry of the session, and with all results. Keeps the stack for `:trace`,
 * and shows lines of source in tracebacks. */
int call_entry(lua_State *L, int arguments);

/* --- end_process.c --------------------------------------------------------------------------------- */

/* Lets Ctrl-C abandon long calls of LAPACK, and gives the state an os.exit that waits for none
 * of them. [-0, +0, m] */
void allow_abandoned_calls(lua_State *L);
/* Ends the process, even while an abandoned call computes. Flushes the standard streams first. */
_Noreturn void end_process(int status);

/* --- blas_kernels.c -------------------------------------------------------------------------- */

/* Names the instruction set in OPENBLAS_CORETYPE, unless the user has. OpenBLAS knows processors by their numbers, and takes
 * kernels of 2004 for those that came after its release. A library leaves the environment alone; a program may set it. */
void choose_blas_kernels(void);

/* --- memory.c -------------------------------------------------------------------------------- */

/* Allocates Lua's small objects from a pool from now on. */
void pool_small_objects(lua_State *L);
/* Returns a new state of which that was done, or NULL after a message. */
lua_State *new_state(void);

/* --- session.c ------------------------------------------------------------------------------- */

/* Opens the session of the prompt (lua/prompt/session.lua). A Lua function without arguments and
 * results. */
int open_session(lua_State *L);
void push_session(lua_State *L);

/* --- language.c ------------------------------------------------------------------------------ */

/* Returns the callbacks through which the editor asks about Lua. */
editor_language session_language(lua_State *L);

/* --- entry.c --------------------------------------------------------------------------------- */

/* Compiles the text at index 1 by a function of the session. Pushes a function, or pushes a
 * message and returns false. [-0, +1, e] */
bool compile_entry(lua_State *L, const char *by, bool *incomplete);
/* Loads a script as luaL_loadfile does, and makes the session keep its outermost locals.
 * [-0, +1, e] */
int load_session_script(lua_State *L, const char *name);
/* Runs the text at index 1, the only value on the stack, and shows its values. Returns false
 * with a message on top if that fails. */
bool run_entry(lua_State *L);

/* --- kernel/kernel.c ------------------------------------------------------------------------- */

/* Answers a notebook's requests until it says to stop: `tocha --kernel FILE`. May raise. */
void run_kernel(lua_State *L, const char *connection_file);
/* torch._zmq() returns the version of libzmq, or nothing if it is missing. */
int zmq_version_for_lua(lua_State *L);

/* --- prompt.c -------------------------------------------------------------------------------- */

/* Reads and runs entries of the open session until the end of input. edits: uses the editor, if
 * the terminal is able to. */
void run_prompt(lua_State *L, bool edits);

#endif
