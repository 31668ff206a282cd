/* parcel.h: Lua values on their way from one Lua state to another, perhaps in another thread.
 *
 * Tables are copied, one that is referred to twice once; tensors share their memory; functions travel as bytecode
 * with their upvalues; what both states have (torch and all within it, Lua's libraries, modules that `require` finds) goes by its name. */
#ifndef TOCHA_PARCEL_H
#define TOCHA_PARCEL_H

#include "lua/binding.h"
#include "tocha/share.h"

/* It belongs to no Lua state. */
typedef struct parcel {
  unsigned char *bytes;
  size_t size, capacity;
  tocha_shared **tensors;
  int tensor_count, tensor_capacity;
  struct parcel *next; /* in a queue */
} parcel;

void parcel_free(parcel *p); /* NULL is nothing */

/* What a value begins with. */
enum parcel_tag {
  PARCEL_NIL,
  PARCEL_FALSE,
  PARCEL_TRUE,
  PARCEL_INTEGER,
  PARCEL_FLOAT,
  PARCEL_STRING,
  PARCEL_TABLE,      /* slots, pairs, PARCEL_END, metatable or nil */
  PARCEL_FUNCTION,   /* bytecode, number of upvalues, upvalues */
  PARCEL_C_FUNCTION, /* an address of this process, number of upvalues, upvalues */
  PARCEL_NAMED,      /* a path (names.c) */
  PARCEL_TENSOR,
  PARCEL_DEVICE,
  PARCEL_SIZE,
  PARCEL_GENERATOR,
  PARCEL_MODULE, /* class, name, flags, options, class in Lua, parameters, buffers, children, fields, hooks */
  PARCEL_CLASS,  /* of the list of modules: an address of this process */
  PARCEL_SEEN,   /* the number of an object that came before */
  PARCEL_JOINED, /* an upvalue that another function has, too */
  PARCEL_ABSENT, /* a global that cannot travel: why */
  PARCEL_END
};

/* What a module has beside its members. */
enum parcel_module_flags {
  PARCEL_TRAINING = 1,
  PARCEL_FORWARD = 2, /* Lua's: its class is written there, or it has hooks */
  PARCEL_EXTRA_REPR = 4,
  PARCEL_ATTRIBUTE = 8, /* tensors that Lua computes */
  PARCEL_HOOKS = 16
};

/* The values from stack index first to the top as a new parcel; an error is raised where one cannot travel. labels: what they are called
 * in it, where they are a program's functions and data: then the global variables that the functions speak of travel, too. NULL: a
 * batch. */
parcel *pack_values(lua_State *L, int first, const char *const *labels);
/* Pushes the values and returns their number. Raises. */
int unpack_values(lua_State *L, const parcel *p);

/* names.c: pushes the table of what goes by its name: value -> path. */
void push_names(lua_State *L);
/* The next call of push_names looks around anew. */
void forget_names(lua_State *L);
/* Pushes what a path leads to in this state; raises where it leads nowhere. */
void push_named(lua_State *L, const char *path, size_t size);

#endif
