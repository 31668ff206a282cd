/* binding.h: what the files of the Lua binding share.
 *
 * The Lua C module `torch` turns Lua values into the runtime's arguments and back, raises the
 * runtime's errors as Lua errors, and ties tensors to Lua's garbage collector. Only this layer
 * longjmps; no C resource is held across a call that may raise except in a userdata. */
#ifndef TOCHA_BINDING_H
#define TOCHA_BINDING_H

#include <lauxlib.h>
#include <lua.h>

#include "tocha/autograd.h"
#include "tocha/device.h"
#include "tocha/reflect.h"
#include "torch.h"

#define TOCHA_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#if defined(__GNUC__)
#define TOCHA_NORETURN __attribute__((noreturn))
#else
#define TOCHA_NORETURN
#endif

/* --- the binding's state: one per Lua state ------------------------------------------------------- */

/* What is known of the memory of the host, or of the GPUs, between two collections. */
typedef struct pace {
  tocha_byte_counts last; /* at the last collection */
  size_t survived;        /* live after the last full one */
  size_t limit;           /* bytes allocated between two collections */
} pace;

struct function_entry; /* arguments/functions.h */
struct tocha_optimizer;

/* The functions of higher rooms that lower rooms need. Calls may only point down, so open.c, which is on top, hands them in. */
typedef struct binding_hooks {
  int (*open)(lua_State *L); /* luaopen_torch, for the states of workers */
  /* Returns a Lua source that was embedded at build time ("torch.utils.data", "support"), or NULL. */
  const char *(*source)(const char *name, size_t *size);
  const char *(*source_name)(int index);  /* NULL after the last */
  const struct function_entry *functions; /* of functions.lua */
  /* Pushes where among the modules being called an error happened ("net.encoder.3 (Linear)", or ""),
   * given the path C found (NULL or "" for none). */
  const char *(*push_module_path)(lua_State *L, const char *path);
  /* These return NULL for another value than a module, or an optimizer. */
  tocha_module *(*to_module)(lua_State *L, int index);
  struct tocha_optimizer *(*to_optimizer)(lua_State *L, int index);
  /* Calls the function at index `function` with the arguments above it and d as the default device, and returns the number of
   * its results. */
  int (*under_device)(lua_State *L, tocha_device d, int function);
  /* Pushes the grad_fn of the tensor at an index; nil for NULL. */
  void (*push_node_of)(lua_State *L, tocha_node *node, int tensor);
  /* Gives the userdata of an uninitialized parameter or buffer, at the top, the metatable that refuses most uses. */
  void (*mark_uninitialized)(lua_State *L);
} binding_hooks;

typedef struct binding {
  tocha_context *cx;
  const binding_hooks *hooks;
  lua_State *main;    /* the main thread: collections run there */
  lua_State *running; /* the thread that called torch last, in which callbacks run */
  tocha_scope floor; /* where the scopes of the call from Lua begin: 0, or where a callback began */
  int tensor_metatable; /* registry references */
  struct kept *kept;    /* values that graphs keep (autograd/kept.c) */
  struct guard *guards; /* the open guards, youngest first (guard.c) */
  int watched;          /* > 0: coroutines have open guards or call modules */
  int callers, coroutine_call;
  int objects;       /* weak table: C pointer -> userdata, for objects C hands out again */
  size_t looked_at;  /* bytes allocated when collector.c last looked at them, */
  size_t look_after; /* and after how many more it does again */
  pace host, gpu;    /* collector.c */
  size_t gpu_part;   /* the garbage a GPU may hold; 0 until there was some */
  double collected_at, collection_time; /* seconds: the last full collection's end and length */
  size_t full_collections, young_collections;
  bool collecting;
  bool incremental; /* Lua's collector is in its incremental mode, as far as its steps tell */
  bool stress;      /* collect after every result: torch._stress */
} binding;

