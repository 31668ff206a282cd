/* multinomial.cu: choices at random: bernoulli trials of many probabilities, equal keys of a permutation
 * shuffled, categories by weight. Which thread takes which words is PyTorch's (CUDAApplyUtils,
 * Randperm, Multinomial). */
#include "random/launch.h"
#include "random/sampling.h"

namespace tocha {
namespace {

enum { COIN_THREADS = 512, SHUFFLE_THREADS = 512, CHOICE_THREADS = 128 };

/* Four elements in a row a thread. */
template <class C>
__global__ void toss(Offsets<unsigned long long, 2> offsets, Philox random, char *out, int dtype,
                     const char *p, unsigned long long n) {
  unsigned long long thread = first_item(), first = 4 * thread;
  if (first >= n) return;
  tocha_philox_words words = random.words(thread, 0);
  for (int k = 0; k < 4 && first + k < n; k++) {
    unsigned long long at[2];
    offsets.at(first + k, at);
    bool falls = unit(words.word[k]) <= *reinterpret_cast<const C *>(p + at[1]);
    store<float>(out + at[0], dtype, falls ? 1.0f : 0.0f);
  }
}

/* The first place of a run of equal keys shuffles the run (R. Fisher and F. Yates). Runs are rare,
 * and short. */
template <class K>
__global__ void shuffle(const K *keys, long long *order, long long n, Philox random) {
  long long i = first_item();
  if (i >= n - 1 || keys[i] != keys[i + 1] || (i > 0 && keys[i] == keys[i - 1])) return;
  long long count = 2;
  while (i + count < n && keys[i + count] == keys[i]) count++;
  tocha_philox_words words = {};
  unsigned taken = 0;
  for (unsigned last = static_cast<unsigned>(count - 1); last > 0; last--, taken++) {
    if (taken % 4 == 0) words = random.words(i, taken / 4);
    unsigned other = words.word[taken % 4] % (last + 1);
    long long kept = order[i + last];
    order[i + last] = order[i + other];
    order[i + other] = kept;
  }
}

/* Threads along samples, blocks' y along rows. */
template <class C>
__global__ void choose(const C *sums, const C *shares, long long *out, long long rows,
                       long long categories, long long samples, Philox random) {
  long long sample = first_item();
  if (sample >= samples) return;
  unsigned long long thread = blockIdx.y * item_step() + sample;
  unsigned long long turn = 0;
  for (long long row = blockIdx.y; row < rows; row += gridDim.y, turn++) {
    C x = static_cast<C>(unit(random.words(thread, turn).word[0]));
    const C *sum = sums + row * categories, *share = shares + row * categories;
    long long low = 0, high = categories;
    while (low < high) {
      long long middle = low + (high - low) / 2;
      if (sum[middle] < x)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == categories) low--;             /* sums end below x, by rounding: */
    while (low > 0 && share[low] == 0) low--; /* the last category with a share */
    out[row * samples + sample] = low;
  }
}

template <class C> void start_multinomial(Stream *stream, const tocha_multinomial_args &args) {
  long long most = stream->home().properties.maxGridSize[1];
  dim3 grid(static_cast<unsigned>((args.samples - 1) / CHOICE_THREADS + 1),
            static_cast<unsigned>(args.rows < most ? args.rows : most));
  LAUNCH((choose<C>), grid, CHOICE_THREADS, 0, stream->cuda(), static_cast<const C *>(args.sums),
         static_cast<const C *>(args.shares), reinterpret_cast<long long *>(args.out), args.rows,
         args.categories, args.samples, Philox(args.seed, args.offset));
}

} // namespace

bool launch_bernoulli(Stream *stream, const tocha_bernoulli_args &work) {
  const tocha_strided_layout &w = work.layout;
  Offsets<unsigned long long, 2> offsets(w);
  Philox random(work.seed, work.offset);
  unsigned blocks = static_cast<unsigned>((w.numel - 1) / (4 * COIN_THREADS) + 1);
  char *out = static_cast<char *>(w.data[0]);
  const char *p = static_cast<const char *>(w.data[1]);
  unsigned long long n = static_cast<unsigned long long>(w.numel);
  if (w.dtype[1] == TOCHA_FLOAT64)
    LAUNCH((toss<double>), blocks, COIN_THREADS, 0, stream->cuda(), offsets, random, out,
           w.dtype[0], p, n);
  else
    LAUNCH((toss<float>), blocks, COIN_THREADS, 0, stream->cuda(), offsets, random, out, w.dtype[0],
           p, n);
  return launched(stream);
}

bool launch_shuffle(Stream *stream, const tocha_shuffle_args &work) {
  Philox random(work.seed, work.offset);
  unsigned blocks = static_cast<unsigned>((work.n - 1) / SHUFFLE_THREADS + 1);
  long long *order = reinterpret_cast<long long *>(work.order), n = work.n;
  if (work.wide)
    LAUNCH((shuffle<long long>), blocks, SHUFFLE_THREADS, 0, stream->cuda(),
           static_cast<const long long *>(work.keys), order, n, random);
  else
    LAUNCH((shuffle<int>), blocks, SHUFFLE_THREADS, 0, stream->cuda(),
           static_cast<const int *>(work.keys), order, n, random);
  return launched(stream);
}

bool launch_multinomial(Stream *stream, const tocha_multinomial_args &work) {
  if (work.wide)
    start_multinomial<double>(stream, work);
  else
    start_multinomial<float>(stream, work);
  return launched(stream);
}

} // namespace tocha
