/* bernoulli.cu: a trial for each element, with a probability of its own. The words that each
 * thread takes are PyTorch's (CUDAApplyUtils.cuh, DistributionBernoulli.cu). */
#include "random/launch.h"
#include "random/sampling.h"

#include <utility>

namespace tocha {
namespace {

enum { BERNOULLI_THREADS = 512, WORDS_TAKEN = 10 };

/* Draws four consecutive elements per thread. */
template <class C>
__global__ void bernoulli(Offsets<unsigned long long, 2> offsets, Philox given, char *out,
                          int dtype, const char *p, int p_dtype, unsigned long long n) {
  unsigned long long thread = first_item(), first = 4 * thread;
  if (first >= n) return;
  tocha_philox_words words = given.located().words(thread, 0);
  for (int k = 0; k < 4 && first + k < n; k++) {
    unsigned long long at[2];
    offsets.at(first + k, at);
    bool success = unit(words.word[k]) <= load<C>(p + at[1], p_dtype);
    store<float>(out + at[0], dtype, success ? 1.0f : 0.0f);
  }
}

/* Moves a dimension inside another one if its stride is smaller in at least one operand, and
 * larger in none. */
void sort_dimensions(tocha_strided_layout *layout) {
  for (int i = layout->ndim - 1; i > 0; i--)
    for (int j = i - 1; j >= 0; j--) { /* outer, inner */
      bool rises = false, falls = false;
      for (int k = 0; k < layout->operands; k++) {
        rises = rises || layout->strides[k][i] < layout->strides[k][j];
        falls = falls || layout->strides[k][i] > layout->strides[k][j];
      }
      if (!rises || falls) continue;
      std::swap(layout->sizes[i], layout->sizes[j]);
      for (int k = 0; k < layout->operands; k++)
        std::swap(layout->strides[k][i], layout->strides[k][j]);
    }
}

/* Starts the kernel. C: double for an output of float64. */
template <class C> void start(Stream *stream, const tocha_bernoulli_args &args) {
  tocha_strided_layout layout = *args.layout;
  sort_dimensions(&layout);
  unsigned long long n = static_cast<unsigned long long>(layout.numel);
  unsigned blocks = static_cast<unsigned>((n - 1) / (4 * BERNOULLI_THREADS) + 1);
  LAUNCH((bernoulli<C>), blocks, BERNOULLI_THREADS, 0, stream->cuda(),
         (Offsets<unsigned long long, 2>(layout)), Philox(stream, args.generator, WORDS_TAKEN),
         static_cast<char *>(layout.data[0]), static_cast<int>(layout.dtype[0]),
         static_cast<const char *>(layout.data[1]), static_cast<int>(layout.dtype[1]), n);
}

} // namespace

bool launch_bernoulli(Stream *stream, const tocha_bernoulli_args &args) {
  if (args.layout->dtype[0] == TOCHA_FLOAT64)
    start<double>(stream, args);
  else
    start<float>(stream, args);
  return launched(stream);
}

} // namespace tocha
