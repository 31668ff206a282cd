/* recurrent_forward.c: the forward of RNN, LSTM and GRU: omitted states, inputs without a batch, packed
 * sequences. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "nn/construct.h"
#include "nn/functions/recurrent.h"
#include "tocha/ops/gru.h"
#include "tocha/ops/index_select.h"
#include "tocha/ops/lstm.h"
#include "tocha/ops/rnn_relu.h"
#include "tocha/ops/rnn_tanh.h"
#include "tocha/ops/select.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/zeros.h"

typedef long long ll;
typedef tocha_tensor tensor;

/* The arguments of the call signature. */
enum { INPUT, STATES, BATCH_SIZES, SORTED, UNSORTED };

typedef enum mode { MODE_TANH, MODE_RELU, MODE_LSTM, MODE_GRU } mode;

/* One call: the options of the module, its weights in the order of the operators, and its states, of
 * which an LSTM has two, h (layers, N, width) and c (layers, N, hidden). */
typedef struct layer_call {
  tocha_context *cx;
  const tocha_module *module;
  mode mode;
  int64_t num_layers, hidden, projected;
  bool bias, bidirectional, batch_first;
  int weight_count, state_count;
  tensor **weights, *states[2];
} layer_call;

static bool succeeded(const tocha_context *cx) { return !tocha_failed(cx); }

static mode mode_of(const tocha_module *module) {
  const char *name = module->class->name;
  const tocha_arg *nonlinearity = tocha_module_option(module, "nonlinearity");
  if (strcmp(name, "LSTM") == 0) return MODE_LSTM;
  if (strcmp(name, "GRU") == 0) return MODE_GRU;
  return nonlinearity && strcmp(nonlinearity->value.string, "relu") == 0 ? MODE_RELU : MODE_TANH;
}

static layer_call call_of(tocha_context *cx, const tocha_module *module) {
  layer_call c = {.cx = cx, .module = module, .mode = mode_of(module)};
  c.num_layers = tocha_option_int(module, "num_layers");
  c.hidden = tocha_option_int(module, "hidden_size");
  c.projected = tocha_option_int(module, "proj_size");
  c.bias = tocha_option_flag(module, "bias");
  c.bidirectional = tocha_option_flag(module, "bidirectional");
  c.batch_first = tocha_option_flag(module, "batch_first");
  c.state_count = c.mode == MODE_LSTM ? 2 : 1;
  return c;
}

/* --- weights --------------------------------------------------------------------------------- */

/* Writes the names of the weights of a layer in one direction, without what follows "_l0", in the
 * order of the operators' arguments. Returns their number. */
static int weight_names(const layer_call *c, const char *names[5]) {
  int count = 0;
  names[count++] = "weight_ih";
  names[count++] = "weight_hh";
  if (c->bias) names[count++] = "bias_ih";
  if (c->bias) names[count++] = "bias_hh";
  if (c->projected > 0) names[count++] = "weight_hr";
  return count;
}

/* Finds the weights. free_weights frees the array. */
static bool find_weights(layer_call *c) {
  const char *names[5];
  int each = weight_names(c, names), directions = c->bidirectional ? 2 : 1;
  if (c->num_layers < 0 || c->num_layers > INT_MAX / (2 * 5)) {
    tocha_fail(c->cx, TOCHA_RUNTIME_ERROR, "num_layers is too large");
    return false;
  }
  c->weight_count = (int)c->num_layers * directions * each;
  c->weights = tocha_allocate(c->cx, (uint64_t)c->weight_count * sizeof *c->weights);
  if (!c->weights) return false;
  for (int i = 0; i < c->weight_count; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s_l%d%s", names[i % each], i / each / directions,
             i / each % directions ? "_reverse" : "");
    if (!tocha_module_find_tensor(c->cx, c->module, name, &c->weights[i])) return false;
  }
  return true;
}

static void free_weights(layer_call *c) {
  if (c->weights)
    tocha_deallocate(c->cx, c->weights, (uint64_t)c->weight_count * sizeof *c->weights);
}

/* --- checks ---------------------------------------------------------------------------------- */

/* Writes the sizes (layers, N, width) that state number `i` must have. */
static void expected_sizes(const layer_call *c, int i, int64_t batch, int64_t sizes[3]) {
  sizes[0] = tocha_wrapping_product(c->num_layers, c->bidirectional ? 2 : 1);
  sizes[1] = batch;
  sizes[2] = i == 0 && c->projected > 0 ? c->projected : c->hidden;
}

