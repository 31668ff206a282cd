/* optim.cu: runs one step of an optimizer over all of its parameters in a few launches. The
 * update of an element is the same code as on the CPU (optim/rules.h, generated from
 * runtime/optim/optimizers.lua). */
#include "optim/launch.h"
#include "common/list.h"
#include "optim/rules.h"
#include "runtime/allocator.h"

namespace tocha {
namespace {

/* A step's update (optim/update.h), rounded once to the type of the arithmetic. Whole words, so
 * that there are no gaps. */
template <class Rule, class C> struct Update {
  enum { EVEN = (Rule::NUMBERS + 1) / 2 * 2 };
  enum { MAXIMIZE = 1, SHRINK = 2, DECAY = 4 };
  C weight_decay, shrink, numbers[EVEN];
  uint32_t flags, before; /* before: flags of the steps before the rule */

  HOST_DEVICE explicit Update(const tocha_update &u)
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

/* Updates a chunk of the list. */
template <class Rule, class T, class C>
__device__ inline void update_chunk(const List<STATES + Rule::STATES> &list, const Chunk chunk,
                                    const Update<Rule, C> &u) {
  enum { V = 4, ARRAYS = STATES + Rule::STATES };
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

/* Makes the same update of all tensors, a chunk per block. */
template <class Rule, class T, class C>
__global__ void step(const List<STATES + Rule::STATES> list, const Update<Rule, C> u) {
  update_chunk<Rule, T>(list, list.chunk_of(blockIdx.x), u);
}

/* Makes an update of its own of each tensor. */
template <class Rule, class T, class C>
__global__ void step_each(const List<STATES + Rule::STATES> list, const Update<Rule, C> *updates) {
  const Chunk chunk = list.chunk_of(blockIdx.x);
  const Update<Rule, C> u = updates[chunk.tensor];
  update_chunk<Rule, T>(list, chunk, u);
}

/* --- numbers that the device computes ----------------------------------------------------------- */

/* The number states of a list's tensors: data[k][i] is state k of tensor i. */
template <int P> struct NumberStates { void *data[TOCHA_NUMBER_STATES][List<P>::ROOM]; };

/* The options, as whole words. */
struct Options {
  double values[TOCHA_OPTION_VALUES];
  const void *tensors[TOCHA_OPTION_TENSORS];
  int index[TOCHA_OPTION_TENSORS], dtype[TOCHA_OPTION_TENSORS];
  int tensor_count, state_count, wide, first;

  explicit Options(const tocha_device_numbers &numbers)
      : values(), tensors(), index(), dtype(), tensor_count(numbers.tensor_count),
        state_count(numbers.state_count), wide(numbers.wide), first(numbers.first) {
    for (int i = 0; i < TOCHA_OPTION_VALUES; i++) values[i] = numbers.values[i];
    for (int k = 0; k < tensor_count; k++) {
      tensors[k] = READ_ONLY(numbers.tensors[k].data);
      index[k] = numbers.tensors[k].index;
      dtype[k] = numbers.tensors[k].dtype;
    }
  }
};

/* Counts the step of each tensor, and computes its update. A block's threads share the options. */
template <class Rule, class C, int P>
__global__ void prepare(const Options options, const NumberStates<P> states, int count,
                        Update<Rule, C> *updates) {
  SHARED(double, values, [TOCHA_OPTION_VALUES]);
  if (threadIdx.x == 0) {
    for (int v = 0; v < TOCHA_OPTION_VALUES; v++) values[v] = options.values[v];
    for (int k = 0; k < options.tensor_count; k++)
      values[options.index[k]] =
          load<double>(static_cast<const char *>(options.tensors[k]), options.dtype[k]);
  }
  __syncthreads();
  const int i = first_item<int>();
  if (i >= count) return;
  tocha_step_state state = {};
  state.wide = options.wide;
  state.first = options.first;
  const int dtype = options.wide ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
  UNROLL
  for (int k = 0; k < TOCHA_NUMBER_STATES; k++)
    if (k < options.state_count)
      state.values[k] = load<double>(static_cast<const char *>(states.data[k][i]), dtype);
  tocha_update update = {};
  update.shrink = 1;
  Rule::prepare(values, &state, &update);
  UNROLL
  for (int k = 0; k < TOCHA_NUMBER_STATES; k++)
    if (k < options.state_count)
      store<double>(static_cast<char *>(states.data[k][i]), dtype, state.values[k]);
  updates[i] = Update<Rule, C>(update);
}

/* Places an item in a list. */
template <class Rule>
void place(List<STATES + Rule::STATES> &list, int at, const tocha_step_item &item) {
  list.data[PARAMETER][at] = item.parameter;
  list.data[GRADIENT][at] = const_cast<void *>(READ_ONLY(item.gradient));
  for (int k = 0; k < Rule::STATES; k++) list.data[STATES + k][at] = item.states[k];
}

/* Starts the steps of a list whose updates the device computes. */
template <class Rule, class T, class C, int P>
bool start_each(Stream *stream, const Options &options, const List<P> &list,
                const NumberStates<P> &states, unsigned blocks) {
  bool exhausted = false;
  tocha_block *memory =
      allocate(stream->home().allocator, stream, list.count * sizeof(Update<Rule, C>), &exhausted);
  if (!memory)
    return exhausted ? fail(stream->state, "CUDA out of memory: no room for an optimizer's numbers")
                     : false;
  auto *updates = static_cast<Update<Rule, C> *>(memory->data);
  const unsigned groups = static_cast<unsigned>((list.count + BLOCK_THREADS - 1) / BLOCK_THREADS);
  LAUNCH((prepare<Rule, C, P>), groups, BLOCK_THREADS, 0, stream->cuda(), options, states,
         list.count, updates);
  LAUNCH((step_each<Rule, T, C>), blocks, BLOCK_THREADS, 0, stream->cuda(), list,
         static_cast<const Update<Rule, C> *>(updates));
  release(memory); /* for later work of the stream */
  return launched(stream);
}

template <class Rule, class T> bool start_on_device(Stream *stream, const tocha_step_args &work) {
  typedef typename Arithmetic<T>::type C;
  enum { ARRAYS = STATES + Rule::STATES };
  const Options options(work.numbers);
  NumberStates<ARRAYS> states = {};
  bool ok = true;
  for_lists<ARRAYS>(
      work.items, work.count, true,
      [&](List<ARRAYS> &list, int at, const tocha_step_item &item) {
        place<Rule>(list, at, item);
        for (int k = 0; k < TOCHA_NUMBER_STATES; k++) states.data[k][at] = item.numbers[k];
      },
      [&](const List<ARRAYS> &list, unsigned blocks) {
        ok = ok && start_each<Rule, T, C>(stream, options, list, states, blocks);
      });
  return ok;
}

template <class Rule, class T> bool start(Stream *stream, const tocha_step_args &work) {
  typedef typename Arithmetic<T>::type C;
  enum { ARRAYS = STATES + Rule::STATES };
  if (work.on_device) return start_on_device<Rule, T>(stream, work);
  const Update<Rule, C> update(work.update);
  for_lists<ARRAYS>(
      work.items, work.count, true, place<Rule>, [&](const List<ARRAYS> &list, unsigned blocks) {
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
