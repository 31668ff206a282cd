/* memory.c: the functions of <tocha/device_memory.h> for lua/torch/cuda/memory.lua. */
#include "tocha/device_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cuda/history.h"
#include "cuda/index.h"

static void set_integer(lua_State *L, const char *name, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

/* Sets the field `name` of the table on top to a table of the statistic's numbers. [-0, +0, m] */
static void set_statistic(lua_State *L, const char *name, const tocha_statistic *s) {
  lua_createtable(L, 0, 4);
  set_integer(L, "current", s->current);
  set_integer(L, "peak", s->peak);
  set_integer(L, "allocated", s->allocated);
  set_integer(L, "freed", s->freed);
  lua_setfield(L, -2, name);
}

/* Sets the field `name` of the table on top to a table of a figure's statistics. [-0, +0, m] */
static void set_figure(lua_State *L, const char *name, const tocha_statistic *figure) {
  static const char *const pools[TOCHA_POOL_COUNT] = {"all", "small_pool", "large_pool"};
  lua_createtable(L, 0, TOCHA_POOL_COUNT);
  for (int i = 0; i < TOCHA_POOL_COUNT; i++) set_statistic(L, pools[i], &figure[i]);
  lua_setfield(L, -2, name);
}

/* torch._cuda.statistics(device) returns PyTorch's nested table of statistics. */
static int statistics(lua_State *L) {
  static const char *const figures[TOCHA_FIGURE_COUNT] = {
      "allocation",      "segment",        "active",       "inactive_split",
      "allocated_bytes", "reserved_bytes", "active_bytes", "inactive_split_bytes",
      "requested_bytes"};
  tocha_device_statistics s;
  if (!tocha_device_statistics_of(CX(L), check_device_index(L, 1), &s)) return raise_error(L);
  lua_createtable(L, 0, TOCHA_FIGURE_COUNT + 9);
  for (int i = 0; i < TOCHA_FIGURE_COUNT; i++) set_figure(L, figures[i], s.figures[i]);
  set_statistic(L, "oversize_allocations", &s.oversize_allocations);
  set_statistic(L, "oversize_segments", &s.oversize_segments);
  set_integer(L, "num_alloc_retries", s.retries);
  set_integer(L, "num_ooms", s.exhausted);
  set_integer(L, "num_sync_all_streams", s.waits_for_all_streams);
  set_integer(L, "num_device_alloc", s.driver_allocations);
  set_integer(L, "num_device_free", s.driver_frees);
  set_integer(L, "max_split_size", s.max_split_size);
  return 1;
}

static int reset_sums(lua_State *L) {
  return tocha_reset_device_sums(CX(L), check_device_index(L, 1)) ? 0 : raise_error(L);
}

/* torch._cuda.pinned_statistics() returns PyTorch's nested table, empty if no GPU was used. */
static int pinned_statistics(lua_State *L) {
  tocha_pinned_statistics s;
  lua_createtable(L, 0, 8);
  if (!tocha_pinned_statistics_of(CX(L), &s)) return 1;
  set_statistic(L, "allocations", &s.allocations);
  set_statistic(L, "allocated_bytes", &s.allocated_bytes);
  set_statistic(L, "active_requests", &s.active_requests);
  set_statistic(L, "active_bytes", &s.active_bytes);
  set_integer(L, "num_host_alloc", s.allocations.allocated);
  set_integer(L, "num_host_free", s.allocations.freed);
  lua_createtable(L, 0, 5);
  set_integer(L, "total", s.allocation_time);
  set_integer(L, "max", s.longest_allocation);
  set_integer(L, "min", s.shortest_allocation);
  set_integer(L, "count", s.allocations.allocated);
  set_integer(L, "avg", s.allocations.allocated ? s.allocation_time / s.allocations.allocated : 0);
  lua_setfield(L, -2, "host_alloc_time");
  lua_createtable(L, 0, 5); /* blocks are kept until the context is closed */
  set_integer(L, "total", 0);
  set_integer(L, "max", 0);
  set_integer(L, "min", 0);
  set_integer(L, "count", 0);
  set_integer(L, "avg", 0);
  lua_setfield(L, -2, "host_free_time");
  return 1;
}

static int reset_pinned_peak(lua_State *L) { return tocha_reset_pinned_peak(CX(L)), 0; }
static int reset_pinned_sums(lua_State *L) { return tocha_reset_pinned_sums(CX(L)), 0; }

static int set_fraction(lua_State *L) {
  double fraction = luaL_checknumber(L, 1);
  return tocha_set_memory_fraction(CX(L), check_device_index(L, 2), fraction) ? 0 : raise_error(L);
}

static int fraction(lua_State *L) {
  double answer;
  if (!tocha_memory_fraction(CX(L), check_device_index(L, 1), &answer)) return raise_error(L);
  lua_pushnumber(L, answer);
  return 1;
}

/* torch._cuda.settings(device) returns the allocator's settings, as PyTorch's snapshots have them. */
static int settings(lua_State *L) {
  tocha_allocator_settings s;
  if (!tocha_allocator_settings_of(CX(L), check_device_index(L, 1), &s)) return raise_error(L);
  lua_createtable(L, 0, 5);
  lua_pushstring(L, s.text);
  lua_setfield(L, -2, "PYTORCH_CUDA_ALLOC_CONF");
  set_integer(L, "max_split_size", s.max_split_size);
  lua_pushnumber(L, s.garbage_collection_threshold);
  lua_setfield(L, -2, "garbage_collection_threshold");
  lua_pushboolean(L, s.expandable_segments);
  lua_setfield(L, -2, "expandable_segments");
  lua_createtable(L, 0, TOCHA_COUNT(s.roundup_power2_divisions));
  for (int i = 0; i < TOCHA_COUNT(s.roundup_power2_divisions); i++) {
    char size[16];
    snprintf(size, sizeof size, "%d", 1 << i);
    set_integer(L, size, s.roundup_power2_divisions[i]);
  }
  lua_setfield(L, -2, "roundup_power2_divisions");
  return 1;
}

static int set_settings(lua_State *L) {
  return tocha_set_allocator_settings(CX(L), luaL_checkstring(L, 1)) ? 0 : raise_error(L);
}

/* Blocks that were visited, in memory of a userdata. */
typedef struct block_list {
  tocha_memory_block *blocks;
  size_t count, capacity;
} block_list;

static void count_block(void *user, const tocha_memory_block *block) {
  (void)block;
  ++*(size_t *)user;
}

static void keep_block(void *user, const tocha_memory_block *block) {
  block_list *list = user;
  if (list->count < list->capacity) list->blocks[list->count++] = *block;
}

/* torch._cuda.blocks() returns all blocks of all GPUs, those of one segment one after the other. */
static int blocks(lua_State *L) {
  static const char *const states[] = {"active_allocated", "active_pending_free", "inactive"};
  block_list list = {0};
  tocha_visit_blocks(CX(L), count_block, &list.capacity);
  list.blocks = lua_newuserdatauv(L, list.capacity * sizeof *list.blocks + 1, 0);
  tocha_visit_blocks(CX(L), keep_block, &list);
  lua_createtable(L, (int)list.count, 0);
  for (size_t i = 0; i < list.count; i++) {
    const tocha_memory_block *block = &list.blocks[i];
    lua_createtable(L, 0, 10);
    set_integer(L, "device", block->device);
    set_integer(L, "address", (lua_Integer)block->address);
    set_integer(L, "size", (lua_Integer)block->size);
    set_integer(L, "requested_size", (lua_Integer)block->requested);
    lua_pushstring(L, states[block->state]);
    lua_setfield(L, -2, "state");
    set_integer(L, "stream", (lua_Integer)(intptr_t)block->stream);
    set_integer(L, "segment", (lua_Integer)block->segment);
    lua_pushstring(L, block->small ? "small" : "large");
    lua_setfield(L, -2, "segment_type");
    lua_pushboolean(L, block->expandable);
    lua_setfield(L, -2, "is_expandable");
    set_integer(L, "pool", (lua_Integer)block->pool);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* A pool that was visited, and pools in memory of a userdata. */
typedef struct pool_figure {
  uint64_t number;
  tocha_statistic reserved[TOCHA_POOL_COUNT];
} pool_figure;
typedef struct pool_list {
  pool_figure *pools;
  size_t count, capacity;
} pool_list;

static void keep_pool(void *user, uint64_t number, const tocha_statistic *reserved) {
  pool_list *list = user;
  if (list->count < list->capacity) {
    list->pools[list->count].number = number;
    memcpy(list->pools[list->count].reserved, reserved, sizeof list->pools->reserved);
  }
  list->count++;
}

/* torch._cuda.pools(device) returns the figures of the bytes that each pool of a GPU has, by "0_" and its
 * number, as PyTorch names pools in statistics. */
static int pools(lua_State *L) {
  int device = check_device_index(L, 1);
  pool_list list = {0};
  if (!tocha_visit_memory_pools(CX(L), device, keep_pool, &list)) return raise_error(L);
  list.capacity = list.count;
  list.count = 0;
  list.pools = lua_newuserdatauv(L, list.capacity * sizeof *list.pools + 1, 0);
  if (!tocha_visit_memory_pools(CX(L), device, keep_pool, &list)) return raise_error(L);
  lua_createtable(L, 0, (int)list.count);
  for (size_t i = 0; i < list.count && i < list.capacity; i++) {
    char name[32];
    snprintf(name, sizeof name, "0_%" PRIu64, list.pools[i].number);
    set_figure(L, name, list.pools[i].reserved);
  }
  return 1;
}

/* torch._cuda.new_memory(bytes, device, stream or nil) returns the address of new memory. */
static int new_memory(lua_State *L) {
  lua_Integer bytes = luaL_checkinteger(L, 1);
  tocha_stream *stream = lua_isnoneornil(L, 3) ? NULL : check_stream(L, 3);
  if (bytes < 0) return raise_message(L, TOCHA_VALUE_ERROR, "size must not be negative");
  void *data = tocha_device_memory_new(CX(L), check_device_index(L, 2), stream, (size_t)bytes);
  if (!data && bytes > 0) return raise_error(L);
  lua_pushinteger(L, (lua_Integer)(intptr_t)data);
  return 1;
}

static int free_memory(lua_State *L) {
  void *data = (void *)(intptr_t)luaL_checkinteger(L, 1); // NOLINT(performance-no-int-to-ptr)
  return tocha_device_memory_free(CX(L), data) ? 0 : raise_error(L);
}

void open_cuda_memory(lua_State *L, int torch) {
  static const luaL_Reg functions[] = {{"statistics", statistics},
                                       {"reset_sums", reset_sums},
                                       {"pinned_statistics", pinned_statistics},
                                       {"reset_pinned_peak", reset_pinned_peak},
                                       {"reset_pinned_sums", reset_pinned_sums},
                                       {"set_fraction", set_fraction},
                                       {"fraction", fraction},
                                       {"blocks", blocks},
                                       {"pools", pools},
                                       {"settings", settings},
                                       {"set_settings", set_settings},
                                       {"new_memory", new_memory},
                                       {"free_memory", free_memory},
                                       {"record_history", record_history},
                                       {"history", history},
                                       {"frames_of", frames_of},
                                       {NULL, NULL}};
  lua_getfield(L, torch, "_cuda");
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}
