/* categorical.cu: checks weights (rows, categories), and draws categories by the running sums of
 * their shares. The words that each thread takes are PyTorch's (MultinomialKernel.cu). */
#include "random/launch.h"
#include "random/sampling.h"

namespace tocha {
namespace {

enum { CATEGORICAL_THREADS = 128 };

/* Draws out (rows, samples) from sums and shares (rows, categories): threads along samples,
 * blocks' y along rows. */
template <class C>
__global__ void categorical(const C *sums, const C *shares, long long *out, long long rows,
                            long long categories, long long samples, Philox given) {
  long long sample = first_item();
  if (sample >= samples) return;
  const Philox random = given.located();
  unsigned long long thread = blockIdx.y * item_step() + sample;
  unsigned long long block = 0; /* number of the block of random words */
  for (long long row = blockIdx.y; row < rows; row += gridDim.y, block++) {
    C x = static_cast<C>(unit(random.words(thread, block).word[0]));
    const C *sum = sums + row * categories, *share = shares + row * categories;
    long long low = 0, high = categories;
    while (low < high) {
      long long middle = low + (high - low) / 2;
      if (sum[middle] < x)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == categories) low--;             /* rounding: the sums end below x */
    while (low > 0 && share[low] == 0) low--; /* move back to the last category with a share */
    out[row * samples + sample] = low;
  }
}

template <class C> void start(Stream *stream, const tocha_categorical_args &args) {
  int64_t max_blocks = stream->home().properties.maxGridSize[1];
  int64_t rows = args.rows < max_blocks ? args.rows : max_blocks;
  uint64_t words = static_cast<uint64_t>((args.rows - 1) / rows + 1) * WORDS;
  dim3 grid(static_cast<unsigned>((args.samples - 1) / CATEGORICAL_THREADS + 1),
            static_cast<unsigned>(rows));
  LAUNCH((categorical<C>), grid, CATEGORICAL_THREADS, 0, stream->cuda(),
         static_cast<const C *>(args.sums), static_cast<const C *>(args.shares),
         reinterpret_cast<long long *>(args.out), static_cast<long long>(args.rows),
         static_cast<long long>(args.categories), static_cast<long long>(args.samples),
         Philox(stream, args.generator, words));
}

struct Checked {
  const void *values;
  long long n;
  Fault *fault;
  const char *words;
};

/* Reports values that are not valid weights. The first report stays, so the error is the one
 * that the first launch found. */
template <class C> __global__ void check_all(const Checked c, bool positive) {
  for (long long i = first_item(); i < c.n; i += item_step()) {
    const C x = static_cast<const C *>(c.values)[i];
    if (!(positive ? x > 0 : x >= 0 && x < static_cast<C>(HUGE_VAL)))
      report_words(c.fault, c.words);
  }
}

template <class C> void start_check(Stream *stream, const tocha_weights_args &args) {
  Fault *fault = stream->home().fault;
  const Checked weights = {READ_ONLY(args.weights), args.numel, fault, args.invalid_weight};
  const Checked sums = {READ_ONLY(args.sums), args.rows, fault, args.invalid_sum};
  LAUNCH((check_all<C>), blocks_for(stream, weights.n), BLOCK_THREADS, 0, stream->cuda(), weights,
         false);
  LAUNCH((check_all<C>), blocks_for(stream, sums.n), BLOCK_THREADS, 0, stream->cuda(), sums, true);
}

} // namespace

bool launch_check_weights(Stream *stream, const tocha_weights_args &args) {
  if (args.wide)
    start_check<double>(stream, args);
  else
    start_check<float>(stream, args);
  return launched(stream);
}

bool launch_categorical(Stream *stream, const tocha_categorical_args &args) {
  if (args.wide)
    start<double>(stream, args);
  else
    start<float>(stream, args);
  return launched(stream);
}

} // namespace tocha
