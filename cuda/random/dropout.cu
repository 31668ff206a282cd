/* dropout.cu: dropout and its mask in one pass. Which element takes which word is PyTorch's
 * (Dropout.cu): in groups of `width` neighbours where memory allows, else as in random.cu. */
#include "random/launch.h"
#include "random/sampling.h"

namespace tocha {
namespace {

/* (x * kept) * scale in the arithmetic type; x that is not finite stays so. */
template <class T, class C> __device__ inline T scaled(T x, bool kept, C scale) {
  const C factor = kept ? 1 : 0;
  return convert<T>(convert<C>(x) * factor * scale);
}

/* N elements in a row a thread at a time; the words of a block that are over are not used. */
template <class T, class C, int N>
__global__ void __launch_bounds__(BLOCK_THREADS)
    drop_groups(Philox random, T *out, const T *in, unsigned char *mask, unsigned long long n,
                C keep, C scale) {
  unsigned long long thread = first_item(), step = item_step() * N;
  unsigned long long block = 0;
  for (unsigned long long i = thread * N; i < n; i += step) {
    Vec<T, N> x = load_vec<N>(in + i), y;
    Vec<unsigned char, N> kept;
    UNROLL
    for (int group = 0; group < N; group += 4, block++) {
      tocha_philox_words words = random.words(thread, block);
      UNROLL
      for (int k = 0; k < 4 && group + k < N; k++) {
        kept[group + k] = unit(words.word[k]) < keep;
        y[group + k] = scaled<T, C>(x[group + k], kept[group + k], scale);
      }
    }
    store_vec(out + i, y);
    store_vec(mask + i, kept);
  }
}

template <class T, class C>
__global__ void __launch_bounds__(BLOCK_THREADS)
    drop(Offsets<unsigned long long, 3> offsets, Philox random, char *out, const char *in,
         char *mask, unsigned long long n, C keep, C scale) {
  unsigned long long thread = first_item(), threads = item_step();
  unsigned long long block = 0;
  for (unsigned long long i = thread; i < n; i += 4 * threads, block++) {
    tocha_philox_words words = random.words(thread, block);
    for (int k = 0; k < 4 && i + k * threads < n; k++) {
      unsigned long long at[3];
      offsets.at(i + k * threads, at);
      bool kept = unit(words.word[k]) < keep;
      *reinterpret_cast<T *>(out + at[0]) =
          scaled<T, C>(*reinterpret_cast<const T *>(in + at[1]), kept, scale);
      mask[at[2]] = kept;
    }
  }
}

template <class T, int N> void start_groups(Stream *stream, const tocha_dropout_args &args) {
  using C = typename Arithmetic<T>::type;
  C keep = static_cast<C>(args.keep);
  const tocha_strided_layout &w = args.layout;
  LAUNCH((drop_groups<T, C, N>), static_cast<unsigned>(args.blocks), BLOCK_THREADS, 0,
         stream->cuda(), Philox(args.seed, args.offset), static_cast<T *>(w.data[0]),
         static_cast<const T *>(w.data[1]), static_cast<unsigned char *>(w.data[2]),
         static_cast<unsigned long long>(w.numel), keep, static_cast<C>(1.0 / keep));
}

template <class T> void start_drop(Stream *stream, const tocha_dropout_args &args) {
  using C = typename Arithmetic<T>::type;
  C keep = static_cast<C>(args.keep);
  const tocha_strided_layout &w = args.layout;
  switch (args.width) {
  case 8:
    if constexpr (sizeof(T) == 2) return start_groups<T, 8>(stream, args);
    break;
  case 4:
    if constexpr (sizeof(T) <= 4) return start_groups<T, 4>(stream, args);
    break;
  case 2:
    return start_groups<T, 2>(stream, args);
  default:;
  }
  LAUNCH((drop<T, C>), static_cast<unsigned>(args.blocks), BLOCK_THREADS, 0, stream->cuda(),
         (Offsets<unsigned long long, 3>(w)), Philox(args.seed, args.offset),
         static_cast<char *>(w.data[0]), static_cast<const char *>(w.data[1]),
         static_cast<char *>(w.data[2]), static_cast<unsigned long long>(w.numel), keep,
         static_cast<C>(1.0 / keep));
}

} // namespace

bool launch_dropout(Stream *stream, const tocha_dropout_args &work) {
  with_floating(work.layout.dtype[0],
                [&](auto t) { start_drop<typename decltype(t)::type>(stream, work); });
  return launched(stream);
}

} // namespace tocha
