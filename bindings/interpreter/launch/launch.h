/* launch.h: `tocha --nproc` and `tocharun`: many processes from one command line (lua/launch/). */
#ifndef TOCHA_LAUNCH_H
#define TOCHA_LAUNCH_H

#include <stdbool.h>

#include <lua.h>

/* Returns true if the command line is one of the launcher's. */
bool wants_launch(char **argv);
/* The launcher's lines of --help; "" in a build that has none. */
extern const char *const launch_usage;
/* Adds what the launcher needs of the system to the table at the top, torch._processes (system.c). [-0, +0, m] */
void open_launch(lua_State *L);
/* Runs it to its end, and returns the exit code. */
int run_launch(char **argv);

/* In a process that a launcher has started, lets lines that are printed leave at once. */
void join_launch(void);
/* In a process that srun or mpirun has started, sets the variables that env:// reads, unless they are set (starters.c). */
void read_starter(void);
/* Tells the launcher of this process, if there is one, why a script fails. kind: "ValueError" and the like,
 * or NULL. Returns true if the launcher shows it. [-0, +0, -] */
bool tell_launcher(lua_State *L, const char *message, const char *kind);

#endif
