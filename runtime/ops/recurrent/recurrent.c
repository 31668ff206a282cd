/* recurrent.c: torch.lstm, gru, rnn_tanh and rnn_relu: stacks of layers, in one or two
 * directions. */
#include <string.h>

#include "core/internal.h"
#include "dispatch/call.h"
#include "ops/recurrent/layer.h"
#include "ops/recurrent/packed.h"
#include "recurrent/implementations.h"
#include "tensor/copy.h"
#include "tensor/scratch.h"
#include "tocha/ops/private/batch_first_steps.h"
#include "tocha/ops/private/joined_steps.h"
#include "tocha/ops/private/stacked_steps.h"
#include "tocha/ops/private/fused_steps.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/contiguous.h"
#include "tocha/ops/dropout.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/select.h"
#include "tocha/ops/stack.h"
#include "tocha/ops/transpose.h"

typedef struct stack {
  tocha_recurrent_mode mode;
  tocha_tensor *hx, *cx; /* cx: only for an LSTM */
  int param_count;
  tocha_tensor *const *params;
  bool has_biases, projects, packed;
  bool apart; /* the input is not contiguous */
  int64_t layers;
  double dropout;
  bool train, bidirectional;
  int64_t steps;
  const int64_t *sizes; /* rows of each step */
} stack;

/* --- checks ---------------------------------------------------------------------------------------------- */

static bool refuse(tocha_context *cx, const char *words) {
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s", words);
  return false;
}

static int params_of_layer(const stack *s) { return (s->has_biases ? 4 : 2) + s->projects; }

static bool check_lstm_states(tocha_context *cx, const stack *s) {
  if (!s->cx) return true; /* not an LSTM */
  const tocha_tensor *states[2] = {s->hx, s->cx};
  static const char names[] = "hc";
  int64_t expected = s->layers * (s->bidirectional ? 2 : 1);
  for (int i = 0; i < 2; i++)
    if (states[i]->ndim != 3) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "For batched 3-D input, hx[%d] (%c_0) should be 3-D but got %d-D tensor", i,
                 names[i], states[i]->ndim);
      return false;
    }
  for (int i = 0; i < 2; i++)
    if (states[i]->sizes[0] != expected) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "Expected %c_0 size(0) to be %lld (num_layers * num_directions), but got %lld",
                 names[i], (long long)expected, (long long)states[i]->sizes[0]);
      return false;
    }
  return true;
}

/* Returns true for an LSTM of float32 on the CPU, neither packed nor projected. PyTorch checks its
 * input first. */
static bool is_plain_lstm(const stack *s, const tocha_tensor *input) {
  return s->mode == TOCHA_LSTM && !s->packed && !s->projects && input->device.type == TOCHA_CPU &&
         input->dtype == TOCHA_FLOAT32 && input->numel > 0;
}

/* Returns true if bfloat16 may be rounded only at the end, which excludes sequences of different
 * lengths and projections. */
static bool may_round_once(const stack *s) {
  if (s->mode != TOCHA_LSTM || s->projects) return false;
  for (int64_t t = 1; t < s->steps; t++)
    if (s->sizes[t] != s->sizes[0]) return false;
  return true;
}

/* Checks the numbers of states and parameters. The order of the checks decides which error is
 * reported. */
static bool check_stack(tocha_context *cx, const stack *s, const tocha_tensor *input) {
  int directions = s->bidirectional ? 2 : 1, each = params_of_layer(s);
  int64_t states, size;
  if (s->layers > INT32_MAX) /* avoids overflow in products with layers */
    return refuse(cx, "got an incorrect number of RNN parameters");
  if (is_plain_lstm(s, input))
    return tocha_size_of(cx, input, 1, &size) && tocha_size_of(cx, input, 2, &size) &&
           check_lstm_states(cx, s) &&
           (s->param_count == s->layers * directions * each ||
            refuse(cx, "got an incorrect number of RNN parameters"));
  if (s->param_count % each) return refuse(cx, "got an incorrect number of RNN parameters");
  if (!tocha_size_of(cx, s->hx, 0, &states)) return false;
  int64_t weights = s->param_count / each;
  if (states % directions || weights % directions)
    return refuse(cx, "Odd number of params or hiddens given to a bidirectional RNN");
  if (states / directions != s->layers)
    return refuse(cx, "Expected more hidden states in stacked_rnn");
  if (weights / directions != s->layers) return refuse(cx, "Expected more weights in stacked_rnn");
  return check_lstm_states(cx, s);
}

