/* guard.h: guards, which torch.no_grad(), torch.autocast(...) and torch.cuda.stream(s) return. A
 * guard is a to-be-closed variable, and ends its mode when it is closed.
 *
 * A coroutine that died of an error never closes its variables. A guard therefore keeps the
 * thread that opened it, and binding_of drops the guards of dead threads before anything else. */
#ifndef TOCHA_GUARD_H
#define TOCHA_GUARD_H

#include "lua/binding.h"

typedef struct guard guard;

typedef struct guard_class {
  const char *text; /* the name of the call: "torch.no_grad" */
  /* The right form, for the warning if a guard is collected while open; NULL: no warning. */
  const char *advice;
  size_t size;  /* bytes of the whole guard: the head, then the fields of the class */
  size_t state; /* bytes of the saved state, the first of those fields */
  /* Brings the earlier state back. If `nested`, a younger guard of the same state is open and now
   * has the earlier state, so that only what g itself holds is released. Never raises. */
  void (*leave)(tocha_context *cx, guard *g, bool nested);
  /* Returns true if both guards replace the same state; NULL: any two of the class do. */
  bool (*same)(const guard *a, const guard *b);
  lua_CFunction call; /* __call; may be NULL */
} guard_class;

/* The head of every guard. */
struct guard {
  const guard_class *class;
  guard *older, *younger; /* of all open guards */
  lua_State *owner; /* the thread that opened the guard; a user value keeps the thread alive */
  bool open;
  /* The call may be meant to last (set_grad_enabled): collected without a warning. */
  bool setting;
};

/* Pushes a new guard of class->size bytes that is not open. Its fields after the class are zero.
 * [-0, +1, m] */
void *push_guard(lua_State *L, const guard_class *class);
/* Records that this thread has entered the mode of g, which is on top of the stack. [-0, +0, e] */
void open_guard(lua_State *L, guard *g);
/* Ends the mode of g, unless it has ended. Never raises. */
void close_guard(binding *b, guard *g);
/* Returns the open guard of a class that was opened last, or NULL. */
guard *youngest_guard(const binding *b, const guard_class *class);
/* Returns the guard of a class at `index`, or NULL if the value is something else. [-0, +0, m] */
void *to_guard(lua_State *L, int index, const guard_class *class);
/* Calls the function at index `function` with the arguments above it, up to the guard on top,
 * which is closed however the function ends. Returns the number of results, which are on top.
 * The caller must return at once, because the function may yield. [-0, +results, e] */
int call_guarded(lua_State *L, int function);

/* --- calls of modules, which are on the runtime's list while they run ------------------------------- */

/* Puts a module, whose userdata is at stack index 1, on the list. It leaves the list when its
 * variable is closed. [-0, +0, e] */
void enter_module_call(lua_State *L, tocha_module *module);
/* Takes the module off the list: the module's __close. [-0, +0, e] */
void leave_module_call(lua_State *L, const tocha_module *module);

/* Ends the guards and the calls of threads that died of an error. [-0, +0, -] */
void drop_dead(lua_State *L, binding *b);

void open_guards(lua_State *L);

#endif
