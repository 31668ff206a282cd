/* guard.h: blocks of code with a mode: what torch.no_grad(), torch.autocast(...), torch.cuda.stream(s) return. A guard is a
 * to-be-closed variable; it ends its mode when it is closed.
 *
 * A coroutine that died of an error never closes its variables. A guard knows the thread that opened it, and whoever next
 * asks for the binding drops the guards of dead threads first (binding_of). */
#ifndef TOCHA_GUARD_H
#define TOCHA_GUARD_H

#include "lua/binding.h"

typedef struct guard guard;

typedef struct guard_class {
  const char *text; /* what it is called: "torch.no_grad" */
  const char *
      advice; /* in the warning when it is collected while open; NULL: then the mode stays without a word */
  size_t size;  /* of the whole guard: the head, then what follows */
  size_t state; /* of what follows the head, the state from before: so many bytes */
  /* Brings the earlier state back. nested is false where a younger guard of the same state goes on: that one was given the
   * earlier state, and only what this one holds is to be let go. Never raises. */
  void (*leave)(tocha_context *cx, guard *g, bool nested);
  bool (*same)(const guard *a,
               const guard *b); /* replace the same state; NULL: any two of the class */
  lua_CFunction call;           /* __call; may be NULL */
} guard_class;

/* The head of every guard. */
struct guard {
  const guard_class *class;
  guard *older, *younger; /* of all open guards */
  lua_State *owner;       /* the thread that opened it; the user value keeps it */
  bool open;
  bool
      setting; /* of a call that may be meant to last (set_grad_enabled): collected without a word */
};

/* Pushes a guard, not open yet, of class->size bytes, zero after the head. */
void *push_guard(lua_State *L, const guard_class *class);
/* The mode was entered. */
void open_guard(lua_State *L, guard *g);
/* Ends the mode; nothing where it has ended. */
void close_guard(binding *b, guard *g);
/* Returns the open guard of a class that was opened last, or NULL. */
guard *youngest_guard(const binding *b, const guard_class *class);
/* The guard of a class at index, or NULL. */
void *to_guard(lua_State *L, int index, const guard_class *class);
/* Calls the function at index `function` with the arguments above it, up to the guard on top, which is closed however the
 * function ends. Returns the number of results, which lie on top. The caller must return at once, as the function may yield. */
int call_guarded(lua_State *L, int function);

/* --- calls of modules, which are on the runtime's list while they run ------------------------------- */

/* Puts a module, whose userdata is at stack index 1, on the list. It leaves the list when its variable is closed.
 * [-0, +0, e] */
void enter_module_call(lua_State *L, tocha_module *module);
/* What its __close does. */
void leave_module_call(lua_State *L, const tocha_module *module);

/* The guards and the calls of threads that died of an error end. Never raises. */
void drop_dead(lua_State *L, binding *b);

void open_guards(lua_State *L);

#endif
