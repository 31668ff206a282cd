/* binding.h: declarations that the files of the Lua binding share.
 *
 * The Lua C module `torch` turns Lua values into the runtime's arguments and back, raises the
 * runtime's errors as Lua errors, and ties tensors to Lua's garbage collector. Only this layer
 * calls longjmp. No C resource is held across a call that may raise, except in a userdata. */
#ifndef TOCHA_BINDING_H
#define TOCHA_BINDING_H

#include <stdatomic.h>

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

/* The counters of one kind of memory, the host's or the GPUs', by which collector.c paces
 * collections. */
typedef struct pace {
  tocha_byte_counts last; /* at the last collection */
  size_t survived;        /* live after the last full one */
  size_t limit;           /* bytes allocated between two collections */
} pace;

struct function_entry; /* arguments/functions.h */
struct interruptible;  /* interrupt.h */
struct memory_account; /* memory.h */
struct tocha_optimizer;

typedef struct binding binding;

/* The functions of higher folders that lower folders need. Calls may only point down, so open.c, at
 * the top, passes them in. */
typedef struct binding_hooks {
  int (*open)(lua_State *L); /* luaopen_torch, for the states of workers */
  /* Returns a Lua source that was embedded at build time ("torch.utils.data", "support"), or
   * NULL. */
  const char *(*source)(const char *name, size_t *size);
  const char *(*source_name)(int index);  /* NULL after the last */
  const struct function_entry *functions; /* of functions.lua */
  /* Pushes the path of the module in which an error happened ("net.encoder.3 (Linear)"), or "".
   * `path` is the path that C found, or NULL or "" for none. [-0, +1, e] */
  const char *(*push_module_path)(lua_State *L, const char *path);
  /* Lets go of what C keeps of Lua, because the state is being closed. */
  void (*leave_state)(binding *b);
  /* These return NULL if the value at `index` is not a module, or not an optimizer. */
  tocha_module *(*to_module)(lua_State *L, int index);
  struct tocha_optimizer *(*to_optimizer)(lua_State *L, int index);
  /* Calls the function at index `function`, without arguments and with d as the default device.
   * Returns the number of its results. The stack below them is lost. */
  int (*under_device)(lua_State *L, tocha_device d, int function);
  /* Pushes the userdata of `node`, the grad_fn of the tensor at index `tensor`, or nil if `node`
   * is NULL. [-0, +1, m] */
  void (*push_node_of)(lua_State *L, tocha_node *node, int tensor);
  /* Sets the metatable that refuses most uses on an uninitialized parameter or buffer, at the
   * top. [-0, +0, m] */
  void (*mark_uninitialized)(lua_State *L);
} binding_hooks;

/* Graphs and modules hold a lifeline in place of a pointer to the binding, because in a host's
 * context they may outlive the Lua state. */
typedef struct lifeline {
  atomic_int owners;
  struct binding *b; /* NULL: the state is closed */
} lifeline;

struct binding {
  tocha_context *cx;
  lifeline *lifeline;
  const binding_hooks *hooks;
  lua_State *main;    /* the main thread: collections run there */
  lua_State *running; /* the thread that called torch last, in which callbacks run */
  /* The scope at which the current call from Lua began: 0, or the one at which a callback began. */
  tocha_scope floor;
  int tensor_metatable; /* registry references */
  struct kept *kept;    /* values that graphs keep (autograd/kept.c) */
  struct guard *guards; /* the open guards, youngest first (guard.c) */
  int watched;          /* > 0: coroutines have open guards or call modules */
  int callers, coroutine_call;
  int objects;        /* weak table: C pointer -> userdata, for objects C hands out again */
  uint64_t looked_at; /* bytes allocated when collector.c last checked */
  size_t look_after;  /* bytes allocated since then that make it check again */
  pace host, gpu;     /* collector.c */
  size_t gpu_part; /* bytes of garbage that a GPU may hold; 0 before the first allocation there */
  double collected_at, collection_time; /* seconds: the last full collection's end and length */
  size_t full_collections, young_collections;
  bool collecting;
  /* Lua's collector was in its incremental mode when last seen. */
  bool incremental;
  bool stress;                         /* collect after every result: torch._stress */
  uint64_t pending_number;             /* the context's error that is a Lua error (error.c) */
  bool hosts_context;                  /* the host closes cx */
  struct interruptible *interruptible; /* NULL: in a worker */
  struct memory_account *account;      /* counts the memory of cx; NULL: none does */
};

