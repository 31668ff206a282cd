/* cell.c: chooses the implementation of a layer; and recurrent cells, which are a layer over one
 * step. */
#include "core/internal.h"
#include "dispatch/call.h"
#include "ops/recurrent/digits/fused.h"
#include "ops/recurrent/layer.h"
#include "ops/recurrent/replay.h"
#include "recurrent/implementations.h"
#include "tocha/ops/private/recurrent_layer.h"

static bool check_input(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *w_ih) {
  int64_t size;
  if (!tocha_size_of(cx, w_ih, 1, &size)) return false;
  if (input->ndim != 2)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Expected 2D input (batch x feature), but got %dD input",
               input->ndim);
  else if (input->sizes[1] != size)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "input has inconsistent input_size: got %lld expected %lld",
               (long long)input->sizes[1], (long long)size);
  return !tocha_failed(cx);
}

static bool check_hidden(tocha_context *cx, const tocha_tensor *input, const tocha_tensor *hx,
                         const tocha_tensor *w_hh, int label) {
  int64_t size;
  if (!tocha_size_of(cx, w_hh, 1, &size)) return false;
  if (hx->ndim != 2)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected 2D hidden%d (batch x hidden_size), but got %dD tensor", label, hx->ndim);
  else if (input->sizes[0] != hx->sizes[0])
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Input batch size %lld doesn't match hidden%d batch size %lld",
               (long long)input->sizes[0], label, (long long)hx->sizes[0]);
  else if (hx->sizes[1] != size)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "hidden%d has inconsistent hidden_size: got %lld, expected %lld", label,
               (long long)hx->sizes[1], (long long)size);
  return !tocha_failed(cx);
}

static bool check_weights(tocha_context *cx, tocha_recurrent_mode mode, const tocha_tensor *w_ih,
                          const tocha_tensor *w_hh) {
  const tocha_tensor *weights[2] = {w_ih, w_hh};
  static const char names[] = "ih";
  int64_t hidden, first;
  if (!tocha_size_of(cx, w_hh, 1, &hidden)) return false;
  int gates = tocha_recurrent_gates(mode);
  for (int i = 0; i < 2; i++) {
    if (!tocha_size_of(cx, weights[i], 0, &first)) return false;
    int64_t wanted = gates * hidden;
    if (first == wanted) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "weight_%ch first dim must be %d * hidden_size = %lld, but got %lld", names[i],
               gates, (long long)wanted, (long long)first);
    return false;
  }
  return true;
}

bool tocha_run_recurrent(tocha_context *cx, const tocha_recurrent_operands *o,
                         tocha_recurrent_mode mode, bool reverse, int how, int count,
                         const int64_t *sizes, tocha_tensor **output, tocha_tensor **hy,
                         tocha_tensor **cy) {
  tocha_tensor *last, *gates, *cells, *states;
  if (!tocha_recurrent_is_fused(cx, o->input, how & TOCHA_ROUNDED_ONCE))
    return tocha_recurrent_compose(cx, mode, reverse, how & TOCHA_BIAS_APART, count, sizes, o,
                                   output, hy, cy);
  if (!tocha_private_recurrent_layer(cx, o->input, o->hx, o->cx, o->weight_ih, o->weight_hh,
                                     o->bias_ih, o->bias_hh, o->weight_hr, mode, reverse, count,
                                     sizes, output, hy, &last, &gates, &cells, &states))
    return false;
  if (cy) *cy = last;
  return true;
}

static tocha_tensor *run(tocha_context *cx, tocha_recurrent_mode mode, tocha_tensor *input,
                         tocha_tensor *hx, tocha_tensor *c0, tocha_tensor *w_ih, tocha_tensor *w_hh,
                         tocha_tensor *b_ih, tocha_tensor *b_hh, tocha_tensor **cy) {
  tocha_recurrent_operands o = {input, hx, c0, w_ih, w_hh, b_ih, b_hh, NULL};
  tocha_tensor *output, *hy;
  return tocha_run_recurrent(cx, &o, mode, false, 0, 1, input->sizes, &output, &hy, cy) ? output
                                                                                        : NULL;
}

tocha_tensor *tocha_op_rnn_cell(tocha_context *cx, tocha_tensor *input, tocha_tensor *hx,
                                tocha_tensor *w_ih, tocha_tensor *w_hh, tocha_tensor *b_ih,
                                tocha_tensor *b_hh, int mode) {
  bool ok = check_weights(cx, mode, w_ih, w_hh) && check_input(cx, input, w_ih) &&
            check_hidden(cx, input, hx, w_hh, 0);
  return ok ? run(cx, mode, input, hx, NULL, w_ih, w_hh, b_ih, b_hh, NULL) : NULL;
}

tocha_tensor *tocha_op_gru_cell(tocha_context *cx, tocha_tensor *input, tocha_tensor *hx,
                                tocha_tensor *w_ih, tocha_tensor *w_hh, tocha_tensor *b_ih,
                                tocha_tensor *b_hh) {
  bool ok = check_input(cx, input, w_ih) && check_hidden(cx, input, hx, w_hh, 0) &&
            check_weights(cx, TOCHA_GRU, w_ih, w_hh);
  return ok ? run(cx, TOCHA_GRU, input, hx, NULL, w_ih, w_hh, b_ih, b_hh, NULL) : NULL;
}

bool tocha_op_lstm_cell(tocha_context *cx, tocha_tensor *input, int hx_count,
                        tocha_tensor *const *hx, tocha_tensor *w_ih, tocha_tensor *w_hh,
                        tocha_tensor *b_ih, tocha_tensor *b_hh, tocha_tensor **hy,
                        tocha_tensor **cy) {
  if (hx_count != 2) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "lstm_cell expects two hidden states");
    return false;
  }
  int64_t size;
  bool ok = tocha_size_of(cx, w_hh, 1, &size) && check_input(cx, input, w_ih) &&
            check_weights(cx, TOCHA_LSTM, w_ih, w_hh) && check_hidden(cx, input, hx[0], w_hh, 0) &&
            check_hidden(cx, input, hx[1], w_hh, 1);
  *hy = ok ? run(cx, TOCHA_LSTM, input, hx[0], hx[1], w_ih, w_hh, b_ih, b_hh, cy) : NULL;
  return *hy != NULL;
}
