/* workers.c: the threads of a DataLoader, each with a Lua state of its own, which runs
 * lua/parts/utils/data/worker.lua. Only parcels in queues pass between a worker's state and the
 * loader's. Everything else belongs to one thread alone. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lualib.h>

#include "data/parcel.h"
#include "platform/platform.h"
#include "sandbox/confined.h"

/* Seconds to wait for a worker's end; bytes of a message; allocations of a worker after the
 * stop. */
enum { MAX_WAIT = 5, FAILURE = 256, MAX_LATE = 10000 };
static const char POOL[] = "torch.workers", CHANNEL[] = "torch.worker";

typedef struct queue {
  parcel *first, *last;
} queue;

typedef struct worker {
  struct pool *pool;
  int id;
  platform_thread thread;
  queue tasks;
  tocha_context *cx; /* NULL while it cannot be interrupted */
  bool started, ended;
  lua_CFunction open; /* luaopen_torch */
  lua_State *L;       /* of the thread alone, while Lua code runs, as is the rest */
  int late;           /* how often it allocated memory since the stop */
  lua_Alloc allocate;
  void *allocate_user;
} worker;

/* Freed by its last owner: the loader's userdata or a thread. */
typedef struct pool {
  atomic_int owners;
  platform_mutex lock; /* of everything below */
  platform_condition task_came, result_came;
  atomic_bool stopped; /* written under the lock */
  parcel *setup;
  queue results;
  char failure[FAILURE]; /* why a worker ended without being told to */
  int running, count;
  worker workers[];
} pool;

/* --- queues ------------------------------------------------------------------------------------------ */

static void append_parcel(queue *q, parcel *p) {
  p->next = NULL;
  *(q->first ? &q->last->next : &q->first) = p;
  q->last = p;
}

static parcel *take_first(queue *q) {
  parcel *p = q->first;
  if (p) q->first = p->next;
  return p;
}

static void clear_queue(queue *q) {
  for (parcel *p; (p = take_first(q));) parcel_free(p);
}

static void release_pool(pool *s) {
  if (atomic_fetch_sub(&s->owners, 1) != 1) return;
  for (int i = 0; i < s->count; i++) clear_queue(&s->workers[i].tasks);
  clear_queue(&s->results);
  parcel_free(s->setup);
  platform_mutex_close(&s->lock);
  platform_condition_close(&s->task_came);
  platform_condition_close(&s->result_came);
  free(s);
}

/* Pushes the values of a kept parcel, frees the parcel, and returns the number of values.
 * [-0, +results, e] */
static int unpack_kept(lua_State *L, parcel **kept) {
  int count = unpack_values(L, *kept);
  parcel_free(*kept);
  *kept = NULL;
  return count;
}

/* --- a worker's side ----------------------------------------------------------------------------------- */

static worker *check_channel(lua_State *L) { return *(worker **)luaL_checkudata(L, 1, CHANNEL); }

/* channel:get() waits for the next task and returns its values, or nothing if the workers should
 * end. */
static int channel_get(lua_State *L) {
  worker *w = check_channel(L);
  pool *s = w->pool;
  parcel **kept = push_parcel(L);
  platform_lock(&s->lock);
  while (!s->stopped && !w->tasks.first) platform_wait(&s->task_came, &s->lock);
  if (!s->stopped) *kept = take_first(&w->tasks);
  platform_unlock(&s->lock);
  return *kept ? unpack_kept(L, kept) : 0;
}

/* channel:give(...) sends the values to the loader. */
static int channel_give(lua_State *L) {
  worker *w = check_channel(L);
  parcel *p = pack_values(L, 2, NULL);
  platform_lock(&w->pool->lock);
  append_parcel(&w->pool->results, p);
  platform_wake(&w->pool->result_came);
  platform_unlock(&w->pool->lock);
  return 0;
}

/* channel:setup() returns this state's copies of the values that torch._workers was given. */
static int channel_setup(lua_State *L) { return unpack_values(L, check_channel(L)->pool->setup); }

/* channel:is_stopped() returns true if the workers should end. */
static int channel_is_stopped(lua_State *L) {
  pool *s = check_channel(L)->pool;
  platform_lock(&s->lock);
  lua_pushboolean(L, s->stopped);
  platform_unlock(&s->lock);
  return 1;
}

/* Ends Lua code that calls no operator which would see an interrupt. No other thread may touch a
 * Lua state, but the state allocates memory all the time, and the allocator sets this hook. A
 * hook may be set at any moment, as from a signal handler. It stays set, so that a pcall does
 * not continue. A coroutine has hooks of its own, so one that continues gets no more memory. */
static void end_code(lua_State *L, lua_Debug *ar) {
  (void)ar;
  luaL_error(L, "the DataLoader's workers end");
}

