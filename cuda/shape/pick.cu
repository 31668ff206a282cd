/* pick.cu: builds planes (planes, rows, columns) from rows and columns of others, a thread for
 * each element: padding by a tensor's own elements. */
#include "common/launch.h"
#include "shape/launch.h"

namespace tocha {
namespace {

/* Gathers out (planes, rows, columns) from in (planes, from_rows, from_columns). */
template <class S> __global__ void pick(const tocha_pick_args a, const S *in, S *out) {
  const long long n = a.planes * a.rows * a.columns;
  for (long long i = first_item(); i < n; i += item_step()) {
    const long long row = i / a.columns;
    const long long from = row / a.rows * a.from_rows + a.row[row % a.rows];
    out[i] = in[from * a.from_columns + a.column[i % a.columns]];
  }
}

} // namespace

bool launch_pick(Stream *stream, const tocha_pick_args &args) {
  tocha_pick_args a = args;
  a.row = READ_ONLY(a.row);
  a.column = READ_ONLY(a.column);
  with_size(static_cast<int>(args.bytes), [&](auto t) {
    using S = typename decltype(t)::type;
    LAUNCH((pick<S>), blocks_for(stream, a.planes * a.rows * a.columns), BLOCK_THREADS, 0,
           stream->cuda(), a, static_cast<const S *>(a.in), static_cast<S *>(a.out));
  });
  return launched(stream);
}

} // namespace tocha
