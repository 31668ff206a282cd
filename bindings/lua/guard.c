/* guard.c: the lists of open guards and of module calls, and the removal of those whose
 * coroutine died. */
#include "lua/guard.h"

#include <string.h>

#include "sandbox/confined.h"

static const char GUARD[] = "torch.guard";
enum { OWNER = 1 }; /* user value: the thread */

/* --- dead threads ------------------------------------------------------------------------------- */

/* Returns true if a coroutine ended with an error and was not closed. */
static bool is_dead(lua_State *thread) { return lua_status(thread) > LUA_YIELD; }

/* Returns true if a named local variable of a dead thread holds the userdata. */
static bool is_held(lua_State *thread, const void *userdata) {
  lua_Debug ar;
  if (!lua_checkstack(thread, 2)) return false;
  for (int level = 0; lua_getstack(thread, level, &ar); level++) {
    const char *name;
    for (int i = 1; (name = lua_getlocal(thread, &ar, i)); i++) {
      bool held = name[0] != '(' && lua_touserdata(thread, -1) == userdata;
      lua_pop(thread, 1);
      if (held) return true;
    }
  }
  return false;
}

/* --- guards ------------------------------------------------------------------------------------- */

void *push_guard(lua_State *L, const guard_class *class) {
  guard *g = lua_newuserdatauv(L, class->size, OWNER);
  memset(g, 0, class->size);
  g->class = class;
  luaL_setmetatable(L, GUARD);
  return g;
}

void open_guard(lua_State *L, guard *g) {
  binding *b = binding_of(L);
  lua_pushthread(L);
  lua_setiuservalue(L, -2, OWNER);
  g->owner = L;
  g->open = true;
  g->older = b->guards;
  g->younger = NULL;
  if (b->guards) b->guards->younger = g;
  b->guards = g;
  b->watched += L != b->main;
}

/* Returns true if `younger`, a guard of another coroutine, saved the state that g had set.
 * Closing `younger` would then bring that state back. */
static bool goes_on(const guard *younger, const guard *g) {
  if (younger->class != g->class || younger->owner == g->owner || younger->setting) return false;
  return !g->class->same || g->class->same(younger, g);
}

static void swap_states(guard *a, guard *b) {
  unsigned char *x = (unsigned char *)a, *y = (unsigned char *)b;
  for (size_t i = sizeof(guard); i < sizeof(guard) + a->class->state; i++) {
    unsigned char kept = x[i];
    x[i] = y[i];
    y[i] = kept;
  }
}

static void take_out(binding *b, guard *g) {
  if (g->older) g->older->younger = g->younger;
  if (g->younger)
    g->younger->older = g->older;
  else
    b->guards = g->older;
  b->watched -= g->owner != b->main;
  g->open = false;
}

void close_guard(binding *b, guard *g) {
  if (!g->open) return;
  guard *younger = g->younger;
  while (younger && !goes_on(younger, g)) younger = younger->younger;
  if (younger) swap_states(younger, g); /* `younger` now brings back the state from before g */
  take_out(b, g);
  g->class->leave(b->cx, g, younger != NULL);
}

guard *youngest_guard(const binding *b, const guard_class *class) {
  guard *g = b->guards;
  while (g && g->class != class) g = g->older;
  return g;
}

void *to_guard(lua_State *L, int index, const guard_class *class) {
  guard *g = luaL_testudata(L, index, GUARD);
  return g && g->class == class ? g : NULL;
}

static int guard_close(lua_State *L) {
  guard *g = luaL_checkudata(L, 1, GUARD);
  close_guard(binding_of(L), g);
  return 0;
}

static int guard_gc(lua_State *L) {
  guard *g = luaL_checkudata(L, 1, GUARD);
  if (!g->open || !is_open(L)) return 0;
  binding *b = binding_of(L); /* drops g if its thread is dead */
  if (!g->open) return 0;
  if (g->setting) {
    take_out(b, g);
    return 0;
  }
  close_guard(b, g);
  lua_Debug caller;
  bool at_exit =
      !lua_getstack(L, 1, &caller); /* the state is being closed: the mode was meant to last */
  if (!g->class->advice || at_exit || lua_status(g->owner) == LUA_YIELD)
    return 0; /* a suspended owner is an abandoned coroutine */
  lua_pushfstring(L, "torch: a mode was entered and its guard dropped; write %s", g->class->advice);
  lua_warning(L, lua_tostring(L, -1), 0);
  return 0;
}