/* Makes sure that the stack has space for n more values. [-0, +0, v] */
static inline void need_stack(lua_State *L, int n) { luaL_checkstack(L, n, "not enough memory"); }
/* Returns the state of the binding. Raises if torch is closed. Drops the guards of dead threads.
 * [-0, +0, v] */
binding *binding_of(lua_State *L);
bool is_open(lua_State *L);
/* Returns the binding's lifeline, which then has one more owner. */
lifeline *hold_lifeline(binding *b);
void release_lifeline(void *line);
/* Returns the binding, or NULL with an error set if its state is closed. */
binding *living_binding(const lifeline *line, tocha_context *cx);
/* Makes the userdata at `index` the Lua object of a C object. [-0, +0, m] */
void remember_object(lua_State *L, int index, const void *object);
/* Pushes the Lua object of a C object and returns its memory, or pushes nil and returns NULL if it
 * has none. The caller checks the type, because the address may be that of another object by now.
 * [-0, +1, -] */
void *push_remembered(lua_State *L, const void *object);
/* Records that thread L calls torch. [-0, +0, -] */
void note_running(lua_State *L, binding *b);
/* Returns the thread that called torch last, in which callbacks run, or the main thread if the
 * former is suspended or collected. */
lua_State *running_thread(const binding *b);
/* Ends the scopes of C functions that an error of Lua itself (such as lack of memory) has left. */
void end_left_scopes(lua_State *L, binding *b);
/* Pushes the registry's metatable `name`, and creates it with the events if it is missing. Scripts see
 * only the name. [-0, +1, m] */
void new_metatable(lua_State *L, const char *name, const luaL_Reg *events);
/* Enters the table at the top in the registry as `name`. A metatable is complete before it enters, as a
 * lack of memory would leave one without its events for good (which luaL_newmetatable risks).
 * [-0, +0, m] */
void register_metatable(lua_State *L, const char *name);
void open_state(lua_State *L, const binding_hooks *hooks);
/* Returns b as binding_of does, for callers that already have it. Faster if torch is open and no
 * coroutine has a guard or a call open. */
static inline binding *settled(lua_State *L, binding *b) {
  return b->cx && !b->watched ? b : binding_of(L);
}
#define CX(L) (binding_of(L)->cx)

/* --- tensors -------------------------------------------------------------------------------------- */

/* Pushes a new userdata that owns one more reference to t (fresh from an operator). [-0, +1, e] */
void push_tensor(lua_State *L, tocha_tensor *t);
/* Does the same for callers that already have the binding. [-0, +1, e] */
void push_new_tensor(lua_State *L, binding *b, tocha_tensor *t);
void mark_uninitialized(lua_State *L); /* tensor/uninitialized.c, for binding_hooks */
/* Raises PyTorch's error if t is uninitialized. `user` is the function that uses t, as Python
 * prints functions. */
void refuse_uninitialized(lua_State *L, const tocha_tensor *t, const char *user);
/* Releases a tensor: the __gc of its userdata. */
int collect_tensor(lua_State *L);
/* Makes the userdata at `index` the one that push_shared_tensor pushes for its tensor.
 * [-0, +0, e] */
void share_tensor(lua_State *L, int index);
/* Returns the tensor at `index`, or NULL if the value is something else. [-0, +0, -] */
tocha_tensor *to_tensor(lua_State *L, int index);
/* Returns the tensor at `index`. Raises PyTorch's TypeError ("op(): argument 'name' (position n)
 * must be Tensor, not int") if the value is something else. [-0, +0, e] */
tocha_tensor *check_tensor(lua_State *L, int index, const char *op, const char *name, int position);

/* --- errors (declared to return int, so that a C function can return them)
 * ------------------------ */

/* Raises the context's pending error and clears it. The error is a table with message, code, op,
 * hint, path and traceback, whose tostring begins with the message. */
TOCHA_NORETURN int raise_error(lua_State *L);
/* Pushes the context's pending error, which raise_error would raise, and clears it. [-0, +1, m] */
void push_context_error(lua_State *L);
/* Returns the code of an error's field `code`, "ValueError". */
tocha_error_code error_code(const char *name);
/* Pushes an error of the binding, for callers that raise it later. [-0, +1, e] */
void push_hinted_error(lua_State *L, tocha_error_code code, const char *hint, const char *message);
/* Returns the code of the kind that scripts see ("ValueError"); RuntimeError's for an unknown one. */
tocha_error_code error_code(const char *kind);
/* Raises an error of the binding. Its message is at most 2047 bytes long. */
TOCHA_NORETURN int raise_message(lua_State *L, tocha_error_code code, const char *format, ...)
    TOCHA_PRINTF(3, 4);