/* Checks the numbers of dimensions. */
static bool check_dims(tocha_context *cx, const stack *s, const tocha_tensor *input, int ndim) {
  if (input->ndim != ndim)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s must have %d dimensions, got %d",
               ndim == 3 ? "input" : "data", ndim, input->ndim);
  else if (s->hx->ndim != 3)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "hx must have 3 dimensions, got %d", s->hx->ndim);
  return !tocha_failed(cx);
}

static bool check_devices(tocha_context *cx, const tocha_tensor *input, int count,
                          tocha_tensor *const *tensors, const char *name) {
  char own[24], other[24];
  for (int i = 0; i < count; i++) {
    if (tocha_device_equal(input->device, tensors[i]->device)) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Input and %s tensors are not at the same device, found input tensor at %s and %s "
               "tensor at %s",
               name, tocha_device_text(input->device, own), name,
               tocha_device_text(tensors[i]->device, other));
    return false;
  }
  return true;
}

/* --- layers ---------------------------------------------------------------------------------------------- */

/* Runs layer `i`, counted over both directions: writes its outputs and last states. */
static bool run_layer(tocha_context *cx, const stack *s, tocha_tensor *rows, int64_t i,
                      tocha_tensor **output, tocha_tensor **hy, tocha_tensor **cy) {
  tocha_tensor *const *p = s->params + i * params_of_layer(s);
  tocha_recurrent_operands o = {.input = rows,
                                .hx = tocha_select(cx, s->hx, 0, i),
                                .cx = s->cx ? tocha_select(cx, s->cx, 0, i) : NULL,
                                .weight_ih = p[0],
                                .weight_hh = p[1],
                                .bias_ih = s->has_biases ? p[2] : NULL,
                                .bias_hh = s->has_biases ? p[3] : NULL,
                                .weight_hr = s->projects ? p[params_of_layer(s) - 1] : NULL};
  bool first = i < (s->bidirectional ? 2 : 1);
  int how =
      (may_round_once(s) ? TOCHA_ROUNDED_ONCE : 0) | (s->apart && first ? TOCHA_BIAS_APART : 0);
  return !tocha_failed(cx) &&
         tocha_run_recurrent(cx, &o, s->mode, s->bidirectional && i % 2, how, (int)s->steps,
                             s->sizes, output, hy, s->cx ? cy : NULL);
}

static bool run_stack(tocha_context *cx, const stack *s, tocha_tensor *rows, tocha_tensor **output,
                      tocha_tensor **hy, tocha_tensor **cy) {
  int directions = s->bidirectional ? 2 : 1;
  int64_t total = s->layers * directions;
  tocha_tensor *outputs[2];
  void *scratch;
  if (s->steps == 0) return refuse(cx, "Expected sequence length to be larger than 0 in RNN");
  if (!tocha_new_scratch(cx, (tocha_device){TOCHA_CPU, -1}, 2 * (uint64_t)total * sizeof *hy,
                         &scratch))
    return false;
  tocha_tensor **all_hy = scratch, **all_cy = all_hy + total;
  for (int64_t layer = 0; layer < s->layers; layer++) {
    for (int d = 0; d < directions; d++) {
      int64_t i = layer * directions + d;
      if (!run_layer(cx, s, rows, i, &outputs[d], &all_hy[i], &all_cy[i])) return false;
    }
    rows = directions == 2 ? tocha_cat(cx, 2, outputs, 1) : outputs[0];
    if (rows && s->dropout != 0 && s->train && layer < s->layers - 1)
      rows = tocha_dropout_torch(cx, rows, s->dropout, true);
    if (!rows) return false;
  }
  *output = rows;
  *hy = tocha_stack(cx, (int)total, all_hy, 0);
  if (cy) *cy = tocha_stack(cx, (int)total, all_cy, 0);
  return !tocha_failed(cx);
}

