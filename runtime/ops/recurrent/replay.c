/* replay.c: a recurrent layer made of operators, each of which has gradients of any order and
 * rounds its result. Used for gradients of gradients, for dtypes without a kernel, and under
 * autocast, whose rules are about operators. */
#include "ops/recurrent/replay.h"

#include "tensor/scratch.h"
#include "tocha/ops/add.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/linear.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/relu.h"
#include "tocha/ops/sigmoid.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/tanh.h"
#include "tocha/ops/to.h"
#include "tocha/tensor.h"

enum { OPERANDS = sizeof(tocha_recurrent_operands) / sizeof(tocha_tensor *) };

typedef struct replay {
  tocha_context *cx;
  tocha_recurrent_mode mode;
  tocha_recurrent_operands o;
  int64_t size;
  bool reverse, apart;
  int steps;
  const int64_t *sizes;
  tocha_tensor *gates;     /* the inputs' part, for all rows */
  tocha_tensor *h, *c;     /* after the latest step */
  tocha_tensor **outputs;  /* of each step; may be NULL */
  tocha_tensor **hy, **cy; /* states of ended sequences, in the order of their end, then the last */
  int ended;
} replay;

/* --- one step -------------------------------------------------------------------------------------------- */

static tocha_tensor *gate(const replay *r, tocha_tensor *x, int i) {
  return tocha_narrow(r->cx, x, 1, i * r->size, r->size);
}
static tocha_tensor *sigmoid_gate(const replay *r, tocha_tensor *x, int i) {
  return tocha_sigmoid(r->cx, gate(r, x, i));
}

static void gru_step(replay *r, tocha_tensor *x, tocha_tensor *hidden) {
  tocha_context *cx = r->cx;
  tocha_tensor *both = tocha_add(cx, x, hidden);
  tocha_tensor *reset = sigmoid_gate(r, both, 0), *update = sigmoid_gate(r, both, 1);
  tocha_tensor *new = tocha_mul(cx, gate(r, hidden, 2), reset);
  new = tocha_tanh(cx, tocha_add(cx, gate(r, x, 2), new));
  r->h = tocha_add(cx, tocha_mul(cx, tocha_sub(cx, r->h, new), update), new);
}

static void lstm_step(replay *r, tocha_tensor *gates) {
  tocha_context *cx = r->cx;
  tocha_tensor *in = sigmoid_gate(r, gates, 0), *forget = sigmoid_gate(r, gates, 1);
  tocha_tensor *new = tocha_tanh(cx, gate(r, gates, 2)), *out = sigmoid_gate(r, gates, 3);
  r->c = tocha_add(cx, tocha_mul(cx, forget, r->c), tocha_mul(cx, in, new));
  r->h = tocha_mul(cx, out, tocha_tanh(cx, r->c));
  if (r->o.weight_hr) r->h = tocha_linear(cx, r->h, r->o.weight_hr, NULL);
}

static void run_step(replay *r, tocha_tensor *x) {
  tocha_dtype dtype = tocha_dtype_of(x);
  if (r->mode >= TOCHA_LSTM && !tocha_dtype_is_floating(dtype)) {
    tocha_fail(r->cx, TOCHA_RUNTIME_ERROR,
               "result type Float can't be cast to the desired output type %s",
               tocha_dtype_scalar_type(dtype));
    return;
  }
  tocha_tensor *hidden = tocha_linear(r->cx, r->h, r->o.weight_hh, r->o.bias_hh);
  if (r->mode == TOCHA_GRU) {
    gru_step(r, x, hidden);
    return;
  }
  tocha_tensor *gates = tocha_add(r->cx, x, hidden);
  if (r->mode == TOCHA_LSTM)
    lstm_step(r, gates);
  else
    r->h = r->mode == TOCHA_RNN_TANH ? tocha_tanh(r->cx, gates) : tocha_relu(r->cx, gates);
}

/* --- all steps ------------------------------------------------------------------------------------------- */

static tocha_tensor *rows(const replay *r, tocha_tensor *t, int64_t row, int64_t count) {
  return tocha_narrow(r->cx, t, 0, row, count);
}

static tocha_tensor *joined(const replay *r, tocha_tensor *going, tocha_tensor *first, int64_t n) {
  int64_t count = going ? tocha_sizes(going)[0] : 0;
  if (!going || !first) return first ? rows(r, first, 0, n) : NULL;
  if (count == n) return going;
  tocha_tensor *both[] = {going, rows(r, first, count, n - count)};
  return tocha_failed(r->cx) ? NULL : tocha_cat(r->cx, 2, both, 0);
}

/* Updates the states for the n sequences of the next step. The states of sequences that ended are
 * stored in hy and cy. */
static void enter(replay *r, int64_t n) {
  if (r->reverse || !r->h) {
    r->h = joined(r, r->h, r->o.hx, n);
    r->c = joined(r, r->c, r->o.cx, n);
    return;
  }
  int64_t count = tocha_sizes(r->h)[0];
  if (count == n) return;
  if (!r->hy || !r->cy) return;
  r->hy[r->ended] = rows(r, r->h, n, count - n);
  if (r->c) r->cy[r->ended] = rows(r, r->c, n, count - n);
  r->ended++;
  r->h = rows(r, r->h, 0, n);
  if (r->c) r->c = rows(r, r->c, 0, n);
}

