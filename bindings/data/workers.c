/* workers.c: the threads of a DataLoader, each with a Lua state of its own, which runs
 * lua/parts/utils/data/worker.lua. Only parcels in queues pass between a worker's state and the
 * loader's. Everything else belongs to one thread alone. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lualib.h>

#include "data/parcel.h"
#include "tocha/signals.h"

/* Seconds to wait for a worker's end; bytes of a message; allocations of a worker after the
 * stop. */
enum { MAX_WAIT = 5, FAILURE = 256, MAX_LATE = 10000 };
static const char POOL[] = "torch.workers", CHANNEL[] = "torch.worker", KEPT[] = "torch.parcel";

typedef struct queue {
  parcel *first, *last;
} queue;

typedef struct worker {
  struct pool *pool;
  int id;
  pthread_t thread;
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
  pthread_mutex_t lock; /* of everything below */
  pthread_cond_t task_came, result_came;
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
  pthread_mutex_destroy(&s->lock);
  pthread_cond_destroy(&s->task_came);
  pthread_cond_destroy(&s->result_came);
  free(s);
}

/* Frees the parcel of a userdata, which keeps it while Lua errors are possible. */
static int free_kept(lua_State *L) {
  parcel **kept = lua_touserdata(L, 1);
  parcel_free(*kept);
  *kept = NULL;
  return 0;
}

static parcel **push_kept(lua_State *L) {
  static const luaL_Reg events[] = {{"__gc", free_kept}, {NULL, NULL}};
  parcel **kept = lua_newuserdatauv(L, sizeof *kept, 0);
  *kept = NULL;
  if (luaL_newmetatable(L, KEPT)) luaL_setfuncs(L, events, 0);
  lua_setmetatable(L, -2);
  return kept;
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
  parcel **kept = push_kept(L);
  pthread_mutex_lock(&s->lock);
  while (!s->stopped && !w->tasks.first) pthread_cond_wait(&s->task_came, &s->lock);
  if (!s->stopped) *kept = take_first(&w->tasks);
  pthread_mutex_unlock(&s->lock);
  return *kept ? unpack_kept(L, kept) : 0;
}

/* channel:give(...) sends the values to the loader. */
static int channel_give(lua_State *L) {
  worker *w = check_channel(L);
  parcel *p = pack_values(L, 2, NULL);
  pthread_mutex_lock(&w->pool->lock);
  append_parcel(&w->pool->results, p);
  pthread_cond_signal(&w->pool->result_came);
  pthread_mutex_unlock(&w->pool->lock);
  return 0;
}

/* channel:setup() returns this state's copies of the values that torch._workers was given. */
static int channel_setup(lua_State *L) { return unpack_values(L, check_channel(L)->pool->setup); }

/* channel:is_stopped() returns true if the workers should end. */
static int channel_is_stopped(lua_State *L) {
  pool *s = check_channel(L)->pool;
  pthread_mutex_lock(&s->lock);
  lua_pushboolean(L, s->stopped);
  pthread_mutex_unlock(&s->lock);
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
  pthread_mutex_lock(&w->pool->lock);
  w->cx = cx;
  if (cx && w->pool->stopped) tocha_interrupt(cx);
  pthread_mutex_unlock(&w->pool->lock);
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
  pthread_mutex_lock(&s->lock);
  w->ended = true;
  s->running--;
  if (failure && !s->stopped && !s->failure[0])
    snprintf(s->failure, FAILURE, "DataLoader worker %d exited unexpectedly: %.*s", w->id,
             FAILURE - 64, failure);
  pthread_cond_broadcast(&s->result_came);
  pthread_mutex_unlock(&s->lock);
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

static void after(struct timespec *t, double seconds) {
  clock_gettime(CLOCK_REALTIME, t);
  long whole = (long)seconds, rest = (long)((seconds - (double)whole) * 1e9) + t->tv_nsec;
  t->tv_sec += whole + rest / 1000000000;
  t->tv_nsec = rest % 1000000000;
}

/* Tells the workers to end: before the next task, or within an operator. */
static void stop_pool(pool *s) {
  pthread_mutex_lock(&s->lock);
  s->stopped = true;
  for (int i = 0; i < s->count; i++)
    if (s->workers[i].cx) tocha_interrupt(s->workers[i].cx);
  pthread_cond_broadcast(&s->task_came);
  pthread_mutex_unlock(&s->lock);
}

/* Waits for the workers. Abandons one that does not return from code outside of torch. */
static void join_pool(pool *s) {
  struct timespec deadline;
  after(&deadline, MAX_WAIT);
  pthread_mutex_lock(&s->lock);
  while (s->running > 0 && pthread_cond_timedwait(&s->result_came, &s->lock, &deadline) == 0) {
  }
  pthread_mutex_unlock(&s->lock);
  for (int i = 0; i < s->count; i++) {
    worker *w = &s->workers[i];
    if (!w->started) continue;
    pthread_mutex_lock(&s->lock);
    bool ended = w->ended;
    pthread_mutex_unlock(&s->lock);
    if (ended)
      pthread_join(w->thread, NULL);
    else
      pthread_detach(w->thread);
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
  pthread_mutex_lock(&s->lock);
  append_parcel(&s->workers[i].tasks, p);
  pthread_cond_broadcast(&s->task_came);
  pthread_mutex_unlock(&s->lock);
  return 0;
}

/* pool:get(seconds) returns the values that a worker sent, or nothing if none arrives in that
 * time. */
static int pool_get(lua_State *L) {
  pool *s = check_pool(L);
  struct timespec deadline;
  after(&deadline, luaL_checknumber(L, 2));
  parcel **kept = push_kept(L);
  pthread_mutex_lock(&s->lock);
  if (!s->results.first && !s->failure[0])
    pthread_cond_timedwait(&s->result_came, &s->lock, &deadline);
  *kept = take_first(&s->results);
  bool failed = !*kept && s->failure[0];
  pthread_mutex_unlock(&s->lock);
  if (failed) return raise_long(L, TOCHA_RUNTIME_ERROR, NULL, s->failure); /* written once */
  if (tocha_interrupted(CX(L))) return raise_error(L);
  if (!*kept) return 0;
  charge_collector(L, binding_of(L));
  return unpack_kept(L, kept);
}

/* Starts the threads. They receive no signals, which are the program's. Returns false if a
 * thread does not start. */
static bool start_workers(pool *s) {
  bool started = true;
  tocha_signal_mask held = tocha_hold_signals();
  for (int i = 0; i < s->count && started; i++) {
    worker *w = &s->workers[i];
    atomic_fetch_add(&s->owners, 1);
    pthread_mutex_lock(&s->lock);
    s->running++;
    started = w->started = pthread_create(&w->thread, NULL, run_worker, w) == 0;
    if (!started) s->running--;
    pthread_mutex_unlock(&s->lock);
    if (!started) atomic_fetch_sub(&s->owners, 1);
  }
  tocha_release_signals(&held);
  return started;
}

static pool *new_pool(int count, lua_CFunction open) {
  pool *s = calloc(1, sizeof *s + (size_t)count * sizeof *s->workers);
  if (!s) return NULL;
  atomic_init(&s->owners, 1);
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->task_came, NULL);
  pthread_cond_init(&s->result_came, NULL);
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
  if (!luaL_newmetatable(L, POOL)) return;
  luaL_newlib(L, methods);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, pool_stop);
  lua_setfield(L, -2, "__gc");
}

/* torch._workers(count, labels, ...) starts threads that have the values behind the labels as
 * their setup. Returns nothing if the system starts no more threads. */
static int workers(lua_State *L) {
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