static bool check_input(const layer_call *c, const tensor *input, int dims) {
  int64_t wanted = tocha_option_int(c->module, "input_size");
  if (input->ndim != dims) {
    tocha_fail(c->cx, TOCHA_RUNTIME_ERROR, "input must have %d dimensions, got %d", dims,
               input->ndim);
  } else if (input->sizes[dims - 1] != wanted) {
    tocha_fail(c->cx, TOCHA_RUNTIME_ERROR,
               "input.size(-1) must be equal to input_size. Expected %lld, got %lld", (ll)wanted,
               (ll)input->sizes[dims - 1]);
    tocha_hint(c->cx, "the input is (steps, batch, input_size); with batch_first = true (batch, "
                      "steps, input_size)");
  }
  return succeeded(c->cx);
}

static bool check_states(const layer_call *c, int64_t batch) {
  for (int i = 0; i < c->state_count; i++) {
    int64_t wanted[3];
    const tensor *t = c->states[i];
    char got[512];
    expected_sizes(c, i, batch, wanted);
    if (t->ndim == 3 && memcmp(t->sizes, wanted, sizeof wanted) == 0) continue;
    static const char *const numbers[] = {"[0]", "[1]"};
    tocha_fail(c->cx, TOCHA_RUNTIME_ERROR, "Expected hidden%s size (%lld, %lld, %lld), got %s",
               c->state_count == 2 ? numbers[i] : "", (ll)wanted[0], (ll)wanted[1], (ll)wanted[2],
               tocha_shape_text(t->ndim, t->sizes, got, sizeof got));
    return false;
  }
  return true;
}

/* Fails if a state has not the dimensions that go with the input. */
static bool check_state_dims(const layer_call *c, bool alone) {
  const char *kind = alone ? "unbatched 2-D" : "batched 3-D";
  int want = alone ? 2 : 3;
  for (int i = 0; i < c->state_count; i++) {
    if (!c->states[i] || c->states[i]->ndim == want) continue;
    if (c->state_count == 2)
      tocha_fail(c->cx, TOCHA_RUNTIME_ERROR,
                 "For %s input, hx and cx should also be %d-D but got (%d-D, %d-D) tensors", kind,
                 want, c->states[0]->ndim, c->states[1]->ndim);
    else
      tocha_fail(c->cx, TOCHA_RUNTIME_ERROR,
                 "For %s input, hx should also be %d-D but got %d-D tensor", kind, want,
                 c->states[i]->ndim);
    return false;
  }
  return true;
}

static bool check_input_dims(const layer_call *c, const tensor *input) {
  static const char *const words[] = {
      [MODE_TANH] = "RNN: Expected input to be 2D or 3D, got %dD tensor instead",
      [MODE_RELU] = "RNN: Expected input to be 2D or 3D, got %dD tensor instead",
      [MODE_LSTM] = "LSTM: Expected input to be 2D or 3D, got %dD instead",
      [MODE_GRU] = "GRU: Expected input to be 2D or 3D, got %dD instead"};
  if (input->ndim == 2 || input->ndim == 3) return true;
  tocha_fail(c->cx, TOCHA_VALUE_ERROR, words[c->mode], input->ndim);
  return false;
}

/* --- running --------------------------------------------------------------------------------- */

/* Reads the given states. Returns false with an error set if their number is wrong; *given is false
 * if there are none. */
static bool read_states(layer_call *c, const tocha_arg *arg, bool *given) {
  *given = arg->given;
  if (!arg->given) return true;
  if (c->mode != MODE_LSTM) {
    c->states[0] = arg->tensor;
    return true;
  }
  if (arg->count != 2) {
    tocha_fail(c->cx, TOCHA_VALUE_ERROR, "LSTM: hx are the two states h and c, but got %d",
               (int)arg->count);
    return false;
  }
  memcpy(c->states, arg->value.tensors, sizeof c->states);
  return true;
}

static void make_zero_states(layer_call *c, const tensor *like, int64_t batch) {
  for (int i = 0; i < c->state_count; i++) {
    int64_t sizes[3];
    expected_sizes(c, i, batch, sizes);
    c->states[i] = tocha_zeros_full(c->cx, 3, sizes, (tocha_dtype)like->dtype, like->device, false);
  }
}

