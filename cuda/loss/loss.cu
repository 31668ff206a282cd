/* loss.cu: losses that work element by element, and their derivatives. */
#include "loss/launch.h"
#include "common/launch.h"
#include "ops/loss/formulas.h"

namespace tocha {
namespace {

struct Elements {
  void *data[4]; /* out, input, target, factor (NULL: none) */
  int dtype[4];
  unsigned numel, rest; /* rest: fills a gap (kernel.h) */
  double p, norm;
  int kind, order;
  Fault *fault;
  const char *input_words, *target_words; /* messages for values outside of [0, 1] */
};

__device__ inline bool is_share(double x) { return x >= 0 && x <= 1; }

/* Computes the loss of each of e.numel elements, or its derivative. */
template <class A>
__global__ void __launch_bounds__(BLOCK_THREADS)
    loss(const Elements e, const Offsets<unsigned, 4> offsets) {
  const A p = static_cast<A>(e.p), norm = static_cast<A>(e.norm);
  for (long long i = first_item(); i < e.numel; i += item_step()) {
    unsigned at[4];
    offsets.at(static_cast<unsigned>(i), at);
    const A x = load<A>(static_cast<const char *>(e.data[1]) + at[1], e.dtype[1]);
    const A t = load<A>(static_cast<const char *>(e.data[2]) + at[2], e.dtype[2]);
    A value = tocha_loss<A>(e.kind, e.order, p, x, t) * norm;
    if (e.data[3]) value *= load<A>(static_cast<const char *>(e.data[3]) + at[3], e.dtype[3]);
    store<A>(static_cast<char *>(e.data[0]) + at[0], e.dtype[0], value);
    if (e.kind == TOCHA_LOSS_BCE && e.order == 0 && !(is_share(x) && is_share(t)))
      report_words(e.fault, is_share(x) ? e.target_words : e.input_words);
  }
}

bool run_loss(Stream *stream, const tocha_loss_args &args, const tocha_strided_layout &given) {
  if (takes_dense_loss(args, given)) return launch_dense_loss(stream, args, given);
  tocha_strided_layout layout = given; /* the strides of a missing factor are not set */
  for (int d = 0; d < layout.ndim && layout.operands < 4; d++) layout.strides[3][d] = 0;
  Elements e = {};
  for (int k = 0; k < layout.operands; k++) {
    e.data[k] = k ? READ_ONLY(layout.data[k]) : layout.data[k];
    e.dtype[k] = layout.dtype[k];
  }
  e.numel = static_cast<unsigned>(layout.numel);
  e.p = args.p;
  e.norm = args.norm;
  e.kind = args.kind;
  e.order = args.order;
  e.fault = stream->home().fault;
  e.input_words = "all elements of input should be between 0 and 1";
  e.target_words = "all elements of target should be between 0 and 1";
  const Offsets<unsigned, 4> offsets(layout);
  const unsigned blocks = blocks_for(stream, layout.numel);
  if (args.compute == TOCHA_FLOAT64)
    LAUNCH((loss<double>), blocks, BLOCK_THREADS, 0, stream->cuda(), e, offsets);
  else
    LAUNCH((loss<float>), blocks, BLOCK_THREADS, 0, stream->cuda(), e, offsets);
  return launched(stream);
}

} // namespace

bool launch_loss(Stream *stream, const tocha_loss_args &args) {
  return in_32_bit_parts(
      *args.layout, [&](const tocha_strided_layout &part) { return run_loss(stream, args, part); });
}

} // namespace tocha
