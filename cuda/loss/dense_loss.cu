/* dense_loss.cu: losses of dense operands of one dtype, by accesses of 16 bytes: element by element,
 * or summed without being written. */
#include "common/block.h"
#include "common/launch.h"
#include "common/raw.h"
#include "loss/launch.h"
#include "ops/loss/formulas.h"

namespace tocha {
namespace {

constexpr int AHEAD = 2; /* vectors of each operand that a thread loads before it uses the first */
constexpr long long PART = 8192;

struct Dense {
  const void *input, *target, *factor; /* factor: one number of dtype factor_dtype, or NULL */
  void *out;
  long long numel;
  double p, norm;
  int factor_dtype, rest; /* rest: fills a gap (kernel.h) */
  Fault *fault;
  const char *input_words, *target_words; /* messages for values outside of [0, 1] */
};

template <class A> __device__ inline bool is_share(A x) { return x >= 0 && x <= 1; }

/* Returns the loss, or its derivative, and reports values that it has none for. */
template <int KIND, int ORDER, class A>
__device__ inline A value_of(const Dense &d, A p, A x, A t) {
  if (KIND == TOCHA_LOSS_BCE && ORDER == 0 && !(is_share(x) && is_share(t)))
    report_words(d.fault, is_share(x) ? d.target_words : d.input_words);
  return tocha_loss<A>(KIND, ORDER, p, x, t);
}

/* Computes the loss of each element, or its derivative times norm and the factor. */
template <class S, int KIND, int ORDER>
__global__ void __launch_bounds__(BLOCK_THREADS) dense_loss(const Dense d) {
  using A = typename Arithmetic<S>::type;
  constexpr int V = vec_width<S>();
  const A p = static_cast<A>(d.p), norm = static_cast<A>(d.norm);
  const A factor = d.factor ? load<A>(d.factor, d.factor_dtype) : A(1);
  const S *input = static_cast<const S *>(d.input), *target = static_cast<const S *>(d.target);
  S *out = static_cast<S *>(d.out);
  const long long vectors = d.numel / V, step = item_step();
  for (long long i = first_item(); i < vectors; i += AHEAD * step) {
    Raw<S, V> x[AHEAD], t[AHEAD];
    UNROLL
    for (int k = 0; k < AHEAD; k++)
      if (i + k * step < vectors) {
        x[k] = load_raw<S, V>(input + (i + k * step) * V);
        t[k] = load_raw<S, V>(target + (i + k * step) * V);
      }
    UNROLL
    for (int k = 0; k < AHEAD; k++) {
      if (i + k * step >= vectors) continue;
      Vec<S, V> result;
      UNROLL
      for (int j = 0; j < V; j++)
        result[j] = convert<S>(
            value_of<KIND, ORDER>(d, p, element<A>(x[k], j), element<A>(t[k], j)) * norm * factor);
      store_vec<V>(out + (i + k * step) * V, result);
    }
  }
  const long long last = vectors * V + first_item();
  if (last < d.numel)
    out[last] =
        convert<S>(value_of<KIND, ORDER>(d, p, convert<A>(input[last]), convert<A>(target[last])) *
                   norm * factor);
}

/* --- sums -------------------------------------------------------------------------------------- */

/* Sums the losses of part blockIdx.x into `sums`, or, if it is the only part, into out. Losses are
 * rounded to S before. */
template <class S, int KIND>
__global__ void __launch_bounds__(BLOCK_THREADS)
    loss_parts(const Dense d, typename Arithmetic<S>::type *sums) {
  using A = typename Arithmetic<S>::type;
  constexpr int V = vec_width<S>();
  const A p = static_cast<A>(d.p);
  const S *input = static_cast<const S *>(d.input), *target = static_cast<const S *>(d.target);
  const long long vectors = d.numel / V, each = (vectors + gridDim.x - 1) / gridDim.x;
  const long long begin = blockIdx.x * each, end = begin + each < vectors ? begin + each : vectors;
  A sum = 0;
  const auto add = [&](A x, A t) { sum += convert<A>(convert<S>(value_of<KIND, 0>(d, p, x, t))); };
  for (long long i = begin + threadIdx.x; i < end; i += AHEAD * BLOCK_THREADS) {
    Raw<S, V> x[AHEAD], t[AHEAD];
    UNROLL
    for (int k = 0; k < AHEAD; k++)
      if (i + k * BLOCK_THREADS < end) {
        x[k] = load_raw<S, V>(input + (i + k * BLOCK_THREADS) * V);
        t[k] = load_raw<S, V>(target + (i + k * BLOCK_THREADS) * V);
      }
    UNROLL
    for (int k = 0; k < AHEAD; k++) {
      if (i + k * BLOCK_THREADS >= end) continue;
      UNROLL
      for (int j = 0; j < V; j++) add(element<A>(x[k], j), element<A>(t[k], j));
    }
  }
  const long long last = vectors * V + threadIdx.x;
  if (blockIdx.x == 0 && last < d.numel) add(convert<A>(input[last]), convert<A>(target[last]));
  sum = block_joined(sum, Plus());
  if (threadIdx.x != 0) return;
  if (gridDim.x == 1)
    *static_cast<S *>(d.out) = convert<S>(sum / static_cast<A>(d.norm));
  else
    sums[blockIdx.x] = sum;
}

/* Sums the parts, and divides by the norm. */
template <class S>
__global__ void __launch_bounds__(BLOCK_THREADS)
    loss_total(const Dense d, const typename Arithmetic<S>::type *sums, int parts) {
  using A = typename Arithmetic<S>::type;
  A sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < parts; i += BLOCK_THREADS) sum += sums[i];
  sum = block_joined(sum, Plus());
  if (threadIdx.x == 0) *static_cast<S *>(d.out) = convert<S>(sum / static_cast<A>(d.norm));
}

/* --- launches ---------------------------------------------------------------------------------- */

template <int N> using Number = std::integral_constant<int, N>;

template <class F> void with_kind(int kind, F f) {
  if (kind == TOCHA_LOSS_MSE)
    f(Number<TOCHA_LOSS_MSE>());
  else if (kind == TOCHA_LOSS_SMOOTH_L1)
    f(Number<TOCHA_LOSS_SMOOTH_L1>());
  else if (kind == TOCHA_LOSS_HUBER)
    f(Number<TOCHA_LOSS_HUBER>());
  else if (kind == TOCHA_LOSS_BCE)
    f(Number<TOCHA_LOSS_BCE>());
  else
    f(Number<TOCHA_LOSS_BCE_LOGITS>());
}

void set_words(Stream *stream, Dense *d) {
  d->fault = stream->home().fault;
  d->input_words = "all elements of input should be between 0 and 1";
  d->target_words = "all elements of target should be between 0 and 1";
}

} // namespace