/* Makes room for n more values on the stack. Raises. */
static inline void need_stack(lua_State *L, int n) { luaL_checkstack(L, n, "not enough memory"); }
binding *binding_of(lua_State *L); /* through the registry */
bool is_open(lua_State *L);
/* Notes that thread L calls torch. */
void note_running(lua_State *L, binding *b);
/* Returns the thread that called torch last, or the main thread if that one is suspended or collected. Callbacks run there. */
lua_State *running_thread(const binding *b);
/* Ends the scopes that C functions left open when an error of Lua itself (such as no memory) ended them. */
void end_left_scopes(lua_State *L, binding *b);
/* Pushes a new metatable of the registry, with its events, that scripts do not reach. */
void new_metatable(lua_State *L, const char *name, const luaL_Reg *events);
void open_state(lua_State *L, const binding_hooks *hooks);
/* For who knows the state already: it is open, and no dead coroutine has a mode or a call left. */
static inline binding *settled(lua_State *L, binding *b) {
  return b->cx && !b->watched ? b : binding_of(L);
}
#define CX(L) (binding_of(L)->cx)

/* --- tensors -------------------------------------------------------------------------------------- */

/* Pushes a new userdata that owns one more reference to t (fresh from an operator). */
void push_tensor(lua_State *L, tocha_tensor *t);
void push_new_tensor(lua_State *L, binding *b, tocha_tensor *t); /* who knows the state already */
/* Pushes the userdata t already has in Lua, or a new one (for tensors that C keeps: parameters,
 * gradients, buffers): the same tensor is the same Lua object. nil for NULL. */
void push_shared_tensor(lua_State *L, tocha_tensor *t);
void mark_uninitialized(lua_State *L); /* tensor/uninitialized.c, for binding_hooks */
/* Raises PyTorch's error if t is uninitialized. `user` is the function that uses t, as Python shows functions. */
void refuse_uninitialized(lua_State *L, const tocha_tensor *t, const char *user);
/* The __gc of tensors. */
int collect_tensor(lua_State *L);
/* Makes the userdata at index the one push_shared_tensor finds for its tensor. */
void share_tensor(lua_State *L, int index);
/* The tensor at index, or NULL when it is something else. */
tocha_tensor *to_tensor(lua_State *L, int index);
/* The same, raising PyTorch's TypeError ("op(): argument 'name' (position n) must be Tensor, not
 * int") when it is something else. */
tocha_tensor *check_tensor(lua_State *L, int index, const char *op, const char *name, int position);

/* --- errors (declared to return int, so that a C function can return them) --------------------------------------------------------------------------------------- */

/* Raises the context's pending error (clears it): a table with message, code, op, hint, path,
 * traceback; tostring begins with the message. */
TOCHA_NORETURN int raise_error(lua_State *L);
/* Pushes an error of the binding, for callers that raise it later. */
void push_hinted_error(lua_State *L, tocha_error_code code, const char *hint, const char *message);
/* Raises an error of the binding. */
TOCHA_NORETURN int raise_message(lua_State *L, tocha_error_code code, const char *format, ...)
    TOCHA_PRINTF(3, 4);
/* The same with a hint (may be NULL). */
TOCHA_NORETURN int raise_hinted(lua_State *L, tocha_error_code code, const char *hint,
                                const char *format, ...) TOCHA_PRINTF(4, 5);
/* The same with a text of any length. */
TOCHA_NORETURN int raise_long(lua_State *L, tocha_error_code code, const char *hint,
                              const char *message);
/* Pushes a text of the runtime's and frees it, also when Lua has no memory for it; raises the error where it is NULL. */
int push_text(lua_State *L, char *text);
void open_errors(lua_State *L);
bool is_torch_error(lua_State *L, int index);
void push_error_text(lua_State *L, int index); /* without the stack */
/* Pushes "stack traceback:" and the levels from `level` on (traceback.c). */
void push_traceback(lua_State *L, int level);
/* A message handler: keeps the stack of a text for debug.traceback and the interpreter. */
int keep_traceback(lua_State *L);
void open_traceback(lua_State *L);
/* Pushes "script.lua:12" of the innermost Lua function that is not torch's own, if there is one. */
bool push_position(lua_State *L);
/* "UserWarning" or the like, and the words. Never raises. */
void show_warning(lua_State *L, const char *category, const char *message);
void open_warnings(lua_State *L, int torch);
/* The error object at the top becomes the context's error, as its text; raise_error raises the object itself. Pops it. */
void fail_with_lua_error(lua_State *L, tocha_context *cx);
/* Python's name of the type of the value at index: "int", "str", "Tensor", "list", ... */
const char *python_type(lua_State *L, int index);
/* The name closest to a text among those compared with it; NULL where none is near. */
typedef struct nearest {
  const char *text, *name;
  int best;
} nearest;
nearest nearest_to(const char *text);
void compare_name(nearest *n, const char *name);
/* The same among the string keys of the table at index. */
const char *nearest_key(lua_State *L, int index, const char *text);
/* Compares all string keys of a table. */
void compare_keys(lua_State *L, int index, nearest *n);

