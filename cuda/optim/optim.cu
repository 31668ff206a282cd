/* optim.cu: runs one step of an optimizer over all of its parameters in a few launches. The
 * update of an element is the same code as on the CPU (optim/rules.h, generated from
 * runtime/optim/optimizers.lua). */
#include "optim/launch.h"
#include "common/list.h"
#include "optim/rules.h"

namespace tocha {
namespace {

/* A step's update (optim/update.h), rounded once to the type of the arithmetic. Whole words, so
 * that there are no gaps. */
template <class Rule, class C> struct Update {
  enum { EVEN = (Rule::NUMBERS + 1) / 2 * 2 };
  enum { MAXIMIZE = 1, SHRINK = 2, DECAY = 4 };
  C weight_decay, shrink, numbers[EVEN];
  uint32_t flags, before; /* before: flags of the steps before the rule */

  explicit Update(const tocha_update &u)
      : weight_decay(static_cast<C>(u.weight_decay)), shrink(static_cast<C>(u.shrink)), numbers(),
        flags(u.flags), before((u.maximize ? MAXIMIZE : 0) | (u.shrink != 1 ? SHRINK : 0) |
                               (u.weight_decay != 0 ? DECAY : 0)) {
    for (int k = 0; k < Rule::NUMBERS; k++) numbers[k] = static_cast<C>(u.numbers[k]);
  }

  __device__ void apply(C &p, C g, C *states) const {
    if (before & MAXIMIZE) g = -g;
    if (before & SHRINK) p *= shrink;
    if (before & DECAY) g = tocha_step_add(g, p, weight_decay, flags);
    Rule::step(p, g, states, numbers, flags);
  }
};

enum { PARAMETER, GRADIENT, STATES };

/* Updates V neighbouring elements from index i on. */
template <class Rule, int V, class T, class C, int ARRAYS>
__device__ inline void update_vector(T *const (&array)[ARRAYS], int i, const Update<Rule, C> &u) {
  Vec<T, V> values[ARRAYS] = {};
  UNROLL
  for (int k = 0; k < ARRAYS; k++)
    if (array[k]) values[k] = load_vec<V>(array[k] + i);
  UNROLL
  for (int j = 0; j < V; j++) {
    C p = convert<C>(values[PARAMETER][j]), s[ARRAYS]; /* at least one more than the states, so
                                                        * that the array is never empty */
    UNROLL
    for (int k = STATES; k < ARRAYS; k++) s[k - STATES] = convert<C>(values[k][j]);
    u.apply(p, convert<C>(values[GRADIENT][j]), s);
    values[PARAMETER][j] = convert<T>(p);
    UNROLL
    for (int k = STATES; k < ARRAYS; k++) values[k][j] = convert<T>(s[k - STATES]);
  }
  store_vec(array[PARAMETER] + i, values[PARAMETER]);
  UNROLL
  for (int k = STATES; k < ARRAYS; k++)
    if (array[k]) store_vec(array[k] + i, values[k]);
}

/* Updates a chunk of the list per block. */
template <class Rule, class T, class C>
__global__ void step(const List<STATES + Rule::STATES> list, const Update<Rule, C> u) {
  enum { V = 4, ARRAYS = STATES + Rule::STATES };
  const Chunk chunk = list.chunk_of(blockIdx.x);
  const int n = chunk.length;
  T *array[ARRAYS];
  uintptr_t bits = 0;
  UNROLL
  for (int k = 0; k < ARRAYS; k++) {
    T *data = static_cast<T *>(list.data[k][chunk.tensor]);
    array[k] = data ? data + chunk.begin : nullptr;
    bits |= reinterpret_cast<uintptr_t>(array[k]);
  }
  int vectors = bits % alignof(Vec<T, V>) == 0 ? n / V : 0;
  for (int i = threadIdx.x; i < vectors; i += BLOCK_THREADS)
    update_vector<Rule, V>(array, i * V, u);
  for (int i = vectors * V + threadIdx.x; i < n; i += BLOCK_THREADS)
    update_vector<Rule, 1>(array, i, u);
}

template <class Rule, class T> bool start(Stream *stream, const tocha_step_args &work) {
  typedef typename Arithmetic<T>::type C;
  enum { ARRAYS = STATES + Rule::STATES };
  const Update<Rule, C> update(work.update);
  for_lists<ARRAYS>(
      work.items, work.count, true,
      [](List<ARRAYS> &list, int at, const tocha_step_item &item) {
        list.data[PARAMETER][at] = item.parameter;
        list.data[GRADIENT][at] = const_cast<void *>(READ_ONLY(item.gradient));
        for (int k = 0; k < Rule::STATES; k++) list.data[STATES + k][at] = item.states[k];
      },
      [&](const List<ARRAYS> &list, unsigned blocks) {
        LAUNCH((step<Rule, T, C>), blocks, BLOCK_THREADS, 0, stream->cuda(), list, update);
      });
  return launched(stream);
}

} // namespace

bool launch_step(Stream *stream, const tocha_step_args &work) {
  return with_floating(work.dtype, [&](auto t) {
    return with_rule(work.rule, [&](auto rule) {
      return start<decltype(rule), typename decltype(t)::type>(stream, work);
    });
  });
}

} // namespace tocha
