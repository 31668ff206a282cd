/* memory.c: the memory of a state and of its tensors, counted together. */
#include "sandbox/sandbox.h"

/* ROOM: bytes beyond the limit for the error that names it. */
enum { ROOM = 65536 };

/* Adds bytes unless that exceeds the limit. */
static bool take(sandbox *s, int64_t bytes) {
  long long now = atomic_fetch_add_explicit(&s->taken, bytes, memory_order_relaxed) + bytes;
  long long limit =
      (long long)s->memory + (atomic_load_explicit(&s->ended, memory_order_relaxed) ? ROOM : 0);
  if (bytes <= 0 || !s->memory || now <= limit) return true;
  atomic_fetch_sub_explicit(&s->taken, bytes, memory_order_relaxed);
  return false;
}

bool count_memory(void *user, int64_t bytes) { return take(user, bytes); }

/* The state's lua_Alloc. */
static void *allocate(void *user, void *block, size_t old, size_t size) {
  sandbox *s = user;
  int64_t more = (int64_t)size - (block ? (int64_t)old : 0);
  while (atomic_load_explicit(&s->hook_is_set_now, memory_order_acquire)) platform_sleep(1000);
  if (size >= PTRDIFF_MAX) return NULL;
  if (!take(s, more)) { /* the blocks that the context keeps for later are no garbage of Lua's */
    tocha_context *cx = atomic_load(&s->context);
    if (cx) tocha_empty_cache(cx);
    if (!cx || !take(s, more)) return NULL;
  }
  void *moved = s->allocate(s->allocate_user, block, old, size);
  if (size && !moved) take(s, -more);
  return moved;
}

void count_lua_memory(lua_State *L, sandbox *s) {
  s->allocate = lua_getallocf(L, &s->allocate_user);
  atomic_init(&s->taken, 1024LL * lua_gc(L, LUA_GCCOUNT) + lua_gc(L, LUA_GCCOUNTB));
  lua_setallocf(L, allocate, s);
}
