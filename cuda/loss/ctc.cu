/* ctc.cu: connectionist temporal classification. Graves et al., "Connectionist Temporal
 * Classification", 2006: sections 4.1 (forward: equations 6 and 7; backward: 10 and 11) and 4.2
 * (the gradient: 16), in logarithms. A block goes through the times of one sequence, a thread for
 * each state; the gradient has a block for each time of each sequence. */
#include "common/block.h"
#include "common/launch.h"
#include "loss/launch.h"

namespace tocha {
namespace {

constexpr long long GRADIENT_THREADS = 128, MAX_STATE_THREADS = 512;

struct Sequences {
  tocha_ctc_args args;
  Fault *fault;
  const char *op; /* the host's address of the operator's name */
};

/* The states of the same label before a state (-1: none), and if none comes after it. */
struct Links {
  int lower, is_last;
};

template <class T> struct Sequence {
  const tocha_ctc_args &args;
  long long n, times, states;

  __device__ Sequence(const tocha_ctc_args &a, long long number)
      : args(a), n(number), times(a.input_lengths[number]),
        states(2 * a.target_lengths[number] + 1) {}
  /* Returns the label of a state: the even states are blanks, and so is what is no label. */
  __device__ long long label(long long state) const {
    if (state % 2 == 0) return args.blank;
    const long long c = args.targets[args.first[n] + state / 2 * args.step];
    return c >= 0 && c < args.classes ? c : args.blank;
  }
  __device__ const T *probabilities(long long t) const {
    return static_cast<const T *>(args.log_probs) + (t * args.batch + n) * args.classes;
  }
  /* Returns time t of `values` (batch, times, states). */
  __device__ T *at(void *values, long long t) const {
    return static_cast<T *>(values) + (n * args.times + t) * args.states;
  }
};

/* Returns log(exp a + exp b + exp c). */
template <class T> __device__ inline T log_sum(T a, T b, T c) {
  const T maximum = greater(greater(a, b), c);
  if (maximum == -static_cast<T>(INFINITY)) return maximum;
  return log(exp(a - maximum) + exp(b - maximum) + exp(c - maximum)) + maximum;
}

/* Returns the logarithm of the sum of the probabilities of the states that come before a state
 * (by = -1) or after it (by = 1). */
template <class T>
__device__ inline T arriving(const Sequence<T> &s, const T *from, long long state, int by) {
  const long long next = state + by, second = state + 2 * by;
  const T none = -static_cast<T>(INFINITY);
  const bool has_next = next >= 0 && next < s.states, has_second = second >= 0 && second < s.states;
  const bool skips = has_second && s.label(second) != s.label(state);
  return log_sum(from[state], has_next ? from[next] : none, skips ? from[second] : none);
}

/* Reports labels that are no class. */
template <class T> __device__ inline void check_labels(const Sequences &q, const Sequence<T> &s) {
  const tocha_ctc_args &a = q.args;
  for (long long i = threadIdx.x; i < s.states / 2; i += blockDim.x) {
    const long long c = a.targets[a.first[s.n] + i * a.step];
    if (c < 0 || c >= a.classes) report_index(q.fault, q.op, c, 2, a.classes);
  }
}

/* Computes log_alpha (batch, times, states) and likelihood (batch), a block for each sequence. */
template <class T> __global__ void alpha(const Sequences q) {
  const tocha_ctc_args &a = q.args;
  const Sequence<T> s(a, blockIdx.x);
  const T none = -static_cast<T>(INFINITY);
  check_labels(q, s);
  for (long long i = threadIdx.x; i < a.times * a.states; i += blockDim.x) {
    const long long t = i / a.states, state = i - t * a.states;
    const bool begins = t == 0 && s.times > 0 && state < 2 && state < s.states;
    if (begins || t >= s.times || t == 0 || state >= s.states)
      s.at(a.log_alpha, 0)[i] = begins ? s.probabilities(0)[s.label(state)] : none;
  }
  for (long long t = 1; t < s.times; t++) {
    __syncthreads();
    const T *before = s.at(a.log_alpha, t - 1);
    for (long long i = threadIdx.x; i < s.states; i += blockDim.x)
      s.at(a.log_alpha, t)[i] = s.probabilities(t)[s.label(i)] + arriving(s, before, i, -1);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  T *likelihood = static_cast<T *>(a.likelihood) + s.n;
  if (s.times == 0) {
    *likelihood = s.states == 1 ? static_cast<T>(-0.0) : static_cast<T>(INFINITY);
    return;
  }
  const T *last = s.at(a.log_alpha, s.times - 1) + s.states;
  *likelihood = -log_sum(last[-1], s.states > 1 ? last[-2] : none, none);
}

/* Computes the sums (batch, times, states) of log_alpha and of beta, which it replaces by sums two
 * times later, and the links (batch, states): a block for each sequence. */
template <class T> __global__ void beta(const Sequences q) {
  const tocha_ctc_args &a = q.args;
  const Sequence<T> s(a, blockIdx.x);
  const T none = -static_cast<T>(INFINITY);
  Links *links = static_cast<Links *>(a.links) + s.n * a.states;
  T *rows = static_cast<T *>(a.work) + 2 * s.n * a.states;
  check_labels(q, s);
  for (long long i = threadIdx.x; i < s.states; i += blockDim.x) {
    Links link = {-1, i % 2 == 1 && s.label(i) != a.blank};
    for (long long j = i + 2; j < s.states && link.is_last; j += 2)
      link.is_last = s.label(j) != s.label(i);
    for (long long j = i - 2; j > 0 && i % 2 == 1 && link.lower < 0; j -= 2)
      if (s.label(j) == s.label(i)) link.lower = static_cast<int>(j);
    links[i] = link;
  }
  for (long long t = s.times - 1; t >= 0; t--) {
    T *now = rows + t % 2 * a.states;
    const T *after = rows + (t + 1) % 2 * a.states;
    for (long long i = threadIdx.x; i < s.states; i += blockDim.x) {
      const T here = s.probabilities(t)[s.label(i)];
      const T value = t < s.times - 1     ? arriving(s, after, i, 1) + here
                      : i >= s.states - 2 ? here
                                          : none;
      now[i] = value;
      s.at(a.sums, t)[i] = s.at(a.log_alpha, t)[i] + value;
    }
    __syncthreads();
  }
}

/* Writes the gradients of the classes at one time of one sequence, given its sums. A class has the
 * logarithm of the sum over the states that have it as their label. */
template <class T>
__device__ inline void gradients(const Sequence<T> &s, long long t, T *out, T loss, T grad) {
  const tocha_ctc_args &a = s.args;
  const T none = -static_cast<T>(INFINITY);
  const T *x = s.probabilities(t), *sums = s.at(a.sums, t);
  const Links *links = static_cast<const Links *>(a.links) + s.n * a.states;
  const auto gradient = [=](long long c, T sum) {
    return (exp(x[c]) - exp(sum + loss - x[c])) * grad;
  };
  for (long long c = threadIdx.x; c < a.classes; c += blockDim.x) out[c] = gradient(c, none);
  T maximum = none, sum = 0;
  for (long long i = threadIdx.x; i < s.states; i += blockDim.x)
    if (s.label(i) == a.blank) maximum = greater(maximum, sums[i]);
  maximum = block_joined(maximum, Greater());
  for (long long i = threadIdx.x; i < s.states && maximum != none; i += blockDim.x)
    if (s.label(i) == a.blank) sum += exp(sums[i] - maximum);
  sum = block_joined(sum, Plus()); /* synchronizes: the rows' elements are written */
  if (threadIdx.x == 0)
    out[a.blank] = gradient(a.blank, maximum == none ? none : log(sum) + maximum);
  for (long long i = threadIdx.x; i < s.states; i += blockDim.x) {
    if (!links[i].is_last) continue;
    T total = sums[i];
    for (int j = links[i].lower; j >= 0; j = links[j].lower) total = log_sum(total, sums[j], none);
    out[s.label(i)] = gradient(s.label(i), total);
  }
}

/* Computes out (times, batch, classes), a block for each time of each sequence. */
template <class T> __global__ void collect(const Sequences q) {
  const tocha_ctc_args &a = q.args;
  for (long long row = blockIdx.x; row < a.times * a.batch; row += gridDim.x) {
    const Sequence<T> s(a, row % a.batch);
    const long long t = row / a.batch;
    T *out = static_cast<T *>(a.out) + row * a.classes;
    const T loss = static_cast<const T *>(a.likelihood)[s.n];
    const T grad = static_cast<const T *>(a.grad)[s.n * a.grad_step];
    if (t < s.times && !(a.zero_infinity && loss == static_cast<T>(INFINITY)))
      gradients(s, t, out, loss, grad);
    else
      for (long long c = threadIdx.x; c < a.classes; c += blockDim.x) out[c] = 0;
  }
}

template <class T> void start(Stream *stream, const Sequences &q) {
  const tocha_ctc_args &a = q.args;
  const long long threads = (a.states + 31) / 32 * 32;
  const auto width =
      static_cast<unsigned>(threads < MAX_STATE_THREADS ? threads : MAX_STATE_THREADS);
  const auto batch = static_cast<unsigned>(a.batch);
  if (!a.out) {
    LAUNCH((alpha<T>), batch, width, 0, stream->cuda(), q);
    return;
  }
  LAUNCH((beta<T>), batch, width, 0, stream->cuda(), q);
  const long long rows = a.times * a.batch, most = 1 << 20;
  LAUNCH((collect<T>), static_cast<unsigned>(rows < most ? rows : most),
         static_cast<unsigned>(GRADIENT_THREADS), 0, stream->cuda(), q);
}

} // namespace

bool launch_ctc(Stream *stream, const tocha_ctc_args &args) {
  Sequences q = {args, stream->home().fault, "ctc_loss"};
  q.args.log_probs = READ_ONLY(args.log_probs);
  q.args.targets = READ_ONLY(args.targets);
  q.args.first = READ_ONLY(args.first);
  q.args.input_lengths = READ_ONLY(args.input_lengths);
  q.args.target_lengths = READ_ONLY(args.target_lengths);
  q.args.grad = READ_ONLY(args.grad);
  if (args.dtype == TOCHA_FLOAT64)
    start<double>(stream, q);
  else
    start<float>(stream, q);
  return launched(stream);
}

} // namespace tocha
