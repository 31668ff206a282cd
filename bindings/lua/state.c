/* state.c: the binding's state, one per Lua state: its context and its objects. */
#include <stdlib.h>
#include <string.h>

#include "lua/callback.h"
#include "lua/guard.h"
#include "lua/interrupt.h"
#include "sandbox/confined.h"

static const char STATE[] = "tocha.binding";
static const char state_key = 0;

binding *binding_of(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key);
  binding *b = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (!b->cx) luaL_error(L, "torch is closed"); /* a finalizer that runs after ours */
  if (b->running != L) note_running(L, b);
  if (b->watched) drop_dead(L, b);
  return b;
}

static const char running_key = 0; /* registry: a weak table with the thread */

void note_running(lua_State *L, binding *b) {
  if (b->running == L || !lua_checkstack(L, 3)) return;
  b->running = L;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &running_key);
  lua_pushthread(L);
  lua_rawseti(L, -2, 1);
  lua_pop(L, 1);
}

lua_State *running_thread(const binding *b) {
  lua_State *L = b->main;
  if (b->running == L || !lua_checkstack(L, 3)) return L;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &running_key);
  lua_rawgeti(L, -1, 1);
  lua_State *thread = lua_tothread(L, -1);
  lua_pop(L, 2);
  return thread && lua_status(thread) == LUA_OK ? thread : L; /* NULL: it was collected */
}

/* Returns true if a __gc is running, which may be in the middle of a C function whose scope is in
 * use. */
static bool in_finalizer(lua_State *L) {
  int running = lua_gc(L, LUA_GCISRUNNING);
  return LUA_VERSION_RELEASE_NUM >= 50404 ? running < 0 : !running;
}

void end_left_scopes(lua_State *L, binding *b) {
  if (tocha_scope_size(b->cx) > b->floor.mark && !in_finalizer(L))
    tocha_scope_end(b->cx, b->floor, NULL);
}

bool is_open(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key);
  const binding *b = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return b && b->cx;
}

lifeline *hold_lifeline(binding *b) {
  atomic_fetch_add(&b->lifeline->owners, 1);
  return b->lifeline;
}

void release_lifeline(void *line) {
  if (atomic_fetch_sub(&((lifeline *)line)->owners, 1) == 1) free(line);
}

binding *living_binding(const lifeline *line, tocha_context *cx) {
  if (line->b) return line->b;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "the Lua state is closed in which this module, hook or function was written");
  return NULL;
}

void remember_object(lua_State *L, int index, const void *object) {
  index = lua_absindex(L, index);
  lua_rawgeti(L, LUA_REGISTRYINDEX, binding_of(L)->objects);
  lua_pushvalue(L, index);
  lua_rawsetp(L, -2, object);
  lua_pop(L, 1);
}

void *push_remembered(lua_State *L, const void *object) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, binding_of(L)->objects);
  lua_rawgetp(L, -1, object);
  lua_remove(L, -2);
  return lua_touserdata(L, -1);
}

void new_metatable(lua_State *L, const char *name, const luaL_Reg *events) {
  if (luaL_getmetatable(L, name) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  luaL_setfuncs(L, events, 0);
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__metatable");
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__name");
  register_metatable(L, name);
}

void register_metatable(lua_State *L, const char *name) {
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, name);
}

/* --- hosts ----------------------------------------------------------------------------------------- */

tocha_context *tocha_lua_context(lua_State *L) { return is_open(L) ? binding_of(L)->cx : NULL; }

void tocha_binding_on_poll(lua_State *L, bool (*poll)(void *user), void *user) {
  if (is_open(L)) tocha_on_poll(CX(L), poll, user);
}

/* --- opening and closing ------------------------------------------------------------------------ */

