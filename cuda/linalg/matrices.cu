/* matrices.cu: what the libraries of linear algebra leave to do: addresses of batches, transposes,
 * triangles, determinants and permutations of factors. */
#include "common/block.h"
#include "common/launch.h"
#include "linalg/launch.h"

namespace tocha {
namespace {

__global__ void pointers(char **out, char *first, long long step, long long n) {
  for (long long i = first_item(); i < n; i += item_step()) out[i] = first + i * step;
}

template <class T> __global__ void copy(const MatrixCopy c) {
  const long long each = c.rows * c.columns;
  for (long long i = first_item(); i < each * c.batch; i += item_step()) {
    const long long matrix = i / each, at = i - matrix * each;
    const long long column = at / c.rows, row = at - column * c.rows;
    const T *in = static_cast<const T *>(c.in) + matrix * c.in_step;
    static_cast<T *>(c.out)[matrix * c.out_step + at] =
        in[c.transposed ? row * c.in_rows + column : column * c.in_rows + row];
  }
}

template <class T>
__global__ void mirror(T *a, long long n, long long step, long long batch, int upper) {
  for (long long i = first_item(); i < n * n * batch; i += item_step()) {
    const long long matrix = i / (n * n), at = i - matrix * n * n, column = at / n;
    const long long row = at - column * n;
    if (upper ? row <= column : row >= column) continue;
    a[matrix * step + at] = a[matrix * step + row * n + column];
  }
}

template <class T>
__global__ void identities(T *a, long long rows, long long columns, long long step,
                           long long batch) {
  const long long each = rows * columns;
  for (long long i = first_item(); i < each * batch; i += item_step()) {
    const long long matrix = i / each, at = i - matrix * each;
    a[matrix * step + at] = at / rows == at % rows ? T(1) : T(0);
  }
}

enum { WARP = 32 };

struct Multiply {
  template <class T> __device__ T operator()(T a, T b) const { return a * b; }
};

/* Factors and the exchanges of their rows. */
template <class T> struct Factors {
  const T *lu;
  const int *pivots;
  long long rows, step, exchanges, pivot_step, batch;
};

template <class T> struct Determinants { T *value, *sign, *logarithm; /* each may be NULL */ };

/* Computes determinants: a warp for each matrix. */
template <class T> __global__ void determinants(const Factors<T> f, const Determinants<T> out) {
  const T *lu = f.lu + blockIdx.x * f.step;
  const int *pivots = f.pivots + blockIdx.x * f.pivot_step;
  T value = 1, sign = 1, sum = 0;
  for (long long i = threadIdx.x; i < f.rows; i += WARP) {
    const T x = lu[i * f.rows + i], exchanged = pivots[i] == i + 1 ? T(1) : T(-1);
    value *= x * exchanged;
    sign *= exchanged * (x > 0 ? T(1) : x < 0 ? T(-1) : x);
    sum += log(x < 0 ? -x : x);
  }
  value = block_joined(value, Multiply());
  sign = block_joined(sign, Multiply());
  sum = block_joined(sum, Plus());
  if (threadIdx.x != 0) return;
  if (out.value) out.value[blockIdx.x] = value;
  if (out.sign) out.sign[blockIdx.x] = sign;
  if (out.logarithm) out.logarithm[blockIdx.x] = sum;
}

/* Sets the one of each column of the permutations (batch, rows, rows), of any dtype: the exchanges,
 * followed back. */
__global__ void permutations(const Factors<float> f, char *out, int dtype, int item) {
  for (long long i = first_item(); i < f.rows * f.batch; i += item_step()) {
    const long long matrix = i / f.rows, column = i - matrix * f.rows;
    const int *pivots = f.pivots + matrix * f.pivot_step;
    long long row = column;
    for (long long k = f.exchanges - 1; k >= 0; k--) {
      const long long other = pivots[k] - 1;
      row = row == k ? other : row == other ? k : row;
    }
    store(out + ((matrix * f.rows + row) * f.rows + column) * item, dtype, 1.0f);
  }
}

template <class T>
Factors<T> factors_of(const void *lu, long long rows, long long step,
                      const tocha_vector_batch &pivots, long long batch) {
  return {READ_ONLY(static_cast<const T *>(lu)),
          READ_ONLY(static_cast<const int *>(pivots.data)),
          rows,
          step,
          pivots.size,
          pivots.step,
          batch};
}

/* Calls f(Type<T>()) for float32 or float64. */
template <class F> bool with_real(Stream *stream, int dtype, F f) {
  if (dtype == TOCHA_FLOAT32)
    f(Type<float>());
  else
    f(Type<double>());
  return launched(stream);
}

} // namespace

bool fill_pointers(Stream *stream, void **out, const void *first, long long step, long long n) {
  LAUNCH(pointers, blocks_for(stream, n), BLOCK_THREADS, 0, stream->cuda(),
         reinterpret_cast<char **>(out), static_cast<char *>(const_cast<void *>(first)), step, n);
  return launched(stream);
}

bool copy_matrices(Stream *stream, const MatrixCopy &c) {
  MatrixCopy device = c;
  device.in = READ_ONLY(c.in);
  const long long all = c.rows * c.columns * c.batch;
  if (!all) return true;
  return with_real(stream, c.dtype, [&](auto t) {
    LAUNCH((copy<typename decltype(t)::type>), blocks_for(stream, all), BLOCK_THREADS, 0,
           stream->cuda(), device);
  });
}

bool mirror_triangles(Stream *stream, const tocha_potri_args &args) {
  const long long n = args.a.rows;
  return with_real(stream, args.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    LAUNCH((mirror<T>), blocks_for(stream, n * n * args.batch), BLOCK_THREADS, 0, stream->cuda(),
           static_cast<T *>(args.a.data), n, static_cast<long long>(args.a.step),
           static_cast<long long>(args.batch), static_cast<int>(args.upper));
  });
}

bool fill_identities(Stream *stream, const tocha_orgqr_args &args) {
  const long long rows = args.a.rows, columns = args.a.columns;
  return with_real(stream, args.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    LAUNCH((identities<T>), blocks_for(stream, rows * columns * args.batch), BLOCK_THREADS, 0,
           stream->cuda(), static_cast<T *>(args.a.data), rows, columns,
           static_cast<long long>(args.a.step), static_cast<long long>(args.batch));
  });
}

bool launch_determinant(Stream *stream, const tocha_determinant_args &args) {
  return with_real(stream, args.dtype, [&](auto t) {
    using T = typename decltype(t)::type;
    const Determinants<T> out = {static_cast<T *>(args.value), static_cast<T *>(args.sign),
                                 static_cast<T *>(args.logarithm)};
    LAUNCH((determinants<T>), static_cast<unsigned>(args.batch), WARP, 0, stream->cuda(),
           factors_of<T>(args.lu.data, args.lu.rows, args.lu.step, args.pivots, args.batch), out);
  });
}

bool launch_permutation(Stream *stream, const tocha_permutation_args &args) {
  LAUNCH(permutations, blocks_for(stream, args.rows * args.batch), BLOCK_THREADS, 0, stream->cuda(),
         factors_of<float>(nullptr, args.rows, 0, args.pivots, args.batch),
         static_cast<char *>(args.p), static_cast<int>(args.dtype), item_bytes(args.dtype));
  return launched(stream);
}

} // namespace tocha
