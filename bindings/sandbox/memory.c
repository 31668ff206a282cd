/* memory.c: the memory of a state and of its tensors, counted together. */
#include "sandbox/sandbox.h"

/* ROOM: bytes beyond the limit for the error that names it; SMALL: of a small block. */
enum { ROOM = 65536, SMALL = 4096 };

/* Returns true if `more` bytes beside those that are held are within the limit. */
static bool is_within_limit(sandbox *s, int64_t held, int64_t more) {
  int64_t limit = (int64_t)s->memory;
  if (atomic_load_explicit(&s->ended, memory_order_relaxed)) limit += ROOM;
  return !s->memory || held + more <= limit;
}

bool count_memory(void *user, int64_t bytes) {
  sandbox *s = user;
  int64_t before = atomic_fetch_add(&s->tensor_bytes, bytes);
  if (bytes <= 0) return true;
  s->over_memory = !is_within_limit(s, before + s->lua_bytes, bytes);
  if (!s->over_memory) return true;
  atomic_fetch_sub(&s->tensor_bytes, bytes);
  return false;
}

/* Returns true if Lua may have more bytes, if need be after the context has given back the blocks that
 * it keeps for later, which are no garbage of Lua's. */
static bool lua_may_have(sandbox *s, int64_t more) {
  int64_t tensors = atomic_load_explicit(&s->tensor_bytes, memory_order_relaxed);
  if (is_within_limit(s, s->lua_bytes + tensors, more)) return true;
  tocha_context *cx = atomic_load(&s->context);
  if (cx) tocha_empty_cache(cx);
  s->over_memory = !is_within_limit(s, s->lua_bytes + atomic_load(&s->tensor_bytes), more);
  return !s->over_memory;
}

/* Allocates what is large, or beyond the limit, or while another thread walks the call frames. */
static void *allocate_carefully(sandbox *s, void *block, size_t old, size_t size, int64_t more) {
  while (atomic_load_explicit(&s->hook_is_set_now, memory_order_acquire)) platform_sleep(1000);
  if (size >= PTRDIFF_MAX || (more > 0 && !lua_may_have(s, more))) return NULL;
  void *moved = s->allocate(s->allocate_user, block, old, size);
  if (moved || !size) s->lua_bytes += more;
  return moved;
}

/* The state's lua_Alloc. Small blocks come and go by the million, so they are counted at once: if the
 * machine itself has no memory left, these few bytes stay counted. */
static void *allocate(void *user, void *block, size_t old, size_t size) {
  sandbox *s = user;
  int64_t more = (int64_t)size - (block ? (int64_t)old : 0);
  int64_t held = s->lua_bytes + atomic_load_explicit(&s->tensor_bytes, memory_order_relaxed);
  bool careful = size > SMALL || (s->memory && held + more > (int64_t)s->memory) ||
                 atomic_load_explicit(&s->hook_is_set_now, memory_order_relaxed);
  if (careful) return allocate_carefully(s, block, old, size, more);
  s->lua_bytes += more;
  return s->allocate(s->allocate_user, block, old, size);
}

void count_lua_memory(lua_State *L, sandbox *s) {
  s->allocate = lua_getallocf(L, &s->allocate_user);
  s->lua_bytes = 1024LL * lua_gc(L, LUA_GCCOUNT) + lua_gc(L, LUA_GCCOUNTB);
  lua_setallocf(L, allocate, s);
}
