/* depthwise.cu: convolutions whose groups have one channel of the image each: a thread for each
 * element of the output, or of the image in its gradient, and a block for each element of a
 * weight's gradient. */
#include "common/block.h"
#include "convolution/launch.h"
#include "convolution/windows.h"

namespace tocha {
namespace {

/* The sizes of a convolution: image (images, channels / multiplier, in), weight (channels,
 * kernel), out (images, channels, out). */
struct Channels {
  long long planes; /* images * channels of the tensor that is written, or of `out` in the
                     * weight's gradient */
  int channels, multiplier;
  unsigned spots, rest; /* spots: elements of one of these planes; rest: fills a gap (kernel.h) */
};

__device__ inline long long plane_of(const int (&sizes)[3]) {
  return static_cast<long long>(sizes[0]) * sizes[1] * sizes[2];
}

/* Calls f(k, position) for the positions of a window inside the plane; k counts the places of
 * the kernel. */
template <class F>
__device__ inline void for_places(const Windows &w, const int (&window)[3], F f) {
  int k = 0;
  for (int a = 0; a < w.kernel[0]; a++) {
    const int z = window[0] * w.stride[0] - w.padding[0] + a * w.dilation[0];
    for (int b = 0; b < w.kernel[1]; b++) {
      const int y = window[1] * w.stride[1] - w.padding[1] + b * w.dilation[1];
      const bool inside = z >= 0 && z < w.in[0] && y >= 0 && y < w.in[1];
      const long long line = (static_cast<long long>(z) * w.in[1] + y) * w.in[2];
      for (int c = 0; c < w.kernel[2]; c++, k++) {
        const int x = window[2] * w.stride[2] - w.padding[2] + c * w.dilation[2];
        if (inside && x >= 0 && x < w.in[2]) f(k, line + x);
      }
    }
  }
}

/* Computes out (images, channels, out) from image (images, channels / multiplier, in). */
template <class T>
__global__ void depthwise(const Windows w, const Channels n, const T *image, const T *weight,
                          const T *bias, T *out) {
  using A = typename Arithmetic<T>::type;
  const long long plane = plane_of(w.in);
  const int places = w.kernel[0] * w.kernel[1] * w.kernel[2];
  for (long long p = blockIdx.y; p < n.planes; p += gridDim.y) {
    const int channel = static_cast<int>(p % n.channels);
    const T *from = image + p / n.multiplier * plane, *weights = weight + channel * places;
    const A first = bias ? convert<A>(bias[channel]) : A(0);
    for (unsigned i = first_item<unsigned>(); i < n.spots; i += item_step<unsigned>()) {
      int window[3];
      split(w, i, window);
      A sum = first;
      for_places(w, window, [&](int k, long long place) {
        sum += convert<A>(weights[k]) * convert<A>(from[place]);
      });
      out[p * n.spots + i] = convert<T>(sum);
    }
  }
}

/* Computes the gradient of the image (images, channels / multiplier, in) from that of out. */
template <class T>
__global__ void depthwise_back_image(const Windows w, const Channels n, T *image, const T *weight,
                                     const T *out) {
  using A = typename Arithmetic<T>::type;
  const long long plane = plane_of(w.out);
  const int places = w.kernel[0] * w.kernel[1] * w.kernel[2];
  for (long long p = blockIdx.y; p < n.planes; p += gridDim.y) {
    const int channel = static_cast<int>(p % (n.channels / n.multiplier)) * n.multiplier;
    for (unsigned i = first_item<unsigned>(); i < n.spots; i += item_step<unsigned>()) {
      int at[3];
      split(w, i, at);
      A sum = 0;
      for (int m = 0; m < n.multiplier; m++) {
        const T *from = out + (p * n.multiplier + m) * plane;
        const T *weights = weight + (channel + m) * places;
        for (int a = 0; a < w.kernel[0]; a++) {
          const int z = window_on(w, 0, at[0], a);
          for (int b = 0; b < w.kernel[1]; b++) {
            const int y = window_on(w, 1, at[1], b);
            const T *row = weights + (a * w.kernel[1] + b) * w.kernel[2];
            if (z < 0 || y < 0) continue;
            const T *line = from + (static_cast<long long>(z) * w.out[1] + y) * w.out[2];
            for (int c = 0; c < w.kernel[2]; c++) {
              const int x = window_on(w, 2, at[2], c);
              if (x >= 0) sum += convert<A>(row[c]) * convert<A>(line[x]);
            }
          }
        }
      }
      image[p * n.spots + i] = convert<T>(sum);
    }
  }
}

/* Computes the gradient of the weight (channels, kernel): a block for each of its elements. */
template <class T>
__global__ void __launch_bounds__(BLOCK_THREADS)
    depthwise_back_weight(const Windows w, const Channels n, const T *image, T *weight,
                          const T *out) {
  using A = typename Arithmetic<T>::type;
  const int places = w.kernel[0] * w.kernel[1] * w.kernel[2];
  const int channel = static_cast<int>(blockIdx.x) / places;
  int place = static_cast<int>(blockIdx.x) % places, start[3];
  UNROLL
  for (int d = 2; d >= 0; d--) {
    start[d] = place % w.kernel[d] * w.dilation[d] - w.padding[d];
    place /= w.kernel[d];
  }
  A sum = 0;
  for (long long p = channel; p < n.planes; p += n.channels) {
    const T *from = image + p / n.multiplier * plane_of(w.in), *given = out + p * n.spots;
    for (unsigned i = threadIdx.x; i < n.spots; i += BLOCK_THREADS) {
      int at[3];
      split(w, i, at);
      bool inside = true;
      UNROLL
      for (int d = 0; d < 3; d++) {
        at[d] = at[d] * w.stride[d] + start[d];
        inside = inside && at[d] >= 0 && at[d] < w.in[d];
      }
      if (!inside) continue;
      const long long element = (static_cast<long long>(at[0]) * w.in[1] + at[1]) * w.in[2] + at[2];
      sum += convert<A>(given[i]) * convert<A>(from[element]);
    }
  }
  sum = block_joined(sum, Plus());
  if (threadIdx.x == 0) weight[blockIdx.x] = convert<T>(sum);
}

/* --- launches --------------------------------------------------------------------------------- */

template <class T> void start(Stream *stream, const tocha_convolution_args &a) {
  const bool back = a.task == TOCHA_CONVOLVE_BACK_INPUT;
  const int64_t *sizes = back ? a.windows.in : a.windows.out;
  const Windows w = windows_of(a.windows, sizes);
  const Channels n = {
      a.images * (back ? a.in_channels : a.out_channels), static_cast<int>(a.out_channels),
      static_cast<int>(a.out_channels / a.in_channels), static_cast<unsigned>(product(sizes)), 0};
  const dim3 grid = grid_for(n.spots, n.planes);
  if (a.task == TOCHA_CONVOLVE)
    LAUNCH(depthwise<T>, grid, BLOCK_THREADS, 0, stream->cuda(), w, n,
           static_cast<const T *>(a.input), static_cast<const T *>(a.weight),
           static_cast<const T *>(a.bias), static_cast<T *>(a.out));
  else if (back)
    LAUNCH(depthwise_back_image<T>, grid, BLOCK_THREADS, 0, stream->cuda(), w, n,
           static_cast<T *>(a.input), static_cast<const T *>(a.weight),
           static_cast<const T *>(a.out));
  else
    LAUNCH(depthwise_back_weight<T>,
           static_cast<unsigned>(a.out_channels * product(a.windows.kernel)), BLOCK_THREADS, 0,
           stream->cuda(), w, n, static_cast<const T *>(a.input), static_cast<T *>(a.weight),
           static_cast<const T *>(a.out));
}

bool fits(const int64_t *sizes) { return product(sizes) < 1LL << 30; }

} // namespace

bool takes_depthwise(const tocha_convolution_args &a) {
  return a.task != TOCHA_CONVOLVE_BACK_BIAS && !a.channels_last && a.groups > 1 &&
         a.groups == a.in_channels && is_floating(a.dtype) && fits(a.windows.in) &&
         fits(a.windows.out);
}

bool launch_depthwise(Stream *stream, const tocha_convolution_args &args) {
  with_floating(args.dtype, [&](auto t) { start<typename decltype(t)::type>(stream, args); });
  return launched(stream);
}

} // namespace tocha