/* Whether PyTorch has a name in one of its spaces: "torch.nn", "GRU" (names.c). */
bool pytorch_has(lua_State *L, const char *space, const char *name);
/* For an index out of range: what to write where ipairs or table.unpack, which count from 1, asked for it; else NULL. */
const char *counting_hint(lua_State *L);
/* Replaces string.format by a function that adds a hint for tensors and otherwise calls Lua's own. */
void open_format(lua_State *L);
/* Returns the hint for a table that is given instead of a tensor, or NULL for another value (types/tensor.c). */
const char *tensor_hint(lua_State *L, int index);
/* Returns the hint for an error that is known by its message (cures.c), or NULL. */
const char *cure_of(const char *message);
/* Pushes the hint for a name that a space lacks, whose names are the keys of the table at index: that PyTorch has it, or the
 * nearest one; NULL and nil where there is nothing to say. */
const char *push_name_hint(lua_State *L, int table, const char *space, const char *name);
/* torch._parts(space): the names in a namespace ("torch") that are parts written in Lua, loaded or not. */
int push_parts(lua_State *L);
/* The string key of the table at index that is one slip of the hand from name, or NULL. Names with digits are names of
 * their own. */
const char *find_slip(lua_State *L, int table, const char *name);

/* --- arguments ------------------------------------------------------------------------------------ */

/* Calls op with complete args and pushes its results; returns their number. Raises. */
int call_and_push(lua_State *L, binding *b, const tocha_op *op, const tocha_arg *args);
/* Registers every operator of the list: functions into torch and its namespaces (nn.functional,
 * linalg), methods into the table at index methods. */
void open_operators(lua_State *L, int torch, int methods);
/* Pushes what the list says of the operator whose function is at index; false and nothing for another value. */
bool push_operator_help(lua_State *L, int index);
/* torch._same_as(value): the name that an operator is another name, or a copy, of: "torch.cat"; nil for other values. */
int operator_same_as(lua_State *L);

/* The entries of the table at index (its border, as #t). Raises where an int cannot hold them. */
int table_length(lua_State *L, int index);
/* Returns true if the value at index is a table without a metatable, and counts its string keys and its other keys. [-0, +0, e] */
bool is_plain_table(lua_State *L, int index, int *strings, int *others);

/* --- small objects ---------------------------------------------------------------------------------- */

void open_types(lua_State *L, int torch); /* all of these: */
void open_dtypes(lua_State *L, int torch);
void open_devices(lua_State *L);
void open_sizes(lua_State *L, int torch);
void open_generators(lua_State *L, int torch);
/* A metatable by name, with `..` as for tensors. */
void make_metatable(lua_State *L, const char *name, const luaL_Reg *events);
void push_dtype(lua_State *L, tocha_dtype dtype);
bool to_dtype(lua_State *L, int index, tocha_dtype *dtype);
void push_device(lua_State *L, tocha_device device);
/* A device object or a string ("cuda:0"); raises for a bad string. false for other values. */
bool to_device(lua_State *L, int index, tocha_device *device);
/* The string at index as C reads it; one with a NUL within is an error. */
const char *check_c_string(lua_State *L, int index);
void push_size(lua_State *L, int ndim, const int64_t *sizes);
/* The numbers of a torch.Size at index; NULL when it is something else. */
const int64_t *to_size(lua_State *L, int index, int *ndim);
tocha_generator *to_generator(lua_State *L, int index);
/* Pushes a new generator of the CPU that Lua owns, to be filled. [-0, +1, e] */
tocha_generator *push_own_generator(lua_State *L);
void push_scalar(lua_State *L, tocha_scalar s);
/* Pushes an element's value. A NaN loses its sign, because the sign has no meaning and Lua would print it. [-0, +1, -] */
void push_real(lua_State *L, double value);
bool to_scalar(lua_State *L, int index, tocha_scalar *s); /* a number or boolean */
void open_modes(lua_State *L, int torch);                 /* no_grad and the like */
int under_device(lua_State *L, tocha_device d,
                 int function); /* autograd/modes.c, for binding_hooks */

/* --- tensors' own files -------------------------------------------------------------------------------- */

