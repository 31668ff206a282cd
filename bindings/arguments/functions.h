/* functions.h: the functions and methods of torch that are no operators (their list: functions.lua). */
#ifndef TOCHA_FUNCTIONS_H
#define TOCHA_FUNCTIONS_H

#include "arguments/arguments.h"

typedef struct function_entry {
  const char *space,
      *name;              /* "torch.nn.utils", "clip_grad_norm_"; of a method the class, "Module" */
  const char *text, *doc; /* the signature as in the list */
  signature signature;
  /* Receives the arguments, and whatever else is on the stack. Where the function takes a block, one more argument says
   * whether there is one: the function at stack index 1. */
  int (*call)(lua_State *L, const tocha_arg *args);
  bool block;
  bool alone;         /* a method that may be called with nothing but self */
  bool uninitialized; /* takes a parameter of a lazy module that has no values yet, too */
} function_entry;

/* All functions of the list (generated); the last has no space. */
extern const function_entry function_list[];

/* Sets the functions of a space in the table at index. */
void register_functions(lua_State *L, int index, const char *space);
/* Pushes signature and purpose of the function at index. Returns false, and pushes nothing, for another value. */
bool push_function_help(lua_State *L, int index);
/* Those of torch, of torch.autograd and of tensors, and what Lua parts need to read arguments. */
void open_functions(lua_State *L, int torch, int methods);

#endif
