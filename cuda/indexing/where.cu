/* where.cu: selects one of two values by a condition, with any strides: where, masked_fill. */
#include "indexing/launch.h"
#include "common/launch.h"

namespace tocha {
namespace {

struct WhereArgs {
  Offsets<unsigned, 4> offsets; /* out, condition, a, b */
  unsigned count, vectors;      /* number of groups of V elements that use wide accesses */
  char *out;
  const unsigned char *condition;
  const char *value[2]; /* NULL: a number */
  unsigned long long elements[2];
};

/* Reads V elements; all are the same if the operand is a number or does not move. */
template <class S, int V>
__device__ inline Vec<S, V> read(const WhereArgs &c, int which, unsigned offset) {
  const char *from = c.value[which];
  Vec<S, V> values;
  if (from && c.offsets.strides[0][2 + which])
    return load_vec<V>(reinterpret_cast<const S *>(from + offset));
  S value = from ? *reinterpret_cast<const S *>(from + offset) : static_cast<S>(c.elements[which]);
  UNROLL for (int j = 0; j < V; j++) values[j] = value;
  return values;
}

template <class S, int V> __device__ inline void where_at(const WhereArgs &c, unsigned i) {
  unsigned offset[4];
  c.offsets.at(i, offset);
  Vec<S, V> a = read<S, V>(c, 0, offset[2]), b = read<S, V>(c, 1, offset[3]);
  const unsigned char *condition = c.condition + offset[1];
  if (V > 1 && c.offsets.strides[0][1]) {
    Vec<unsigned char, V> mask = load_vec<V>(condition);
    UNROLL for (int j = 0; j < V; j++) a[j] = mask[j] ? a[j] : b[j];
  } else {
    UNROLL for (int j = 0; j < V; j++) a[j] = *condition ? a[j] : b[j];
  }
  store_vec(reinterpret_cast<S *>(c.out + offset[0]), a);
}

/* Selects c.count elements. */
template <class S, int V> __global__ void where_kernel(WhereArgs c) {
  const unsigned first = first_item<unsigned>(), step = item_step<unsigned>();
  for (unsigned i = first; i < c.vectors; i += step) where_at<S, V>(c, i * V);
  for (unsigned i = c.vectors * V + first; i < c.count; i += step) where_at<S, 1>(c, i);
}

template <class S>
void start_where(Stream *stream, const tocha_where_args &args, const tocha_strided_layout &layout) {
  enum { V = sizeof(S) < 2 ? 8 : 16 / sizeof(S) };
  WhereArgs c = {};
  c.offsets = Offsets<unsigned, 4>(layout);
  c.count = static_cast<unsigned>(layout.numel);
  const int item[] = {sizeof(S), 1, sizeof(S), sizeof(S)};
  c.vectors = count_vectors(layout, item, V);
  c.out = static_cast<char *>(layout.data[0]);
  c.condition = READ_ONLY(static_cast<const unsigned char *>(layout.data[1]));
  for (int k = 0; k < 2; k++) {
    c.elements[k] = args.elements[k];
    c.value[k] = static_cast<const char *>(layout.data[2 + k]);
    if (c.value[k]) c.value[k] = READ_ONLY(c.value[k]);
  }
  LAUNCH((where_kernel<S, V>), blocks_for(stream, c.vectors ? c.vectors : c.count), BLOCK_THREADS,
         0, stream->cuda(), c);
}

} // namespace

bool launch_where(Stream *stream, const tocha_where_args &args) {
  return in_32_bit_parts(*args.layout,
                         [&](const tocha_strided_layout &layout) {
                           with_size(args.item, [&](auto t) {
                             start_where<typename decltype(t)::type>(stream, args, layout);
                           });
                           return true;
                         }) &&
         launched(stream);
}

} // namespace tocha
