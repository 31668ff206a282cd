/* shuffle.cu: shuffles the equal keys of a permutation, with the words that PyTorch's
 * Randperm.cuh takes. */
#include "random/launch.h"
#include "random/sampling.h"

namespace tocha {
namespace {

enum { SHUFFLE_THREADS = 512 };

/* Shuffles each run of equal keys in the thread of the run's first position (R. Fisher and F.
 * Yates). Runs are rare and short. */
template <class K>
__global__ void shuffle(const K *keys, long long *order, long long n, Philox given) {
  long long i = first_item();
  if (i >= n - 1 || keys[i] != keys[i + 1] || (i > 0 && keys[i] == keys[i - 1])) return;
  long long count = 2;
  while (i + count < n && keys[i + count] == keys[i]) count++;
  const Philox random = given.located();
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

template <class K> void start(Stream *stream, const tocha_shuffle_args &args) {
  unsigned blocks = static_cast<unsigned>((args.n - 1) / SHUFFLE_THREADS + 1);
  LAUNCH((shuffle<K>), blocks, SHUFFLE_THREADS, 0, stream->cuda(),
         static_cast<const K *>(args.keys), reinterpret_cast<long long *>(args.order),
         static_cast<long long>(args.n),
         Philox(stream, args.generator, static_cast<uint64_t>(args.n)));
}

} // namespace

bool launch_shuffle(Stream *stream, const tocha_shuffle_args &args) {
  if (args.wide)
    start<long long>(stream, args);
  else
    start<int>(stream, args);
  return launched(stream);
}

} // namespace tocha
