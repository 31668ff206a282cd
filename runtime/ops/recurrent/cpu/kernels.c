/* kernels.c: the CPU's kernels of recurrent layers, which divide the rows among the threads. */
#include "ops/recurrent/kernels.h"

#include "device/devices.h"
#include "ops/recurrent/cpu/recurrent.h"
#include "tensor/parallel.h"

enum { COST = 32 }; /* of an element, in simple operations: the gates need exp and tanh */

typedef struct step {
  const tocha_recurrent_args *args;
  void (*part)(const tocha_recurrent_args *args, int64_t begin, int64_t end);
} step;

static void rows_of(void *user, int64_t begin, int64_t end) {
  const step *s = user;
  s->part(s->args, begin, end);
}

static bool run(tocha_stream *stream, step s) {
  int64_t grain = TOCHA_GRAIN / (s.args->size * COST + 1) + 1;
  return tocha_parallel_for(tocha_stream_context(stream), s.args->rows, grain, rows_of, &s);
}

static const tocha_recurrent_loops *loops_of(tocha_stream *stream,
                                             const tocha_recurrent_args *args) {
  return tocha_recurrent_loops_table[tocha_stream_context(stream)->isa][args->dtype];
}

static bool forward(tocha_stream *stream, const tocha_recurrent_args *args) {
  return run(stream, (step){args, loops_of(stream, args)->forward});
}

static bool backward(tocha_stream *stream, const tocha_recurrent_args *args) {
  return run(stream, (step){args, loops_of(stream, args)->backward});
}

extern const tocha_recurrent_kernels tocha_cpu_recurrent;
const tocha_recurrent_kernels tocha_cpu_recurrent = {.forward = forward, .backward = backward};
