/* index.cu: reads, writes or adds (integers) elements selected by index tensors, and makes the
 * keys by which accumulation sorts them. */
#include "indexing/launch.h"
#include "indexing/index.h"

namespace tocha {
namespace {

/* Calls f(Type<I>()) for the type that the offsets fit into, because a 64-bit division is a
 * function call. */
template <class F> void with_index(const tocha_strided_layout &layout, F f) {
  if (fits_32_bits(layout))
    f(Type<unsigned>());
  else
    f(Type<unsigned long long>());
}

/* Returns the position of an element in the indexed tensor. Operands of moves: 0 the selected
 * elements, 1 the indexed tensor, then one for each axis. */
template <class I, int N> __device__ inline long long place_of(const Axes &axes, const I (&at)[N]) {
  long long place = static_cast<long long>(at[1]);
  for (int k = 0; k < N - 2; k++)
    if (k < axes.count) place += axes.worth(k, at[2 + k]);
  return place;
}

/* Copies n elements between the selected ones and the indexed tensor; `put` writes to the
 * latter. */
template <class T, class I, int N>
__global__ void move(Offsets<I, N> offsets, Axes axes, char *picked, char *indexed, I n, bool put) {
  for (I i = first_item<I>(); i < n; i += item_step<I>()) {
    I at[N];
    offsets.at(i, at);
    T *mine = reinterpret_cast<T *>(indexed + place_of(axes, at));
    T *other = reinterpret_cast<T *>(picked + at[0]);
    if (put)
      *mine = *other;
    else
      *other = *mine;
  }
}

/* Adds n elements to the indexed tensor. For integers the order of additions does not show. */
template <class T, class I, int N>
__global__ void add(Offsets<I, N> offsets, Axes axes, const char *picked, char *indexed, I n,
                    T scale) {
  for (I i = first_item<I>(); i < n; i += item_step<I>()) {
    I at[N];
    offsets.at(i, at);
    atomicAdd(reinterpret_cast<T *>(indexed + place_of(axes, at)),
              *reinterpret_cast<const T *>(picked + at[0]) * scale);
  }
}

/* Computes n keys. Operands: 0 the keys, then one for each axis, then the indexed tensor. */
template <class I, int N>
__global__ void make_keys(Offsets<I, N> offsets, Axes axes, char *keys, bool wide, bool adds,
                          bool based, long long base, long long unit, I n) {
  for (I i = first_item<I>(); i < n; i += item_step<I>()) {
    I at[N];
    offsets.at(i, at);
    long long key = 0;
    for (int k = 0; k < TOCHA_INDEX_AXES; k++)
      if (k < axes.count) key += axes.worth(k, at[1 + k]);
    if (based) key += (base + static_cast<long long>(at[1 + axes.count])) / unit;
    if (wide) {
      long long *to = reinterpret_cast<long long *>(keys + at[0]);
      *to = adds ? *to + key : key;
    } else {
      int *to = reinterpret_cast<int *>(keys + at[0]);
      *to = static_cast<int>(adds ? *to + key : key);
    }
  }
}

/* Returns the bytes of a run that move at once: an index tensor steps only from run to run. */
int run_bytes(const tocha_index_args &args, const tocha_strided_layout &layout, int item) {
  int bytes = piece_bytes(layout, 2, item);
  for (int k = 0; k < args.axes; k++) {
    if (layout.strides[2 + k][0]) return item;
    while (bytes > item && args.axis[k].step % bytes) bytes /= 2;
  }
  return bytes;
}

template <class T, class I, int N>
void start_sized_move(Stream *stream, const tocha_index_args &args, const tocha_strided_layout &w,
                      const Axes &axes) {
  bool put = args.action == TOCHA_INDEX_PUT;
  char *picked = static_cast<char *>(w.data[0]), *indexed = static_cast<char *>(w.data[1]);
  LAUNCH((move<T, I, N>), blocks_for(stream, w.numel), BLOCK_THREADS, 0, stream->cuda(),
         (Offsets<I, N>(w)), axes, picked, indexed, static_cast<I>(w.numel), put);
}

template <class T>
void start_move(Stream *stream, const tocha_index_args &args, const tocha_strided_layout &layout,
                const Axes &axes) {
  with_index(layout, [&](auto i) {
    using I = typename decltype(i)::type;
    if (args.axes == 1)
      start_sized_move<T, I, 3>(stream, args, layout, axes);
    else
      start_sized_move<T, I, 2 + TOCHA_INDEX_AXES>(stream, args, layout, axes);
  });
}

template <class T, class I>
void start_add(Stream *stream, const tocha_index_args &args, const tocha_strided_layout &w,
               const Axes &axes) {
  enum { N = 2 + TOCHA_INDEX_AXES };
  LAUNCH((add<T, I, N>), blocks_for(stream, w.numel), BLOCK_THREADS, 0, stream->cuda(),
         (Offsets<I, N>(w)), axes, static_cast<const char *>(w.data[0]),
         static_cast<char *>(w.data[1]), static_cast<I>(w.numel),
         static_cast<T>(args.integer_scale));
}

template <class I>
void start_keys(Stream *stream, const tocha_index_keys_args &args, const tocha_strided_layout &w,
                const Axes &axes) {
  enum { N = TOCHA_LAYOUT_OPERANDS };
  long long base = args.based ? static_cast<const char *>(w.data[1 + args.axes]) -
                                    static_cast<const char *>(args.base)
                              : 0;
  LAUNCH((make_keys<I, N>), blocks_for(stream, w.numel), BLOCK_THREADS, 0, stream->cuda(),
         (Offsets<I, N>(w)), axes, static_cast<char *>(w.data[0]), w.dtype[0] == TOCHA_INT64,
         args.adds, args.based, base, static_cast<long long>(args.unit), static_cast<I>(w.numel));
}

/* Gives missing operands strides of 0. */
tocha_strided_layout all_operands(const tocha_strided_layout &given) {
  tocha_strided_layout layout = given;
  for (int k = layout.operands; k < TOCHA_LAYOUT_OPERANDS; k++)
    for (int d = 0; d < layout.ndim; d++) layout.strides[k][d] = 0;
  return layout;
}

} // namespace

bool launch_index(Stream *stream, const tocha_index_args &args) {
  tocha_strided_layout layout = all_operands(*args.layout);
  const int item = item_bytes(layout.dtype[1]);
  if (args.action == TOCHA_INDEX_ADD) {
    Axes axes(stream, layout, 2, args.axes, args.axis, args.wraps, args.op);
    with_index(layout, [&](auto i) {
      using I = typename decltype(i)::type;
      if (item == 8)
        start_add<unsigned long long, I>(stream, args, layout, axes);
      else
        start_add<unsigned, I>(stream, args, layout, axes);
    });
    return launched(stream);
  }
  const int bytes = run_bytes(args, layout, item);
  take_pieces(layout, 2, item, bytes);
  Axes axes(stream, layout, 2, args.axes, args.axis, args.wraps, args.op);
  with_piece(bytes,
             [&](auto t) { start_move<typename decltype(t)::type>(stream, args, layout, axes); });
  return launched(stream);
}

bool launch_index_keys(Stream *stream, const tocha_index_keys_args &args) {
  tocha_strided_layout layout = all_operands(*args.layout);
  Axes axes(stream, layout, 1, args.axes, args.axis, args.wraps, args.op);
  with_index(layout,
             [&](auto i) { start_keys<typename decltype(i)::type>(stream, args, layout, axes); });
  return launched(stream);
}

} // namespace tocha
