/* creation.cu: tensors made from numbers: sequences, triangles of matrices, their coordinates. */
#include <cmath>

#include "launch.h"
#include "ops/sequence.h"

namespace tocha {
namespace {

/* --- sequences -------------------------------------------------------------------------------- */

__device__ inline bool is_single(int dtype) {
  return dtype == TOCHA_FLOAT32 || dtype == TOCHA_FLOAT16 || dtype == TOCHA_BFLOAT16;
}

__global__ void sequence(tocha_sequence_job job, int item) {
  char *out = static_cast<char *>(job.out);
  for (long long i = first_item(); i < job.count; i += item_step()) {
    void *at = out + i * item;
    if (job.kind == TOCHA_SEQUENCE_RANGE) {
      if (job.dtype < TOCHA_FLOAT16)
        store<long long>(
            at, job.dtype,
            static_cast<long long>(static_cast<unsigned long long>(job.whole_start) +
                                   static_cast<unsigned long long>(i) *
                                       static_cast<unsigned long long>(job.whole_step)));
      else if (is_single(job.dtype)) /* as PyTorch's kernel computes it */
        store<float>(at, job.dtype,
                     fmaf(static_cast<float>(job.step), static_cast<float>(i),
                          static_cast<float>(job.start)));
      else
        store<double>(at, job.dtype, fma(job.step, static_cast<double>(i), job.start));
      continue;
    }
    double value = tocha_linspace_value(is_single(job.dtype), job.start, job.stop, job.count, i);
    if (job.kind == TOCHA_SEQUENCE_LOGARITHMIC) value = pow(job.base, value);
    store<double>(at, job.dtype, value);
  }
}

/* --- triangles -------------------------------------------------------------------------------- */

template <class S> __global__ void triangle(tocha_triangle_job job) {
  const S *in = static_cast<const S *>(job.in);
  S *out = static_cast<S *>(job.out);
  for (long long i = first_item(); i < job.numel; i += item_step()) {
    long long row = i / job.columns, column = i - row * job.columns;
    long long past = column - row % job.rows - job.diagonal; /* columns right of the diagonal */
    out[i] = (job.upper ? past >= 0 : past <= 0) ? in[i] : S();
  }
}

__device__ inline long long between(long long value, long long least, long long most) {
  return value < least ? least : value > most ? most : value;
}

/* The sum of between(i + shift, 0, columns) over the rows i before row. */
__device__ inline long long sum_before(long long row, long long shift, long long columns) {
  long long begin = between(-shift, 0, row), end = between(columns - shift, begin, row);
  return (end - begin) * (begin + end - 1 + 2 * shift) / 2 + (row - end) * columns;
}

__device__ inline long long elements_before(const tocha_triangle_indices_job &job, long long row) {
  return job.upper ? row * job.columns - sum_before(row, job.offset, job.columns)
                   : sum_before(row, job.offset + 1, job.columns);
}

/* The row of an element by bisection: the last one with no more than i elements before it. */
__global__ void triangle_indices(tocha_triangle_indices_job job) {
  for (long long i = first_item(); i < job.count; i += item_step()) {
    long long low = 0, high = job.rows;
    while (high - low > 1) {
      long long middle = (low + high) / 2;
      if (elements_before(job, middle) <= i)
        low = middle;
      else
        high = middle;
    }
    long long first = job.upper ? between(low + job.offset, 0, job.columns) : 0;
    job.out[i] = low;
    job.out[job.count + i] = first + i - elements_before(job, low);
  }
}

} // namespace

bool launch_sequence(Queue *queue, const tocha_sequence_job &work) {
  LAUNCH(sequence, blocks_for(queue, work.count), BLOCK_THREADS, 0, queue->cuda(), work,
         item_bytes(work.dtype));
  return launched(queue);
}

bool launch_triangle(Queue *queue, const tocha_triangle_job &work) {
  tocha_triangle_job job = work;
  job.in = READ_ONLY(job.in);
  with_size(work.item, [&](auto t) {
    using S = typename decltype(t)::type;
    LAUNCH((triangle<S>), blocks_for(queue, job.numel), BLOCK_THREADS, 0, queue->cuda(), job);
  });
  return launched(queue);
}

bool launch_triangle_indices(Queue *queue, const tocha_triangle_indices_job &work) {
  LAUNCH(triangle_indices, blocks_for(queue, work.count), BLOCK_THREADS, 0, queue->cuda(), work);
  return launched(queue);
}

} // namespace tocha
