/* kept.h: Lua values that a graph keeps: hooks, and the functions that are written in Lua. */
#ifndef TOCHA_AUTOGRAD_KEPT_H
#define TOCHA_AUTOGRAD_KEPT_H

#include "lua/binding.h"

/* One value. The graph owns it (tocha_hook.user) and lets it go with free_kept. */
typedef struct kept {
  binding *b;
  struct kept *next, **link; /* among all of the state */
  int reference; /* registry: the value, or false while it is private to the tensor's userdata */
  tocha_tensor *tensor; /* not owned; to be touched while its userdata is alive */
  uint64_t id;          /* of the hook */
} kept;

/* The value at index, kept by the registry. Raises. */
kept *keep_value(lua_State *L, int index);
/* The graph's part has the id and hangs on the tensor at an index: from now on that one keeps the value, while nobody else
 * may ask for it. */
void tie_to_tensor(lua_State *L, kept *k, uint64_t id, int value, int tensor);
/* Pushes the value; false and false or nil where its tensor is being collected. */
bool push_kept(lua_State *L, const kept *k);

/* For tocha_hook.free and .shared: called in the middle of any C function, so they push little and allocate nothing. */
void free_kept(void *user);
void kept_shared(void *user);

/* hooks.c: adds the function at index 2 as a hook of a node and pushes its handle. tensor: the index of the node's tensor; 0: unknown. */
int register_node_hook(lua_State *L, tocha_node *node, bool before, int tensor);

/* A weak table of the registry. */
void new_weak_table(lua_State *L, const char *mode, const void *key);
void open_kept(lua_State *L);

#endif
