/* recurrent.c: the loops of recurrent.h: gates (rows, gates, n) and states (rows, n), one row and
 * one vector of elements at a time. */
#include "ops/recurrent/cpu/recurrent.h"

#include "tensor/math/scalar_math.h"
#include "tensor/math/typed_vector.h"

/* Loads (stores) the vector of elements i, i + 1, ... of row `row` of a matrix with n columns. */
static inline V get(const void *base, int64_t row, int64_t i, int64_t n) {
  return vector_load((const char *)((const T *)base + row * n), sizeof(T), i, n);
}
static inline void put(void *base, int64_t row, int64_t i, int64_t n, V value) {
  vector_store((char *)((T *)base + row * n), sizeof(T), i, n, value);
}

/* --- forward ------------------------------------------------------------------------------------------ */

/* Computes row r of a simple RNN's step: gates (rows, n) to h (rows, n). */
static void simple_row(const tocha_recurrent_args *a, int64_t r) {
  for (int64_t i = 0, n = a->size; i < n; i += LANES) {
    V x = get(a->gates, r, i, n), h;
    if (a->mode == TOCHA_RNN_TANH)
      h = TANH(x);
    else
      h = SELECT(x < 0, WIDE(0), x);
    put(a->h, r, i, n, h);
  }
}

/* Computes row r of an LSTM's step: replaces gates (rows, 4, n) by their values, and writes cells
 * and h (rows, n). */
static void lstm_row(const tocha_recurrent_args *a, int64_t r) {
  for (int64_t i = 0, n = a->size, g = 4 * r; i < n; i += LANES) {
    V in = SIGMOID(get(a->gates, g, i, n)), forget = SIGMOID(get(a->gates, g + 1, i, n));
    V new = TANH(get(a->gates, g + 2, i, n)), out = SIGMOID(get(a->gates, g + 3, i, n));
    V cell = forget * get(a->cells_before, r, i, n) + in * new;
    put(a->gates, g, i, n, in);
    put(a->gates, g + 1, i, n, forget);
    put(a->gates, g + 2, i, n, new);
    put(a->gates, g + 3, i, n, out);
    put(a->cells, r, i, n, cell);
    put(a->h, r, i, n, out * TANH(cell));
  }
}

/* Computes row r of a GRU's step from gates and hidden_gates (rows, 3, n): replaces gates by their
 * values, and writes cells and h (rows, n). */
static void gru_row(const tocha_recurrent_args *a, int64_t r) {
  for (int64_t i = 0, n = a->size, g = 3 * r; i < n; i += LANES) {
    V reset = SIGMOID(get(a->gates, g, i, n) + get(a->hidden_gates, g, i, n));
    V update = SIGMOID(get(a->gates, g + 1, i, n) + get(a->hidden_gates, g + 1, i, n));
    V hidden = get(a->hidden_gates, g + 2, i, n);
    V new = TANH(get(a->gates, g + 2, i, n) + hidden * reset);
    put(a->gates, g, i, n, reset);
    put(a->gates, g + 1, i, n, update);
    put(a->gates, g + 2, i, n, new);
    put(a->cells, r, i, n, hidden);
    put(a->h, r, i, n, (get(a->h_before, r, i, n) - new) * update + new);
  }
}

static void forward(const tocha_recurrent_args *args, int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; r++) {
    if (args->mode == TOCHA_LSTM)
      lstm_row(args, r);
    else if (args->mode == TOCHA_GRU)
      gru_row(args, r);
    else
      simple_row(args, r);
  }
}

/* --- backward ------------------------------------------------------------------------------------------ */

/* Computes the gradients of row r of a simple RNN's step: grad_h (rows, n) to grad_gates (rows,
 * n). */
static void simple_row_back(const tocha_recurrent_args *a, int64_t r) {
  for (int64_t i = 0, n = a->size; i < n; i += LANES) {
    V h = get(a->h, r, i, n), grad = get(a->grad_h, r, i, n);
    if (a->mode == TOCHA_RNN_TANH)
      grad = grad * (1 - h * h);
    else
      grad = SELECT(h <= 0, WIDE(0), grad);
    put(a->grad_gates, r, i, n, grad);
  }
}

/* Computes the gradients of row r of an LSTM's step: grad_h and grad_cells (rows, n) to grad_gates
 * (rows, 4, n) and grad_cells_before (rows, n). */
static void lstm_row_back(const tocha_recurrent_args *a, int64_t r) {
  for (int64_t i = 0, n = a->size, g = 4 * r; i < n; i += LANES) {
    V in = get(a->gates, g, i, n), forget = get(a->gates, g + 1, i, n);
    V new = get(a->gates, g + 2, i, n), out = get(a->gates, g + 3, i, n);
    V wide = TANH(get(a->cells, r, i, n)), grad_h = get(a->grad_h, r, i, n);
    V grad = get(a->grad_cells, r, i, n) + grad_h * out * (1 - wide * wide);
    put(a->grad_gates, g, i, n, grad * new *(1 - in) * in);
    put(a->grad_gates, g + 1, i, n, grad * get(a->cells_before, r, i, n) * (1 - forget) * forget);
    put(a->grad_gates, g + 2, i, n, grad * in * (1 - new *new));
    put(a->grad_gates, g + 3, i, n, grad_h * wide * (1 - out) * out);
    put(a->grad_cells_before, r, i, n, grad * forget);
  }
}

/* Computes the gradients of row r of a GRU's step: grad_h (rows, n) to grad_gates and
 * grad_hidden_gates (rows, 3, n) and grad_h_before (rows, n). */
static void gru_row_back(const tocha_recurrent_args *a, int64_t r) {
  for (int64_t i = 0, n = a->size, g = 3 * r; i < n; i += LANES) {
    V reset = get(a->gates, g, i, n), update = get(a->gates, g + 1, i, n);
    V new = get(a->gates, g + 2, i, n), grad_h = get(a->grad_h, r, i, n);
    V grad_new = grad_h * (1 - update) * (1 - new *new);
    V grad_reset = grad_new * get(a->cells, r, i, n) * (1 - reset) * reset;
    V grad_update = grad_h * (get(a->h_before, r, i, n) - new) * (1 - update) * update;
    put(a->grad_gates, g, i, n, grad_reset);
    put(a->grad_gates, g + 1, i, n, grad_update);
    put(a->grad_gates, g + 2, i, n, grad_new);
    put(a->grad_hidden_gates, g, i, n, grad_reset);
    put(a->grad_hidden_gates, g + 1, i, n, grad_update);
    put(a->grad_hidden_gates, g + 2, i, n, grad_new * reset);
    V before = grad_h * update;
    if (a->adds) before += get(a->grad_h_before, r, i, n);
    put(a->grad_h_before, r, i, n, before);
  }
}

static void backward(const tocha_recurrent_args *args, int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; r++) {
    if (args->mode == TOCHA_LSTM)
      lstm_row_back(args, r);
    else if (args->mode == TOCHA_GRU)
      gru_row_back(args, r);
    else
      simple_row_back(args, r);
  }
}

const tocha_recurrent_loops TOCHA_LOOPS(recurrent) = {forward, backward};
