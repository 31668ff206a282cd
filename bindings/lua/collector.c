/* collector.c: the pace of Lua's garbage collector, which does not see the memory behind a
 * tensor. */
#include "lua/options.h"
#include "platform/platform.h"

/* A collection is worth its time if its memory is reused while it is in the processor's cache;
 * the time is measured. Young collections look only at new objects and take about a microsecond,
 * whatever the size of Lua's heap. Objects that live through two of them wait for a full one.
 * Young collections are therefore paced by the bytes allocated, and are rarer if they free
 * little. Full collections are paced by the growth of live memory: early while the garbage is
 * still in the cache and a full collection is cheap, otherwise when the garbage exceeds half of
 * what survived the last one. In the incremental mode of a host, which wants short pauses, the
 * bytes become steps. */
enum {
  MiB = 1 << 20,
  MIN_YOUNG = 1 * MiB,   /* minimum number of bytes between two young collections */
  USUAL_YOUNG = 4 * MiB, /* maximum while full collections are cheap */
  MAX_YOUNG = 32 * MiB,  /* maximum while full collections are expensive */
  MIN_GROWTH = 8 * MiB,  /* growth in bytes below which no full collection is made */
  CACHED = 32 * MiB,     /* garbage beyond this has left the cache, so there is no hurry */
  MAX_GROWTH = 96 * MiB, /* growth that needs a full collection (or half of the surviving bytes) */
  CHEAP = 8,        /* a full collection is cheap once this many times its duration has passed */
  PART_OF_GPU = 16, /* a GPU's garbage may take a sixteenth of its memory */
  A_STEP = 1 * MiB, /* bytes of Lua's heap that a step of the incremental mode handles, at least */
  MAX_STEPS = 1 << 12, /* the maximum number of such steps in a row */
  MINOR = 10,          /* percent by which Lua's own heap grows between two young collections */
  GPU_BRAKE = 4        /* full collections for a GPU's memory take at most a fifth of the time */
};
/* The generational collector had faults before Lua 5.4.4. With those versions all collections
 * are full. */
static const bool generational = LUA_VERSION_RELEASE_NUM >= 50404;

static double seconds(void) { return 1e-9 * (double)platform_nanoseconds(); }

static size_t largest(size_t a, size_t b) { return a > b ? a : b; }
static size_t since(const pace *p, tocha_byte_counts now) { return now.total - p->last.total; }
static size_t growth(const pace *p, tocha_byte_counts now) {
  return now.live > p->survived ? now.live - p->survived : 0;
}

static void note_full(pace *p, tocha_byte_counts now) {
  p->survived = now.live;
  p->last = now;
}

/* Runs a full collection, and notes the mode of Lua's collector, which only a change of the mode
 * reveals. */
void collect_garbage(lua_State *L, binding *b) {
  int mode = b->collecting ? -1 : lua_gc(L, LUA_GCINC, 0, 0, 0);
  if (mode < 0) return; /* in a finalizer */
  double start = seconds();
  b->collecting = true;
  b->incremental = mode != LUA_GCGEN;
  if (b->incremental)
    lua_gc(L, LUA_GCCOLLECT);
  else
    lua_gc(L, LUA_GCGEN, 0, 0); /* going back to it is a full collection */
  b->collecting = false;
  b->full_collections++;
  b->collected_at = seconds();
  b->collection_time = b->collected_at - start;
  note_full(&b->host, tocha_host_bytes(b->cx));
  note_full(&b->gpu, tocha_gpu_bytes(b->cx));
}

/* Adjusts the pace of young collections. If the last one freed less than half of the bytes
 * allocated since the one before, the limit doubles, up to `maximum`. If it freed more than 7/8
 * of them, the limit halves, down to `minimum`. */
static void note_young(pace *p, tocha_byte_counts now, size_t before, size_t minimum,
                       size_t maximum) {
  size_t bytes = since(p, now), freed = before - now.live;
  if (bytes >= p->limit && freed < bytes / 2 && p->limit * 2 <= maximum) p->limit *= 2;
  if (freed > bytes / 8 * 7 && p->limit / 2 >= minimum) p->limit /= 2;
  p->last = now;
}

