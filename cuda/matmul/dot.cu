/* dot.cu: functions that cuBLAS lacks: inner products with the result in the device's memory and
 * without a change of its handle's mode, and the activation of a product for which cuBLASLt has
 * none. */
#include "matmul/launch.h"
#include "common/block.h"
#include "common/launch.h"

namespace tocha {
namespace {

/* Sums the products of n elements of two vectors, one partial sum per block. */
template <class T>
__global__ void dot_parts(const T *a, const T *b, long long n, long long a_stride,
                          long long b_stride, double *partial) {
  typedef typename Arithmetic<T>::type C;
  C sum = 0;
  for (long long i = first_item(); i < n; i += item_step())
    sum += convert<C>(a[i * a_stride]) * convert<C>(b[i * b_stride]);
  double whole = block_joined(static_cast<double>(sum), Plus());
  if (threadIdx.x == 0) partial[blockIdx.x] = whole;
}

/* Sums the partial sums in one block. */
__global__ void finish_dot(const double *partial, int parts, void *out, int dtype) {
  double sum = static_cast<int>(threadIdx.x) < parts ? partial[threadIdx.x] : 0;
  sum = block_joined(sum, Plus());
  if (threadIdx.x == 0) store(out, dtype, sum);
}

template <class T> bool start_dot(Stream *stream, const tocha_dot_args &args) {
  static_assert(static_cast<int>(DOT_PARTS) == static_cast<int>(BLOCK_THREADS),
                "finish_dot is one block");
  long long wanted = (args.n + 8 * BLOCK_THREADS - 1) / (8 * BLOCK_THREADS);
  int parts = wanted < 1 ? 1 : static_cast<int>(wanted < BLOCK_THREADS ? wanted : +BLOCK_THREADS);
  LAUNCH((dot_parts<T>), parts, BLOCK_THREADS, 0, stream->cuda(), static_cast<const T *>(args.a),
         static_cast<const T *>(args.b), args.n, args.a_stride, args.b_stride, args.scratch);
  LAUNCH(finish_dot, 1, BLOCK_THREADS, 0, stream->cuda(), args.scratch, parts, args.out,
         static_cast<int>(args.dtype));
  return launched(stream);
}

/* Returns max(x, 0), with NaN kept, or the tanh form of GELU: 0.5 x (1 + tanh(sqrt(2/pi) (x +
 * 0.044715 x^3))) (Hendrycks and Gimpel 2016). */
template <class C> __device__ inline C activated(C x, int activation) {
  if (activation == TOCHA_RELU) return x < 0 ? 0 : x;
  C inner = static_cast<C>(0.79788456080286535588) * (x + static_cast<C>(0.044715) * x * x * x);
  return static_cast<C>(0.5) * x * (1 + tanh(inner));
}

/* Applies the activation to n elements. */
__global__ void activate(void *data, long long n, int dtype, int bytes, int activation) {
  for (long long i = first_item(); i < n; i += item_step()) {
    char *at = static_cast<char *>(data) + i * bytes;
    if (dtype == TOCHA_FLOAT64)
      store(at, dtype, activated(load<double>(at, dtype), activation));
    else
      store(at, dtype, activated(load<float>(at, dtype), activation));
  }
}

} // namespace

bool start_activation(Stream *stream, void *data, long long n, int dtype, int activation) {
  LAUNCH(activate, blocks_for(stream, n), BLOCK_THREADS, 0, stream->cuda(), data, n, dtype,
         item_bytes(dtype), activation);
  return launched(stream);
}

bool launch_dot(Stream *stream, const tocha_dot_args &args) {
  return with_floating(args.dtype,
                       [&](auto t) { return start_dot<typename decltype(t)::type>(stream, args); });
}

} // namespace tocha