/* Does the same with a hint (may be NULL). */
TOCHA_NORETURN int raise_hinted(lua_State *L, tocha_error_code code, const char *hint,
                                const char *format, ...) TOCHA_PRINTF(4, 5);
/* Does the same with a message of any length. */
TOCHA_NORETURN int raise_long(lua_State *L, tocha_error_code code, const char *hint,
                              const char *message);
/* Pushes a text of the runtime's and frees it, even if Lua has no memory for it. Raises the
 * context's error if the text is NULL. Returns 1. [-0, +1, e] */
int push_text(lua_State *L, char *text);
void open_errors(lua_State *L);
bool is_torch_error(lua_State *L, int index);
/* Returns a field of the error object at the absolute index, or "". [-0, +0, m] */
const char *error_field(lua_State *L, int index, const char *field);
/* Pushes the text of the error at `index`, without its stack. [-0, +1, e] */
void push_error_text(lua_State *L, int index);
/* Pushes "stack traceback:" and the levels from `level` on (traceback.c). [-0, +1, m] */
void push_traceback(lua_State *L, int level);
/* Returns the innermost level from `level` on whose function is the program's, not torch's own in C or in Lua,
 * with its source and line in *ar. Returns -1 if there is none. Of a stack of thousands of levels only the ends
 * are searched. [-0, +0, -] */
int find_program_level(lua_State *L, int level, lua_Debug *ar);
/* Returns the error, and keeps the stack of a string for debug.traceback and the interpreter. A
 * message handler. */
int keep_traceback(lua_State *L);
/* Returns the stack that was kept for the string at `index`, or "". It lives until the next one is
 * kept. [-0, +0, -] */
const char *kept_traceback(lua_State *L, int index);
void open_traceback(lua_State *L);
/* Pushes "script.lua:12", the place of the innermost Lua function that is not torch's own.
 * Returns false and pushes nothing if there is none. [-0, +(0|1), m] */
bool push_position(lua_State *L);
/* Shows a warning: the category ("UserWarning", ...), then the message. Never raises. */
void show_warning(lua_State *L, const char *category, const char *message);
void open_warnings(lua_State *L, int torch);
/* Makes the error object on top the context's error, with its fields or its text. raise_error then raises the
 * object itself. [-1, +0, -] */
void fail_with_lua_error(lua_State *L, tocha_context *cx);
/* Returns Python's name for the type of the value at `index`: "int", "str", "Tensor", "list",
 * ... [-0, +0, e] */
const char *python_type(lua_State *L, int index);
/* The name closest to a text among those compared with it, or NULL if none is near. */
typedef struct nearest {
  const char *text, *name;
  int best;
} nearest;
nearest nearest_to(const char *text);
void compare_name(nearest *n, const char *name);
/* Returns the nearest among the string keys of the table at `index`, or NULL. [-0, +0, -] */
const char *nearest_key(lua_State *L, int index, const char *text);
/* Compares all string keys of the table at `index`. Skips those that begin with "_", unless the
 * text does, too. [-0, +0, -] */
void compare_keys(lua_State *L, int index, nearest *n);

/* Returns true if PyTorch has a name in one of its namespaces: "torch.nn", "GRU" (names.c).
 * [-0, +0, e] */
bool pytorch_has(lua_State *L, const char *space, const char *name);
/* Returns the names that a build without torch.distributed leaves out, one after the other, then NULL. */
const char *left_out_name(int index);
/* Returns the hint for an index out of range in a call from ipairs or table.unpack, which count
 * from 1, or NULL. */
const char *counting_hint(lua_State *L);
/* Replaces string.format by a function that adds a hint for tensors and otherwise calls Lua's
 * own. [-0, +0, e] */
void open_format(lua_State *L);
/* Returns the hint for a table that is given instead of a tensor, or NULL for another value
 * (types/tensor.c). [-0, +0, -] */
