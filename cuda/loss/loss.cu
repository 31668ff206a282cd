/* loss.cu: losses that work element by element, with their derivatives, and negative log
 * likelihood. */
#include "loss/launch.h"
#include "common/block.h"
#include "common/launch.h"
#include "ops/loss/loss.h"

namespace tocha {
namespace {

/* --- element by element ----------------------------------------------------------------------- */

template <class A> __device__ inline A least(A a, A b) { return b < a ? b : a; }
template <class A> __device__ inline A most(A a, A b) { return b > a ? b : a; }

/* The order-th derivative by x of loss `kind` at input x and target t; the formulas stand in
 * ops/losses.c. */
template <class A> __device__ inline A loss_value(int kind, int order, A p, A x, A t) {
  const A d = x - t, size = d < 0 ? -d : d, half = static_cast<A>(0.5);
  switch (kind) {
  case TOCHA_LOSS_MSE:
    return order == 0 ? d * d : order == 1 ? 2 * d : order == 2 ? A(2) : A(0);
  case TOCHA_LOSS_SMOOTH_L1:
    if (order == 0) return size < p ? half * d * d / p : size - half * p;
    if (order == 1) return size < p ? d / p : d > 0 ? A(1) : d < 0 ? A(-1) : d;
    return order == 2 && size < p ? 1 / p : A(0);
  case TOCHA_LOSS_HUBER:
    if (order == 0) return size <= p ? half * d * d : p * (size - half * p);
    if (order == 1) return size <= p ? d : d > 0 ? p : -p;
    return order == 2 && size <= p ? A(1) : A(0);
  case TOCHA_LOSS_BCE:
    if (order == 0) return (t - 1) * most(log1p(-x), A(-100)) - t * most(log(x), A(-100));
    return (x - t) / most((1 - x) * x, static_cast<A>(1e-12));
  default:
    if (order == 0) return (1 - t) * x - (least(x, A(0)) - log1p(exp(x < 0 ? x : -x)));
    const A s = 1 / (1 + exp(-x));
    return order == 1 ? s - t : s * (1 - s);
  }
}

struct Elements {
  void *data[4]; /* out, input, target, factor (NULL: none) */
  int dtype[4];
  unsigned numel, rest; /* rest: no gap (kernel.h) */
  double number, norm;
  int kind, order;
  Fault *fault;
  const char *input_words, *target_words; /* where a share is not one */
};

__device__ inline bool is_share(double x) { return x >= 0 && x <= 1; }

template <class A>
__global__ void __launch_bounds__(BLOCK_THREADS)
    loss(const Elements e, const Offsets<unsigned, 4> offsets) {
  const A p = static_cast<A>(e.number), norm = static_cast<A>(e.norm);
  for (long long i = first_item(); i < e.numel; i += item_step()) {
    unsigned at[4];
    offsets.at(static_cast<unsigned>(i), at);
    const A x = load<A>(static_cast<const char *>(e.data[1]) + at[1], e.dtype[1]);
    const A t = load<A>(static_cast<const char *>(e.data[2]) + at[2], e.dtype[2]);
    A value = loss_value<A>(e.kind, e.order, p, x, t) * norm;
    if (e.data[3]) value *= load<A>(static_cast<const char *>(e.data[3]) + at[3], e.dtype[3]);
    store<A>(static_cast<char *>(e.data[0]) + at[0], e.dtype[0], value);
    if (e.kind == TOCHA_LOSS_BCE && e.order == 0 && !(is_share(x) && is_share(t)))
      report_words(e.fault, is_share(x) ? e.target_words : e.input_words);
  }
}

bool run_loss(Stream *q, const tocha_loss_args &args, const tocha_strided_layout &given) {
  tocha_strided_layout layout = given; /* without a factor its strides are not set */
  for (int d = 0; d < layout.ndim && layout.operands < 4; d++) layout.strides[3][d] = 0;
  Elements e = {};
  for (int k = 0; k < layout.operands; k++) {
    e.data[k] = k ? READ_ONLY(layout.data[k]) : layout.data[k];
    e.dtype[k] = layout.dtype[k];
  }
  e.numel = static_cast<unsigned>(layout.numel);
  e.number = args.number;
  e.norm = args.norm;
  e.kind = args.kind;
  e.order = args.order;
  e.fault = q->home().fault;
  e.input_words = "all elements of input should be between 0 and 1";
  e.target_words = "all elements of target should be between 0 and 1";
  const Offsets<unsigned, 4> offsets(layout);
  const unsigned blocks = blocks_for(q, layout.numel);
  if (args.wide)
    LAUNCH((loss<double>), blocks, BLOCK_THREADS, 0, q->cuda(), e, offsets);
  else
    LAUNCH((loss<float>), blocks, BLOCK_THREADS, 0, q->cuda(), e, offsets);
  return launched(q);
}

/* --- negative log likelihood ------------------------------------------------------------------ */

struct Targets {
  tocha_nll_args args;
  Fault *fault;
  const char *op; /* the host's address */
};

/* The class of target i, or -1 where it is ignored (or out of range, which is reported). */
__device__ inline long long class_of(const Targets &t, long long i) {
  const tocha_nll_args &j = t.args;
  const long long c = j.target_dtype == TOCHA_UINT8
                          ? static_cast<const unsigned char *>(j.target)[i]
                          : static_cast<const long long *>(j.target)[i];
  if (c == j.ignored) return -1;
  if (c >= 0 && c < j.classes) return c;
  report_index(t.fault, t.op, c, 1, j.classes);
  return -1;
}

template <class A> __device__ inline A weight_of(const tocha_nll_args &j, long long c) {
  if (!j.weight) return 1;
  return load<A>(static_cast<const char *>(j.weight) + c * item_bytes(j.weight_dtype),
                 j.weight_dtype);
}

/* Where class c of target i stands in x. */
__device__ inline long long place_of(const tocha_nll_args &j, long long i, long long c) {
  return (i / j.inner * j.classes + c) * j.inner + i % j.inner;
}

template <class A> struct Part { A loss, weight; };

template <class A, class T> __device__ inline void finish(const tocha_nll_args &j, Part<A> sum) {
  static_cast<Part<A> *>(j.work)[j.parts] = sum; /* the backward kernel reads the weight */
  if (j.backward) return;
  const A value = j.reduction == TOCHA_REDUCTION_MEAN ? sum.loss / sum.weight : sum.loss;
  store<A>(j.out, j.dtype, value);
}

template <class A> __device__ inline Part<A> summed(Part<A> part) {
  return {block_joined(part.loss, Plus()), block_joined(part.weight, Plus())};
}

/* Sums of losses and weights, a part for each block. */
template <class T> __global__ void __launch_bounds__(BLOCK_THREADS) nll_parts(const Targets t) {
  using A = typename Arithmetic<T>::type;
  const tocha_nll_args &j = t.args;
  const long long count = j.n * j.inner, each = (count + j.parts - 1) / j.parts;
  const long long begin = blockIdx.x * each, end = begin + each < count ? begin + each : count;
  Part<A> part = {0, 0};
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const long long c = class_of(t, i);
    if (c < 0) continue;
    const A weight = weight_of<A>(j, c);
    if (!j.backward)
      part.loss -= weight * convert<A>(static_cast<const T *>(j.x)[place_of(j, i, c)]);
    part.weight += weight;
  }
  part = summed(part);
  if (threadIdx.x != 0) return;
  if (j.parts == 1)
    finish<A, T>(j, part);
  else
    static_cast<Part<A> *>(j.work)[blockIdx.x] = part;
}

template <class T>
__global__ void __launch_bounds__(BLOCK_THREADS) nll_total(const tocha_nll_args j) {
  using A = typename Arithmetic<T>::type;
  Part<A> part = {0, 0};
  for (long long i = threadIdx.x; i < j.parts; i += blockDim.x) {
    part.loss += static_cast<const Part<A> *>(j.work)[i].loss;
    part.weight += static_cast<const Part<A> *>(j.work)[i].weight;
  }
  part = summed(part);
  if (threadIdx.x == 0) finish<A, T>(j, part);
}

template <class T> __global__ void __launch_bounds__(BLOCK_THREADS) nll_each(const Targets t) {
  using A = typename Arithmetic<T>::type;
  const tocha_nll_args &j = t.args;
  for (long long i = first_item(); i < j.n * j.inner; i += item_step()) {
    const long long c = class_of(t, i);
    A value = 0;
    if (c >= 0)
      value = -convert<A>(static_cast<const T *>(j.x)[place_of(j, i, c)]) * weight_of<A>(j, c);
    store<A>(static_cast<T *>(j.out) + i, j.dtype, value);
  }
}

template <class T> __global__ void __launch_bounds__(BLOCK_THREADS) nll_gradient(const Targets t) {
  using A = typename Arithmetic<T>::type;
  const tocha_nll_args &j = t.args;
  const A total = j.reduction == TOCHA_REDUCTION_MEAN
                      ? static_cast<const Part<A> *>(j.work)[j.parts].weight
                      : A(1);
  for (long long i = first_item(); i < j.n * j.inner; i += item_step()) {
    const long long c = class_of(t, i);
    if (c < 0) continue;
    const long long from = j.reduction == TOCHA_REDUCTION_NONE ? i : 0;
    const A gradient = convert<A>(static_cast<const T *>(j.grad)[from]) / total;
    store<A>(static_cast<T *>(j.out) + place_of(j, i, c), j.dtype, -weight_of<A>(j, c) * gradient);
  }
}

template <class T> bool run_nll(Stream *q, const Targets &t) {
  const tocha_nll_args &j = t.args;
  const unsigned blocks = blocks_for(q, j.n * j.inner);
  const bool backward = j.backward;
  const bool totals =
      j.reduction == TOCHA_REDUCTION_MEAN || (j.reduction == TOCHA_REDUCTION_SUM && !backward);
  if (totals) {
    LAUNCH((nll_parts<T>), static_cast<unsigned>(j.parts), BLOCK_THREADS, 0, q->cuda(), t);
    if (j.parts > 1) LAUNCH((nll_total<T>), 1, BLOCK_THREADS, 0, q->cuda(), j);
  } else if (!backward) {
    LAUNCH((nll_each<T>), blocks, BLOCK_THREADS, 0, q->cuda(), t);
  }
  if (backward) LAUNCH((nll_gradient<T>), blocks, BLOCK_THREADS, 0, q->cuda(), t);
  return launched(q);
}

} // namespace

bool launch_loss(Stream *stream, const tocha_loss_args &work) {
  return in_32_bit_parts(
      work.layout, [&](const tocha_strided_layout &part) { return run_loss(stream, work, part); });
}

bool launch_nll_loss(Stream *stream, const tocha_nll_args &work) {
  Targets targets = {work, stream->home().fault, "nll_loss"};
  targets.args.x = READ_ONLY(work.x);
  targets.args.target = READ_ONLY(work.target);
  targets.args.weight = READ_ONLY(work.weight);
  targets.args.grad = READ_ONLY(work.grad);
  return with_floating(
      work.dtype, [&](auto t) { return run_nll<typename decltype(t)::type>(stream, targets); });
}

} // namespace tocha
