/* dropout.cu: dropout and its mask in one pass. The word that each element gets is PyTorch's
 * (Dropout.cu): in groups of `width` neighbours if the layout allows, else as in random.cu. */
#include "random/launch.h"
#include "random/sampling.h"
#include "tensor/launch.h"

namespace tocha {
namespace {

/* Returns (x * kept) * scale in the arithmetic type; x that is not finite stays so. */
template <class T, class C> __device__ inline T scaled(T x, bool kept, C scale) {
  const C factor = kept ? 1 : 0;
  return convert<T>(convert<C>(x) * factor * scale);
}

/* Drops N consecutive elements per thread at a time; surplus words of a block are not used. */
template <class T, class C, int N>
__global__ void __launch_bounds__(BLOCK_THREADS)
    drop_groups(Philox given, T *out, const T *in, unsigned char *mask, unsigned long long n,
                C keep, C scale) {
  const Philox random = given.located();
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

/* Drops elements at any strides. Thread t of N takes the elements t, t + N, ..., one word each. */
template <class T, class C>
__global__ void __launch_bounds__(BLOCK_THREADS)
    drop(Offsets<unsigned long long, 3> offsets, Philox given, char *out, const char *in,
         char *mask, unsigned long long n, C keep, C scale) {
  const Philox random = given.located();
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

/* Takes the words of a thread with four elements at a time, whatever the width is. */
Philox words_of(Stream *stream, const tocha_dropout_args &args, unsigned blocks) {
  return Philox(stream, args.generator, words_per_thread(args.layout->numel, blocks, 4));
}

template <class T, int N> void start_groups(Stream *stream, const tocha_dropout_args &args) {
  using C = typename Arithmetic<T>::type;
  C keep = static_cast<C>(args.keep);
  const tocha_strided_layout &w = *args.layout;
  unsigned blocks = drawing_blocks(stream, w.numel);
  LAUNCH((drop_groups<T, C, N>), blocks, BLOCK_THREADS, 0, stream->cuda(),
         words_of(stream, args, blocks), static_cast<T *>(w.data[0]),
         static_cast<const T *>(w.data[1]), static_cast<unsigned char *>(w.data[2]),
         static_cast<unsigned long long>(w.numel), keep, static_cast<C>(1.0 / keep));
}

/* Returns true if operand k has no gaps, in any order of dimensions. */
bool is_dense(const tocha_strided_layout &layout, int k, int64_t item) {
  int64_t expected = item;
  for (int placed = 0; placed < layout.ndim; placed++) {
    int found = -1;
    for (int d = 0; d < layout.ndim && found < 0; d++)
      if (layout.strides[k][d] == expected) found = d;
    if (found < 0) return false;
    expected *= layout.sizes[found];
  }
  return true;
}

/* Returns the number of consecutive elements per thread: 16 bytes of them, as far as the input
 * is aligned and no elements are left over, or 1 if one of the three operands has gaps. */
int group_width(const tocha_strided_layout &layout, int item) {
  int width = 16 / item;
  if (!is_dense(layout, 0, item) || !is_dense(layout, 1, item) || !is_dense(layout, 2, 1)) return 1;
  uintptr_t address = reinterpret_cast<uintptr_t>(layout.data[1]);
  while (width > 1 && (address % (width * item) != 0 || layout.numel % width != 0)) width /= 2;
  return width;
}

template <class T> void start_drop(Stream *stream, const tocha_dropout_args &args) {
  using C = typename Arithmetic<T>::type;
  C keep = static_cast<C>(args.keep);
  const tocha_strided_layout &w = *args.layout;
  switch (group_width(w, sizeof(T))) {
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
  unsigned blocks = drawing_blocks(stream, w.numel);
  LAUNCH((drop<T, C>), blocks, BLOCK_THREADS, 0, stream->cuda(),
         (Offsets<unsigned long long, 3>(w)), words_of(stream, args, blocks),
         static_cast<char *>(w.data[0]), static_cast<const char *>(w.data[1]),
         static_cast<char *>(w.data[2]), static_cast<unsigned long long>(w.numel), keep,
         static_cast<C>(1.0 / keep));
}

/* Sets operand k to 0, and draws no words: all elements are dropped. */
bool clear(Stream *stream, const tocha_strided_layout &layout, int k) {
  tocha_strided_layout one = layout;
  one.operands = 1;
  one.data[0] = layout.data[k];
  one.dtype[0] = layout.dtype[k];
  for (int d = 0; d < layout.ndim; d++) one.strides[0][d] = layout.strides[k][d];
  tocha_fill_args fill = {};
  fill.layout = &one;
  return launch_fill(stream, fill);
}

} // namespace

bool launch_dropout(Stream *stream, const tocha_dropout_args &args) {
  if (args.keep == 0) return clear(stream, *args.layout, 0) && clear(stream, *args.layout, 2);
  with_floating(args.layout->dtype[0],
                [&](auto t) { start_drop<typename decltype(t)::type>(stream, args); });
  return launched(stream);
}

} // namespace tocha
