/* sandbox.h: the policy of a sandboxed state, which all of its functions ask.
 *
 * sandbox.c   opens a sandbox in a state; limits.c: its limits, and the end of a script
 * watch.c     the clock, which ends a script from a thread of its own
 * memory.c    counts the memory of Lua and of tensors together
 * base.c      the basic functions; calls.c: those that catch errors; coroutines.c
 * strings.c   strings, match.c: patterns; tables.c
 * files.c     the io library and the host's folder; output.c: what is printed; modules.c: require */
#ifndef TOCHA_BINDING_SANDBOX_H
#define TOCHA_BINDING_SANDBOX_H

#include <stdatomic.h>

#include <lauxlib.h>
#include <lua.h>

#include "platform/platform.h"
#include "tocha/confine.h"
#include "tocha/context.h"
#include "tocha/lua_sandbox.h"

typedef enum sandbox_limit {
  SANDBOX_RUNS,
  SANDBOX_MEMORY,
  SANDBOX_TIME,
  SANDBOX_PROCESSOR,
  SANDBOX_INSTRUCTIONS,
  SANDBOX_OUTPUT,
  SANDBOX_FILES,
  SANDBOX_FILE_SIZE,
  SANDBOX_STOPPED /* by the host, for a reason of its own */
} sandbox_limit;

typedef struct sandbox sandbox;

enum { SANDBOX_SMALL = 256 }; /* bytes of the largest blocks of Lua's that are kept for reuse */

/* The thread that ends a script when its time is over. */
typedef struct sandbox_watch {
  platform_thread thread;
  platform_mutex lock; /* of the fields below */
  platform_condition changed;
  bool started, stops;
  int64_t process;        /* where the thread is; the child of a fork has none */
  int64_t due;            /* nanoseconds of the clock; INT64_MAX: never */
  int64_t processor_due;  /* nanoseconds of `worker` */
  platform_thread worker; /* the thread that runs the script */
} sandbox_watch;

struct sandbox {
  atomic_int owners; /* the state, and the context of torch */
  tocha_lua_sandbox given;
  int folder; /* the open folder, or -1 */
  lua_State *main;
  lua_State *_Atomic running;     /* the coroutine that runs now */
  tocha_context *_Atomic context; /* NULL until torch is open */
  atomic_int ended;               /* sandbox_limit */
  const char *_Atomic reason;     /* of SANDBOX_STOPPED */
  char text[128];                 /* of sandbox_reason */
  sandbox_watch watch;

  lua_Alloc allocate; /* of the state, before the sandbox */
  void *allocate_user;
  size_t memory;          /* limit; 0: none */
  bool over_memory;       /* it refused an allocation since the restart */
  int64_t lua_bytes;      /* held by Lua; only the thread that runs the state counts them */
  int64_t most_lua_bytes; /* the most that Lua held since the last trim */
  bool keeps_blocks;      /* small blocks are multiples of a word, and kept in lists */
  atomic_size_t small;    /* bytes of the largest blocks that may be taken from lists now */
  size_t kept_bytes;      /* in the lists; lua_bytes has them, too */
  void *kept[SANDBOX_SMALL / 8 + 1]; /* lists of free blocks by words of 8 bytes */
  atomic_llong tensor_bytes;         /* held by the context */
  atomic_bool hook_is_set_now; /* another thread walks the state's call frames: nothing is freed */

  uint64_t instructions; /* executed since the restart */
  int period;            /* instructions between two calls of the hook; 0: it is not set */
  size_t written;        /* bytes printed */
  size_t open_files;
  const char *(*source)(void *user, const char *module, size_t *size); /* of modules; may be NULL */
  void *source_user;
  lua_Integer named; /* values whose text had to hide an address */
  FILE *out, *err;   /* streams of output.c */
  lua_CFunction format, sort, concat, insert, remove, rep; /* of Lua's libraries */
};

/* The sandbox is the first upvalue of all its functions. */
static inline sandbox *sandbox_of(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }
/* Returns the sandbox of a state, or NULL. [-0, +0, -] */
sandbox *find_sandbox(lua_State *L);
/* Keeps the sandbox's userdata on top in the state. [-1, +0, m] */
void keep_sandbox(lua_State *L);
/* Sets functions in the table on top, with the sandbox as their upvalue. [-0, +0, m] */
void set_sandbox_functions(lua_State *L, const luaL_Reg *functions);
/* Returns the C function of that name in the table on top. [-0, +0, m] */
lua_CFunction library_function(lua_State *L, const char *name);

/* --- the end of a script (limits.c) --------------------------------------------------------------- */

/* Writes why a script was ended to `text`, and returns it. */
const char *end_reason(const sandbox *s, sandbox_limit limit, char *text, size_t capacity);
/* Ends the script. May be called by any thread; only the first end counts. */
void end_sandbox(sandbox *s, sandbox_limit limit);
/* Raises the error of the limit that ended the script. */
int raise_end(lua_State *L, sandbox *s);
/* Raises that error if the script was ended. Called by loops that run long, and after every call
 * whose error a script would catch. */
static inline void check_sandbox(lua_State *L, sandbox *s) {
  if (atomic_load(&s->ended)) raise_end(L, s);
}
/* Counts steps of a loop in C as instructions, and raises if the script was ended. */
void spend(lua_State *L, sandbox *s, unsigned steps);
/* Looks at the status of a protected call of a script's: raises if a limit was reached in it. */
void check_status(lua_State *L, sandbox *s, int status);
/* Sets the hook that counts instructions in thread L. */
void set_sandbox_hook(lua_State *L, const sandbox *s);
/* Frees the sandbox if this was its last owner. */
void release_sandbox(sandbox *s);

/* --- the parts ------------------------------------------------------------------------------------- */

bool start_watch(sandbox *s);
void pause_watch(sandbox *s); /* returns when no end is under way */
void restart_watch(sandbox *s);
void stop_watch(sandbox *s);

void count_lua_memory(lua_State *L, sandbox *s);
void stop_counting_memory(lua_State *L, sandbox *s);
bool count_memory(void *sandbox, int64_t bytes); /* of a tocha_confinement */

void open_sandbox_base(lua_State *L); /* these set functions in the table on top. [-0, +0, e] */
void open_sandbox_random(lua_State *L, sandbox *s);
void open_sandbox_calls(lua_State *L);
void open_sandbox_modules(lua_State *L);
void open_sandbox_coroutines(lua_State *L, sandbox *s);
void open_sandbox_strings(lua_State *L, sandbox *s);
void open_sandbox_matching(lua_State *L);
void open_sandbox_tables(lua_State *L, sandbox *s);
void open_sandbox_files(lua_State *L, sandbox *s); /* the io library */
bool open_sandbox_output(lua_State *L, sandbox *s);

/* Pushes the text of the value at `index` as tostring does, but with a number for an address.
 * [-0, +1, e] */
const char *push_shown(lua_State *L, sandbox *s, int index, size_t *length);
/* Writes what a script prints. Returns false if that is over the limit, which ends the script. */
bool write_output(sandbox *s, const char *text, size_t length, bool warning);
/* Opens a file for the script or the context. Returns NULL with errno set. */
FILE *open_sandbox_file(sandbox *s, const char *path, const char *mode);

#endif
