/* kernels.c: the CPU's kernels of resampling, which divide places and images among the threads. */
#include "ops/resampling/kernels.h"

#include "device/devices.h"
#include "ops/resampling/cpu/sample.h"
#include "ops/resampling/cpu/weigh.h"
#include "tensor/parallel.h"

typedef struct sample_call {
  const tocha_sample_args *args;
  void (*loop)(const tocha_sample_args *args, int64_t begin, int64_t end);
} sample_call;

static void part(void *user, int64_t begin, int64_t end) {
  const sample_call *c = user;
  c->loop(c->args, begin, end);
}

static const tocha_sample_loops *loops_of(tocha_stream *stream, const tocha_sample_args *args) {
  return tocha_sample_loops_table[tocha_stream_context(stream)->isa][args->dtype];
}

static int64_t places(const tocha_sample_args *a) { return a->out[0] * a->out[1] * a->out[2]; }

/* Returns the cost of one place in additions. */
static int64_t cost(const tocha_sample_args *a) { return 32 + 8 * a->channels; }

static bool over_places(tocha_stream *stream, sample_call c) {
  return tocha_parallel_for(tocha_stream_context(stream), c.args->images * places(c.args),
                            TOCHA_GRAIN / cost(c.args) + 1, part, &c);
}

static bool sample(tocha_stream *stream, const tocha_sample_args *args) {
  return over_places(stream, (sample_call){args, loops_of(stream, args)->sample});
}

static bool slope(tocha_stream *stream, const tocha_sample_args *args) {
  return over_places(stream, (sample_call){args, loops_of(stream, args)->slope});
}

static bool spread(tocha_stream *stream, const tocha_sample_args *args) {
  sample_call c = {args, loops_of(stream, args)->spread};
  int64_t work = places(args) * cost(args);
  return tocha_parallel_for(tocha_stream_context(stream), args->images,
                            TOCHA_GRAIN / (work + 1) + 1, part, &c);
}

typedef struct weigh_call {
  const tocha_weigh_args *args;
  const tocha_weigh_loops *loops;
} weigh_call;

static void weigh_part(void *user, int64_t begin, int64_t end) {
  const weigh_call *c = user;
  c->loops->weigh(c->args, begin, end);
}

static bool weigh(tocha_stream *stream, const tocha_weigh_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  weigh_call c = {args, tocha_weigh_loops_table[cx->isa][args->dtype]};
  bool rows = args->inner > 1;
  int64_t work = (rows ? args->inner : args->n) * args->count;
  return tocha_parallel_for(cx, args->outer * (rows ? args->n : 1), TOCHA_GRAIN / work + 1,
                            weigh_part, &c);
}

typedef struct blend_call {
  const tocha_blend_args *args;
  const tocha_weigh_loops *loops;
} blend_call;

static void blend_part(void *user, int64_t begin, int64_t end) {
  const blend_call *c = user;
  c->loops->blend(c->args, begin, end);
}

static bool blend(tocha_stream *stream, const tocha_blend_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  blend_call c = {args, tocha_weigh_loops_table[cx->isa][args->dtype]};
  return tocha_parallel_for(cx, args->planes * args->to[0], TOCHA_GRAIN / (4 * args->to[1]) + 1,
                            blend_part, &c);
}

extern const tocha_resampling_kernels tocha_cpu_resampling;
const tocha_resampling_kernels tocha_cpu_resampling = {
    .sample = sample, .spread = spread, .slope = slope, .weigh = weigh, .blend = blend};
