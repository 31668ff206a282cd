/* interpreter.h: what the files of the program `tocha` share. */
#ifndef TOCHA_INTERPRETER_H
#define TOCHA_INTERPRETER_H

#include <stdbool.h>

#include <lua.h>

#include "interpreter/editor/editor.h"

/* --- calls.c --------------------------------------------------------------------------------- */

/* The name put before messages; NULL at the prompt, where it would only be noise. */
extern const char *program_name;
void print_message(const char *message);
/* Prints and pops the error object on top when `status` is an error. Returns `status`. */
int report(lua_State *L, int status);

/* Says which thread is the main one, before anything is called. interactive: no number of Ctrl-C ends the process. */
void watch_interrupts(lua_State *L, bool interactive);
/* From here on Ctrl-C reaches coroutines, too. */
void track_coroutines(lua_State *L);

/* Message handler: makes a string of any error object. */
int describe_briefly(lua_State *L);
/* lua_pcall with `handler` for messages, and with Ctrl-C as an error. */
int call_with_handler(lua_State *L, int arguments, int results, lua_CFunction handler);
/* The same with a traceback in messages. */
int protected_call(lua_State *L, int arguments, int results);
/* The same for an entry of the session, and with all results: keeps the stack for `:trace`, shows the lines of tracebacks. */
int call_entry(lua_State *L, int arguments);

/* --- end_process.c --------------------------------------------------------------------------------- */

/* Lets Ctrl-C leave long calls of LAPACK, and gives the state an os.exit that knows of them. [-0, +0, m] */
void allow_abandoned_calls(lua_State *L);
/* Ends the process, even while an abandoned call computes. Flushes the standard streams first. */
_Noreturn void end_process(int status);

/* --- memory.c -------------------------------------------------------------------------------- */

/* Small objects of Lua get memory of their own from here on. */
void pool_small_objects(lua_State *L);

/* --- session.c ------------------------------------------------------------------------------- */

/* Lua function: opens the session of the prompt (lua/prompt/session.lua). */
int open_session(lua_State *L);
void push_session(lua_State *L);

/* --- language.c ------------------------------------------------------------------------------ */

/* Returns the callbacks through which the editor asks about Lua. */
editor_language session_language(lua_State *L);

/* --- entry.c --------------------------------------------------------------------------------- */

/* Compiles the text at index 1 by a function of the session: leaves a function, or a message with false. */
bool compile_entry(lua_State *L, const char *by, bool *incomplete);
/* Loads a script whose outermost locals the session keeps, as luaL_loadfile does. */
int load_session_script(lua_State *L, const char *name);
/* Runs the text at index 1, which is all there is on the stack, and shows its values; false, with a message on top, where that fails. */
bool run_entry(lua_State *L);

/* --- kernel/kernel.c ------------------------------------------------------------------------- */

/* Answers a notebook until it says to stop: what `tocha --kernel FILE` does. May raise. */
void run_kernel(lua_State *L, const char *connection_file);
/* torch._zmq(): the version of libzmq; nil where there is none. */
int zmq_version_for_lua(lua_State *L);

/* --- prompt.c -------------------------------------------------------------------------------- */

/* Reads and runs entries of the open session until the end of input. edits: with the editor, where the terminal can. */
void run_prompt(lua_State *L, bool edits);

#endif
