/* gates.cu: one step of recurrent layers: a thread for each element of the hidden state (B, H),
 * which reads all of its gates (B, G H), G = 1, 3 or 4. */
#include "common/launch.h"
#include "recurrent/launch.h"

namespace tocha {
namespace {

/* tocha_recurrent_args for elements of type S. */
template <class S> struct Step {
  S *gates;
  const S *hidden_gates;
  S *cells, *h;
  const S *h_before, *cells_before, *grad_h, *grad_cells;
  S *grad_h_before, *grad_cells_before, *grad_gates, *grad_hidden_gates;
  long long count, size;
  int mode, adds;
};

template <class A> __device__ inline A sigmoid(A x) { return 1 / (1 + exp(-x)); }

/* Computes the hidden state (B, H) and the cells from the gates (B, G H), G = 1, 3 or 4. */
template <class S> __global__ void __launch_bounds__(BLOCK_THREADS) forward(const Step<S> s) {
  using A = typename Arithmetic<S>::type;
  const long long n = s.size;
  for (long long i = first_item(); i < s.count; i += item_step()) {
    const long long row = i / n, column = i - row * n;
    if (s.mode == TOCHA_LSTM) {
      S *g = s.gates + row * 4 * n + column;
      const A in = sigmoid(convert<A>(g[0])), forget = sigmoid(convert<A>(g[n]));
      const A fresh = tanh(convert<A>(g[2 * n])), out = sigmoid(convert<A>(g[3 * n]));
      const A cell = forget * convert<A>(s.cells_before[i]) + in * fresh;
      g[0] = convert<S>(in);
      g[n] = convert<S>(forget);
      g[2 * n] = convert<S>(fresh);
      g[3 * n] = convert<S>(out);
      s.cells[i] = convert<S>(cell);
      s.h[i] = convert<S>(out * tanh(cell));
    } else if (s.mode == TOCHA_GRU) {
      S *g = s.gates + row * 3 * n + column;
      const S *hidden = s.hidden_gates + row * 3 * n + column;
      const A reset = sigmoid(convert<A>(g[0]) + convert<A>(hidden[0]));
      const A update = sigmoid(convert<A>(g[n]) + convert<A>(hidden[n]));
      const A fresh = tanh(convert<A>(g[2 * n]) + convert<A>(hidden[2 * n]) * reset);
      g[0] = convert<S>(reset);
      g[n] = convert<S>(update);
      g[2 * n] = convert<S>(fresh);
      s.cells[i] = hidden[2 * n];
      s.h[i] = convert<S>((convert<A>(s.h_before[i]) - fresh) * update + fresh);
    } else {
      const A x = convert<A>(s.gates[i]);
      s.h[i] = convert<S>(s.mode == TOCHA_RNN_TANH ? tanh(x) : x < 0 ? A(0) : x);
    }
  }
}

template <class S> __device__ inline void lstm_back(const Step<S> &s, long long i, long long row) {
  using A = typename Arithmetic<S>::type;
  const long long n = s.size, at = row * 3 * n + i; /* = row * 4 n + column */
  const S *g = s.gates + at;
  S *to = s.grad_gates + at;
  const A in = convert<A>(g[0]), forget = convert<A>(g[n]), fresh = convert<A>(g[2 * n]);
  const A out = convert<A>(g[3 * n]), wide = tanh(convert<A>(s.cells[i]));
  const A grad_h = convert<A>(s.grad_h[i]);
  const A grad = convert<A>(s.grad_cells[i]) + grad_h * out * (1 - wide * wide);
  to[0] = convert<S>(grad * fresh * (1 - in) * in);
  to[n] = convert<S>(grad * convert<A>(s.cells_before[i]) * (1 - forget) * forget);
  to[2 * n] = convert<S>(grad * in * (1 - fresh * fresh));
  to[3 * n] = convert<S>(grad_h * wide * (1 - out) * out);
  s.grad_cells_before[i] = convert<S>(grad * forget);
}

template <class S> __device__ inline void gru_back(const Step<S> &s, long long i, long long row) {
  using A = typename Arithmetic<S>::type;
  const long long n = s.size, at = row * 2 * n + i; /* = row * 3 n + column */
  const S *g = s.gates + at;
  S *to = s.grad_gates + at, *hidden = s.grad_hidden_gates + at;
  const A reset = convert<A>(g[0]), update = convert<A>(g[n]), fresh = convert<A>(g[2 * n]);
  const A grad_h = convert<A>(s.grad_h[i]);
  const A grad_new = grad_h * (1 - update) * (1 - fresh * fresh);
  const A grad_reset = grad_new * convert<A>(s.cells[i]) * (1 - reset) * reset;
  const A grad_update = grad_h * (convert<A>(s.h_before[i]) - fresh) * (1 - update) * update;
  to[0] = hidden[0] = convert<S>(grad_reset);
  to[n] = hidden[n] = convert<S>(grad_update);
  to[2 * n] = convert<S>(grad_new);
  hidden[2 * n] = convert<S>(grad_new * reset);
  const A others = s.adds ? convert<A>(s.grad_h_before[i]) : A(0);
  s.grad_h_before[i] = convert<S>(others + grad_h * update);
}

/* Computes the gradients of the gates (B, G H) from those of the hidden state (B, H). */
template <class S> __global__ void __launch_bounds__(BLOCK_THREADS) backward(const Step<S> s) {
  using A = typename Arithmetic<S>::type;
  for (long long i = first_item(); i < s.count; i += item_step()) {
    if (s.mode == TOCHA_LSTM) {
      lstm_back(s, i, i / s.size);
    } else if (s.mode == TOCHA_GRU) {
      gru_back(s, i, i / s.size);
    } else {
      const A h = convert<A>(s.h[i]), grad = convert<A>(s.grad_h[i]);
      const A slope = s.mode == TOCHA_RNN_TANH ? grad * (1 - h * h) : h <= 0 ? A(0) : grad;
      s.grad_gates[i] = convert<S>(slope);
    }
  }
}

template <class S> Step<S> step_of(const tocha_recurrent_args &a, bool back) {
  Step<S> s = {};
  s.gates = static_cast<S *>(back ? READ_ONLY(a.gates) : a.gates);
  s.hidden_gates = static_cast<const S *>(READ_ONLY(a.hidden_gates));
  s.cells = static_cast<S *>(back ? READ_ONLY(a.cells) : a.cells);
  s.h = static_cast<S *>(back ? READ_ONLY(a.h) : a.h);
  s.h_before = static_cast<const S *>(READ_ONLY(a.h_before));
  s.cells_before = static_cast<const S *>(READ_ONLY(a.cells_before));
  s.grad_h = static_cast<const S *>(READ_ONLY(a.grad_h));
  s.grad_cells = static_cast<const S *>(READ_ONLY(a.grad_cells));
  s.grad_h_before = static_cast<S *>(a.grad_h_before);
  s.grad_cells_before = static_cast<S *>(a.grad_cells_before);
  s.grad_gates = static_cast<S *>(a.grad_gates);
  s.grad_hidden_gates = static_cast<S *>(a.grad_hidden_gates);
  s.count = a.rows * a.size;
  s.size = a.size;
  s.mode = a.mode;
  s.adds = a.adds;
  return s;
}

} // namespace

bool launch_recurrent_forward(Stream *stream, const tocha_recurrent_args &args) {
  with_floating(args.dtype, [&](auto t) {
    using S = typename decltype(t)::type;
    const Step<S> s = step_of<S>(args, false);
    LAUNCH(forward<S>, blocks_for(stream, s.count), BLOCK_THREADS, 0, stream->cuda(), s);
  });
  return launched(stream);
}

bool launch_recurrent_backward(Stream *stream, const tocha_recurrent_args &args) {
  with_floating(args.dtype, [&](auto t) {
    using S = typename decltype(t)::type;
    const Step<S> s = step_of<S>(args, true);
    LAUNCH(backward<S>, blocks_for(stream, s.count), BLOCK_THREADS, 0, stream->cuda(), s);
  });
  return launched(stream);
}

} // namespace tocha
