/* cancellable.c: runs long calls of LAPACK, each in a thread of its own.
 *
 * LAPACK cannot be interrupted. The computing thread therefore has its own copies of everything, and the caller only waits. On
 * an interrupt the caller returns at once; the thread finishes later and frees its own memory.
 *
 * An abandoned thread must not outlive OpenBLAS, whose destructor unmaps the buffers that the thread works in. This library
 * cannot prevent that without handlers of its own. A host that wants such threads therefore allows them and ends the process by
 * _exit (tocha/signals.h). */
#include "ops/linalg/cpu/cancellable.h"

#include <stdlib.h>
#include <string.h>

#include "core/process.h"
#include "platform/platform.h"
#include "tensor/interruptible.h"
#include "tocha/signals.h"

/* WORTH: multiplications from which the cost of starting a thread does not matter. LOOK_NS: nanoseconds between checks of the
 * interrupt flag. MAX_ABANDONED: threads that may be abandoned at a time; with more, the caller waits for LAPACK. STACK: bytes
 * of a thread's stack, which has to hold LAPACK's own arrays. LINE: bytes of a cache line. */
enum { WORTH = 50000000, LOOK_NS = 20000000, MAX_ABANDONED = 8, STACK = 4 << 20, LINE = 64 };

/* One call. The call and its copies are one block of memory, which the thread frees if the call was abandoned. */
typedef struct call {
  platform_mutex lock;
  platform_condition ended;
  tocha_batch batch; /* its context is NULL */
  void *at[TOCHA_BATCH_OPERANDS], *scratch;
  long number; /* the system's number of the thread; 0: unknown */
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
  platform_condition_close(&c->ended);
  platform_mutex_close(&c->lock);
  free(c);
}

/* --- the thread ---------------------------------------------------------------------------------------------- */

static void *compute(void *user) {
  call *c = user;
  platform_lock(&c->lock);
  c->number = platform_thread_number();
  platform_unlock(&c->lock);
  tocha_use_one_thread(&c->batch.lapack->openmp);
  c->batch.one(&c->batch, c->at, c->scratch);
  platform_lock(&c->lock);
  c->done = true;
  bool abandoned = c->abandoned;
  platform_wake(&c->ended);
  platform_unlock(&c->lock);
  if (abandoned) {
    free_call(c);
    atomic_fetch_sub(&abandoned_calls, 1);
  }
  return NULL;
}

/* --- the caller ---------------------------------------------------------------------------------------------- */

/* Abandons the thread, with the lowest priority. Returns false if too many threads are abandoned already. */
static bool abandon(call *c) {
  if (atomic_fetch_add(&abandoned_calls, 1) >= MAX_ABANDONED) {
    atomic_fetch_sub(&abandoned_calls, 1);
    return false;
  }
  c->abandoned = true;
  platform_lower_priority(c->number);
  return true;
}

bool tocha_is_cancellable(const tocha_batch *b) {
  return b->cancellable && b->work >= WORTH && atomic_load(&allowed_calls) &&
         !tocha_refuses(b->cx, TOCHA_REFUSE_THREADS);
}

bool tocha_run_cancellable(const tocha_batch *b, void *const *at) {
  call *c = copy_call(b, at);
  if (!c) return false;
  platform_mutex_open(&c->lock);
  platform_condition_open(&c->ended);
  if (!platform_start_thread(NULL, STACK, compute, c)) {
    free_call(c);
    return false;
  }
  platform_lock(&c->lock);
  while (!c->done && !c->abandoned) {
    platform_wait_until(&c->ended, &c->lock, platform_nanoseconds() + LOOK_NS);
    if (!c->done && tocha_is_set(&b->cx->interrupted)) (void)abandon(c);
  }
  bool abandoned = c->abandoned;
  platform_unlock(&c->lock);
  if (abandoned) return true;
  copy_results(c, at);
  free_call(c);
  return true;
}