bool takes_dense_loss(const tocha_loss_args &args, const tocha_strided_layout &layout) {
  const int item = item_bytes(layout.dtype[0]);
  bool takes = is_floating(layout.dtype[0]) && layout.ndim == 1 && args.order < 2 &&
               (layout.operands < 4 || layout.strides[3][0] == 0);
  for (int k = 0; k < 3; k++)
    takes = takes && layout.dtype[k] == layout.dtype[0] && layout.strides[k][0] == item &&
            takes_wide_access(layout, k, 16);
  return takes;
}

bool launch_dense_loss(Stream *stream, const tocha_loss_args &args,
                       const tocha_strided_layout &layout) {
  Dense d = {};
  d.input = READ_ONLY(layout.data[1]);
  d.target = READ_ONLY(layout.data[2]);
  d.factor = layout.operands < 4 ? nullptr : READ_ONLY(layout.data[3]);
  d.factor_dtype = layout.operands < 4 ? 0 : layout.dtype[3];
  d.out = layout.data[0];
  d.numel = layout.numel;
  d.p = args.p;
  d.norm = args.norm;
  set_words(stream, &d);
  with_floating(layout.dtype[0], [&](auto t) {
    using S = typename decltype(t)::type;
    const unsigned blocks = blocks_for(stream, d.numel / vec_width<S>() + vec_width<S>());
    with_kind(args.kind, [&](auto kind) {
      constexpr int KIND = decltype(kind)::value;
      if (args.order == 0)
        LAUNCH((dense_loss<S, KIND, 0>), blocks, BLOCK_THREADS, 0, stream->cuda(), d);
      else
        LAUNCH((dense_loss<S, KIND, 1>), blocks, BLOCK_THREADS, 0, stream->cuda(), d);
    });
  });
  return launched(stream);
}

bool launch_loss_sum(Stream *stream, const tocha_loss_sum_args &args) {
  const long long wanted = args.numel / PART, most = TOCHA_LOSS_PARTS;
  const auto parts = static_cast<unsigned>(wanted < 1 ? 1 : wanted > most ? most : wanted);
  Dense d = {};
  d.input = READ_ONLY(args.input);
  d.target = READ_ONLY(args.target);
  d.out = args.out;
  d.numel = args.numel;
  d.p = args.p;
  d.norm = args.norm;
  set_words(stream, &d);
  with_floating(args.dtype, [&](auto t) {
    using S = typename decltype(t)::type;
    using A = typename Arithmetic<S>::type;
    A *sums = static_cast<A *>(args.scratch);
    with_kind(args.kind, [&](auto kind) {
      LAUNCH((loss_parts<S, decltype(kind)::value>), parts, BLOCK_THREADS, 0, stream->cuda(), d,
             sums);
    });
    if (parts > 1)
      LAUNCH((loss_total<S>), 1, BLOCK_THREADS, 0, stream->cuda(), d, static_cast<const A *>(sums),
             static_cast<int>(parts));
  });
  return launched(stream);
}

} // namespace tocha