static int close_state(lua_State *L) {
  binding *b = luaL_checkudata(L, 1, STATE);
  if (b->cx) {
    remove_interruptible(b->interruptible);
    forget_context(L);
    tocha_on_memory_pressure(b->cx, NULL, NULL);
    if (b->account) set_account_context(b->account, NULL);
    b->hooks->leave_state(b);
    if (!b->hosts_context) tocha_close(b->cx);
    b->cx = NULL;
  }
  if (b->lifeline) {
    b->lifeline->b = NULL;
    release_lifeline(b->lifeline);
    b->lifeline = NULL;
  }
  return 0;
}

static bool log_body(lua_State *L, binding *b, void *message) {
  (void)b;
  show_warning(L, "UserWarning", message);
  return true;
}

static void log_message(void *user, int level, const char *message) {
  (void)level;
  call_back_quietly(user, log_body, (void *)message);
}

/* Pushes a new table with weak values. [-0, +1, m] */
static void push_weak_table(lua_State *L) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
}

static const char worker_key = 0; /* registry: the state is a worker's */

void mark_worker(lua_State *L) {
  lua_pushboolean(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &worker_key);
}

/* Makes lauxlib create the metatable of its large buffers. It registers the table before filling it, so
 * that each large string would fail for good after a lack of memory in between. [-0, +0, m] */
static void prepare_large_buffers(lua_State *L) {
  luaL_Buffer buffer;
  luaL_buffinitsize(L, &buffer, LUAL_BUFFERSIZE + 1);
  luaL_pushresultsize(&buffer, 0);
  lua_pop(L, 1);
}

static tocha_context *open_context(binding *b, const state_options *options, bool worker) {
  tocha_options runtime = options->given.runtime;
  if (worker) runtime.threads = 1;
  if (!runtime.log) {
    runtime.log = log_message;
    runtime.log_user = b;
  }
  if (b->account) count_memory_of_runtime(b->account, &runtime);
  return tocha_open(&runtime);
}

void open_state(lua_State *L, const binding_hooks *hooks) {
  prepare_large_buffers(L);
  binding *b = lua_newuserdatauv(L, sizeof *b, 0);
  memset(b, 0, sizeof *b);
  b->hooks = hooks;
  static const luaL_Reg events[] = {{"__gc", close_state}, {NULL, NULL}};
  new_metatable(L, STATE, events);
  lua_setmetatable(L, -2);
  lifeline *line = malloc(sizeof *line);
  if (line) {
    atomic_init(&line->owners, 1);
    line->b = b;
  } else {
    luaL_error(L, "not enough memory");
  }
  b->lifeline = line;
  bool worker = lua_rawgetp(L, LUA_REGISTRYINDEX, &worker_key) != LUA_TNIL;
  lua_pop(L, 1);
  const state_options *options = options_of(L);
  b->hosts_context = options->given.context != NULL;
  b->account = b->hosts_context ? NULL : options->memory;
  b->cx = b->hosts_context ? options->given.context : open_context(b, options, worker);
  if (!b->cx && strcmp(tocha_instruction_set(), "none") == 0)
    luaL_error(L, "this Tocha was built for the instructions of another processor "
                  "(TOCHA_LOOPS=native); build it "
                  "here, or with TOCHA_LOOPS=all");
  if (!b->cx) luaL_error(L, "not enough memory");
  if (!confine_context(L, b->cx)) luaL_error(L, "%s", tocha_error(b->cx)->message);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  b->main = b->running = lua_tothread(L, -1);
  lua_pop(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &state_key);
  push_weak_table(L);
  b->objects = luaL_ref(L, LUA_REGISTRYINDEX);
  push_weak_table(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  lua_rawseti(L, -2, 1); /* reserved, so that note_running needs no memory */
  lua_rawsetp(L, LUA_REGISTRYINDEX, &running_key);
  if (b->account) set_account_context(b->account, b->cx);
  if (worker) return;
  b->interruptible = add_interruptible(b->main, b->cx, options);
  if (!b->interruptible) luaL_error(L, "not enough memory");
  if (options->given.insistent) guard_handlers(L);
}
