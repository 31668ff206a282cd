/* batch.c: divides the matrices of a batch among threads. */
#include "ops/linalg/cpu/batch.h"

#include <stdlib.h>

#include "ops/linalg/cpu/cancellable.h"
#include "tensor/parallel.h"
#include "tensor/interruptible.h"

void tocha_begin_batch(tocha_batch *b, tocha_stream *stream, int64_t count, int dtype) {
  b->cx = tocha_stream_context(stream);
  b->count = count;
  b->lapack = tocha_find_lapack(b->cx, (tocha_dtype)dtype);
  if (b->lapack->is_plain) b->own = false; /* they need functions that plain C lacks */
}

static void add(tocha_batch *b, void *data, int64_t step, int64_t elements, size_t item,
                bool read_only) {
  int k = b->operands++;
  b->operand[k].data = data;
  b->operand[k].step = (size_t)step * item;
  b->operand[k].bytes = (size_t)elements * item;
  b->operand[k].read_only = read_only;
}

void tocha_add_matrices(tocha_batch *b, const tocha_matrix_batch *m, bool read_only) {
  add(b, m->data, m->step, m->rows * m->columns, b->lapack->item, read_only);
}

void tocha_add_vectors(tocha_batch *b, const tocha_vector_batch *v, size_t item, bool read_only) {
  add(b, v->data, v->step, v->size, item, read_only);
}

void tocha_add_numbers(tocha_batch *b, void *numbers, size_t item) {
  add(b, numbers, 1, 1, item, false);
}

typedef struct run {
  const tocha_batch *batch;
  bool cancellable;
  atomic_bool lacks_memory;
} run;

/* Returns true if an interrupt has come. A kernel in panels may have turned the interrupt into an error already. */
static bool is_stopped(const tocha_batch *b) {
  return tocha_is_set(&b->cx->interrupted) || tocha_failed(b->cx);
}

static void run_part(void *user, int64_t begin, int64_t end) {
  run *r = user;
  const tocha_batch *b = r->batch;
  void *at[TOCHA_BATCH_OPERANDS] = {NULL}, *scratch = NULL;
  int threads = tocha_use_one_thread(&b->lapack->openmp);
  for (int64_t i = begin; i < end && !is_stopped(b); i++) {
    for (int k = 0; k < b->operands; k++)
      if (b->operand[k].data) at[k] = b->operand[k].data + (size_t)i * b->operand[k].step;
    if (r->cancellable && tocha_run_cancellable(b, at)) continue;
    if (!scratch && (b->scratch >= PTRDIFF_MAX || !(scratch = malloc((size_t)b->scratch + 1)))) {
      atomic_store(&r->lacks_memory, true);
      break;
    }
    b->one(b, at, scratch);
  }
  tocha_restore_threads(&b->lapack->openmp, threads);
  free(scratch);
}

bool tocha_run_batch(tocha_batch *b) {
  enum { PER_ELEMENT = 2, PER_CALL = 2000 };
  int64_t each = (int64_t)(b->work / PER_ELEMENT) + PER_CALL;
  run r = {.batch = b, .cancellable = tocha_is_cancellable(b)};
  if (!tocha_parallel_for(b->cx, b->count, TOCHA_GRAIN / each + 1, run_part, &r)) return false;
  if (atomic_load(&r.lacks_memory))
    tocha_fail(b->cx, TOCHA_MEMORY_ERROR, "out of memory: %llu bytes for LAPACK",
               (unsigned long long)b->scratch);
  return !tocha_failed(b->cx);
}
