/* memory.c: the allocators of Lua and of the runtime that share one limit. */
#include "lua/memory.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef void *allocator(void *user, void *pointer, size_t old_size, size_t new_size);

/* One side of an account: the allocator that its bytes come from. */
typedef struct source {
  memory_account *account;
  allocator *allocate;
  void *user;
} source;

struct memory_account {
  size_t limit;
  atomic_size_t used; /* bytes of both, and OPEN until the account is closed */
  source lua, runtime;
  tocha_context *cx; /* used by the thread that runs Lua */
};
enum { OPEN = 1 };

static void *allocate_by_library(void *user, void *pointer, size_t old_size, size_t new_size) {
  (void)user;
  (void)old_size;
  if (new_size > 0) return realloc(pointer, new_size);
  free(pointer);
  return NULL;
}

/* Takes `bytes` from the limit. Returns false if they exceed it. */
static bool take(memory_account *a, size_t bytes) {
  size_t used = atomic_fetch_add(&a->used, bytes);
  if (!a->limit || (bytes <= a->limit && used - OPEN <= a->limit - bytes)) return true;
  atomic_fetch_sub(&a->used, bytes);
  return false;
}

/* Gives bytes back, and frees the account with the last of them. */
static void give_back(memory_account *a, size_t bytes) {
  if (bytes > 0 && atomic_fetch_sub(&a->used, bytes) == bytes) free(a);
}

/* Moves a block as realloc does, and counts it. Returns NULL if the limit does not allow that. */
static void *move(source *s, void *pointer, size_t old_size, size_t new_size) {
  memory_account *a = s->account;
  if (new_size > old_size && !take(a, new_size - old_size)) return NULL;
  void *moved = s->allocate(s->user, pointer, old_size, new_size);
  if (new_size > old_size && !moved) atomic_fetch_sub(&a->used, new_size - old_size);
  if (new_size < old_size && (moved || new_size == 0)) give_back(a, old_size - new_size);
  return moved;
}

static void *allocate_for_runtime(void *user, void *pointer, size_t old_size, size_t new_size) {
  return move(user, pointer, pointer ? old_size : 0, new_size);
}

/* Lua asks again after it has collected its garbage, but the blocks that the runtime keeps for
 * later are not garbage of Lua's. */
void *allocate_for_lua(void *user, void *pointer, size_t old_size, size_t new_size) {
  memory_account *a = user;
  if (!pointer) old_size = 0; /* there it names a kind of object */
  void *moved = move(&a->lua, pointer, old_size, new_size);
  if (moved || new_size <= old_size || !a->cx) return moved;
  tocha_empty_cache(a->cx);
  return move(&a->lua, pointer, old_size, new_size);
}

memory_account *open_memory_account(size_t limit, const tocha_options *runtime) {
  memory_account *a = malloc(sizeof *a);
  if (!a) return NULL;
  a->limit = limit;
  atomic_init(&a->used, OPEN);
  a->lua = (source){a, allocate_by_library, NULL};
  a->runtime = (source){a, allocate_by_library, NULL};
  if (runtime->allocate) a->runtime = (source){a, runtime->allocate, runtime->allocate_user};
  a->cx = NULL;
  return a;
}

void close_memory_account(memory_account *a) { give_back(a, OPEN); }

void count_memory_of_lua(lua_State *L, memory_account *a) {
  size_t used = ((size_t)lua_gc(L, LUA_GCCOUNT) << 10) + (size_t)lua_gc(L, LUA_GCCOUNTB);
  a->lua.allocate = lua_getallocf(L, &a->lua.user);
  atomic_fetch_add(&a->used, used);
  lua_setallocf(L, allocate_for_lua, a);
}

void count_memory_of_runtime(memory_account *a, tocha_options *options) {
  options->allocate = allocate_for_runtime;
  options->allocate_user = &a->runtime;
}

void set_account_context(memory_account *a, tocha_context *cx) { a->cx = cx; }