const char *tensor_hint(lua_State *L, int index);
/* Returns the hint for an error that is recognized by its message (cures.c), or NULL. */
const char *cure_of(const char *message);
/* Pushes the hint for a name that a namespace lacks: that this build leaves it out, that PyTorch
 * has it, or the nearest one.
 * The namespace's names are the keys of the table at index `table`. Returns the hint, or pushes
 * nil and returns NULL if there is none. [-0, +1, e] */
const char *push_name_hint(lua_State *L, int table, const char *space, const char *name);
/* torch._parts(space) returns the names in a namespace ("torch") that are parts written in Lua,
 * loaded or not. */
int push_parts(lua_State *L);
/* Returns the string key of the table at index `table` that is one slip of the hand from `name`,
 * or NULL. A name with digits, or of fewer than 4 letters, is never a slip. [-0, +0, -] */
const char *find_slip(lua_State *L, int table, const char *name);

/* --- arguments ------------------------------------------------------------------------------------ */

/* Calls op with complete arguments, pushes its results and returns their number.
 * [-0, +results, e] */
int call_and_push(lua_State *L, binding *b, const tocha_op *op, const tocha_arg *args);
/* Registers all operators: functions in torch and its namespaces (nn.functional, linalg),
 * methods in the table at index `methods`. [-0, +0, e] */
void open_operators(lua_State *L, int torch, int methods);
/* Registers an operator that a program has defined under its namespace (torch.ops.image.blur), unless
 * it is there. [-0, +0, e] */
void register_defined(lua_State *L, const tocha_op *op);
/* Pushes the help of the operator whose function is at `index`. Returns false and pushes nothing
 * for another value. [-0, +(0|1), m] */
bool push_operator_help(lua_State *L, int index);
/* torch._same_as(value) returns the name of the operator that an operator equals ("torch.cat"),
 * or nil. */
int operator_same_as(lua_State *L);

/* Returns the number of entries of the table at `index` (its border, as #t). Raises if there are
 * more than 2^27. [-0, +0, v] */
int table_length(lua_State *L, int index);
/* Returns true if the value at `index` is a table without a metatable, and counts its string
 * keys and its other keys. [-0, +0, e] */
bool is_plain_table(lua_State *L, int index, int *strings, int *others);

/* --- small objects ---------------------------------------------------------------------------------- */

void open_types(lua_State *L, int torch); /* calls the next four */
void open_dtypes(lua_State *L, int torch);
void open_devices(lua_State *L);
void open_sizes(lua_State *L, int torch);
void open_generators(lua_State *L, int torch);
/* Makes a metatable with that name, and with `..` as for tensors. [-0, +0, m] */
void make_metatable(lua_State *L, const char *name, const luaL_Reg *events);
/* Returns the string at `index` as C reads it. Raises if it contains a NUL. [-0, +0, e] */
const char *check_c_string(lua_State *L, int index);
tocha_generator *to_generator(lua_State *L, int index);
/* Pushes a new generator of the CPU, which Lua owns, and returns it. The caller sets its state.
 * [-0, +1, e] */
tocha_generator *push_own_generator(lua_State *L);
void push_scalar(lua_State *L, tocha_scalar s);
/* Pushes an element's value. A NaN loses its sign, because the sign has no meaning and Lua would
 * print it. [-0, +1, -] */
void push_real(lua_State *L, double value);
bool to_scalar(lua_State *L, int index, tocha_scalar *s); /* reads a number or boolean */
void open_modes(lua_State *L, int torch);                 /* no_grad and the like */
int under_device(lua_State *L, tocha_device d,
                 int function); /* autograd/modes.c, for binding_hooks */

/* --- tensors' own files -------------------------------------------------------------------------------- */

void open_arithmetic(lua_State *L);              /* into the metatable at the top */
void open_tensor(lua_State *L, int methods);     /* the metatable and hand-written methods */
void open_attributes(lua_State *L, int methods); /* t.shape and the like, as numbers in methods */
void open_subscripts(lua_State *L);
void open_autograd(lua_State *L);                              /* nodes of the graph */
void open_hooks(lua_State *L);                                 /* hooks of tensors and nodes */
void open_functions_of_lua(lua_State *L, int torch);           /* torch._function */
void open_saving(lua_State *L, int torch);                     /* torch._saved_tensors_hooks */
tocha_node *to_node(lua_State *L, int index);                  /* NULL if there is none */
void push_node_of(lua_State *L, tocha_node *node, int tensor); /* for binding_hooks */
/* Pushes the ctx of a node whose function is written in Lua. Returns false and pushes nothing
 * for another node. [-0, +(0|1), e] */
