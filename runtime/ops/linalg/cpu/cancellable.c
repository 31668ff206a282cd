/* cancellable.c: runs long calls of LAPACK, each in a thread of its own.
 *
 * LAPACK cannot be interrupted. The computing thread therefore has its own copies of everything, and the caller only waits. On
 * an interrupt the caller returns at once; the thread finishes later and frees its own memory.
 *
 * An abandoned thread must not outlive OpenBLAS, whose destructor unmaps the buffers that the thread works in. This library
 * cannot prevent that without handlers of its own. A host that wants such threads therefore allows them and ends the process by
 * _exit (tocha/signals.h). */
#define _GNU_SOURCE /* syscall */
#include "ops/linalg/cpu/cancellable.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "tensor/interruptible.h"
#include "tocha/signals.h"

/* WORTH: multiplications from which the cost of starting a thread does not matter. LOOK_MS: milliseconds between checks of the
 * interrupt flag. MAX_ABANDONED: threads that may be abandoned at a time; with more, the caller waits for LAPACK. STACK: bytes
 * of a thread's stack, which has to hold LAPACK's own arrays. LINE: bytes of a cache line. */
enum { WORTH = 50000000, LOOK_MS = 20, MAX_ABANDONED = 8, STACK = 4 << 20, LINE = 64 };

/* One call. The call and its copies are one block of memory, which the thread frees if the call was abandoned. */
typedef struct call {
  pthread_mutex_t lock;
  pthread_cond_t ended;
  tocha_batch batch; /* its context is NULL */
  void *at[TOCHA_BATCH_OPERANDS], *scratch;
  long id; /* the system's number of the thread; 0: unknown */
  bool done, abandoned;
} call;

/* These apply to the whole process, because they determine how it may end. */
static atomic_bool allowed_calls;
static atomic_int abandoned_calls;

void tocha_allow_abandoned_calls(bool allowed) { atomic_store(&allowed_calls, allowed); }

int tocha_abandoned_calls(void) { return atomic_load(&abandoned_calls); }

/* --- copies -------------------------------------------------------------------------------------------------- */

/* Returns the offset of the next `bytes` in the block, as far from the beginning of a cache line as `like` is, because digits
 * may depend on that distance. */
static size_t next_place(size_t *used, size_t bytes, const void *like) {
  size_t place = (*used + LINE - 1) / LINE * LINE + (uintptr_t)like % LINE;
  *used = place + bytes;
  return place;
}

static call *copy_call(const tocha_batch *b, void *const *at) {
  size_t used = sizeof(call), place[TOCHA_BATCH_OPERANDS];
  size_t args = next_place(&used, b->args_size, NULL);
  for (int k = 0; k < b->operands; k++)
    place[k] = next_place(&used, at[k] ? b->operand[k].bytes : 0, at[k]);
  /* 16 bytes past a cache line, like malloc's large blocks */
  size_t scratch = next_place(&used, b->scratch + 1, (void *)16);
  char *block = aligned_alloc(LINE, (used + LINE - 1) / LINE * LINE);
  if (!block) return NULL;
  call *c = (call *)(void *)block;
  *c = (call){.batch = *b, .scratch = block + scratch};
  c->batch.cx = NULL;
  c->batch.args = memcpy(block + args, b->args, b->args_size);
  for (int k = 0; k < b->operands; k++)
    if (at[k]) c->at[k] = memcpy(block + place[k], at[k], b->operand[k].bytes);
  return c;
}

static void copy_results(const call *c, void *const *at) {
  for (int k = 0; k < c->batch.operands; k++)
    if (at[k] && !c->batch.operand[k].read_only) memcpy(at[k], c->at[k], c->batch.operand[k].bytes);
}

static void free_call(call *c) {
  pthread_cond_destroy(&c->ended);
  pthread_mutex_destroy(&c->lock);
  free(c);
}

/* --- the thread ---------------------------------------------------------------------------------------------- */

static void *compute(void *user) {
  call *c = user;
#ifdef __linux__
  pthread_mutex_lock(&c->lock);
  c->id = syscall(SYS_gettid);
  pthread_mutex_unlock(&c->lock);
#endif
  tocha_use_one_thread(&c->batch.lapack->openmp);
  c->batch.one(&c->batch, c->at, c->scratch);
  pthread_mutex_lock(&c->lock);
  c->done = true;
  bool abandoned = c->abandoned;
  pthread_cond_signal(&c->ended);
  pthread_mutex_unlock(&c->lock);
  if (abandoned) {
    free_call(c);
    atomic_fetch_sub(&abandoned_calls, 1);
  }
  return NULL;
}

/* Starts the thread, which receives no signals. */
static bool start(call *c) {
  pthread_t thread;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes)) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, STACK);
  tocha_signal_mask held = tocha_hold_signals();
  bool started = !pthread_create(&thread, &attributes, compute, c);
  tocha_release_signals(&held);
  pthread_attr_destroy(&attributes);
  return started;
}

/* --- the caller ---------------------------------------------------------------------------------------------- */

/* Waits for the thread to end, for at most LOOK_MS. */
static void await(call *c) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += LOOK_MS * 1000000L;
  if (until.tv_nsec >= 1000000000L) until.tv_nsec -= 1000000000L, until.tv_sec++;
  pthread_cond_timedwait(&c->ended, &c->lock, &until);
}

/* Abandons the thread, with the lowest priority. Returns false if too many threads are abandoned already. */
static bool abandon(call *c) {
  if (atomic_fetch_add(&abandoned_calls, 1) >= MAX_ABANDONED) {
    atomic_fetch_sub(&abandoned_calls, 1);
    return false;
  }
  c->abandoned = true;
#ifdef __linux__
  if (c->id) (void)setpriority(PRIO_PROCESS, (id_t)c->id, 19);
#endif
  return true;
}

bool tocha_is_cancellable(const tocha_batch *b) {
  return b->cancellable && b->work >= WORTH && atomic_load(&allowed_calls);
}

bool tocha_run_cancellable(const tocha_batch *b, void *const *at) {
  call *c = copy_call(b, at);
  if (!c) return false;
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->ended, NULL);
  if (!start(c)) {
    free_call(c);
    return false;
  }
  pthread_mutex_lock(&c->lock);
  while (!c->done && !c->abandoned) {
    await(c);
    if (!c->done && tocha_is_set(&b->cx->interrupted)) (void)abandon(c);
  }
  bool abandoned = c->abandoned;
  pthread_mutex_unlock(&c->lock);
  if (abandoned) return true;
  copy_results(c, at);
  free_call(c);
  return true;
}