static void collect_young(lua_State *L, binding *b, bool cheap) {
  size_t host = tocha_host_bytes(b->cx).live, gpu = tocha_gpu_bytes(b->cx).live;
  if (generational) {
    b->collecting = true;
    lua_gc(L, LUA_GCSTEP, 0);
    b->collecting = false;
    b->young_collections++;
  }
  note_young(&b->host, tocha_host_bytes(b->cx), host, MIN_YOUNG, cheap ? USUAL_YOUNG : MAX_YOUNG);
  note_young(&b->gpu, tocha_gpu_bytes(b->cx), gpu, b->gpu_part / 16, b->gpu_part);
}

/* Returns the bytes of garbage that may pile up in the incremental mode: at least Lua's heap,
 * which doubles between two cycles. */
static size_t allowance(const pace *p, size_t minimum, size_t heap) {
  return largest(largest(minimum, p->survived / 2), heap);
}

static size_t lua_heap(lua_State *L) { return (size_t)lua_gc(L, LUA_GCCOUNT) << 10; }

/* Lets the incremental collector take steps in proportion to the allocated bytes, so that it has
 * passed through Lua's heap before the allowed garbage has piled up. */
static void take_steps(lua_State *L, binding *b) {
  tocha_byte_counts host = tocha_host_bytes(b->cx), gpu = tocha_gpu_bytes(b->cx);
  size_t heap = lua_heap(L);
  double share = (double)since(&b->host, host) / (double)allowance(&b->host, MAX_GROWTH, heap);
  if (b->gpu_part)
    share += (double)since(&b->gpu, gpu) / (double)allowance(&b->gpu, b->gpu_part, 0);
  double steps = share * (double)heap / A_STEP;
  bool ended = false;
  b->collecting = true;
  for (int i = 0; i <= steps && i < MAX_STEPS && !ended; i++) ended = lua_gc(L, LUA_GCSTEP, 0) == 1;
  b->collecting = false;
  host = tocha_host_bytes(b->cx), gpu = tocha_gpu_bytes(b->cx);
  if (ended) {
    note_full(&b->host, host);
    note_full(&b->gpu, gpu);
  } else {
    b->host.last = host;
    b->gpu.last = gpu;
  }
}

/* Limits the garbage on a GPU to a part of its memory. Caches play no role there. */
static void measure_gpu(binding *b) {
  tocha_device_properties p;
  if (tocha_get_device_properties(b->cx, tocha_current_device(b->cx), &p))
    b->gpu_part = p.total_memory / PART_OF_GPU;
  else
    tocha_clear_error(b->cx);
  b->gpu_part = largest(b->gpu_part, MIN_YOUNG);
  b->gpu.limit = b->gpu_part / 8;
}

/* Returns true if enough garbage has outlived young collections to make a full collection worth
 * its time. `passed` is the time in seconds since the last one. */
static bool wants_full(const binding *b, double passed) {
  tocha_byte_counts host = tocha_host_bytes(b->cx), gpu = tocha_gpu_bytes(b->cx);
  size_t grown = growth(&b->host, host);
  if (grown > largest(MAX_GROWTH, b->host.survived / 2)) return true;
  if (grown > MIN_GROWTH && grown < CACHED && passed > CHEAP * b->collection_time) return true;
  return b->gpu_part && growth(&b->gpu, gpu) > largest(b->gpu_part, b->gpu.survived / 2) &&
         passed > GPU_BRAKE * b->collection_time;
}

/* Returns true if the steps of the incremental mode do not keep up, or the collector has left that
 * mode. */
static bool falls_behind(lua_State *L, const binding *b) {
  size_t host = growth(&b->host, tocha_host_bytes(b->cx));
  size_t gpu = growth(&b->gpu, tocha_gpu_bytes(b->cx));
  return host > 3 * allowance(&b->host, MAX_GROWTH, lua_heap(L)) ||
         (b->gpu_part && gpu > 3 * allowance(&b->gpu, b->gpu_part, 0));
}

/* Does the collections that are due in the mode of Lua's collector. Does nothing while the program
 * has stopped it. */
static void collect_due(lua_State *L, binding *b) {
  if (lua_gc(L, LUA_GCISRUNNING) == 0) return;
  if (b->incremental) {
    take_steps(L, b);
    if (!falls_behind(L, b)) return;
    collect_garbage(L, b);
    return;
  }
  double passed = seconds() - b->collected_at;
  collect_young(L, b, passed > CHEAP * b->collection_time);
  if (wants_full(b, passed)) collect_garbage(L, b);
}