tocha_tensor *tocha_op__steps(tocha_context *cx, tocha_tensor *self, int sizes_count,
                              const int64_t *sizes) {
  int64_t strides[3];
  for (int64_t d = sizes_count - 1, step = 1; d >= 0; step *= sizes[d--]) strides[d] = step;
  return tocha_alias(cx, self, sizes_count, sizes, strides, self->offset);
}

tocha_tensor *tocha_op__batch_first_steps(tocha_context *cx, tocha_tensor *self) {
  int64_t sizes[3] = {self->sizes[1], self->sizes[0], self->sizes[2]};
  int64_t strides[3] = {self->strides[1], self->strides[0], self->strides[2]};
  return tocha_alias(cx, self, 3, sizes, strides, self->offset);
}

/* Shapes the rows of all steps as the result: (T, B, H), or rows if the input is packed. */
static tocha_tensor *steps_of(tocha_context *cx, const stack *s, tocha_tensor *rows,
                              int64_t batch) {
  bool fused = s->mode == TOCHA_LSTM && !s->projects && rows && rows->dtype == TOCHA_FLOAT32 &&
               rows->device.type == TOCHA_CPU &&
               rows->numel > 0; /* PyTorch's graph has a node for it */
  rows = rows ? tocha_contiguous(cx, rows) : NULL;
  if (!rows) return NULL;
  int64_t sizes[3] = {s->steps, batch, rows->sizes[1]};
  if (s->packed) return tocha_private_joined_steps(cx, rows, 2, rows->sizes);
  if (s->bidirectional) return tocha_private_joined_steps(cx, rows, 3, sizes);
  return fused ? tocha_private_fused_steps(cx, rows, 3, sizes)
               : tocha_private_stacked_steps(cx, rows, 3, sizes);
}

/* Runs the stack over (T, B, F), or (B, T, F) if batch_first. */
static bool run_padded(tocha_context *cx, stack *s, tocha_tensor *input, bool batch_first,
                       tocha_tensor **output, tocha_tensor **hy, tocha_tensor **cy) {
  tocha_tensor *states[2] = {s->hx, s->cx};
  if (!check_devices(cx, input, s->cx ? 2 : 1, states, "hidden") ||
      !check_devices(cx, input, s->param_count, s->params, "parameter"))
    return false;
  if (batch_first) input = tocha_transpose(cx, input, 0, 1);
  if (!input || !check_stack(cx, s, input) || !check_dims(cx, s, input, 3)) return false;
  s->apart = !tocha_is_contiguous(input);
  int64_t steps = input->sizes[0], batch = input->sizes[1];
  int64_t flat[2] = {steps * batch, input->sizes[2]};
  void *scratch;
  if (!tocha_new_scratch(cx, (tocha_device){TOCHA_CPU, -1}, (uint64_t)steps * sizeof *s->sizes,
                         &scratch))
    return false;
  int64_t *each = scratch;
  for (int64_t t = 0; each && t < steps; t++) each[t] = batch;
  s->steps = steps;
  s->sizes = each;
  tocha_tensor *rows = tocha_reshape(cx, input, 2, flat);
  if (!rows || !run_stack(cx, s, rows, output, hy, cy)) return false;
  *output = steps_of(cx, s, *output, batch);
  if (*output && batch_first)
    *output = s->mode == TOCHA_LSTM
                  ? tocha_transpose(cx, *output, 0, 1)
                  : tocha_private_batch_first_steps(cx, *output); /* PyTorch names its grad_fn */
  return *output != NULL;
}

static bool check_batch_sizes(tocha_context *cx, const tocha_tensor *batch_sizes) {
  return batch_sizes->ndim == 1 || refuse(cx, "batch_sizes tensor should be 1D");
}

