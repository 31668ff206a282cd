/* kernels.c: reductions on the CPU: the form of the elements that each loop needs, and the storage
 * of states and results. */
#include "ops/reduction/kernels.h"

#include "device/devices.h"
#include "ops/reduction/cpu/distance.h"
#include "ops/reduction/cpu/planes.h"
#include "ops/reduction/cpu/reduction.h"
#include "tensor/kernels.h"
#include "tensor/parallel.h"

/* Returns the loops of a row for elements of a dtype, or NULL if there are none. */
static const struct tocha_reduce_loops *loops_of(const tocha_context *cx,
                                                 const tocha_reduce_args *args, int32_t dtype) {
  const struct tocha_reduce_loops *loops =
      args->reduction->loops[cx->isa][tocha_elements_of_loops(dtype)];
  return loops && loops->plane ? loops : NULL;
}

static bool is_integer(int32_t dtype) { return !tocha_dtype_is_floating((tocha_dtype)dtype); }

/* Returns the form of elements that the loops of a reduction need: the compute type, bool if the
 * reduction only counts, or integers unconverted if there are loops for them. */
static tocha_reduce_input reduce_input(tocha_stream *stream, const tocha_reduce_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  switch (args->reduction->kind) {
  case TOCHA_REDUCE_POSITION:
    return (tocha_reduce_input){is_integer(args->in_dtype) ? args->in_dtype : args->compute,
                                TOCHA_ELEMENTS_DENSE};
  case TOCHA_REDUCE_NORM:
  case TOCHA_REDUCE_VARIANCE:
    return (tocha_reduce_input){args->compute, TOCHA_ELEMENTS_IN_ROWS};
  default:
    break;
  }
  bool counts = args->reduction->counts;
  tocha_reduce_input input = {counts ? TOCHA_BOOL : args->compute, TOCHA_ELEMENTS_STRIDED};
  if (is_integer(args->in_dtype) && is_integer(input.dtype) && loops_of(cx, args, args->in_dtype))
    input.dtype = args->in_dtype;
  return input;
}

/* Returns the dtype of the results before they are stored. */
static int32_t result_dtype(const tocha_context *cx, const tocha_reduce_args *args) {
  switch (args->reduction->kind) {
  case TOCHA_REDUCE_NORM:
  case TOCHA_REDUCE_VARIANCE:
    return TOCHA_FLOAT64;
  case TOCHA_REDUCE_POSITION:
    return args->in_dtype;
  default:
    if (args->reduction->counts) return TOCHA_INT64;
    return loops_of(cx, args, args->in_dtype)->own ? args->in_dtype : args->compute;
  }
}

static bool stores_at_once(const tocha_context *cx, const tocha_reduce_args *args) {
  return args->out && args->out_dtype == result_dtype(cx, args);
}

/* Returns the bytes needed for results that are not stored at once, and for the parts of a
 * variance. */
static uint64_t reduce_scratch(tocha_stream *stream, const tocha_reduce_args *args) {
  uint64_t each = stores_at_once(tocha_stream_context(stream), args) ? 0 : 8, parts = 0;
  if (args->reduction->kind == TOCHA_REDUCE_VARIANCE) {
    each += 8;
    parts = (uint64_t)tocha_cpu_variance_parts(args) * sizeof(tocha_moments);
  }
  return parts + (uint64_t)args->outputs * each;
}

/* Converts the results of dtype `from` into `to`, row-major. */
static bool store(tocha_stream *stream, const tocha_reduce_args *args, const void *results,
                  int32_t from, void *to, int32_t dtype) {
  if (!to || results == to || args->outputs == 0) return true;
  tocha_strided_layout layout = {.ndim = 1, .operands = 2, .numel = args->outputs};
  layout.sizes[0] = args->outputs;
  layout.data[0] = to;
  layout.data[1] = (void *)results;
  layout.dtype[0] = (int8_t)dtype;
  layout.dtype[1] = (int8_t)from;
  for (int k = 0; k < 2; k++)
    layout.strides[k][0] = (int64_t)tocha_dtype_size((tocha_dtype)layout.dtype[k]);
  return stream->kernels->tensor->copy(stream, &layout);
}

