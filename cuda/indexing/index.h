/* index.h: positions in index tensors, checked and reported. */
#pragma once

#include "common/launch.h"
#include "indexing/launch.h"

namespace tocha {

/* The index tensors of one launch, in the form that kernels use. */
struct Axes {
  int count;
  bool wraps;
  bool wide[TOCHA_INDEX_AXES];     /* int64; else int32 */
  int dim[TOCHA_INDEX_AXES], rest; /* rest: fills a gap (kernel.h) */
  long long size[TOCHA_INDEX_AXES], step[TOCHA_INDEX_AXES];
  const char *data[TOCHA_INDEX_AXES];
  const char *op;
  Fault *fault;

  /* The operands first, first + 1, ... of `layout` are the index tensors. */
  Axes(const Stream *stream, const tocha_strided_layout &layout, int first, int axes,
       const tocha_index_axis *axis, bool negative, const char *name)
      : count(axes), wraps(negative), wide(), dim(), rest(), size(), step(), data(), op(name),
        fault(stream->home().fault) {
    for (int k = 0; k < axes; k++) {
      wide[k] = layout.dtype[first + k] == TOCHA_INT64;
      dim[k] = axis[k].dim;
      size[k] = axis[k].size;
      step[k] = axis[k].step;
      data[k] = READ_ONLY(static_cast<const char *>(layout.data[first + k]));
    }
  }

  /* Returns the offset that the index of axis k at a byte offset selects. Reports an index out
   * of range, which counts as the first position. */
  __device__ long long worth(int k, unsigned long long offset) const {
    const char *at = data[k] + offset;
    long long i =
        wide[k] ? *reinterpret_cast<const long long *>(at) : *reinterpret_cast<const int *>(at);
    long long wrapped = wraps && i < 0 ? i + size[k] : i;
    if (wrapped < 0 || wrapped >= size[k]) {
      report_index(fault, op, i, dim[k], size[k]);
      return 0;
    }
    return wrapped * step[k];
  }
};

} // namespace tocha
