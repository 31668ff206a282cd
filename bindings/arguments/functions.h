/* functions.h: the functions and methods of torch that are not operators (listed in
 * functions.lua). */
#ifndef TOCHA_FUNCTIONS_H
#define TOCHA_FUNCTIONS_H

#include "arguments/arguments.h"

typedef struct function_entry {
  /* For a function "torch.nn.utils" and "clip_grad_norm_"; for a method the class ("Module") and
   * the method's name. */
  const char *space, *name;
  const char *text, *doc; /* the signature as in the list, and the purpose */
  signature signature;
  /* Receives the arguments; the whole stack of the call is there, too. If the function takes a
   * block, one more argument is true if a block is given, at stack index 1. */
  int (*call)(lua_State *L, const tocha_arg *args);
  bool block;
  bool alone;         /* a method that may be called with nothing but self */
  bool uninitialized; /* also takes a parameter of a lazy module that has no values yet */
} function_entry;

/* All functions of the list (generated). The last entry has no space. */
extern const function_entry function_list[];

/* Sets the functions of a space as fields of the table at `index`. [-0, +0, e] */
void register_functions(lua_State *L, int index, const char *space);
/* Pushes the signature and purpose of the function at `index`. Returns false, and pushes
 * nothing, for another value. [-0, +(0|1), m] */
bool push_function_help(lua_State *L, int index);
/* Registers the functions of torch, torch.autograd, tensors and generators, and the readers of
 * arguments for Lua. [-0, +0, e] */
void open_functions(lua_State *L, int torch, int methods);

#endif