static bool run_row(tocha_context *cx, const tocha_reduce_args *args, void *results) {
  const tocha_reduction *reduction = args->reduction;
  const struct tocha_reduce_loops *loops = loops_of(cx, args, args->in_dtype);
  int64_t size = (int64_t)tocha_dtype_size((tocha_dtype)result_dtype(cx, args));
  if (!tocha_reduce_planes(cx, args, loops, results, size)) return false;
  if (reduction->finish)
    loops->finish(reduction->finish, results, args->outputs, args->count, args->number);
  return true;
}

static bool run_variance(tocha_stream *stream, const tocha_reduce_args *args, double *results) {
  tocha_moments *parts = args->scratch;
  double *means = (double *)(parts + tocha_cpu_variance_parts(args));
  if (!results) results = means + args->outputs;
  return tocha_cpu_variance(tocha_stream_context(stream), args, results, means, parts) &&
         store(stream, args, results, TOCHA_FLOAT64, args->out, args->out_dtype) &&
         store(stream, args, means, TOCHA_FLOAT64, args->second, args->second_dtype);
}

static bool reduce(tocha_stream *stream, const tocha_reduce_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  bool at_once = stores_at_once(cx, args), done;
  void *results = at_once ? args->out : args->scratch;
  switch (args->reduction->kind) {
  case TOCHA_REDUCE_POSITION:
    done = tocha_cpu_positions(cx, args, results, args->second);
    break;
  case TOCHA_REDUCE_NORM:
    done = tocha_cpu_norm(cx, args, results);
    break;
  case TOCHA_REDUCE_VARIANCE:
    return run_variance(stream, args, at_once ? args->out : NULL);
  default:
    done = run_row(cx, args, results);
  }
  return done && store(stream, args, results, result_dtype(cx, args), args->out, args->out_dtype);
}

/* --- distances -------------------------------------------------------------------------------- */

typedef struct distance_call {
  const tocha_distance_args *args;
  const tocha_distance_loops *loops;
} distance_call;

static void find_distances(void *user, int64_t begin, int64_t end) {
  const distance_call *c = user;
  c->loops->find(c->args, begin, end);
}

static bool distance(tocha_stream *stream, const tocha_distance_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  distance_call c = {
      args, tocha_distance_loops_table[cx->isa][args->wide ? TOCHA_FLOAT64 : TOCHA_FLOAT32]};
  return tocha_parallel_for(cx, args->outputs, TOCHA_GRAIN / (args->columns + 1) + 1,
                            find_distances, &c);
}

typedef struct distance_backward_call {
  const tocha_distance_backward_args *args;
  const tocha_distance_loops *loops;
  tocha_stop stop;
} distance_backward_call;

static void add_slopes(void *user, int64_t begin, int64_t end) {
  const distance_backward_call *c = user;
  c->loops->backward(c->args, begin, end, c->stop);
}

static bool distance_backward(tocha_stream *stream, const tocha_distance_backward_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  distance_backward_call c = {
      args, tocha_distance_loops_table[cx->isa][args->wide ? TOCHA_FLOAT64 : TOCHA_FLOAT32],
      &cx->interrupted};
  return tocha_parallel_for(cx, args->batches * args->rows,
                            TOCHA_GRAIN / (args->others * args->columns + 1) + 1, add_slopes, &c);
}

extern const tocha_reduction_kernels tocha_cpu_reduction;
const tocha_reduction_kernels tocha_cpu_reduction = {
    .reduce_input = reduce_input,
    .reduce_scratch = reduce_scratch,
    .reduce = reduce,
    .distance = distance,
    .distance_backward = distance_backward,
};