/* Does the collections that are due if enough bytes were allocated. */
static void look(lua_State *L, binding *b) {
  end_left_scopes(L, b);
  tocha_byte_counts host = tocha_host_bytes(b->cx), gpu = tocha_gpu_bytes(b->cx);
  if (!b->gpu_part && gpu.total) measure_gpu(b);
  if (since(&b->host, host) >= b->host.limit || since(&b->gpu, gpu) > b->gpu.limit)
    collect_due(L, b);
  b->looked_at = tocha_total_bytes(b->cx);
  b->look_after = b->host.limit;
}

void charge_collector(lua_State *L, binding *b) {
  if (b->running != L) note_running(L, b);
  if (tocha_total_bytes(b->cx) - b->looked_at >= b->look_after && !b->collecting) look(L, b);
}

/* Frees memory when the runtime asks for it, and returns true if any became free. The first
 * collection runs finalizers. The second frees what the finalized objects held. */
static bool release_memory(void *user) {
  binding *b = user;
  if (b->collecting) return false;
  size_t before = tocha_host_bytes(b->cx).live + tocha_gpu_bytes(b->cx).live;
  collect_garbage(b->main, b);
  collect_garbage(b->main, b);
  return tocha_host_bytes(b->cx).live + tocha_gpu_bytes(b->cx).live < before;
}

static int collect_now(lua_State *L) {
  collect_garbage(L, binding_of(L));
  return 0;
}

/* torch._stress(on) turns a collection after every result on or off (for specs). */
static int set_stress(lua_State *L) {
  luaL_checktype(L, 1, LUA_TBOOLEAN);
  binding_of(L)->stress = lua_toboolean(L, 1);
  return 0;
}

/* torch._memory() returns a table of the CPU's memory statistics in bytes, the numbers of
 * collections, and the number of tensors in open scopes (0 between two calls). */
static int memory(lua_State *L) {
  binding *b = binding_of(L);
  end_left_scopes(L, b);
  tocha_memory_statistics s = tocha_memory(b->cx, tocha_cpu());
  const struct {
    const char *name;
    size_t value;
  } fields[] = {{"allocated", s.allocated},
                {"max_allocated", s.max_allocated},
                {"reserved", s.reserved},
                {"total", s.total},
                {"collections", s.collections},
                {"full_collections", b->full_collections},
                {"young_collections", b->young_collections},
                {"scope", tocha_scope_size(b->cx)}};
  lua_createtable(L, 0, TOCHA_COUNT(fields));
  for (int i = 0; i < TOCHA_COUNT(fields); i++) {
    lua_pushinteger(L, (lua_Integer)fields[i].value);
    lua_setfield(L, -2, fields[i].name);
  }
  return 1;
}

static int reset_peak_memory(lua_State *L) {
  tocha_reset_peak_memory(CX(L), tocha_cpu());
  return 0;
}

static int empty_cache(lua_State *L) {
  tocha_empty_cache(CX(L));
  return 0;
}

/* torch._fail_allocation(n) makes the n-th allocation from now fail once (for specs). With -1
 * none fails. */
static int fail_allocation(lua_State *L) {
  tocha_fail_allocation(CX(L), luaL_checkinteger(L, 1));
  return 0;
}

/* Sets the pace that suits tensors if the mode is generational, as lua and tocha choose. Leaves a
 * host's incremental mode and its settings alone. */
static void choose_mode(lua_State *L, binding *b) {
  bool was_generational = lua_gc(L, LUA_GCINC, 0, 0, 0) == LUA_GCGEN;
  b->incremental = !was_generational;
  if (options_of(L)->given.leave & TOCHA_LUA_LEAVE_COLLECTOR) {
    if (was_generational) lua_gc(L, LUA_GCGEN, 0, 0);
    return;
  }
  if (was_generational && generational)
    lua_gc(L, LUA_GCGEN, MINOR, 0);
  else if (was_generational)
    lua_gc(L, LUA_GCINC, 130, 400, 0);
}

void open_collector(lua_State *L, int torch) {
  static const luaL_Reg functions[] = {{"_collect", collect_now},
                                       {"_memory", memory},
                                       {"_stress", set_stress},
                                       {"_reset_peak_memory", reset_peak_memory},
                                       {"_empty_cache", empty_cache},
                                       {"_fail_allocation", fail_allocation},
                                       {NULL, NULL}};
  binding *b = binding_of(L);
  b->host.limit = b->look_after = MIN_YOUNG;
  tocha_on_memory_pressure(b->cx, release_memory, b);
  choose_mode(L, b);
  lua_pushvalue(L, torch);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}
