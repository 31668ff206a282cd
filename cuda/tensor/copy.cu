/* copy.cu: copies values within a device, with any strides and types, and fills with one value.
 *
 * A copy that does not convert moves the widest pieces that strides and addresses allow, up to
 * 16 bytes. If the two sides are dense along different dimensions, tiles go through shared
 * memory, so that both sides are read and written in whole lines. */
#include "tensor/float8.h"
#include "tensor/launch.h"
#include "common/launch.h"

namespace tocha {
namespace {

/* Returns the offset with its sign. A source may be read backward (flip): its offsets are below
 * 2^31 in size and may be negative. */
__device__ inline int signed_offset(unsigned offset) { return static_cast<int>(offset); }

/* --- elements that are only moved ------------------------------------------------------------- */

struct Places {
  Offsets<unsigned, 2> offsets;
  unsigned count;
  char *to, *from;
};

/* Copies p.count pieces of type S. */
template <class S> __global__ void move_pieces(Places p) {
  for (unsigned i = first_item<unsigned>(); i < p.count; i += item_step<unsigned>()) {
    unsigned offset[2];
    p.offsets.at(i, offset);
    *reinterpret_cast<S *>(p.to + offset[0]) =
        *reinterpret_cast<const S *>(p.from + signed_offset(offset[1]));
  }
}

Places places_of(const tocha_strided_layout &layout) {
  Places p = {};
  p.offsets = Offsets<unsigned, 2>(layout);
  p.count = static_cast<unsigned>(layout.numel);
  p.to = static_cast<char *>(layout.data[0]);
  p.from = READ_ONLY(static_cast<char *>(layout.data[1]));
  return p;
}

template <class S> void start_move(Stream *stream, const tocha_strided_layout &layout) {
  LAUNCH((move_pieces<S>), blocks_for(stream, layout.numel), BLOCK_THREADS, 0, stream->cuda(),
         places_of(layout));
}

/* --- transposition ---------------------------------------------------------------------------- */

enum { TILE = 32, TILE_ROWS = 8 };

/* A copy that is dense along x on the target's side and along y on the source's. */
struct Transposition {
  Offsets<unsigned, 2> outer; /* the other dimensions */
  unsigned outers, width, height, tiles_x, tiles_y;
  unsigned to_y, from_x; /* bytes from one row to the next on each side */
  char *to, *from;
};

/* Copies tiles of (outers, height, width), which are transposed in shared memory. */
template <class S> __global__ void transpose(Transposition t) {
  SHARED(S, tile, [TILE][TILE + 1]); /* one more column, so that no two rows are in one bank */
  const unsigned per_outer = t.tiles_x * t.tiles_y;
  for (unsigned b = blockIdx.x; b < t.outers * per_outer; b += gridDim.x) {
    unsigned outer = b / per_outer, inside = b - outer * per_outer, offset[2];
    unsigned y0 = inside / t.tiles_x * TILE, x0 = inside % t.tiles_x * TILE;
    t.outer.at(outer, offset);
    const char *from = t.from + signed_offset(offset[1]);
    char *to = t.to + offset[0];
    for (unsigned j = threadIdx.y; j < TILE; j += TILE_ROWS)
      if (x0 + j < t.width && y0 + threadIdx.x < t.height)
        tile[j][threadIdx.x] = *reinterpret_cast<const S *>(from + (x0 + j) * t.from_x +
                                                            (y0 + threadIdx.x) * sizeof(S));
    __syncthreads();
    for (unsigned j = threadIdx.y; j < TILE; j += TILE_ROWS)
      if (y0 + j < t.height && x0 + threadIdx.x < t.width)
        *reinterpret_cast<S *>(to + (y0 + j) * t.to_y + (x0 + threadIdx.x) * sizeof(S)) =
            tile[threadIdx.x][j];
    __syncthreads();
  }
}

/* Returns the dimension along which the source is dense if tiles pay, else 0. */
int transposed_dim(const tocha_strided_layout &layout, int item) {
  if (layout.strides[0][0] != item || layout.strides[1][0] <= item || layout.sizes[0] < TILE / 4)
    return 0;
  for (int d = 1; d < layout.ndim; d++)
    if (layout.strides[1][d] == item && layout.sizes[d] >= TILE / 4) return d;
  return 0;
}

/* Returns `layout` without dimensions 0 and `dim`. */
tocha_strided_layout without(const tocha_strided_layout &layout, int dim) {
  tocha_strided_layout rest = layout;
  rest.ndim = 0;
  rest.numel = 1;
  for (int d = 1; d < layout.ndim; d++) {
    if (d == dim) continue;
    rest.sizes[rest.ndim] = layout.sizes[d];
    rest.numel *= layout.sizes[d];
    for (int k = 0; k < 2; k++) rest.strides[k][rest.ndim] = layout.strides[k][d];
    rest.ndim++;
  }
  return rest;
}

template <class S>
void start_transpose(Stream *stream, const tocha_strided_layout &layout, int dim) {
  tocha_strided_layout rest = without(layout, dim);
  Transposition t = {};
  t.outer = Offsets<unsigned, 2>(rest);
  t.outers = static_cast<unsigned>(rest.numel);
  t.width = static_cast<unsigned>(layout.sizes[0]);
  t.height = static_cast<unsigned>(layout.sizes[dim]);
  t.tiles_x = (t.width + TILE - 1) / TILE;
  t.tiles_y = (t.height + TILE - 1) / TILE;
  t.to_y = static_cast<unsigned>(layout.strides[0][dim]);
  t.from_x = static_cast<unsigned>(layout.strides[1][0]);
  t.to = static_cast<char *>(layout.data[0]);
  t.from = READ_ONLY(static_cast<char *>(layout.data[1]));
  long long tiles = static_cast<long long>(t.outers) * t.tiles_x * t.tiles_y;
  unsigned blocks = blocks_for(stream, tiles * TILE * TILE_ROWS);
  LAUNCH((transpose<S>), blocks, dim3(TILE, TILE_ROWS), 0, stream->cuda(), t);
}

bool start_same(Stream *stream, const tocha_strided_layout &given, int item) {
  return in_32_bit_parts(given, [&](const tocha_strided_layout &part) {
    tocha_strided_layout layout = part;
    if (int dim = transposed_dim(layout, item)) {
      with_size(item,
                [&](auto t) { start_transpose<typename decltype(t)::type>(stream, layout, dim); });
      return true;
    }
    const int bytes = piece_bytes(layout, 2, item);
    take_pieces(layout, 2, item, bytes);
    with_piece(bytes, [&](auto t) { start_move<typename decltype(t)::type>(stream, layout); });
    return true;
  });
}

/* --- conversions ------------------------------------------------------------------------------ */

struct Conversion {
  Offsets<unsigned, 2> offsets;
  unsigned count, vectors; /* number of groups of V elements that use wide accesses */
  char *to, *from;
  int to_dtype, from_dtype;
};

/* Converts between the types that training uses most, by wide accesses. */
template <class To, class From, int V> __global__ void convert_typed(Conversion c) {
  const unsigned first = first_item<unsigned>(), step = item_step<unsigned>();
  for (unsigned i = first; i < c.vectors; i += step) {
    unsigned offset[2];
    c.offsets.at(i * V, offset);
    Vec<From, V> x = load_vec<V>(reinterpret_cast<const From *>(c.from + signed_offset(offset[1])));
    Vec<To, V> y;
    UNROLL for (int j = 0; j < V; j++) y[j] = convert<To>(convert<float>(x[j]));
    store_vec(reinterpret_cast<To *>(c.to + offset[0]), y);
  }
  for (unsigned i = c.vectors * V + first; i < c.count; i += step) {
    unsigned offset[2];
    c.offsets.at(i, offset);
    From x = *reinterpret_cast<const From *>(c.from + signed_offset(offset[1]));
    *reinterpret_cast<To *>(c.to + offset[0]) = convert<To>(convert<float>(x));
  }
}

/* Converts between any two types through T: float for 16-bit sources, int64_t for integers. */
template <class T> __global__ void convert_any(Conversion c) {
  for (unsigned i = first_item<unsigned>(); i < c.count; i += item_step<unsigned>()) {
    unsigned offset[2];
    c.offsets.at(i, offset);
    store<T>(c.to + offset[0], c.to_dtype,
             load<T>(c.from + signed_offset(offset[1]), c.from_dtype));
  }
}

template <class To, class From>
void start_typed(Stream *stream, const tocha_strided_layout &layout, Conversion c) {
  enum { BYTES = sizeof(To) > sizeof(From) ? sizeof(To) : sizeof(From), V = 16 / BYTES };
  const int item[] = {sizeof(To), sizeof(From)};
  c.vectors = layout.strides[1][0] ? count_vectors(layout, item, V) : 0; /* a source that repeats
                                                                          * has no vectors */
  LAUNCH((convert_typed<To, From, V>), blocks_for(stream, c.vectors ? c.vectors : c.count),
         BLOCK_THREADS, 0, stream->cuda(), c);
}

template <class To>
bool start_from(Stream *stream, const tocha_strided_layout &layout, const Conversion &c) {
  switch (c.from_dtype) {
  case TOCHA_FLOAT32:
    return start_typed<To, float>(stream, layout, c), true;
  case TOCHA_FLOAT16:
    return start_typed<To, float16>(stream, layout, c), true;
  case TOCHA_BFLOAT16:
    return start_typed<To, bfloat16>(stream, layout, c), true;
  case TOCHA_UINT8:
    return start_typed<To, unsigned char>(stream, layout, c), true;
  case TOCHA_INT64:
    return start_typed<To, long long>(stream, layout, c), true;
  default:
    return false;
  }
}

template <class T> void start_any(Stream *stream, const Conversion &c) {
  LAUNCH((convert_any<T>), blocks_for(stream, c.count), BLOCK_THREADS, 0, stream->cuda(), c);
}

bool start_conversion(Stream *stream, const tocha_strided_layout &given) {
  return in_32_bit_parts(given, [&](const tocha_strided_layout &layout) {
    Places p = places_of(layout);
    Conversion c = {p.offsets, p.count, 0, p.to, p.from, layout.dtype[0], layout.dtype[1]};
    if (c.to_dtype == TOCHA_FLOAT32 && start_from<float>(stream, layout, c)) return true;
    if (c.to_dtype == TOCHA_FLOAT16 && start_from<float16>(stream, layout, c)) return true;
    if (c.to_dtype == TOCHA_BFLOAT16 && start_from<bfloat16>(stream, layout, c)) return true;
    if (c.from_dtype == TOCHA_FLOAT64)
      start_any<double>(stream, c);
    else if (c.from_dtype == TOCHA_FLOAT32 || c.from_dtype == TOCHA_FLOAT16 ||
             c.from_dtype == TOCHA_BFLOAT16)
      start_any<float>(stream, c);
    else
      start_any<long long>(stream, c);
    return true;
  });
}

/* --- fills ------------------------------------------------------------------------------------ */

struct Filling {
  Offsets<unsigned, 1> offsets;
  unsigned count;
  char *to;
};

/* Writes `value` to f.count elements. */
template <class S> __global__ void fill(Filling f, S value) {
  for (unsigned i = first_item<unsigned>(); i < f.count; i += item_step<unsigned>()) {
    unsigned offset[1];
    f.offsets.at(i, offset);
    *reinterpret_cast<S *>(f.to + offset[0]) = value;
  }
}

template <class S> void start_fill(Stream *stream, const tocha_strided_layout &layout, S value) {
  Filling f = {};
  f.offsets = Offsets<unsigned, 1>(layout);
  f.count = static_cast<unsigned>(layout.numel);
  f.to = static_cast<char *>(layout.data[0]);
  LAUNCH((fill<S>), blocks_for(stream, f.count), BLOCK_THREADS, 0, stream->cuda(), f, value);
}

/* Returns the element repeated over 8 bytes. */
unsigned long long repeated(unsigned long long element, int item) {
  if (item == 1) element = (element & 0xff) * 0x101;
  if (item <= 2) element = (element & 0xffff) * 0x10001;
  if (item <= 4) element = (element & 0xffffffff) * 0x100000001ULL;
  return element;
}

bool start_filling(Stream *stream, const tocha_fill_args &args) {
  int item = item_bytes(args.layout->dtype[0]);
  unsigned long long element = repeated(args.element, item);
  return in_32_bit_parts(*args.layout, [&](const tocha_strided_layout &part) {
    tocha_strided_layout layout = part;
    const int bytes = piece_bytes(layout, 1, item);
    take_pieces(layout, 1, item, bytes);
    if (bytes == 16) return start_fill(stream, layout, Piece16{{element, element}}), true;
    with_size(bytes, [&](auto t) {
      using S = typename decltype(t)::type;
      start_fill(stream, layout, static_cast<S>(element));
    });
    return true;
  });
}

} // namespace

bool launch_copy(Stream *stream, const tocha_strided_layout &layout) {
  if (layout.dtype[0] != layout.dtype[1] &&
      (layout.dtype[0] > TOCHA_FLOAT64 || layout.dtype[1] > TOCHA_FLOAT64))
    return start_float8_conversion(stream, layout) && launched(stream);
  if (layout.dtype[0] != layout.dtype[1])
    return start_conversion(stream, layout) && launched(stream);
  const int item = item_bytes(layout.dtype[0]);
  if (layout.ndim == 1 && layout.strides[0][0] == item && layout.strides[1][0] == item)
    return check(stream->state, cudaMemcpyAsync(layout.data[0], layout.data[1],
                                                static_cast<size_t>(layout.numel * item),
                                                cudaMemcpyDeviceToDevice, stream->cuda()));
  return start_same(stream, layout, item) && launched(stream);
}

bool launch_fill(Stream *stream, const tocha_fill_args &args) {
  return start_filling(stream, args) && launched(stream);
}

} // namespace tocha