bool push_function_context(lua_State *L, const tocha_node *node);
void open_construct(lua_State *L, int torch);         /* torch.tensor and the like */
void open_cuda(lua_State *L, int torch, int methods); /* torch._cuda, pinned memory */
void open_cuda_tools(lua_State *L, int torch); /* adds to torch._cuda: sensors and the like */
/* Adds graphs and pools to torch._cuda, which is on top of the stack. [-0, +0, m] */
void open_cuda_graphs(lua_State *L);
void open_cuda_memory(lua_State *L, int torch); /* adds to torch._cuda: statistics of memory */
/* Pushes an attribute by its number, or the result of the operator behind an attribute such as
 * t.T (attributes.c). Returns 1. [-0, +1, e] */
int push_attribute(lua_State *L, tocha_tensor *t, int number);
int push_attribute_of(lua_State *L, tocha_tensor *t, const tocha_op *op);
/* Assigns the value at index 3 to an attribute. `number` is -1 if the attribute cannot be
 * assigned; `name` is for the message. Returns 0. */
int set_attribute(lua_State *L, tocha_tensor *t, int number, const char *name);
int index_tensor(lua_State *L);    /* t[subscript] */
int newindex_tensor(lua_State *L); /* t[subscript] = value */
/* Pushes the text that `..` appends for the value at `index`: for a 0-dim tensor its number.
 * [-0, +1, e] */
void push_format(lua_State *L, int index);

/* --- modules, optimizers (nn/, optim/) ---------------------------------------------------------- */

void open_modules(lua_State *L, int torch);
void open_replicate(lua_State *L, int torch);                 /* replicate.c */
const char *push_module_path(lua_State *L, const char *path); /* nn/call.c, for binding_hooks */
void open_optim(lua_State *L, int torch);
void open_grad_scaler(lua_State *L);
void open_help(lua_State *L, int torch);
void open_support(lua_State *L, int torch);     /* functions in C for the parts written in Lua */
void open_terminal(lua_State *L, int torch);    /* the width of the terminal, questions to it */
void open_io(lua_State *L, int torch);          /* of files: torch._io */
void open_profiler(lua_State *L, int torch);    /* torch._profiler */
void open_workers(lua_State *L, int torch);     /* torch._workers (data/workers.c) */
void open_distributed(lua_State *L, int torch); /* torch._distributed, in a build that has it */
/* Marks a state as that of a worker's thread, before torch is opened there: Ctrl-C does not stop
 * it, and operators use one thread. [-0, +0, m] */
void mark_worker(lua_State *L);

/* --- memory and interruption ----------------------------------------------------------------------------- */

/* Runs the collector if enough was allocated since the last time. Callers that run an operator
 * call this before they read its arguments. The result before the last is garbage by then, and
 * the last one is not yet in a register that Lua forgot to clear. [-0, +0, e] */
void charge_collector(lua_State *L, binding *b);
void collect_garbage(lua_State *L, binding *b); /* a full collection */

void open_collector(lua_State *L, int torch);

/* --- namespaces -------------------------------------------------------------------------------------------- */

/* Makes the table at `index` a namespace: an unknown name there is a part written in Lua, or
 * PyTorch's error. [-0, +0, m] */
void make_namespace(lua_State *L, int index, const char *name);
/* Pushes the table of torch that a dotted name leads to ("nn.functional"). Makes it if it is
 * missing. [-0, +1, e] */
void push_namespace(lua_State *L, const char *name);
void open_namespaces(lua_State *L, int torch);
/* Returns true if a part is a public name ("torch.utils.data": lua/torch/) rather than a private
 * one ("numpy.print": lua/parts/). */
bool is_public_part(const char *name);
/* Pushes the value of a part written in Lua ("torch.utils.data"), which runs once. Returns false
 * and pushes nothing if there is none. [-0, +(0|1), e] */
bool push_part(lua_State *L, const char *name);
/* (name) Requires torch and returns the value that the name leads to. */
int open_by_name(lua_State *L);

/* lua_source returns a Lua source embedded at build time by its name ("torch.utils.data",
 * "support"), or NULL. lua_source_name returns the name of number `index`, or NULL after the
 * last. */
const char *lua_source(const char *name, size_t *size);
const char *lua_source_name(int index);
extern const unsigned char digits_data[]; /* 1797 rows of 64 grey values and a label, a byte each */
extern const size_t digits_size;

#endif
