/* lua.h: torch in the Lua states of a host program: opening it there, values between C and Lua,
 * calls in both directions, interruption.
 *
 * A state has one context. It is used by one thread at a time, except for tocha_lua_interrupt.
 * Functions that Lua code can reach by lua_State raise errors as Lua's own API does, if their
 * comment says so in the notation of Lua's manual, [-popped, +pushed, raises]: "-" never raises,
 * "m" raises if memory is short, "v" as said, "e" may raise anything. Call those under a protected
 * call, such as tocha_lua_call. */
#ifndef TOCHA_LUA_H
#define TOCHA_LUA_H

#include <lauxlib.h>
#include <lua.h>

#include "tocha/define.h"
#include "tocha/lua_sandbox.h"
#include "tocha/nn.h"
#include "tocha/optim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- opening ----------------------------------------------------------------------------------- */

/* The changes to a Lua state that luaopen_torch does not make (bits of tocha_lua_options.leave). */
enum {
  /* Leaves the collector in its mode and with its parameters. Without this bit, torch sets the pace
   * that suits tensors if the mode is generational. */
  TOCHA_LUA_LEAVE_COLLECTOR = 1,
  /* Leaves debug.traceback, which torch replaces by one that shows the errors of torch. */
  TOCHA_LUA_LEAVE_TRACEBACK = 2,
  /* Adds to package.preload only names that begin with "torch" followed by a dot, and none of
   * other libraries ("torchvision"). */
  TOCHA_LUA_LEAVE_PRELOAD = 4,
  /* Sets no hook. tocha_lua_interrupt then stops operators and the next call of torch, but not a
   * loop of Lua code that calls nothing of torch. Such loops are twice as fast. */
  TOCHA_LUA_LEAVE_HOOK = 8,
  /* Leaves the names of torch.so and libtocha to torch.so. Without this bit, Lua's modules in C that
   * are loaded after torch may call <tocha/lua.h> and libtocha without being linked to them. */
  TOCHA_LUA_LEAVE_NAMES = 16
};

/* Choices for torch in one Lua state, made before luaopen_torch. Zero-initialize; zero means the
 * default. The strings and structs that it points to are needed until torch is open. */
typedef struct tocha_lua_options {
  /* The host's own context, which the host closes after the state. NULL: torch opens one. */
  tocha_context *context;
  /* Allocator, log, threads, digits and refusals of the context that torch opens. */
  tocha_options runtime;
  /* Limit in bytes on Lua's memory and tensors together. 0: none. With a context of the host's, only
   * Lua's memory counts. */
  size_t memory;
  unsigned leave; /* TOCHA_LUA_LEAVE_... */
  /* After tocha_lua_interrupt, errors are raised until the host's tocha_lua_call has ended (or the
   * host has called tocha_lua_forget_interrupt), so that a script cannot catch them and go on. xpcall
   * is replaced by one that calls no handler then. Such scripts must have neither debug.sethook nor
   * __gc, in which Lua calls no hook. */
  bool insistent;
  const tocha_lua_sandbox *sandbox; /* NULL: scripts may do what the process may */
  /* Returns the source of a module that a script requires, with its size, or NULL if there is none.
   * For tocha_lua_new_state: asked before package.path. */
  const char *(*source)(void *user, const char *module, size_t *size);
  void *source_user;
  uint64_t reserved[8]; /* zeros; later versions add options in their place */
} tocha_lua_options;

/* Opens the module: luaL_requiref(L, "torch", luaopen_torch, 1), or a line in package.preload. */
TOCHA_API int luaopen_torch(lua_State *L);
/* Keeps the options for luaopen_torch. Returns false if memory is short or torch is open already.
 * L is the state's main thread. [-0, +0, -] */
TOCHA_API bool tocha_lua_configure(lua_State *L, const tocha_lua_options *options);
/* Returns a new Lua state with the standard libraries and torch, as the global `torch` and for
 * require. `options` may be NULL. On failure returns NULL and writes the reason to `message`, which
 * may be NULL. The caller closes the state by lua_close. */
TOCHA_API lua_State *tocha_lua_new_state(const tocha_lua_options *options, char *message,
                                         size_t capacity);
/* Returns the context of a state, or NULL if torch is not open there. [-0, +0, -] */
TOCHA_API tocha_context *tocha_lua_context(lua_State *L);

/* --- interruption ------------------------------------------------------------------------------- */

/* Ends what the state is doing: the running operator fails with TOCHA_INTERRUPTED, and Lua code
 * raises "interrupted!". May be called by any thread and from a signal handler, while the state is
 * open. L is the state's main thread. Does nothing if torch is not open in L. */
TOCHA_API void tocha_lua_interrupt(lua_State *L);
/* Forgets a request that nothing has seen yet. Returns false if there is none. [-0, +0, -] */
TOCHA_API bool tocha_lua_forget_interrupt(lua_State *L);

/* --- values -------------------------------------------------------------------------------------- */

/* tocha_lua_push_X pushes the Lua object of a C object, which then has one more owner: the same C
 * object is the same Lua object. NULL is nil. [-0, +1, m]
 *
 * tocha_lua_to_X returns the C object, which the Lua object owns, or NULL (false) if the value at
 * `index` is something else. [-0, +0, m]
 *
 * tocha_lua_check_X does the same for an argument of a function. If the value is something else, it
 * raises PyTorch's TypeError: "blur(): argument 'image' (position 1) must be Tensor, not str".
 * [-0, +0, v] */
