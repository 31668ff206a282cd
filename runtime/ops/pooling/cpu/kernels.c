/* kernels.c: the CPU's kernels of pooling, which divide lines or planes among the threads. */
#include "ops/pooling/kernels.h"

#include "device/devices.h"
#include "ops/pooling/cpu/pool.h"
#include "tensor/parallel.h"

typedef struct pool_call {
  const tocha_pool_args *args;
  void (*loop)(const tocha_pool_args *args, int64_t begin, int64_t end, tocha_stop stop);
  tocha_stop stop;
} pool_call;

static void part(void *user, int64_t begin, int64_t end) {
  const pool_call *c = user;
  c->loop(c->args, begin, end, c->stop);
}

static const tocha_pool_loops *loops_of(tocha_stream *stream, const tocha_pool_args *args) {
  return tocha_pool_loops_table[tocha_stream_context(stream)->isa][args->dtype];
}

/* Runs the call over `count` parts, which are lines or planes of the result. */
static bool run(tocha_stream *stream, int64_t count, pool_call c) {
  const tocha_pool_windows *w = &c.args->windows;
  c.stop = &tocha_stream_context(stream)->interrupted;
  int64_t work = c.args->planes;
  for (int d = 0; d < 3; d++) {
    int64_t covered = w->adaptive ? w->in[d] / (w->out[d] + 1) + 1 : w->kernel[d];
    work *= w->out[d] * covered;
  }
  return tocha_parallel_for(tocha_stream_context(stream), count,
                            TOCHA_GRAIN / (work / (count + 1) + 1) + 1, part, &c);
}

static int64_t lines_of(const tocha_pool_args *args) {
  return args->planes * args->windows.out[0] * args->windows.out[1];
}

static bool max(tocha_stream *stream, const tocha_pool_args *args) {
  return run(stream, lines_of(args),
             (pool_call){.args = args, .loop = loops_of(stream, args)->max});
}

static bool average(tocha_stream *stream, const tocha_pool_args *args) {
  return run(stream, lines_of(args),
             (pool_call){.args = args, .loop = loops_of(stream, args)->average});
}

static bool average_backward(tocha_stream *stream, const tocha_pool_args *args) {
  return run(stream, args->planes,
             (pool_call){.args = args, .loop = loops_of(stream, args)->average_backward});
}

extern const tocha_pooling_kernels tocha_cpu_pooling;
const tocha_pooling_kernels tocha_cpu_pooling = {
    .max = max, .average = average, .average_backward = average_backward};
