/* columns.h: sorts along a dimension that is not the last: rows are made dense in scratch
 * memory, and the results are copied back. */
#pragma once

#include "common/element.h"
#include "sorting/launch.h"
#include "tensor/launch.h"

namespace tocha {

/* Returns the layout that copies (outer, n, inner) to rows of n, or back. */
inline tocha_strided_layout columns_layout(void *to, const void *from, int dtype, long long outer,
                                           long long n, long long inner, bool to_rows) {
  const long long item = item_bytes(dtype);
  const int rows = to_rows ? 0 : 1, columns = 1 - rows; /* operands */
  tocha_strided_layout l = {};
  l.ndim = 3;
  l.operands = 2;
  l.numel = outer * n * inner;
  l.data[0] = to;
  l.data[1] = const_cast<void *>(from);
  const int along = to_rows ? 0 : 1; /* the target is dense along dimension 0 */
  l.sizes[along] = n;
  l.sizes[1 - along] = inner;
  l.sizes[2] = outer;
  l.strides[rows][along] = item;
  l.strides[rows][1 - along] = n * item;
  l.strides[columns][along] = inner * item;
  l.strides[columns][1 - along] = item;
  for (int k = 0; k < 2; k++) {
    l.strides[k][2] = n * inner * item;
    l.dtype[k] = static_cast<int8_t>(dtype);
  }
  return l;
}

inline size_t aligned(long long bytes) { return static_cast<size_t>((bytes + 15) / 16 * 16); }

/* Returns the bytes of scratch memory for the rows, their values and their indices. Args:
 * tocha_sort_args or tocha_select_args; kept: number of results per row. */
template <class Args> size_t columns_bytes(const Args &args, long long kept) {
  const long long rows = args.outer * args.inner, item = item_bytes(args.dtype);
  return aligned(rows * args.n * item) + aligned(rows * kept * item) +
         aligned(rows * kept * static_cast<long long>(sizeof(int64_t)));
}

/* Returns args for dense rows in the scratch memory, of which they also get the rest as their
 * scratch memory. */
template <class Args> Args as_rows(const Args &args, long long kept) {
  const long long rows = args.outer * args.inner, item = item_bytes(args.dtype);
  char *at = static_cast<char *>(args.scratch);
  Args dense = args;
  dense.in = at;
  at += aligned(rows * args.n * item);
  dense.values = args.values ? at : nullptr;
  at += aligned(rows * kept * item);
  dense.indices = args.indices ? reinterpret_cast<int64_t *>(at) : nullptr;
  dense.outer = rows;
  dense.inner = 1;
  dense.scratch = static_cast<char *>(args.scratch) + columns_bytes(args, kept);
  return dense;
}

/* Calls `launch` for dense rows, given args whose inner is not 1. */
template <class Args>
bool launch_columns(Stream *stream, const Args &args, long long kept,
                    bool (*launch)(Stream *, const Args &)) {
  const Args dense = as_rows(args, kept);
  void *rows = const_cast<void *>(dense.in);
  if (!launch_copy(stream, columns_layout(rows, args.in, args.dtype, args.outer, args.n, args.inner,
                                          true)) ||
      !launch(stream, dense))
    return false;
  return (!args.values ||
          launch_copy(stream, columns_layout(args.values, dense.values, args.dtype, args.outer,
                                             kept, args.inner, false))) &&
         (!args.indices ||
          launch_copy(stream, columns_layout(args.indices, dense.indices, TOCHA_INT64, args.outer,
                                             kept, args.inner, false)));
}

} // namespace tocha
