/* children.h: programs that this process starts (children.c), how they were killed (endings.c), and their guard (guard.c). Not in a browser. */
#ifndef TOCHA_PLATFORM_CHILDREN_H
#define TOCHA_PLATFORM_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the path of the program that this process runs. Returns false if it is unknown. */
bool platform_program_path(char *path, size_t capacity);

/* --- starting and ending (children.c) ---------------------------------------------------------- */

typedef struct platform_program {
  char *const *arguments;   /* ended by NULL; the first is found by PATH unless it has a slash */
  char *const *environment; /* "NAME=VALUE", ended by NULL */
  int streams[3];           /* files that become the program's standard streams */
  int extra;                /* a file that becomes its file number 3, -1: none */
  bool own_group; /* it leads a group of processes, which the terminal's Ctrl-C does not reach */
  int guard;      /* of platform_start_guard, which then ends the group; -1: none */
} platform_program;

/* Starts a program, which is killed when the calling thread ends. Returns the number of its process, or -1:
 * errno says why it cannot be run. */
long platform_start_program(const platform_program *program);

typedef struct platform_ending {
  int code;       /* of its exit */
  int signal;     /* that has killed it, 0: none */
  double seconds; /* of processor time that it used */
  int64_t memory; /* bytes: the most that was in memory at a time */
} platform_ending;

/* Says how a process that was started here has ended. Returns false while it runs. */
bool platform_has_ended(long process, platform_ending *ending);
/* Returns a file that has something to read once the process has ended, or -1 if the system has none. */
int platform_watch_process(long process);

/* Sends a signal to a process, or to all processes of the group that it leads. */
bool platform_send_signal(long process, bool group, int number);
/* Waits until one of the files has something to read, at most `milliseconds`; -1 in the list is no file. Writes to `ready`. */
void platform_wait_for_files(int count, const int *files, bool *ready, int milliseconds);

/* Makes a file without a name in a folder. Returns its number, and writes a path by which other
 * processes of this user open it, or returns -1. It is gone when it is closed. */
int platform_scratch_file(char *path, size_t capacity);
/* Removes what is left of a scratch file. */
void platform_remove_scratch_file(int file, const char *path);

/* --- how they were killed (endings.c) ---------------------------------------------------------- */

/* Returns how many processes of this one's control group the system has killed for want of memory so far, 0 if that is unknown.
 * *limit (may be NULL): bytes that the group may have; 0: no limit is known. */
int64_t platform_memory_kills(int64_t *limit);
/* Returns the system's number of a signal, "SIGKILL" or "KILL"; 0 if the name is unknown. */
int platform_signal_number(const char *name);
/* Returns "SIGKILL" and the like, "SIG99" for a number without a name. The text is valid until the next call. */
const char *platform_signal_name(int number);
/* Writes how a signal killed a process: "was killed by signal 9 (SIGKILL)". for_memory: and that a limit of memory is why. */
void platform_describe_kill(int signal_number, bool for_memory, char *text, size_t capacity);

/* --- the guard (guard.c) ----------------------------------------------------------------------- */

/* Starts a process that kills the groups of the programs that are started with it once this process has
 * ended, in whatever way. Returns its file, or -1. Call it before files are opened and threads started. */
int platform_start_guard(void);
/* Tells the guard that a group has ended, whose number may come again. */
void platform_release_group(int guard, long process);
/* Makes processes whose parents have ended children of this one. */
bool platform_adopt_orphans(void);
/* Kills all children of this process, and those that are adopted meanwhile, and collects them. spares_guard: but not the guard. */
void platform_kill_children(bool spares_guard);

#endif
