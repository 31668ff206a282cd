/* parcel.h: Lua values on their way from one Lua state to another, perhaps in another thread.
 *
 * Tables are copied, and one that is referred to twice is copied once. Tensors share their
 * memory. Functions travel as bytecode with their upvalues. Values that both states have (torch
 * and everything in it, Lua's libraries, modules that `require` finds) travel as their names. */
#ifndef TOCHA_PARCEL_H
#define TOCHA_PARCEL_H

#include "lua/binding.h"
#include "tocha/share.h"

/* A parcel belongs to no Lua state. */
typedef struct parcel {
  unsigned char *bytes;
  size_t size, capacity;
  tocha_shared **tensors;
  int tensor_count, tensor_capacity;
  struct parcel *next; /* in a queue */
} parcel;

void parcel_free(parcel *p); /* accepts NULL */
/* Pushes a userdata that frees the parcel it is given (*parcel, at first NULL), so that it lives while Lua errors are
 * possible. [-0, +1, m] */
parcel **push_parcel(lua_State *L);

/* The kind of a value, with which it begins. */
enum parcel_tag {
  PARCEL_NIL,
  PARCEL_FALSE,
  PARCEL_TRUE,
  PARCEL_INTEGER,
  PARCEL_FLOAT,
  PARCEL_STRING,
  PARCEL_TABLE,      /* number of slots, pairs, PARCEL_END, metatable or nil */
  PARCEL_FUNCTION,   /* bytecode, number of upvalues, upvalues */
  PARCEL_C_FUNCTION, /* its distance from pack_values, number of upvalues, upvalues */
  PARCEL_NAMED,      /* a path (names.c) */
  PARCEL_TENSOR,
  PARCEL_DEVICE,
  PARCEL_SIZE,
  PARCEL_GENERATOR,
  /* Class, name, flags, options, class in Lua, parameters, buffers, children, fields, hooks. */
  PARCEL_MODULE,
  PARCEL_CLASS,  /* the number in the list of modules */
  PARCEL_SEEN,   /* the number of an object that was packed before */
  PARCEL_JOINED, /* an upvalue that an earlier function has, too: its number and the function's */
  PARCEL_ABSENT, /* a global that cannot be packed: the reason */
  PARCEL_END
};

/* Flags of a packed module: which parts follow its members. */
enum parcel_module_flags {
  PARCEL_TRAINING = 1,
  PARCEL_FORWARD = 2, /* the forward is Lua's: its class is written there, or it has hooks */
  PARCEL_EXTRA_REPR = 4,
  PARCEL_ATTRIBUTE = 8, /* Lua computes tensors of the module */
  PARCEL_HOOKS = 16
};

/* Packs the values from stack index `first` to the top into a new parcel. Raises if one cannot
 * be packed. `labels` are the values' names in error messages if they are a program's functions
 * and data; the global variables that the functions mention are then packed, too. NULL: a batch.
 * [-0, +0, e] */
parcel *pack_values(lua_State *L, int first, const char *const *labels);
/* Packs in the same way for another process that runs this program: functions of other modules in C, which lie
 * elsewhere there, are refused unless they have a name. [-0, +0, e] */
parcel *pack_for_process(lua_State *L, int first, const char *const *labels);
/* Pushes the values of a parcel and returns their number. [-0, +results, e] */
int unpack_values(lua_State *L, const parcel *p);

/* Pushes the table of values that are packed by name: value -> path (names.c). [-0, +1, e] */
void push_names(lua_State *L);
/* Makes the next call of push_names build its table again. [-0, +0, m] */
void forget_names(lua_State *L);
/* Pushes the value that a path leads to in this state. Raises if there is none. [-0, +1, e] */
void push_named(lua_State *L, const char *path, size_t size);

#endif
