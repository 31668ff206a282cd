/* cells.c: the forward of RNNCell, LSTMCell and GRUCell: one step, of a batch or of a single row. */
#include <string.h>

#include "nn/construct.h"
#include "nn/functions/cells.h"
#include "tocha/ops/gru_cell.h"
#include "tocha/ops/lstm_cell.h"
#include "tocha/ops/rnn_relu_cell.h"
#include "tocha/ops/rnn_tanh_cell.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/zeros.h"

typedef tocha_tensor tensor;

enum { INPUT, STATES };

static bool check_dims(tocha_context *cx, const tocha_module *module, const char *what,
                       const tensor *t) {
  if (t->ndim == 1 || t->ndim == 2) return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR, "%s: Expected %s to be 1D or 2D, got %dD instead",
             module->class->name, what, t->ndim);
  return false;
}

/* Copies the given states, `count` of them, or makes zeros (N, hidden_size). The input has a batch;
 * alone: the states have none. */
static bool read_states(tocha_context *cx, const tocha_module *module, const tocha_arg *a,
                        const tensor *input, bool alone, int count, tensor **states) {
  const tocha_arg *given = &a[STATES];
  const int64_t sizes[2] = {input->sizes[0], tocha_option_int(module, "hidden_size")};
  if (given->given && count == 2 && given->count != 2) {
    tocha_fail(cx, TOCHA_VALUE_ERROR, "LSTMCell: hx are the two states h and c, but got %d",
               (int)given->count);
    return false;
  }
  if (!given->given)
    states[0] = tocha_zeros_full(cx, 2, sizes, (tocha_dtype)input->dtype, input->device, false);
  for (int i = 0; i < count; i++) {
    static const char *const names[] = {"hx[0]", "hx[1]"};
    if (!given->given) {
      states[i] = states[0];
      continue;
    }
    states[i] = count == 1 ? given->tensor : given->value.tensors[i];
    if (!check_dims(cx, module, count == 1 ? "hidden" : names[i], states[i])) return false;
    if (alone) states[i] = tocha_unsqueeze(cx, states[i], 0);
  }
  return !tocha_failed(cx);
}

typedef tensor *one_step(tocha_context *cx, tensor *input, tensor *hx, tensor *w_ih, tensor *w_hh,
                         tensor *b_ih, tensor *b_hh);

/* Returns the operator of a cell with one state. Fails for an unknown nonlinearity. */
static one_step *step_of(tocha_context *cx, const tocha_module *module) {
  const tocha_arg *option = tocha_module_option(module, "nonlinearity");
  const char *name = option ? option->value.string : NULL;
  if (!name) return tocha_gru_cell;
  if (strcmp(name, "tanh") == 0) return tocha_rnn_tanh_cell;
  if (strcmp(name, "relu") == 0) return tocha_rnn_relu_cell;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Unknown nonlinearity: %s", name);
  return NULL;
}

bool tocha_module_run_cells(tocha_context *cx, tocha_module *module, const tocha_arg *a,
                            tocha_results *results) {
  static const char *const names[] = {"weight_ih", "weight_hh", "bias_ih", "bias_hh"};
  tensor *input = a[INPUT].tensor, *states[2], *w[4], **out = results->fixed;
  int count = results->count;
  if (!check_dims(cx, module, "input", input)) return false;
  bool alone = input->ndim == 1;
  if (alone) input = tocha_unsqueeze(cx, input, 0);
  if (!input || !read_states(cx, module, a, input, alone, count, states)) return false;
  for (int i = 0; i < TOCHA_COUNT(w); i++)
    if (!tocha_module_find_tensor(cx, module, names[i], &w[i])) return false;
  if (count == 2) {
    tocha_lstm_cell(cx, input, 2, states, w[0], w[1], w[2], w[3], &out[0], &out[1]);
  } else {
    one_step *step = step_of(cx, module);
    if (step) out[0] = step(cx, input, states[0], w[0], w[1], w[2], w[3]);
  }
  for (int i = 0; alone && i < count; i++) out[i] = tocha_squeeze_dim(cx, out[i], 0);
  return !tocha_failed(cx);
}