static void *allocate(void *user, void *block, size_t old_size, size_t size) {
  worker *w = user;
  if (size && w->L && atomic_load_explicit(&w->pool->stopped, memory_order_relaxed)) {
    lua_sethook(w->L, end_code, LUA_MASKCOUNT, 1);
    bool grows = !block || size > old_size;
    if (grows && w->late == MAX_LATE) return NULL;
    w->late += grows;
  }
  return w->allocate(w->allocate_user, block, old_size, size);
}

static void note_context(worker *w, tocha_context *cx) {
  platform_lock(&w->pool->lock);
  w->cx = cx;
  if (cx && w->pool->stopped) tocha_interrupt(cx);
  platform_unlock(&w->pool->lock);
}

/* (worker) Does all the work of a worker. */
static int work(lua_State *L) {
  static const luaL_Reg methods[] = {{"get", channel_get},
                                     {"give", channel_give},
                                     {"setup", channel_setup},
                                     {"is_stopped", channel_is_stopped},
                                     {NULL, NULL}};
  worker *w = lua_touserdata(L, 1);
  luaL_openlibs(L);
  lua_gc(L, LUA_GCGEN, 0, 0);
  mark_worker(L);
  luaL_requiref(L, "torch", w->open, 1);
  note_context(w, CX(L));
  *(worker **)lua_newuserdatauv(L, sizeof w, 0) = w;
  luaL_newmetatable(L, CHANNEL);
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  if (!push_part(L, "utils.data.worker")) return luaL_error(L, "no worker.lua");
  lua_insert(L, -2);
  lua_call(L, 1, 0);
  return 0;
}

static void end_worker(worker *w, const char *failure) {
  pool *s = w->pool;
  platform_lock(&s->lock);
  w->ended = true;
  s->running--;
  if (failure && !s->stopped && !s->failure[0])
    snprintf(s->failure, FAILURE, "DataLoader worker %d exited unexpectedly: %.*s", w->id,
             FAILURE - 64, failure);
  platform_wake_all(&s->result_came);
  platform_unlock(&s->lock);
  release_pool(s);
}

static void *run_worker(void *user) {
  worker *w = user;
  char failure[FAILURE] = "";
  lua_State *L = luaL_newstate();
  if (L) {
    w->allocate = lua_getallocf(L, &w->allocate_user);
    lua_setallocf(L, allocate, w);
    w->L = L;
    lua_pushcfunction(L, work);
    lua_pushlightuserdata(L, w);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
      const char *text = lua_tostring(L, -1);
      snprintf(failure, sizeof failure, "%s", text ? text : "an error");
    }
    w->L = NULL;
    lua_sethook(L, NULL, 0, 0);
    note_context(w, NULL);
    lua_close(L);
  }
  end_worker(w, !L ? "not enough memory" : failure[0] ? failure : NULL);
  return NULL;
}

/* --- the loader's side ----------------------------------------------------------------------------------- */

static pool *check_pool(lua_State *L) {
  pool *s = *(pool **)luaL_checkudata(L, 1, POOL);
  if (!s) luaL_error(L, "these workers have ended");
  return s;
}

/* Returns the time of platform_nanoseconds that is `seconds` from now. */
static int64_t in_seconds(double seconds) {
  return platform_nanoseconds() + (int64_t)(seconds * 1e9);
}

/* Tells the workers to end: before the next task, or within an operator. */
static void stop_pool(pool *s) {
  platform_lock(&s->lock);
  s->stopped = true;
  for (int i = 0; i < s->count; i++)
    if (s->workers[i].cx) tocha_interrupt(s->workers[i].cx);
  platform_wake_all(&s->task_came);
  platform_unlock(&s->lock);
}

/* Waits for the workers. Abandons one that does not return from code outside of torch. */
static void join_pool(pool *s) {
  int64_t deadline = in_seconds(MAX_WAIT);
  platform_lock(&s->lock);
  while (s->running > 0 && platform_wait_until(&s->result_came, &s->lock, deadline)) continue;
  platform_unlock(&s->lock);
  for (int i = 0; i < s->count; i++) {
    worker *w = &s->workers[i];
    if (!w->started) continue;
    platform_lock(&s->lock);
    bool ended = w->ended;
    platform_unlock(&s->lock);
    if (ended)
      platform_join_thread(&w->thread);
    else
      platform_detach_thread(&w->thread);
  }
}

/* Stops the workers: pool:stop(), and the pool's __gc. */
static int pool_stop(lua_State *L) {
  pool **box = luaL_checkudata(L, 1, POOL), *s = *box;
  *box = NULL;
  if (!s) return 0;
  stop_pool(s);
  join_pool(s);
  release_pool(s);
  return 0;
}