static bool run_packed(tocha_context *cx, stack *s, tocha_tensor *data, tocha_tensor *batch_sizes,
                       tocha_tensor **output, tocha_tensor **hy, tocha_tensor **cy) {
  s->packed = true;
  if (!check_batch_sizes(cx, batch_sizes)) return false;
  if (!check_stack(cx, s, data)) return false;
  if (batch_sizes->dtype != TOCHA_INT64) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected scalar type Long but found %s",
               tocha_dtype_scalar_type(batch_sizes->dtype));
    return false;
  }
  s->sizes = tocha_host_lengths(cx, batch_sizes, &s->steps);
  return s->sizes && check_dims(cx, s, data, 2) && run_stack(cx, s, data, output, hy, cy) &&
         (*output = steps_of(cx, s, *output, 0));
}

static stack stack_of(tocha_recurrent_mode mode, tocha_tensor *hx, int count,
                      tocha_tensor *const *params, bool has_biases, int64_t layers, double dropout,
                      bool train, bool bidirectional) {
  return (stack){.mode = mode,
                 .hx = hx,
                 .param_count = count,
                 .params = params,
                 .has_biases = has_biases,
                 .layers = layers,
                 .dropout = dropout,
                 .train = train,
                 .bidirectional = bidirectional};
}

/* --- lstm ------------------------------------------------------------------------------------------------ */

static bool set_lstm_states(tocha_context *cx, stack *s, int count, tocha_tensor *const *hx) {
  if (count != 2) return refuse(cx, "lstm expects two hidden states");
  int64_t size, cells;
  s->hx = hx[0];
  s->cx = hx[1];
  if (!tocha_size_of(cx, s->hx, 2, &size) || !tocha_size_of(cx, s->cx, 2, &cells)) return false;
  s->projects = size != cells;
  return true;
}

bool tocha_op_lstm_input(tocha_context *cx, tocha_tensor *input, int hx_count,
                         tocha_tensor *const *hx, int count, tocha_tensor *const *params,
                         bool has_biases, int64_t layers, double dropout, bool train,
                         bool bidirectional, bool batch_first, tocha_tensor **output,
                         tocha_tensor **hy, tocha_tensor **cy) {
  stack s =
      stack_of(TOCHA_LSTM, NULL, count, params, has_biases, layers, dropout, train, bidirectional);
  return set_lstm_states(cx, &s, hx_count, hx) &&
         run_padded(cx, &s, input, batch_first, output, hy, cy);
}

bool tocha_op_lstm_data(tocha_context *cx, tocha_tensor *data, tocha_tensor *batch_sizes,
                        int hx_count, tocha_tensor *const *hx, int count,
                        tocha_tensor *const *params, bool has_biases, int64_t layers,
                        double dropout, bool train, bool bidirectional, tocha_tensor **output,
                        tocha_tensor **hy, tocha_tensor **cy) {
  stack s =
      stack_of(TOCHA_LSTM, NULL, count, params, has_biases, layers, dropout, train, bidirectional);
  return (hx_count != 2 || check_batch_sizes(cx, batch_sizes)) &&
         set_lstm_states(cx, &s, hx_count, hx) &&
         run_packed(cx, &s, data, batch_sizes, output, hy, cy);
}

/* --- GRU and simple RNNs ---------------------------------------------------------------------- */

bool tocha_op_rnn_input(tocha_context *cx, tocha_tensor *input, tocha_tensor *hx, int count,
                        tocha_tensor *const *params, bool has_biases, int64_t layers,
                        double dropout, bool train, bool bidirectional, bool batch_first, int mode,
                        tocha_tensor **output, tocha_tensor **hy) {
  stack s = stack_of((tocha_recurrent_mode)mode, hx, count, params, has_biases, layers, dropout,
                     train, bidirectional);
  return run_padded(cx, &s, input, batch_first, output, hy, NULL);
}

bool tocha_op_rnn_data(tocha_context *cx, tocha_tensor *data, tocha_tensor *batch_sizes,
                       tocha_tensor *hx, int count, tocha_tensor *const *params, bool has_biases,
                       int64_t layers, double dropout, bool train, bool bidirectional, int mode,
                       tocha_tensor **output, tocha_tensor **hy) {
  stack s = stack_of((tocha_recurrent_mode)mode, hx, count, params, has_biases, layers, dropout,
                     train, bidirectional);
  return run_packed(cx, &s, data, batch_sizes, output, hy, NULL);
}