static tocha_tensor *gates_of_inputs(const replay *r) {
  tocha_tensor *bias = r->o.bias_ih;
  if (!r->apart || !bias) return tocha_linear(r->cx, r->o.input, r->o.weight_ih, bias);
  tocha_tensor *product = tocha_linear(r->cx, r->o.input, r->o.weight_ih, NULL);
  if (!product) return NULL;
  bias = tocha_to_dtype(r->cx, bias, tocha_dtype_of(product), false, false);
  return tocha_add(r->cx, product, bias);
}

static bool run(replay *r) {
  int64_t row = r->reverse ? tocha_sizes(r->o.input)[0] : 0;
  r->gates = gates_of_inputs(r);
  for (int i = 0; i < r->steps; i++) {
    int t = r->reverse ? r->steps - 1 - i : i;
    if (r->reverse) row -= r->sizes[t];
    enter(r, r->sizes[t]);
    if (tocha_failed(r->cx)) return false;
    run_step(r, rows(r, r->gates, row, r->sizes[t]));
    if (tocha_failed(r->cx)) return false;
    if (r->outputs) r->outputs[t] = r->h;
    if (!r->reverse) row += r->sizes[t];
  }
  if (!r->hy || !r->cy) return false;
  r->hy[r->ended] = r->h;
  r->cy[r->ended++] = r->c;
  return true;
}

/* Returns the last states of all sequences in the order of the sequences. The longest sequences
 * come first, so the parts are reversed. */
static tocha_tensor *last_states(const replay *r, tocha_tensor **parts) {
  for (int i = 0, k = r->ended - 1; i < k; i++, k--) {
    tocha_tensor *part = parts[i];
    parts[i] = parts[k];
    parts[k] = part;
  }
  return tocha_cat(r->cx, r->ended, parts, 0);
}

/* --- gradients -------------------------------------------------------------------------------- */

static bool differentiate(replay *r, tocha_backward_frame *f, tocha_tensor **own) {
  tocha_tensor *outputs[3], *grads[3], *inputs[OPERANDS], *found[OPERANDS];
  tocha_tensor *all[3] = {NULL, NULL, NULL};
  int count = 0, wanted = 0;
  if (f->grads[0]) all[0] = tocha_cat(r->cx, r->steps, r->outputs, 0);
  if (f->grads[1]) all[1] = last_states(r, r->hy);
  if (f->grads[2] && r->mode == TOCHA_LSTM) all[2] = last_states(r, r->cy);
  if (tocha_failed(r->cx)) return false;
  for (int i = 0; i < 3; i++) {
    if (!all[i] || !tocha_requires_grad(all[i])) continue;
    outputs[count] = all[i];
    grads[count++] = f->grads[i];
  }
  for (int i = 0; i < OPERANDS; i++)
    if (tocha_wants_grad(f, i)) inputs[wanted++] = own[i];
  if (count == 0 || wanted == 0) return true;
  if (!tocha_gradients(r->cx, count, outputs, wanted, inputs, grads, true, true, true, found))
    return false;
  for (int i = OPERANDS - 1; i >= 0; i--)
    if (tocha_wants_grad(f, i)) f->out[i] = found[--wanted];
  return true;
}

static bool begin(replay *r, tocha_context *cx, const tocha_recurrent_operands *o, int count,
                  const int64_t *sizes) {
  void *scratch;
  uint64_t each = ((uint64_t)count + 1) * sizeof(tocha_tensor *);
  if (!tocha_new_scratch(cx, (tocha_device){TOCHA_CPU, -1}, 3 * each, &scratch)) return false;
  r->cx = cx;
  r->o = *o;
  r->steps = count;
  r->sizes = sizes;
  r->outputs = scratch;
  r->hy = r->outputs + count + 1;
  r->cy = r->hy + count + 1;
  r->size = tocha_sizes(o->weight_hh)[0] / tocha_recurrent_gates(r->mode);
  return true;
}

bool tocha_recurrent_compose(tocha_context *cx, tocha_recurrent_mode mode, bool reverse, bool apart,
                             int count, const int64_t *sizes,
                             const tocha_recurrent_operands *operands, tocha_tensor **output,
                             tocha_tensor **hy, tocha_tensor **cy) {
  replay r = {.mode = mode, .reverse = reverse, .apart = apart};
  if (!begin(&r, cx, operands, count, sizes) || !run(&r)) return false;
  *output = tocha_cat(cx, count, r.outputs, 0);
  *hy = last_states(&r, r.hy);
  if (cy) *cy = last_states(&r, r.cy);
  return !tocha_failed(cx);
}

bool tocha_recurrent_replay(tocha_backward_frame *f, const tocha_recurrent_operands *operands) {
  const tocha_arg *a = f->args;
  replay r = {.mode = (tocha_recurrent_mode)a[8].value.integer, .reverse = a[9].value.flag};
  if (!begin(&r, f->cx, operands, a[10].count, a[10].value.ints)) return false;
  tocha_tensor *own[OPERANDS],
      **given[OPERANDS] = {&r.o.input,     &r.o.hx,      &r.o.cx,      &r.o.weight_ih,
                           &r.o.weight_hh, &r.o.bias_ih, &r.o.bias_hh, &r.o.weight_hr};
  for (int i = 0; i < OPERANDS; i++) { /* an operand may depend on another one */
    tocha_tensor *t = *given[i];
    own[i] = *given[i] = t ? tocha_expand(f->cx, t, tocha_ndim(t), tocha_sizes(t)) : NULL;
  }
  return !tocha_failed(f->cx) && run(&r) && differentiate(&r, f, own);
}