TOCHA_API void tocha_lua_push_tensor(lua_State *L, tocha_tensor *tensor);
TOCHA_API tocha_tensor *tocha_lua_to_tensor(lua_State *L, int index);
TOCHA_API tocha_tensor *tocha_lua_check_tensor(lua_State *L, int index, const char *function,
                                               const char *name);

TOCHA_API void tocha_lua_push_module(lua_State *L, tocha_module *module);
TOCHA_API tocha_module *tocha_lua_to_module(lua_State *L, int index);
TOCHA_API tocha_module *tocha_lua_check_module(lua_State *L, int index, const char *function,
                                               const char *name);

TOCHA_API void tocha_lua_push_dtype(lua_State *L, tocha_dtype dtype);
TOCHA_API bool tocha_lua_to_dtype(lua_State *L, int index, tocha_dtype *dtype);
TOCHA_API tocha_dtype tocha_lua_check_dtype(lua_State *L, int index, const char *function,
                                            const char *name);

/* A device is also given by its name, "cuda:0". A wrong name raises. */
TOCHA_API void tocha_lua_push_device(lua_State *L, tocha_device device);
TOCHA_API bool tocha_lua_to_device(lua_State *L, int index, tocha_device *device);
TOCHA_API tocha_device tocha_lua_check_device(lua_State *L, int index, const char *function,
                                              const char *name);

/* The host keeps the generator, and frees it after the state is closed. */
TOCHA_API void tocha_lua_push_generator(lua_State *L, tocha_generator *generator);
TOCHA_API tocha_generator *tocha_lua_to_generator(lua_State *L, int index);
TOCHA_API tocha_generator *tocha_lua_check_generator(lua_State *L, int index, const char *function,
                                                     const char *name);

/* A size is a value: each push makes a new torch.Size. The numbers live as long as it does. */
TOCHA_API void tocha_lua_push_size(lua_State *L, int ndim, const int64_t *sizes);
TOCHA_API const int64_t *tocha_lua_to_size(lua_State *L, int index, int *ndim);
TOCHA_API const int64_t *tocha_lua_check_size(lua_State *L, int index, int *ndim,
                                              const char *function, const char *name);

TOCHA_API void tocha_lua_push_state_dict(lua_State *L, tocha_state_dict *dict);
TOCHA_API tocha_state_dict *tocha_lua_to_state_dict(lua_State *L, int index);
TOCHA_API tocha_state_dict *tocha_lua_check_state_dict(lua_State *L, int index,
                                                       const char *function, const char *name);

TOCHA_API void tocha_lua_push_optimizer(lua_State *L, tocha_optimizer *optimizer);
TOCHA_API tocha_optimizer *tocha_lua_to_optimizer(lua_State *L, int index);
TOCHA_API tocha_optimizer *tocha_lua_check_optimizer(lua_State *L, int index, const char *function,
                                                     const char *name);

/* --- errors -------------------------------------------------------------------------------------- */

/* The fields of an error, "" if it has none. The strings live as long as the Lua value. */
typedef struct tocha_lua_error {
  tocha_error_code code;
  const char *message, *hint, *op, *path;
  const char *position;  /* "script.lua:12" */
  const char *traceback; /* "stack traceback:" and its lines */
} tocha_lua_error;

/* Pushes the context's pending error as an error object, and clears it in the context. An error that
 * Lua code had raised is that very value. Pushes nil if there is no error. [-0, +1, m] */
TOCHA_API void tocha_lua_push_error(lua_State *L);
/* Reads the error object, or the string that Lua raised, at `index`. Returns false for another
 * value. [-0, +0, m] */
TOCHA_API bool tocha_lua_to_error(lua_State *L, int index, tocha_lua_error *error);
/* Raises the context's pending error, and clears it: return tocha_lua_raise(L). [-0, +0, v] */
TOCHA_API int tocha_lua_raise(lua_State *L);

/* --- calls ---------------------------------------------------------------------------------------- */

/* Calls a function as lua_pcall does: the function, then `arguments` values, are on the stack, and
 * are replaced by its results (LUA_MULTRET: all). If it raises, returns false, removes them, and
 * makes the error the context's. Also used in a C function that Lua called. [-(arguments + 1),
 * +(results|0), -] */
TOCHA_API bool tocha_lua_call(lua_State *L, int arguments, int results);
/* Pushes the function of a chunk, which is text and never bytecode. `name` is for messages:
 * "@game/brain.lua", "=config". Returns false with the context's error set if the text is no Lua.
 * [-0, +(0|1), -] */
TOCHA_API bool tocha_lua_load(lua_State *L, const char *text, size_t size, const char *name);

/* --- operators ------------------------------------------------------------------------------------- */

/* Defines an operator, whose parameters are read from the signature, and registers it for scripts:
 * "image.blur" is torch.ops.image.blur. Lua's modules in C call this in their luaopen function. The
 * notation of signatures is that of the lists: docs/adding-an-operator.md. [-0, +0, e] */
TOCHA_API void tocha_lua_define(lua_State *L, const tocha_definition *definition);

#ifdef __cplusplus
}
#endif
#endif
