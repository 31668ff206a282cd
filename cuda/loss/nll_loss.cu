/* nll_loss.cu: the negative log likelihood and its gradient. Input (n, classes, inner), targets
 * (n, inner). */
#include "loss/launch.h"
#include "common/block.h"
#include "common/launch.h"
#include "common/planes.h"
#include "ops/loss/loss.h"

namespace tocha {
namespace {

/* Returns the number of parts of a sum, which depends only on shapes, not on the GPU. */
inline long long parts_of(const tocha_nll_args &args) {
  const long long PART = 4096, PARTS = 512;
  const long long parts = args.n * args.inner / PART;
  return parts < 1 ? 1 : parts > PARTS ? PARTS : parts;
}

struct Targets {
  tocha_nll_args args;
  long long parts;
  Fault *fault;
  const char *op; /* the host's address of the operator's name */
};

/* Returns the class of target i, or -1 if it is ignored (or out of range, which is reported). */
__device__ inline long long class_of(const Targets &t, long long i) {
  const tocha_nll_args &args = t.args;
  const long long c = args.target_dtype == TOCHA_UINT8
                          ? static_cast<const unsigned char *>(args.target)[i]
                          : static_cast<const long long *>(args.target)[i];
  if (c == args.ignored) return -1;
  if (c >= 0 && c < args.classes) return c;
  report_index(t.fault, t.op, c, 1, args.classes);
  return -1;
}

template <class A, class T> __device__ inline A weight_of(const tocha_nll_args &args, long long c) {
  return args.weight ? convert<A>(static_cast<const T *>(args.weight)[c]) : A(1);
}

/* Returns the position of class c of target i in x (n, classes, inner). */
__device__ inline long long place_of(const tocha_nll_args &args, long long i, long long c) {
  return (i / args.inner * args.classes + c) * args.inner + i % args.inner;
}

template <class A> struct Part { A loss, weight; };

template <class A> __device__ inline void finish(const Targets &t, Part<A> sum) {
  const tocha_nll_args &args = t.args;
  static_cast<Part<A> *>(args.scratch)[t.parts] = sum; /* for the backward kernel, which reads
                                                        * the weight */
  if (args.grad) return;
  const A value = args.reduction == TOCHA_REDUCTION_MEAN ? sum.loss / sum.weight : sum.loss;
  store<A>(args.out, args.dtype, value);
}

template <class A> __device__ inline Part<A> summed(Part<A> part) {
  return {block_joined(part.loss, Plus()), block_joined(part.weight, Plus())};
}

/* Returns the sums of part number `number` of the targets (n, inner), to all threads of the block. */
template <class A, class T> __device__ inline Part<A> sum_part(const Targets &t, long long number) {
  const tocha_nll_args &args = t.args;
  const long long count = args.n * args.inner, each = (count + t.parts - 1) / t.parts;
  const long long begin = number * each, end = begin + each < count ? begin + each : count;
  Part<A> part = {0, 0};
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const long long c = class_of(t, i);
    if (c < 0) continue;
    const A weight = weight_of<A, T>(args, c);
    if (!args.grad)
      part.loss -= weight * convert<A>(static_cast<const T *>(args.x)[place_of(args, i, c)]);
    part.weight += weight;
  }
  return summed(part);
}

/* Sums the losses and weights of targets (n, inner), one part for each block. */
template <class T> __global__ void __launch_bounds__(BLOCK_THREADS) nll_parts(const Targets t) {
  using A = typename Arithmetic<T>::type;
  const Part<A> part = sum_part<A, T>(t, blockIdx.x);
  if (threadIdx.x != 0) return;
  if (t.parts == 1)
    finish(t, part);
  else
    static_cast<Part<A> *>(t.args.scratch)[blockIdx.x] = part;
}

/* Joins the sums of the parts in one block. */
template <class T> __global__ void __launch_bounds__(BLOCK_THREADS) nll_total(const Targets t) {
  using A = typename Arithmetic<T>::type;
  const tocha_nll_args &args = t.args;
  Part<A> part = {0, 0};
  for (long long i = threadIdx.x; i < t.parts; i += blockDim.x) {
    part.loss += static_cast<const Part<A> *>(args.scratch)[i].loss;
    part.weight += static_cast<const Part<A> *>(args.scratch)[i].weight;
  }
  part = summed(part);
  if (threadIdx.x == 0) finish(t, part);
}

/* Computes the loss of each target (n, inner), without reduction. */
template <class T> __global__ void __launch_bounds__(BLOCK_THREADS) nll_each(const Targets t) {
  using A = typename Arithmetic<T>::type;
  const tocha_nll_args &args = t.args;
  for (long long i = first_item(); i < args.n * args.inner; i += item_step()) {
    const long long c = class_of(t, i);
    A value = 0;
    if (c >= 0)
      value = -convert<A>(static_cast<const T *>(args.x)[place_of(args, i, c)]) *
              weight_of<A, T>(args, c);
    store<A>(static_cast<T *>(args.out) + i, args.dtype, value);
  }
}

/* Computes the gradient (n, classes, inner) of the loss. elements: (n, 1, classes, inner). */
template <class T, class I>
__global__ void __launch_bounds__(BLOCK_THREADS)
    nll_gradient(const Targets t, const Planes<I> elements) {
  using A = typename Arithmetic<T>::type;
  const tocha_nll_args &args = t.args;
  A total = 1;
  if (args.reduction == TOCHA_REDUCTION_MEAN)
    total = t.parts == 1 ? sum_part<A, T>(t, 0).weight
                         : static_cast<const Part<A> *>(args.scratch)[t.parts].weight;
  for (I e = first_item<I>(); e < elements.total; e += item_step<I>()) {
    I at[3];
    const long long i = elements.split(e, at) * args.inner + at[2];
    const long long c = class_of(t, i);
    A gradient = 0;
    if (c == static_cast<long long>(at[1])) {
      const long long from = args.reduction == TOCHA_REDUCTION_NONE ? i : 0;
      gradient =
          -weight_of<A, T>(args, c) * (convert<A>(static_cast<const T *>(args.grad)[from]) / total);
    }
    static_cast<T *>(args.out)[e] = convert<T>(gradient);
  }
}

/* Returns true if sums of losses or weights are needed before the last kernel. The gradient's kernel
 * sums one part of weights itself. */
inline bool needs_totals(const tocha_nll_args &args) {
  if (args.grad) return args.reduction == TOCHA_REDUCTION_MEAN && parts_of(args) > 1;
  return args.reduction != TOCHA_REDUCTION_NONE;
}

template <class T> bool run_gradient(Stream *stream, const Targets &t) {
  const int64_t sizes[3] = {1, t.args.classes, t.args.inner};
  with_planes(t.args.n, sizes, [&](const auto &elements) {
    using I = decltype(elements.total);
    LAUNCH((nll_gradient<T, I>), blocks_for(stream, static_cast<long long>(elements.total)),
           BLOCK_THREADS, 0, stream->cuda(), t, elements);
  });
  return launched(stream);
}

template <class T> bool run(Stream *stream, const Targets &t) {
  if (needs_totals(t.args)) {
    const auto parts = static_cast<unsigned>(t.parts);
    LAUNCH((nll_parts<T>), parts, BLOCK_THREADS, 0, stream->cuda(), t);
    if (parts > 1) LAUNCH((nll_total<T>), 1, BLOCK_THREADS, 0, stream->cuda(), t);
  } else if (!t.args.grad) {
    LAUNCH((nll_each<T>), blocks_for(stream, t.args.n * t.args.inner), BLOCK_THREADS, 0,
           stream->cuda(), t);
  }
  return t.args.grad ? run_gradient<T>(stream, t) : launched(stream);
}

} // namespace

size_t nll_scratch(Stream *, const tocha_nll_args &args) {
  return needs_totals(args) ? sizeof(Part<double>) * static_cast<size_t>(parts_of(args) + 1) : 0;
}

bool launch_nll_loss(Stream *stream, const tocha_nll_args &args) {
  Targets targets = {args, parts_of(args), stream->home().fault, "nll_loss"};
  targets.args.x = READ_ONLY(args.x);
  targets.args.target = READ_ONLY(args.target);
  targets.args.weight = READ_ONLY(args.weight);
  targets.args.grad = READ_ONLY(args.grad);
  return with_floating(args.dtype,
                       [&](auto t) { return run<typename decltype(t)::type>(stream, targets); });
}

} // namespace tocha
