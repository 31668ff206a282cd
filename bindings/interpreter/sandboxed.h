/* sandboxed.h: `tocha --sandbox`: runs one script in a sandbox. */
#ifndef TOCHA_INTERPRETER_SANDBOXED_H
#define TOCHA_INTERPRETER_SANDBOXED_H

#include <stdbool.h>

/* Returns true if the command line's first option is --sandbox. */
bool wants_sandbox(char **argv);
/* Runs the script of a command line that begins with --sandbox, and returns the exit code. */
int run_sandboxed(char **argv);

#endif
