/* index.cu: elements picked by index tensors: read, written, added (integers), and the keys by
 * which accumulation sorts them. */
#include "index.h"

namespace tocha {
namespace {

/* Operands of moves: 0 picked, 1 indexed, then one an axis. */
template <class T, class I, int N>
__global__ void move(Offsets<I, N> offsets, Axes axes, char *picked, char *indexed, I n, bool put) {
  for (I i = first_item<I>(); i < n; i += item_step<I>()) {
    I at[N];
    offsets.at(i, at);
    long long place = static_cast<long long>(at[1]);
    for (int k = 0; k < N - 2; k++)
      if (k < axes.count) place += axes.worth(k, at[2 + k]);
    T *mine = reinterpret_cast<T *>(indexed + place);
    T *other = reinterpret_cast<T *>(picked + at[0]);
    if (put)
      *mine = *other;
    else
      *other = *mine;
  }
}

/* The order of additions does not show in integers. */
template <class T, int N>
__global__ void add(Offsets<unsigned long long, N> offsets, Axes axes, const char *picked,
                    char *indexed, unsigned long long n, T scale) {
  for (unsigned long long i = first_item(); i < n; i += item_step()) {
    unsigned long long at[N];
    offsets.at(i, at);
    long long place = static_cast<long long>(at[1]);
    for (int k = 0; k < N - 2; k++)
      if (k < axes.count) place += axes.worth(k, at[2 + k]);
    atomicAdd(reinterpret_cast<T *>(indexed + place),
              *reinterpret_cast<const T *>(picked + at[0]) * scale);
  }
}

/* Operands: 0 the keys, then one an axis, then the indexed tensor. */
template <int N>
__global__ void make_keys(Offsets<unsigned long long, N> offsets, Axes axes, char *keys, bool wide,
                          bool adds, bool based, long long base, long long unit,
                          unsigned long long n) {
  for (unsigned long long i = first_item(); i < n; i += item_step()) {
    unsigned long long at[N];
    offsets.at(i, at);
    long long key = 0;
    for (int k = 0; k < TOCHA_INDEX_AXES; k++)
      if (k < axes.count) key += axes.worth(k, at[1 + k]);
    if (based) key += (base + static_cast<long long>(at[1 + axes.count])) / unit;
    if (wide) {
      long long *to = reinterpret_cast<long long *>(keys + at[0]);
      *to = adds ? *to + key : key;
    } else {
      int *to = reinterpret_cast<int *>(keys + at[0]);
      *to = static_cast<int>(adds ? *to + key : key);
    }
  }
}

/* How many bytes of a run move at once: an index tensor steps from run to run only. */
int run_bytes(const tocha_index_job &job, int item) {
  int bytes = piece_bytes(job.walk, 2, item);
  for (int k = 0; k < job.axes; k++) {
    if (job.walk.strides[2 + k][0]) return item;
    while (bytes > item && job.axis[k].step % bytes) bytes /= 2;
  }
  return bytes;
}

template <class T, class I, int N>
void start_sized_move(Queue *queue, const tocha_index_job &job, const Axes &axes) {
  const tocha_walk &w = job.walk;
  bool put = job.action == TOCHA_INDEX_PUT;
  char *picked = static_cast<char *>(w.data[0]), *indexed = static_cast<char *>(w.data[1]);
  LAUNCH((move<T, I, N>), blocks_for(queue, w.numel), BLOCK_THREADS, 0, queue->cuda(),
         (Offsets<I, N>(w)), axes, picked, indexed, static_cast<I>(w.numel), put);
}

template <class T> void start_move(Queue *queue, const tocha_index_job &job, const Axes &axes) {
  bool few = job.axes == 1, small = fits_32_bits(job.walk);
  if (few && small)
    start_sized_move<T, unsigned, 3>(queue, job, axes);
  else if (few)
    start_sized_move<T, unsigned long long, 3>(queue, job, axes);
  else
    start_sized_move<T, unsigned long long, 2 + TOCHA_INDEX_AXES>(queue, job, axes);
}

template <class T> void start_add(Queue *queue, const tocha_index_job &job, const Axes &axes) {
  const tocha_walk &w = job.walk;
  LAUNCH((add<T, 2 + TOCHA_INDEX_AXES>), blocks_for(queue, w.numel), BLOCK_THREADS, 0,
         queue->cuda(), (Offsets<unsigned long long, 2 + TOCHA_INDEX_AXES>(w)), axes,
         static_cast<const char *>(w.data[0]), static_cast<char *>(w.data[1]),
         static_cast<unsigned long long>(w.numel), static_cast<T>(job.scale));
}

} // namespace

bool launch_index(Queue *queue, const tocha_index_job &work) {
  tocha_index_job job = work;
  for (int k = job.walk.operands; k < TOCHA_WALK_OPERANDS; k++) /* no axis: stays where it is */
    for (int d = 0; d < job.walk.ndim; d++) job.walk.strides[k][d] = 0;
  if (job.action == TOCHA_INDEX_ADD) {
    Axes axes(queue, job.walk, 2, job.axes, job.axis, job.wraps, job.op);
    if (job.walk.dtype[1] == TOCHA_INT64)
      start_add<unsigned long long>(queue, job, axes);
    else
      start_add<unsigned>(queue, job, axes);
    return launched(queue);
  }
  const int item = item_bytes(job.walk.dtype[1]), bytes = run_bytes(job, item);
  take_pieces(job.walk, 2, item, bytes);
  Axes axes(queue, job.walk, 2, job.axes, job.axis, job.wraps, job.op);
  with_piece(bytes, [&](auto t) { start_move<typename decltype(t)::type>(queue, job, axes); });
  return launched(queue);
}

bool launch_index_keys(Queue *queue, const tocha_index_keys_job &work) {
  tocha_walk walk = work.walk;
  for (int k = walk.operands; k < TOCHA_WALK_OPERANDS; k++)
    for (int d = 0; d < walk.ndim; d++) walk.strides[k][d] = 0;
  Axes axes(queue, walk, 1, work.axes, work.axis, work.wraps, work.op);
  long long base = work.based ? static_cast<const char *>(walk.data[1 + work.axes]) -
                                    static_cast<const char *>(work.base)
                              : 0;
  LAUNCH((make_keys<TOCHA_WALK_OPERANDS>), blocks_for(queue, walk.numel), BLOCK_THREADS, 0,
         queue->cuda(), (Offsets<unsigned long long, TOCHA_WALK_OPERANDS>(walk)), axes,
         static_cast<char *>(walk.data[0]), walk.dtype[0] == TOCHA_INT64, work.adds, work.based,
         base, static_cast<long long>(work.unit), static_cast<unsigned long long>(walk.numel));
  return launched(queue);
}

} // namespace tocha
