/* optim.cu: one step of an optimizer over all its parameters in a few launches. The arithmetic is
 * that of the CPU's loops (optim/step_math.h). */
#include "optim/launch.h"
#include "common/list.h"
#include "optim/step_math.h"

namespace tocha {
namespace {

/* The numbers of a step, rounded once to the type of the arithmetic. */
template <class C> struct Numbers {
  C weight_decay, move, momentum, rest, weight, beta2, one_minus_beta2, eps, correction, decay;
  bool maximize, decays, nesterov, amsgrad, first, centered, decoupled, has_momentum;

  explicit Numbers(const tocha_update &u, int rule) {
    bool by_step_size = rule == TOCHA_STEP_ADAM || rule == TOCHA_STEP_ADAGRAD;
    weight_decay = static_cast<C>(u.weight_decay);
    move = static_cast<C>(by_step_size ? -u.step_size : -u.lr);
    momentum = static_cast<C>(u.momentum);
    rest = static_cast<C>(u.one_minus_dampening);
    weight = static_cast<C>(rule == TOCHA_STEP_ADAM ? u.one_minus_beta1 : u.one_minus_beta2);
    beta2 = static_cast<C>(u.beta2);
    one_minus_beta2 = static_cast<C>(u.one_minus_beta2);
    eps = static_cast<C>(u.eps);
    correction = static_cast<C>(u.bias_correction2_sqrt);
    decay = static_cast<C>(u.decay);
    maximize = u.maximize;
    decays = u.weight_decay != 0;
    nesterov = u.nesterov;
    amsgrad = u.amsgrad;
    first = u.first;
    centered = u.centered;
    decoupled = u.decoupled;
    has_momentum = rule == TOCHA_STEP_RMSPROP ? u.momentum > 0 : u.momentum != 0;
  }
};

/* --- the rules: one element; s: its states in the class's order, without the step count ------- */

template <class C> __device__ inline void sgd(C &p, C g, C (&s)[3], const Numbers<C> &u) {
  C direction = g;
  if (u.has_momentum) {
    s[0] = u.first ? g : tocha_step_momentum(s[0], g, u.momentum, u.rest);
    direction = u.nesterov ? tocha_step_added(g, s[0], u.momentum) : s[0];
  }
  p = tocha_step_added(p, direction, u.move);
}

template <class C> __device__ inline void adam(C &p, C g, C (&s)[3], const Numbers<C> &u) {
  s[0] = tocha_step_lerp(s[0], g, u.weight);
  s[1] = tocha_step_square_average(s[1], g, u.beta2, u.one_minus_beta2);
  if (u.amsgrad) s[2] = tocha_step_larger(s[1], s[2]);
  C root = tocha_step_corrected_root(u.amsgrad ? s[2] : s[1], u.correction, u.eps);
  p = tocha_step_divided(p, s[0], root, u.move);
}

template <class C> __device__ inline void adagrad(C &p, C g, C (&s)[3], const Numbers<C> &u) {
  s[0] = tocha_step_square_added(s[0], g);
  p = tocha_step_divided(p, g, tocha_step_root(s[0], u.eps), u.move);
}

/* states: square_avg, momentum_buffer, grad_avg */
template <class C> __device__ inline void rmsprop(C &p, C g, C (&s)[3], const Numbers<C> &u) {
  s[0] = tocha_step_square_average(s[0], g, u.beta2, u.one_minus_beta2);
  if (u.centered) s[2] = tocha_step_lerp(s[2], g, u.weight);
  C root = u.centered ? tocha_step_centered_root(s[0], s[2], u.eps) : tocha_step_root(s[0], u.eps);
  if (u.has_momentum) {
    s[1] = tocha_step_quotient_momentum(s[1], g, root, u.momentum);
    p = tocha_step_added(p, s[1], u.move);
  } else {
    p = tocha_step_divided(p, g, root, u.move);
  }
}

template <class C> __device__ inline void adadelta(C &p, C g, C (&s)[3], const Numbers<C> &u) {
  s[0] = tocha_step_square_average(s[0], g, u.beta2, u.one_minus_beta2);
  C move = tocha_step_adadelta(s[1], s[0], g, u.eps);
  s[1] = tocha_step_square_average(s[1], move, u.beta2, u.one_minus_beta2);
  p = tocha_step_added(p, move, u.move);
}

template <int RULE, class C>
__device__ inline void update(C &p, C g, C (&s)[3], const Numbers<C> &u) {
  if (u.maximize) g = -g;
  if (u.decays && u.decoupled) p *= u.decay;
  if (u.decays && !u.decoupled) g = tocha_step_added(g, p, u.weight_decay);
  switch (RULE) {
  case TOCHA_STEP_SGD:
    sgd(p, g, s, u);
    break;
  case TOCHA_STEP_ADAM:
    adam(p, g, s, u);
    break;
  case TOCHA_STEP_ADAGRAD:
    adagrad(p, g, s, u);
    break;
  case TOCHA_STEP_RMSPROP:
    rmsprop(p, g, s, u);
    break;
  default:
    adadelta(p, g, s, u);
  }
}

/* --- the kernel ------------------------------------------------------------------------------- */

enum { PARAMETER, GRADIENT, STATES, ARRAYS = STATES + 3 };

/* V neighbouring elements from index i on. */
template <int RULE, int V, class T, class C>
__device__ inline void update_vector(T *const (&array)[ARRAYS], int i, const Numbers<C> &u) {
  Vec<T, V> values[ARRAYS] = {};
  UNROLL
  for (int k = 0; k < ARRAYS; k++)
    if (array[k]) values[k] = load_vec<V>(array[k] + i);
  UNROLL
  for (int j = 0; j < V; j++) {
    C p = convert<C>(values[PARAMETER][j]), s[3];
    UNROLL
    for (int k = 0; k < 3; k++) s[k] = convert<C>(values[STATES + k][j]);
    update<RULE>(p, convert<C>(values[GRADIENT][j]), s, u);
    values[PARAMETER][j] = convert<T>(p);
    UNROLL
    for (int k = 0; k < 3; k++) values[STATES + k][j] = convert<T>(s[k]);
  }
  store_vec(array[PARAMETER] + i, values[PARAMETER]);
  UNROLL
  for (int k = STATES; k < ARRAYS; k++)
    if (array[k]) store_vec(array[k] + i, values[k]);
}

template <int RULE, class T, class C>
__global__ void step(const List<ARRAYS> list, const Numbers<C> numbers) {
  enum { V = 4 };
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
    update_vector<RULE, V>(array, i * V, numbers);
  for (int i = vectors * V + threadIdx.x; i < n; i += BLOCK_THREADS)
    update_vector<RULE, 1>(array, i, numbers);
}

template <int RULE, class T> bool start(Stream *stream, const tocha_step_args &work) {
  typedef typename Arithmetic<T>::type C;
  Numbers<C> numbers(work.update, RULE);
  for_lists<ARRAYS>(
      work.items, work.count, true,
      [](List<ARRAYS> &list, int at, const tocha_step_item &item) {
        list.data[PARAMETER][at] = item.parameter;
        list.data[GRADIENT][at] = const_cast<void *>(READ_ONLY(item.gradient));
        for (int k = 0; k < 3; k++) list.data[STATES + k][at] = item.states[k];
      },
      [&](const List<ARRAYS> &list, unsigned blocks) {
        LAUNCH((step<RULE, T, C>), blocks, BLOCK_THREADS, 0, stream->cuda(), list, numbers);
      });
  return launched(stream);
}

template <class T> bool start_rule(Stream *stream, const tocha_step_args &work) {
  switch (work.rule) {
  case TOCHA_STEP_SGD:
    return start<TOCHA_STEP_SGD, T>(stream, work);
  case TOCHA_STEP_ADAM:
    return start<TOCHA_STEP_ADAM, T>(stream, work);
  case TOCHA_STEP_ADAGRAD:
    return start<TOCHA_STEP_ADAGRAD, T>(stream, work);
  case TOCHA_STEP_RMSPROP:
    return start<TOCHA_STEP_RMSPROP, T>(stream, work);
  default:
    return start<TOCHA_STEP_ADADELTA, T>(stream, work);
  }
}

} // namespace

bool launch_step(Stream *stream, const tocha_step_args &work) {
  return with_floating(
      work.dtype, [&](auto t) { return start_rule<typename decltype(t)::type>(stream, work); });
}

} // namespace tocha
