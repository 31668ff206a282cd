/* unscale.cu: multiplies gradients by the inverse of the scale while looking for infinities, and
 * updates the scale. The host waits for neither. */
#include "amp/launch.h"
#include "common/block.h"
#include "common/list.h"

namespace tocha {
namespace {

/* --- scaling ---------------------------------------------------------------------------------- */

template <int V, class T, class C> __device__ inline bool scale_vector(T *data, C factor) {
  Vec<T, V> values = load_vec<V>(data);
  bool bad = false;
  UNROLL
  for (int j = 0; j < V; j++) {
    C x = convert<C>(values[j]);
    bad |= x - x != 0; /* infinite or NaN */
    values[j] = convert<T>(x * factor);
  }
  store_vec(data, values);
  return bad;
}

/* Scales a chunk of the list per block, and sets *found to 1 if it contains an infinity or NaN. */
template <class T>
__global__ void scale_list(const List<1> list, const void *factor, bool wide_factor, float *found) {
  typedef typename Arithmetic<T>::type C;
  enum { V = 16 / sizeof(T) };
  C by = static_cast<C>(wide_factor ? *static_cast<const double *>(factor)
                                    : static_cast<double>(*static_cast<const float *>(factor)));
  const Chunk chunk = list.chunk_of(blockIdx.x);
  const int n = chunk.length;
  T *data = static_cast<T *>(list.data[0][chunk.tensor]) + chunk.begin;
  int vectors = reinterpret_cast<uintptr_t>(data) % 16 == 0 ? n / V : 0;
  bool bad = false;
  for (int i = threadIdx.x; i < vectors; i += BLOCK_THREADS)
    bad |= scale_vector<V>(data + i * V, by);
  for (int i = vectors * V + threadIdx.x; i < n; i += BLOCK_THREADS)
    bad |= scale_vector<1>(data + i, by);
  if (bad && found) *found = 1; /* all threads write the same value */
}

template <class T> bool start_scaling(Stream *stream, const tocha_scale_list_args &args) {
  for_lists<1>(
      args.items, args.count, true,
      [](List<1> &list, int at, const tocha_list_item &item) { list.data[0][at] = item.data; },
      [&](const List<1> &list, unsigned blocks) {
        LAUNCH((scale_list<T>), blocks, BLOCK_THREADS, 0, stream->cuda(), list, args.factor,
               args.wide_factor, args.found);
      });
  return launched(stream);
}

/* --- the scale of GradScaler ------------------------------------------------------------------ */

/* Updates the scale by GradScaler's rule, in one thread. */
__global__ void update_scale(float *scale, int *tracker, const float *found, double growth,
                             double backoff, long long interval) {
  if (*found != 0) {
    *scale = static_cast<float>(*scale * backoff);
    *tracker = 0;
  } else if (*tracker + 1LL != interval) {
    ++*tracker;
  } else {
    float larger = static_cast<float>(*scale * growth);
    if (larger - larger == 0) *scale = larger; /* finite */
    *tracker = 0;
  }
}

} // namespace

bool launch_scale_list(Stream *stream, const tocha_scale_list_args &args) {
  return with_floating(
      args.dtype, [&](auto t) { return start_scaling<typename decltype(t)::type>(stream, args); });
}

bool launch_update_scale(Stream *stream, const tocha_update_scale_args &args) {
  LAUNCH(update_scale, 1, 1, 0, stream->cuda(), args.scale, args.tracker, args.found, args.growth,
         args.backoff, args.interval);
  return launched(stream);
}

} // namespace tocha
