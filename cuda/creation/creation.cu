/* creation.cu: creates tensors from numbers: sequences, triangles of matrices, the coordinates
 * of triangles. */
#include <cmath>

#include "creation/launch.h"
#include "common/launch.h"
#include "ops/creation/sequence.h"

namespace tocha {
namespace {

/* --- sequences -------------------------------------------------------------------------------- */

__device__ inline bool is_single(int dtype) {
  return dtype == TOCHA_FLOAT32 || dtype == TOCHA_FLOAT16 || dtype == TOCHA_BFLOAT16;
}

/* Writes args.count elements of an arithmetic sequence. */
__global__ void sequence(tocha_sequence_args args, int item) {
  char *out = static_cast<char *>(args.out);
  for (long long i = first_item(); i < args.count; i += item_step()) {
    void *at = out + i * item;
    if (args.kind == TOCHA_SEQUENCE_RANGE) {
      if (args.dtype < TOCHA_FLOAT16)
        store<long long>(
            at, args.dtype,
            static_cast<long long>(static_cast<unsigned long long>(args.integer_start) +
                                   static_cast<unsigned long long>(i) *
                                       static_cast<unsigned long long>(args.integer_step)));
      else if (is_single(args.dtype)) /* in the steps of PyTorch's kernel */
        store<float>(at, args.dtype,
                     fmaf(static_cast<float>(args.step), static_cast<float>(i),
                          static_cast<float>(args.start)));
      else
        store<double>(at, args.dtype, fma(args.step, static_cast<double>(i), args.start));
      continue;
    }
    double value =
        tocha_linspace_value(is_single(args.dtype), args.start, args.stop, args.count, i);
    if (args.kind == TOCHA_SEQUENCE_LOGARITHMIC) value = pow(args.base, value);
    store<double>(at, args.dtype, value);
  }
}

/* --- triangles -------------------------------------------------------------------------------- */

/* Copies the triangle of matrices (batch, rows, columns), and zeros elsewhere. */
template <class S> __global__ void triangle(tocha_triangle_args args) {
  const S *in = static_cast<const S *>(args.in);
  S *out = static_cast<S *>(args.out);
  for (long long i = first_item(); i < args.numel; i += item_step()) {
    long long outer = i / args.columns, column = i - outer * args.columns;
    long long batch = outer / args.rows, row = outer - batch * args.rows;
    long long past = column - row - args.diagonal; /* columns to the right of the diagonal */
    out[i] =
        (args.upper ? past >= 0 : past <= 0)
            ? in[batch * args.batch_stride + row * args.row_stride + column * args.column_stride]
            : S();
  }
}

__device__ inline long long between(long long value, long long minimum, long long maximum) {
  return value < minimum ? minimum : value > maximum ? maximum : value;
}

/* Returns the sum of between(i + shift, 0, columns) over the rows i before `row`. */
__device__ inline long long sum_before(long long row, long long shift, long long columns) {
  long long begin = between(-shift, 0, row), end = between(columns - shift, begin, row);
  return (end - begin) * (begin + end - 1 + 2 * shift) / 2 + (row - end) * columns;
}

__device__ inline long long elements_before(const tocha_triangle_indices_args &args,
                                            long long row) {
  return args.upper ? row * args.columns - sum_before(row, args.offset, args.columns)
                    : sum_before(row, args.offset + 1, args.columns);
}

/* Finds the row of an element by bisection: the last row with at most i elements before it. */
__global__ void triangle_indices(tocha_triangle_indices_args args) {
  for (long long i = first_item(); i < args.count; i += item_step()) {
    long long low = 0, high = args.rows;
    while (high - low > 1) {
      long long middle = (low + high) / 2;
      if (elements_before(args, middle) <= i)
        low = middle;
      else
        high = middle;
    }
    long long first = args.upper ? between(low + args.offset, 0, args.columns) : 0;
    args.out[i] = low;
    args.out[args.count + i] = first + i - elements_before(args, low);
  }
}

} // namespace

bool launch_sequence(Stream *stream, const tocha_sequence_args &args) {
  LAUNCH(sequence, blocks_for(stream, args.count), BLOCK_THREADS, 0, stream->cuda(), args,
         item_bytes(args.dtype));
  return launched(stream);
}

bool launch_triangle(Stream *stream, const tocha_triangle_args &given) {
  tocha_triangle_args args = given;
  args.in = READ_ONLY(args.in);
  with_size(args.item, [&](auto t) {
    using S = typename decltype(t)::type;
    LAUNCH((triangle<S>), blocks_for(stream, args.numel), BLOCK_THREADS, 0, stream->cuda(), args);
  });
  return launched(stream);
}

bool launch_triangle_indices(Stream *stream, const tocha_triangle_indices_args &args) {
  LAUNCH(triangle_indices, blocks_for(stream, args.count), BLOCK_THREADS, 0, stream->cuda(), args);
  return launched(stream);
}

} // namespace tocha