static int guard_tostring(lua_State *L) {
  const guard *g = luaL_checkudata(L, 1, GUARD);
  lua_pushfstring(L, "<%s object at %p>", g->class->text, shown_address(L, g));
  return 1;
}

static int guard_call(lua_State *L) {
  const guard *g = luaL_checkudata(L, 1, GUARD);
  if (g->class->call) return g->class->call(L);
  return raise_message(L, TOCHA_TYPE_ERROR, "'%s' object is not callable", g->class->text);
}

/* Returns the number of the function's results, which lie above `base`. Also called as the
 * continuation if it yielded. */
static int end_guarded(lua_State *L, int status, lua_KContext base) {
  (void)status;
  return lua_gettop(L) - (int)base;
}

int call_guarded(lua_State *L, int function) {
  lua_toclose(L, -1);
  int base = lua_gettop(L), arguments = base - function - 1;
  need_stack(L, arguments + 2);
  for (int i = function; i < base; i++) lua_pushvalue(L, i);
  lua_callk(L, arguments, LUA_MULTRET, base, end_guarded);
  return end_guarded(L, LUA_OK, base);
}

/* --- calls of modules --------------------------------------------------------------------------- */

/* The runtime lists the modules that are being called. The table b->callers has the threads of
 * those calls that coroutines made, at the same positions. Calls of the main thread end with
 * that thread. b->coroutine_call is the last position in the table. */

static void forget_calls(lua_State *L, binding *b, int depth) {
  if (b->coroutine_call <= depth || !lua_checkstack(L, 4)) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, b->callers);
  b->watched--;
  for (; b->coroutine_call > depth; b->coroutine_call--) {
    lua_pushnil(L);
    lua_rawseti(L, -2, b->coroutine_call);
  }
  while (b->coroutine_call > 0 && lua_rawgeti(L, -1, b->coroutine_call) == LUA_TNIL) {
    lua_pop(L, 1);
    b->coroutine_call--;
  }
  b->watched += b->coroutine_call > 0;
  lua_pop(L, b->coroutine_call > 0 ? 2 : 1);
}

void enter_module_call(lua_State *L, tocha_module *module) {
  binding *b = binding_of(L);
  need_stack(L, 4);
  if (!tocha_module_enter(b->cx, module)) raise_error(L);
  lua_toclose(L, 1); /* leaves, whether forward returns or fails */
  if (L == b->main) return;
  int depth = tocha_module_depth(b->cx);
  lua_rawgeti(L, LUA_REGISTRYINDEX, b->callers);
  lua_pushthread(L);
  lua_rawseti(L, -2, depth);
  lua_pop(L, 1);
  b->watched += b->coroutine_call == 0;
  b->coroutine_call = depth;
}

void leave_module_call(lua_State *L, const tocha_module *module) {
  binding *b = binding_of(L);
  tocha_module_leave(b->cx, module);
  forget_calls(L, b, tocha_module_depth(b->cx));
}

/* Drops the innermost calls whose coroutine is dead or suspended, because an error elsewhere did
 * not happen in them. */
static void drop_dead_calls(lua_State *L, binding *b) {
  int depth = tocha_module_depth(b->cx);
  forget_calls(L, b, depth);
  while (depth > 0 && b->coroutine_call == depth) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, b->callers);
    lua_rawgeti(L, -1, depth);
    lua_State *thread = lua_tothread(L, -1);
    lua_pop(L, 2);
    if (thread == L || lua_status(thread) == LUA_OK) return;
    tocha_module_unwind(b->cx, --depth);
    forget_calls(L, b, depth);
  }
}

void drop_dead(lua_State *L, binding *b) {
  if (!lua_checkstack(L, 8)) return; /* the next call of drop_dead does it */
  guard *older;
  for (guard *g = b->guards; g; g = older) {
    older = g->older;
    if (g->owner == L || !is_dead(g->owner)) continue;
    if (g->setting && !is_held(g->owner, g))
      take_out(b, g); /* torch.set_grad_enabled(false) as a statement stays */
    else
      close_guard(b, g);
  }
  drop_dead_calls(L, b);
}

void open_guards(lua_State *L) {
  static const luaL_Reg events[] = {{"__close", guard_close},
                                    {"__gc", guard_gc},
                                    {"__call", guard_call},
                                    {"__tostring", guard_tostring},
                                    {NULL, NULL}};
  new_metatable(L, GUARD, events);
  lua_pop(L, 1);
  lua_newtable(L);
  binding_of(L)->callers = luaL_ref(L, LUA_REGISTRYINDEX);
}