void open_arithmetic(lua_State *L);              /* into the metatable at the top */
void open_tensor(lua_State *L, int methods);     /* the metatable and hand-written methods */
void open_attributes(lua_State *L, int methods); /* t.shape and the like, as numbers in methods */
void open_subscripts(lua_State *L);
void open_autograd(lua_State *L);                              /* graph nodes, and */
void open_hooks(lua_State *L);                                 /* hooks */
void open_functions_of_lua(lua_State *L, int torch);           /* torch._function */
void open_saving(lua_State *L, int torch);                     /* torch._saved_tensors_hooks */
tocha_node *to_node(lua_State *L, int index);                  /* NULL where there is none */
void push_node_of(lua_State *L, tocha_node *node, int tensor); /* for binding_hooks */
/* Pushes the ctx of a node whose function is written in Lua; false and nothing for another one. */
bool push_function_context(lua_State *L, const tocha_node *node);
void open_construct(lua_State *L, int torch);         /* torch.tensor and its like */
void open_cuda(lua_State *L, int torch, int methods); /* torch._cuda, pinned memory */
/* attributes.c: pushes an attribute (by its number), or what the operator behind t.T and the like gives. */
int push_attribute(lua_State *L, tocha_tensor *t, int number);
int push_attribute_of(lua_State *L, tocha_tensor *t, const tocha_op *op);
/* Assigns the value at index 3; number -1: no attribute can be. name: for the message. */
int set_attribute(lua_State *L, tocha_tensor *t, int number, const char *name);
int index_tensor(lua_State *L);    /* t[subscript] */
int newindex_tensor(lua_State *L); /* t[subscript] = value */
/* Appends the text that `..` shows: a 0-dim tensor as its number. Pushes the string. */
void push_format(lua_State *L, int index);

/* --- modules, optimizers (nn/, optim/) ---------------------------------------------------------- */

void open_modules(lua_State *L, int torch);
void open_replicate(lua_State *L, int torch);                 /* replicate.c */
const char *push_module_path(lua_State *L, const char *path); /* nn/call.c, for binding_hooks */
void open_optim(lua_State *L, int torch);
void open_grad_scaler(lua_State *L);
void open_help(lua_State *L, int torch);
void open_support(lua_State *L, int torch);  /* what the parts in Lua need from C, */
void open_terminal(lua_State *L, int torch); /* the width of the terminal, questions to it */
void open_io(lua_State *L, int torch);       /* and of files: torch._io */
void open_profiler(lua_State *L, int torch); /* torch._profiler */
void open_workers(lua_State *L, int torch);  /* torch._workers (data/workers.c) */
/* Before torch is opened in a state of a worker's thread: Ctrl-C is not for it, and an operator takes one thread. */
void mark_worker(lua_State *L);

/* --- memory and interruption ----------------------------------------------------------------------------- */

/* Runs the collector where enough was allocated since the last time. What calls an operator asks before it reads its arguments:
 * the result before the last is garbage by then, the last one is not yet in a register that Lua forgot to clear. */
void charge_collector(lua_State *L, binding *b);
void collect_garbage(lua_State *L, binding *b); /* all of it */

void open_collector(lua_State *L, int torch);

/* --- namespaces -------------------------------------------------------------------------------------------- */

/* Makes the table at index a namespace: an unknown name is a part written in Lua, or PyTorch's error. */
void make_namespace(lua_State *L, int index, const char *name);
/* Pushes the table of torch that a dotted name leads to ("nn.functional"), made where it is missing. */
void push_namespace(lua_State *L, const char *name);
void open_namespaces(lua_State *L, int torch);
/* Returns true if a part is a public name ("torch.utils.data": lua/torch/) rather than a private one ("numpy.print": lua/parts/). */
bool is_public_part(const char *name);
/* Pushes the value of a part written in Lua ("torch.utils.data"), which is run once; false and nothing where there is none. */
bool push_part(lua_State *L, const char *name);
/* (name): requires torch and returns what the name leads to. */
int open_by_name(lua_State *L);

/* A Lua source embedded at build time by its name ("torch.utils.data", "support"), or NULL; and the name of number `index`,
 * NULL after the last. */
const char *lua_source(const char *name, size_t *size);
const char *lua_source_name(int index);
extern const unsigned char digits_data[]; /* 1797 rows of 64 grey values and a label */
extern const size_t digits_size;

#endif
