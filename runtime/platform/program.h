/* program.h: the terminal, other processes, and what belongs to a program rather than to a library:
 * handlers of signals, its standard streams. */
#ifndef TOCHA_PLATFORM_PROGRAM_H
#define TOCHA_PLATFORM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/threads.h"

/* --- the terminal (terminal.c) ----------------------------------------------------------------- */

/* Storage for the terminal's settings. */
typedef struct platform_terminal {
  uint64_t storage[12];
} platform_terminal;

bool platform_is_terminal(int file);
/* Writes the size of the terminal's window in characters. Returns false if it is unknown. */
bool platform_window_size(int file, int *columns, int *rows);
/* Opens the terminal that this process belongs to. Returns -1 if there is none. */
int platform_open_terminal(void);
/* Returns true if the terminal's input goes to this process, not to another one of its session. */
bool platform_has_input(int terminal);

/* PLATFORM_KEYS: each key is read at once, also Ctrl-C. PLATFORM_REPLIES: what the terminal sends
 * is read at once and not shown. */
typedef enum platform_terminal_mode { PLATFORM_KEYS, PLATFORM_REPLIES } platform_terminal_mode;

/* Writes the settings to `before`, and changes them. Returns false if the file is not a terminal. */
bool platform_enter_mode(int terminal, platform_terminal_mode mode, platform_terminal *before);
void platform_leave_mode(int terminal, platform_terminal_mode mode,
                         const platform_terminal *before);

/* Returns the number of columns that a character takes, 0 to 2, or -1 if it cannot be shown. Does
 * not depend on the locale. */
int platform_character_width(uint32_t character);

/* --- signals (handlers.c) ---------------------------------------------------------------------- */

/* Lets Ctrl-C call the handler; `once`: the second Ctrl-C ends the program. NULL: the first one ends it. */
void platform_on_interrupt(void (*handler)(int signal_number), bool once);
/* Lets signals be read as bytes, their numbers, from the file that it returns, or -1. One that is ignored stays so, as under nohup. */
int platform_receive_signals(int count, const int *numbers);
/* Sets whether a change of the window's size ends a read early. */
void platform_watch_window(bool watched);
/* Stops the process, as Ctrl-Z does, until it is continued. */
void platform_suspend(void);
/* Sends the thread what Ctrl-C sends. */
void platform_interrupt_thread(const platform_thread *thread);
/* Sends this process and those that it started what Ctrl-C sends. Returns false if others would get
 * it, too. */
bool platform_interrupt_group(void);

/* --- processes and their environment (processes.c, exit.c) ------------------------------------- */

long platform_process_number(void);
/* Lets exit call `function` with the status of the process: one function of each library. Does nothing if the system cannot. */
void platform_call_at_exit(void (*function)(int status));
/* Writes the name that this machine has in its network. Returns false if it has none. */
bool platform_machine_name(char *name, size_t size);
long platform_parent_process(void);
/* Returns true if a process of that number may be running. */
bool platform_process_exists(long process_number);
/* Returns true if a process of that number runs, and has not just ended. *started (may be NULL) tells it from a later process of the
 * same number, as far as the system tells. */
bool platform_process_runs(int64_t process_number, int64_t *started);
/* STOPPED: by a signal, until another one lets it go on; not known on all systems. */
typedef enum platform_state {
  PLATFORM_PROCESS_GONE,
  PLATFORM_PROCESS_STOPPED,
  PLATFORM_PROCESS_RUNS
} platform_state;
/* Returns the state of a process; `started` as above. */
platform_state platform_process_state(int64_t process_number, int64_t *started);
/* Says how a process of any parent ended that its parent has not collected: while the system frees its memory, which can take seconds, the
 * parent is not told. *signal_number: 0 if it ended by itself. Returns false if it runs, was collected, ended with code 0, or if the
 * system does not tell. */
bool platform_find_ending(int64_t process_number, int *code, int *signal_number);
/* Returns the variables of the environment, "NAME=VALUE", ended by NULL. */
char **platform_environment(void);
/* Sets a variable of the environment; NULL removes it. */
bool platform_set_variable(const char *name, const char *value);

/* --- rights (rights.c) ------------------------------------------------------------------------- */

/* Gives up all files by path, for this thread and those that it starts, but for those in a folder, which may be NULL. Files that
 * are open stay open. Returns false if the system has no such means; then nothing has changed. */
bool platform_give_up_files(const char *folder, bool writable);
/* Gives up the system calls of all threads of this process that do more than compute, use open files, or open files beneath an
 * open folder: no program is started, no connection opened, no other process reached. Returns false as above. */
bool platform_give_up_system_calls(void);

/* --- pipes (pipes.c) --------------------------------------------------------------------------- */

/* Opens a pipe: what is written to ends[1] is read from ends[0]. */
bool platform_open_pipe(int ends[2]);
/* Lets reads and writes fail with EAGAIN instead of waiting. */
bool platform_never_wait(int file);
/* Returns another number of the same file, or -1. */
int platform_duplicate(int file);
/* (replace.c) Makes `file`, such as PLATFORM_STDOUT, another number of the file `by`. Programs that are started
 * inherit it. */
bool platform_replace(int file, int by);

#endif
