/* memory.c: the memory of a state and of its tensors, counted together.
 *
 * Lua's small blocks come and go by the million. Those that are free wait in lists by size and count
 * as held, so that most calls of the allocator count nothing. */
#include "sandbox/sandbox.h"

#include <string.h>

/* TRIM: the part of the limit that must be free before memory goes back to the system;
 * ROOM: bytes beyond the limit for the error that names it; WORD: blocks are multiples of it, which
 * all allocators grant anyway; MOST_KEPT: bytes in the lists. */
enum { TRIM = 32, ROOM = 65536, WORD = 8, MOST_KEPT = 4 << 20 };

/* Returns true if `more` bytes beside those that are held are within the limit. */
static bool is_within_limit(sandbox *s, int64_t more) {
  int64_t limit = (int64_t)s->memory;
  int64_t held = s->lua_bytes + atomic_load_explicit(&s->tensor_bytes, memory_order_relaxed);
  if (atomic_load_explicit(&s->ended, memory_order_relaxed)) limit += ROOM;
  return !s->memory || held + more <= limit;
}

/* Returns the bytes that the C library takes for a block: its own word before it, in units of 16. */
static int64_t cost_of(size_t bytes) {
  size_t cost = (bytes + 8 + 15) / 16 * 16;
  return bytes == 0 ? 0 : cost < 32 ? 32 : (int64_t)cost;
}

/* Frees the blocks in the lists. */
static void free_kept_blocks(sandbox *s) {
  for (size_t words = 1; words <= SANDBOX_SMALL / WORD; words++) {
    while (s->kept[words]) {
      void *block = s->kept[words];
      memcpy(&s->kept[words], block, sizeof block);
      s->allocate(s->allocate_user, block, words * WORD, 0);
      s->lua_bytes -= cost_of(words * WORD);
    }
  }
  s->kept_bytes = 0;
}

/* Gives the memory of freed blocks back to the system if the process, which still holds it, might
 * hold more than the limit with `more` bytes. */
static void trim_memory(sandbox *s, int64_t more) {
  int64_t limit = (int64_t)s->memory, freed = s->most_lua_bytes - s->lua_bytes;
  int64_t tensors = atomic_load_explicit(&s->tensor_bytes, memory_order_relaxed);
  if (s->most_lua_bytes + tensors + more <= limit || freed < limit / TRIM || !limit) return;
  free_kept_blocks(s);
  platform_trim_memory();
  s->most_lua_bytes = s->lua_bytes;
}

bool count_memory(void *user, int64_t bytes) {
  sandbox *s = user;
  if (bytes > 0) {
    trim_memory(s, bytes);
    if (!is_within_limit(s, bytes)) free_kept_blocks(s);
    s->over_memory = !is_within_limit(s, bytes);
    if (s->over_memory) return false;
  }
  atomic_fetch_add(&s->tensor_bytes, bytes);
  return true;
}

/* Returns true if Lua may have more bytes, if need be after the context and the lists have given back
 * the blocks that they keep for later, which are no garbage of Lua's. */
static bool lua_may_have(sandbox *s, int64_t more) {
  trim_memory(s, more);
  if (is_within_limit(s, more)) return true;
  free_kept_blocks(s);
  tocha_context *cx = atomic_load(&s->context);
  if (cx) tocha_empty_cache(cx);
  s->over_memory = !is_within_limit(s, more);
  return !s->over_memory;
}

static size_t words_of(size_t bytes) { return (bytes + WORD - 1) / WORD; }

/* Allocates, moves or frees what is not small, or while another thread walks the call frames. */
static void *allocate_carefully(sandbox *s, void *block, size_t old, size_t size) {
  while (atomic_load_explicit(&s->hook_is_set_now, memory_order_acquire)) platform_sleep(1000);
  if (size >= PTRDIFF_MAX) return NULL;
  if (s->keeps_blocks && old <= SANDBOX_SMALL) old = words_of(old) * WORD;
  if (s->keeps_blocks && size <= SANDBOX_SMALL) size = words_of(size) * WORD;
  int64_t more = s->keeps_blocks ? cost_of(size) - cost_of(old) : (int64_t)size - (int64_t)old;
  if (more > 0 && !lua_may_have(s, more)) return NULL;
  void *moved = s->allocate(s->allocate_user, block, old, size);
  if (moved || !size) s->lua_bytes += more;
  if (s->lua_bytes > s->most_lua_bytes) s->most_lua_bytes = s->lua_bytes;
  return moved;
}

/* Takes a block of that size from its list, or from the state's own allocator. */
static void *take(sandbox *s, size_t words) {
  void *block = s->kept[words];
  if (!block) return allocate_carefully(s, NULL, 0, words * WORD);
  memcpy(&s->kept[words], block, sizeof block);
  s->kept_bytes -= words * WORD;
  return block;
}

static void give(sandbox *s, void *block, size_t words) {
  if (s->kept_bytes >= MOST_KEPT) {
    allocate_carefully(s, block, words * WORD, 0);
    return;
  }
  memcpy(block, &s->kept[words], sizeof block);
  s->kept[words] = block;
  s->kept_bytes += words * WORD;
}

static void *move_small(sandbox *s, void *block, size_t old, size_t size) {
  size_t before = words_of(old), after = words_of(size);
  if (before == after) return block;
  void *moved = take(s, after);
  if (moved) {
    memcpy(moved, block, old < size ? old : size);
    give(s, block, before);
  } else if (size < old) { /* which Lua expects to succeed: a smaller block from now on */
    s->lua_bytes -= cost_of(before * WORD) - cost_of(after * WORD);
    moved = block;
  }
  return moved;
}

/* The state's lua_Alloc. */
static void *allocate(void *user, void *block, size_t old, size_t size) {
  sandbox *s = user;
  if (!block) old = 0; /* there it names a kind of object */
  size_t small = atomic_load_explicit(&s->small, memory_order_relaxed);
  if (old > small || size > small) return allocate_carefully(s, block, old, size);
  if (old > 0 && size > 0) return move_small(s, block, old, size);
  if (size > 0) return take(s, words_of(size));
  if (old > 0) give(s, block, words_of(old));
  return NULL;
}

void count_lua_memory(lua_State *L, sandbox *s) {
  if (s->memory) platform_trim_memory(); /* what earlier states have freed */
  s->allocate = lua_getallocf(L, &s->allocate_user);
  s->lua_bytes = 1024LL * lua_gc(L, LUA_GCCOUNT) + lua_gc(L, LUA_GCCOUNTB);
  lua_setallocf(L, allocate, s);
}

void keep_small_blocks(lua_State *L) {
#if !defined(__SANITIZE_ADDRESS__) /* the sanitizer watches the C library's blocks */
  sandbox *s = find_sandbox(L);
  if (!s) return;
  s->keeps_blocks = true;
  atomic_store(&s->small, SANDBOX_SMALL);
#else
  (void)L;
#endif
}

void stop_counting_memory(lua_State *L, sandbox *s) {
  free_kept_blocks(s);
  lua_setallocf(L, s->allocate, s->allocate_user);
}
