/* kept.h: Lua values that a graph keeps: hooks, and functions written in Lua. */
#ifndef TOCHA_AUTOGRAD_KEPT_H
#define TOCHA_AUTOGRAD_KEPT_H

#include "lua/binding.h"

/* One value. The graph owns it (tocha_hook.user) and frees it with free_kept. */
typedef struct kept {
  lifeline *line;
  struct kept *next, **link; /* among all values of the Lua state */
  int reference; /* registry: the value, or false while it is private to the tensor's userdata */
  tocha_tensor *tensor; /* not owned; valid only while its userdata is alive */
  uint64_t id;          /* of the hook */
} kept;

/* Returns the value at `index`, kept by the registry. [-0, +0, m] */
kept *keep_value(lua_State *L, int index);
/* Moves the value's ownership to the tensor at stack index `tensor`: while only that tensor can
 * ask for the value, it lives as long as the tensor. `value` is the stack index of the value,
 * `id` identifies the graph's part. [-0, +0, m] */
void tie_to_tensor(lua_State *L, kept *k, uint64_t id, int value, int tensor);
/* Pushes the value and returns true. If the value's tensor is being collected, pushes false or
 * nil and returns false. [-0, +1, -] */
bool push_kept(lua_State *L, const kept *k);

/* These are tocha_hook.free and .shared. They are called in the middle of any C function, so
 * they push little and allocate nothing. [-0, +0, -] */
/* Lets go of the values that graphs of a host's context keep, because the state is being closed. */
void detach_kept(binding *b);
void free_kept(void *user);
void kept_shared(void *user);

/* Adds the function at index 2 as a hook of a node, whose userdata is at index 1, and pushes its
 * handle. `tensor` is the index of the node's tensor, or 0 if it is unknown (hooks.c).
 * [-0, +1, e] */
int register_node_hook(lua_State *L, tocha_node *node, bool before, int tensor);

/* Makes a weak table in the registry under `key`. [-0, +0, m] */
void new_weak_table(lua_State *L, const char *mode, const void *key);
void open_kept(lua_State *L);

#endif
