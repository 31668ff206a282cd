/* by_strides.c: runs the loops of strided.h, dividing the images among threads. */
#include "core/internal.h"
#include "device/devices.h"
#include "ops/convolution/cpu/digits/strided.h"
#include "tensor/parallel.h"

enum { ALIGNED = 16 }; /* floats */

typedef struct call {
  const tocha_convolution_args *args;
  const tocha_strided_loops *loops;
  float *weights, *scratch;
  int64_t scratch_each, each;
  tocha_stop stop;
} call;

bool tocha_strided_takes_convolution(const tocha_context *cx, const tocha_convolution_args *args) {
  const tocha_windows *w = &args->windows;
  bool steps = false;
  if (args->task != TOCHA_CONVOLVE_BACK_INPUT || args->groups != 1 || args->space > 2) return false;
  for (int d = 1; d < 3; d++) {
    if (w->dilation[d] != 1) return false;
    steps |= w->stride[d] != 1;
  }
  return steps && tocha_strided_loops_table[cx->isa]->images;
}

static void run_images(void *user, int64_t begin, int64_t end) {
  const call *c = user;
  for (int64_t part = begin; part < end; part++) {
    int64_t first = part * c->each, left = c->args->images - first;
    tocha_strided_images some = {c->args,
                                 c->weights,
                                 c->scratch + part * c->scratch_each,
                                 first,
                                 first + (left < c->each ? left : c->each),
                                 c->stop};
    c->loops->images(&some);
  }
}

static int64_t aligned(int64_t floats) { return (floats + ALIGNED - 1) / ALIGNED * ALIGNED; }

bool tocha_strided_convolve(tocha_stream *stream, const tocha_convolution_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  call c = {.args = args,
            .loops = tocha_strided_loops_table[cx->isa],
            .each = (args->images + cx->threads - 1) / cx->threads,
            .stop = &cx->interrupted};
  int64_t parts = (args->images + c.each - 1) / c.each,
          shared = aligned(c.loops->weight_floats(args));
  c.scratch_each = aligned(c.loops->image_floats(args));
  uint64_t bytes = (uint64_t)(shared + parts * c.scratch_each) * sizeof(float);
  float *memory = tocha_allocate(cx, bytes);
  if (!memory) return false;
  c.weights = memory;
  c.scratch = memory + shared;
  c.loops->pack_weights(args, c.weights);
  bool ok = tocha_parallel_parts(cx, parts, INT64_MAX, run_images, &c);
  tocha_deallocate(cx, memory, bytes);
  return ok;
}