/* pool:give(worker, ...) sends a worker its next task. Workers count from 0. */
static int pool_give(lua_State *L) {
  pool *s = check_pool(L);
  lua_Integer i = luaL_checkinteger(L, 2);
  luaL_argcheck(L, i >= 0 && i < s->count, 2, "no such worker");
  parcel *p = pack_values(L, 3, NULL);
  platform_lock(&s->lock);
  append_parcel(&s->workers[i].tasks, p);
  platform_wake_all(&s->task_came);
  platform_unlock(&s->lock);
  return 0;
}

/* pool:get(seconds) returns the values that a worker sent, or nothing if none arrives in that
 * time. */
static int pool_get(lua_State *L) {
  pool *s = check_pool(L);
  int64_t deadline = in_seconds(luaL_checknumber(L, 2));
  parcel **kept = push_parcel(L);
  platform_lock(&s->lock);
  if (!s->results.first && !s->failure[0]) platform_wait_until(&s->result_came, &s->lock, deadline);
  *kept = take_first(&s->results);
  bool failed = !*kept && s->failure[0];
  platform_unlock(&s->lock);
  if (failed) return raise_long(L, TOCHA_RUNTIME_ERROR, NULL, s->failure); /* written once */
  if (tocha_interrupted(CX(L))) return raise_error(L);
  if (!*kept) return 0;
  charge_collector(L, binding_of(L));
  return unpack_kept(L, kept);
}

/* Starts the threads. Returns false if one does not start. */
static bool start_workers(pool *s) {
  bool started = true;
  for (int i = 0; i < s->count && started; i++) {
    worker *w = &s->workers[i];
    atomic_fetch_add(&s->owners, 1);
    platform_lock(&s->lock);
    s->running++;
    started = w->started = platform_start_thread(&w->thread, 0, run_worker, w);
    if (!started) s->running--;
    platform_unlock(&s->lock);
    if (!started) atomic_fetch_sub(&s->owners, 1);
  }
  return started;
}

static pool *new_pool(int count, lua_CFunction open) {
  pool *s = calloc(1, sizeof *s + (size_t)count * sizeof *s->workers);
  if (!s) return NULL;
  atomic_init(&s->owners, 1);
  platform_mutex_open(&s->lock);
  platform_condition_open(&s->task_came);
  platform_condition_open(&s->result_came);
  s->count = count;
  for (int i = 0; i < count; i++) {
    s->workers[i].pool = s;
    s->workers[i].open = open;
    s->workers[i].id = i;
  }
  return s;
}

static void push_pool_metatable(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"give", pool_give}, {"get", pool_get}, {"stop", pool_stop}, {NULL, NULL}};
  if (luaL_getmetatable(L, POOL) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_createtable(L, 0, 3);
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, pool_stop);
  lua_setfield(L, -2, "__gc");
  lua_pushstring(L, POOL);
  lua_setfield(L, -2, "__name");
  register_metatable(L, POOL);
}

/* torch._workers(count, labels, ...) starts threads that have the values behind the labels as
 * their setup. Returns nothing if the system starts no more threads, if the host refuses threads, and
 * in a sandbox, whose limits are those of one state. */
static int workers(lua_State *L) {
  if (is_sandboxed(L) || tocha_refused(CX(L)) & TOCHA_REFUSE_THREADS) return 0;
  lua_Integer count = luaL_checkinteger(L, 1);
  luaL_argcheck(L, count > 0 && count <= 4096, 1, "from 1 to 4096 workers");
  luaL_checktype(L, 2, LUA_TTABLE);
  const char *labels[16];
  int values = lua_gettop(L) - 2;
  luaL_argcheck(L, values <= TOCHA_COUNT(labels), 2, "too many values");
  for (int i = 0; i < values; i++) {
    labels[i] = lua_rawgeti(L, 2, i + 1) == LUA_TSTRING ? lua_tostring(L, -1) : "value";
    lua_pop(L, 1); /* the table keeps the text */
  }
  pool **box = lua_newuserdatauv(L, sizeof(pool *), 0);
  *box = NULL;
  push_pool_metatable(L);
  lua_setmetatable(L, -2);
  lua_insert(L, 3);
  parcel *setup = pack_values(L, 4, labels);
  pool *s = new_pool((int)count, binding_of(L)->hooks->open);
  if (!s) {
    parcel_free(setup);
    return raise_message(L, TOCHA_MEMORY_ERROR, "not enough memory");
  }
  *box = s;
  s->setup = setup;
  if (!start_workers(s)) {
    lua_pushcfunction(L, pool_stop);
    lua_pushvalue(L, 3);
    lua_call(L, 1, 0);
    return 0;
  }
  lua_settop(L, 3);
  return 1;
}

void open_workers(lua_State *L, int torch) {
  lua_pushcfunction(L, workers);
  lua_setfield(L, torch, "_workers");
}