static bool run_steps(const layer_call *c, tensor *input, tensor **out) {
  double dropout = tocha_option_real(c->module, "dropout");
  bool train = c->module->training;
  if (c->mode == MODE_LSTM)
    return tocha_lstm_input(c->cx, input, 2, c->states, c->weight_count, c->weights, c->bias,
                            c->num_layers, dropout, train, c->bidirectional, c->batch_first,
                            &out[0], &out[1], &out[2]);
  return (c->mode == MODE_GRU    ? tocha_gru_input
          : c->mode == MODE_TANH ? tocha_rnn_tanh_input
                                 : tocha_rnn_relu_input)(
      c->cx, input, c->states[0], c->weight_count, c->weights, c->bias, c->num_layers, dropout,
      train, c->bidirectional, c->batch_first, &out[0], &out[1]);
}

static bool run_rows(const layer_call *c, tensor *data, tensor *batch_sizes, tensor **out) {
  double dropout = tocha_option_real(c->module, "dropout");
  bool train = c->module->training;
  if (c->mode == MODE_LSTM)
    return tocha_lstm_data(c->cx, data, batch_sizes, 2, c->states, c->weight_count, c->weights,
                           c->bias, c->num_layers, dropout, train, c->bidirectional, &out[0],
                           &out[1], &out[2]);
  return (c->mode == MODE_GRU    ? tocha_gru_data
          : c->mode == MODE_TANH ? tocha_rnn_tanh_data
                                 : tocha_rnn_relu_data)(
      c->cx, data, batch_sizes, c->states[0], c->weight_count, c->weights, c->bias, c->num_layers,
      dropout, train, c->bidirectional, &out[0], &out[1]);
}

/* Runs a sequence (T, N, F), (N, T, F) with batch_first, or (T, F). */
static bool run_padded(layer_call *c, const tocha_arg *a, tensor **out) {
  tensor *input = a[INPUT].tensor;
  bool given, alone = input->ndim == 2;
  int batch_dim = c->batch_first ? 0 : 1;
  if (!check_input_dims(c, input) || !read_states(c, &a[STATES], &given)) return false;
  if (alone) input = tocha_unsqueeze(c->cx, input, batch_dim);
  if (!input || (given && !check_state_dims(c, alone))) return false;
  int64_t batch = input->sizes[batch_dim];
  if (!given) make_zero_states(c, input, batch);
  for (int i = 0; given && alone && i < c->state_count; i++)
    c->states[i] = tocha_unsqueeze(c->cx, c->states[i], 1);
  if (tocha_failed(c->cx) || !check_input(c, input, 3) || !check_states(c, batch) ||
      !find_weights(c) || !run_steps(c, input, out))
    return false;
  for (int i = 0; alone && i <= c->state_count; i++)
    out[i] = tocha_squeeze_dim(c->cx, out[i], i == 0 ? batch_dim : 1);
  return succeeded(c->cx);
}

/* Returns state h with its sequences in another order; NULL keeps the order. */
static tensor *permuted(tocha_context *cx, tensor *h, tensor *order) {
  return order ? tocha_index_select(cx, h, 1, order) : h;
}

/* Runs packed sequences: the rows of all steps, the first batch_sizes[0], then batch_sizes[1], ... */
static bool run_packed(layer_call *c, const tocha_arg *a, tensor **out) {
  bool given;
  tocha_scalar batch;
  tensor *first = tocha_select(c->cx, a[BATCH_SIZES].tensor, 0, 0);
  if (!first || !tocha_item(c->cx, first, &batch) || !check_input(c, a[INPUT].tensor, 2) ||
      !read_states(c, &a[STATES], &given))
    return false;
  if (!given) make_zero_states(c, a[INPUT].tensor, (int64_t)tocha_scalar_real(batch));
  for (int i = 0; given && i < c->state_count; i++)
    c->states[i] = permuted(c->cx, c->states[i], a[SORTED].tensor);
  if (tocha_failed(c->cx) || !check_states(c, (int64_t)tocha_scalar_real(batch)) ||
      !find_weights(c) || !run_rows(c, a[INPUT].tensor, a[BATCH_SIZES].tensor, out))
    return false;
  for (int i = 1; i <= c->state_count; i++) out[i] = permuted(c->cx, out[i], a[UNSORTED].tensor);
  return succeeded(c->cx);
}

bool tocha_module_run_recurrent(tocha_context *cx, tocha_module *module, const tocha_arg *a,
                                tocha_results *results) {
  layer_call c = call_of(cx, module);
  bool ok = (a[BATCH_SIZES].tensor ? run_packed : run_padded)(&c, a, results->fixed);
  free_weights(&c);
  return ok;
}
