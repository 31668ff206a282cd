/* plan.cpp: makes the plans of reductions (plan.h). */
#include "reduction/plan.h"

#include "reduction/launch.h"

namespace tocha {
namespace {

/* MANY_THREADS: as many threads as a large GPU has at once. With so many, each takes more elements. */
enum { THREADS = 256, BLOCKS = 1024, EACH = 8, MANY_THREADS = 1 << 18 };

/* --- dimensions ------------------------------------------------------------------------------- */

struct Dims {
  int count = 0;
  int64_t size[TOCHA_REDUCE_MAX_DIMS], stride[TOCHA_REDUCE_MAX_DIMS], out[TOCHA_REDUCE_MAX_DIMS];
};

/* Inserts a dimension by its stride: small ones inside, dimensions of stride 0 outside; of equal
 * ones the earlier stays inside. */
void add_dim(Dims &d, int64_t size, int64_t stride, int64_t out) {
  int at = d.count++;
  while (at > 0 && stride != 0 && (d.stride[at - 1] == 0 || d.stride[at - 1] > stride)) {
    d.size[at] = d.size[at - 1];
    d.stride[at] = d.stride[at - 1];
    d.out[at] = d.out[at - 1];
    at--;
  }
  d.size[at] = size;
  d.stride[at] = stride;
  d.out[at] = out;
}

void collapse(Dims &d) {
  int n = 0;
  for (int i = 1; i < d.count; i++) {
    if (d.stride[i] == d.stride[n] * d.size[n] && d.out[i] == d.out[n] * d.size[n]) {
      d.size[n] *= d.size[i];
    } else {
      n++;
      d.size[n] = d.size[i];
      d.stride[n] = d.stride[i];
      d.out[n] = d.out[i];
    }
  }
  if (d.count) d.count = n + 1;
}

/* Splits the dimensions into kept and reduced ones, with the position of each output. */
void split(const tocha_reduce_args &args, Dims &kept, Dims &reduced) {
  int64_t out = 1;
  for (int i = args.ndim - 1; i >= 0; i--) {
    bool goes = args.reduced >> i & 1;
    if (args.sizes[i] != 1)
      add_dim(goes ? reduced : kept, args.sizes[i], args.strides[i], goes ? 0 : out);
    if (!goes) out *= args.sizes[i];
  }
  collapse(kept);
  collapse(reduced);
  if (reduced.count == 0) add_dim(reduced, 1, 1, 0);
}

void fill_dims(ReducePlan &plan, const Dims &kept, const Dims &reduced) {
  plan.kept_dims = kept.count;
  plan.reduced_dims = reduced.count;
  for (int d = 0; d < kept.count; d++) {
    plan.kept_sizes[d] = kept.size[d];
    plan.kept_strides[d] = kept.stride[d];
    plan.out_strides[d] = kept.out[d];
  }
  for (int d = 0; d < reduced.count; d++) {
    plan.reduced_sizes[d] = reduced.size[d];
    plan.reduced_strides[d] = reduced.stride[d];
  }
}

/* --- threads and parts ------------------------------------------------------------------------ */

int power_of_two_from(int64_t n, int maximum) {
  int power = 1;
  while (power < n && power < maximum) power *= 2;
  return power;
}

/* Chooses the threads of a block. With `columns`, neighbouring threads read the elements of
 * neighbouring outputs; else the threads of one output read neighbouring elements. */
void choose_threads(ReducePlan &plan) {
  int lanes;
  plan.columns = plan.kept_dims > 0 && plan.kept_strides[0] != 0 &&
                 (plan.reduced_strides[0] == 0 || plan.kept_strides[0] < plan.reduced_strides[0]);
  if (plan.columns) {
    plan.threads_x = power_of_two_from(plan.outputs, 32);
    lanes = power_of_two_from((plan.count + EACH - 1) / EACH, MAX_THREADS / plan.threads_x);
    plan.threads_y = lanes;
  } else {
    lanes = power_of_two_from((plan.count + EACH - 1) / EACH, MAX_THREADS);
    while (lanes > 32 && plan.outputs * (lanes / 2) >= MANY_THREADS) lanes /= 2;
    plan.threads_x = lanes;
    int rows = lanes < THREADS ? THREADS / lanes : 1, minimum = lanes < 32 ? 32 / lanes : 1;
    int wanted = power_of_two_from(plan.outputs, rows);
    plan.threads_y = wanted < minimum ? minimum : wanted;
  }
  int64_t each = plan.columns ? plan.threads_x : plan.threads_y;
  int64_t blocks = (plan.outputs + each - 1) / each;
  int64_t parts = BLOCKS / blocks, maximum = plan.count / (EACH * static_cast<int64_t>(lanes));
  if (parts > maximum) parts = maximum;
  if (parts < 1) parts = 1;
  plan.part = ((plan.count + parts - 1) / parts + 63) / 64 * 64; /* in whole vectors */
  plan.parts = plan.count ? static_cast<int>((plan.count + plan.part - 1) / plan.part) : 1;
}

int reduced_dims(const tocha_reduce_args &args) {
  int count = 0;
  for (int i = 0; i < args.ndim; i++) count += static_cast<int>(args.reduced >> i & 1);
  return count;
}

} // namespace

bool plan_reduction(const tocha_reduce_args &args, ReducePlan &plan) {
  Dims kept, reduced;
  split(args, kept, reduced);
  if (kept.count > TOCHA_LAYOUT_DIMS || reduced.count > TOCHA_LAYOUT_DIMS) return false;
  plan = {};
  fill_dims(plan, kept, reduced);
  plan.in = args.in;
  plan.out = args.out;
  plan.second = args.second;
  plan.work = args.scratch;
  plan.outputs = args.outputs;
  plan.count = args.count;
  plan.number = args.number;
  plan.loop = args.reduction->loop;
  plan.finish = args.reduction->finish;
  plan.compute = args.compute;
  plan.in_dtype = args.in_dtype;
  plan.out_dtype = args.out_dtype;
  plan.second_dtype = args.second_dtype;
  plan.max = args.max;
  choose_threads(plan);
  return true;
}

tocha_reduce_input reduce_input(tocha_stream *, const tocha_reduce_args *args) {
  ReducePlan plan;
  /* Positions count elements in order, so several dimensions must be dense. */
  if (args->reduction->kind == TOCHA_REDUCE_POSITION && reduced_dims(*args) > 1)
    return {args->in_dtype, TOCHA_ELEMENTS_DENSE};
  return {args->in_dtype,
          plan_reduction(*args, plan) ? TOCHA_ELEMENTS_STRIDED : TOCHA_ELEMENTS_IN_ROWS};
}

size_t reduce_scratch(Stream *, const tocha_reduce_args &args) {
  ReducePlan plan;
  if (!plan_reduction(args, plan) || plan.parts == 1) return 0;
  return static_cast<size_t>(plan.outputs) * static_cast<size_t>(plan.parts) * STATE_BYTES;
}

bool launch_reduce(Stream *stream, const tocha_reduce_args &args) {
  ReducePlan plan;
  if (!plan_reduction(args, plan)) return fail(stream->state, "a reduction of too many dimensions");
  switch (args.reduction->kind) {
  case TOCHA_REDUCE_POSITION:
    return reduce_position(stream, plan);
  case TOCHA_REDUCE_VARIANCE:
    return reduce_variance(stream, plan);
  case TOCHA_REDUCE_LOG_SUM_EXP:
    return reduce_log_sum_exp(stream, plan);
  default:
    return reduce_row(stream, plan);
  }
}

} // namespace tocha
