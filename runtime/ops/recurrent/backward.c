/* backward.c: the gradients of a recurrent layer. The steps are processed from the last to the
 * first and leave the gradients of the gates. Then one product each gives the gradients of inputs
 * and weights. If a gradient of the gradient may be needed, the layer is instead recomputed from
 * operators, which are differentiated. */
#include <string.h>

#include "dispatch/call.h"
#include "ops/matmul/gemm.h"
#include "ops/recurrent/layer.h"
#include "ops/recurrent/replay.h"
#include "recurrent/implementations.h"
#include "tensor/copy.h"
#include "tensor/scratch.h"
#include "tocha/ops/add.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/sum.h"

typedef struct backward {
  tocha_recurrent_layer l;
  tocha_recurrent_operands o;
  tocha_tensor *output, *gates, *cells, *states;
  tocha_tensor *grad_hy, *grad_cy;        /* incoming; may be NULL */
  tocha_tensor *grad_output, *grad_cells; /* of all rows, accumulated step by step */
  tocha_tensor *grad_hx, *grad_cx, *grad_gates, *grad_hidden; /* outgoing */
  void *grad_states;                                          /* of one step, before a projection */
} backward;

static tocha_tensor *new_rows(const tocha_recurrent_layer *l, int64_t rows, int64_t columns) {
  return tocha_new(l->cx, 2, (const int64_t[]){rows, columns}, l->dtype, l->device);
}

static tocha_tensor *start_of(const tocha_recurrent_layer *l, tocha_tensor *grad) {
  if (grad)
    return tocha_copy_as(l->cx, grad, l->dtype, tocha_its_device(), TOCHA_CONTIGUOUS_FORMAT);
  tocha_tensor *zeros = new_rows(l, l->rows, l->output);
  return zeros && tocha_fill_data(l->cx, zeros, tocha_int(0)) ? zeros : NULL;
}

/* Adds the gradients of the last states to the rows that these states were copied from. */
static bool add_end(void *user, int64_t state, int64_t row, int64_t count) {
  const backward *b = user;
  tocha_context *cx = b->l.cx;
  if (b->grad_hy) {
    tocha_tensor *to = tocha_some_rows(cx, b->grad_output, row, count);
    tocha_tensor *grad = tocha_some_rows(cx, b->grad_hy, state, count);
    tocha_tensor *sum = to && grad ? tocha_add(cx, to, grad) : NULL;
    if (!sum || !tocha_copy_data(cx, to, sum)) return false;
  }
  if (!b->grad_cells) return true;
  tocha_tensor *to = tocha_some_rows(cx, b->grad_cells, row, count);
  if (!b->grad_cy) return to && tocha_fill_data(cx, to, tocha_int(0));
  tocha_tensor *grad = tocha_some_rows(cx, b->grad_cy, state, count);
  return to && grad && tocha_copy_data(cx, to, grad);
}

static bool prepare(backward *b, tocha_tensor *const *grads) {
  tocha_recurrent_layer *l = &b->l;
  int64_t n = l->gates * l->size;
  tocha_tensor **saved[] = {&b->output, &b->gates, &b->cells, &b->states};
  for (int i = 0; i < TOCHA_COUNT(saved); i++)
    *saved[i] = tocha_as_rows(l->cx, *saved[i], l->dtype);
  b->grad_hy = tocha_as_rows(l->cx, grads[1], l->dtype);
  b->grad_cy = tocha_as_rows(l->cx, grads[2], l->dtype);
  b->grad_output = start_of(l, grads[0]);
  b->grad_hx = new_rows(l, l->batch, l->output);
  b->grad_gates = new_rows(l, l->rows, n);
  b->grad_hidden = l->mode == TOCHA_GRU ? new_rows(l, l->rows, n) : b->grad_gates;
  if (l->mode == TOCHA_LSTM) {
    b->grad_cells = new_rows(l, l->rows, l->size);
    b->grad_cx = new_rows(l, l->batch, l->size);
  }
  uint64_t bytes = b->o.weight_hr ? (uint64_t)(l->batch * l->size) * tocha_dtype_size(l->dtype) : 0;
  return !tocha_failed(l->cx) && tocha_new_scratch(l->cx, l->device, bytes, &b->grad_states) &&
         tocha_each_end(l, add_end, b);
}

static bool run_step(const backward *b, const tocha_segment *s) {
  const tocha_recurrent_layer *l = &b->l;
  bool projects = b->o.weight_hr != NULL;
  tocha_recurrent_product projection = {.a = tocha_row_at(b->grad_output, s->row),
                                        .b = projects ? tocha_bytes(b->o.weight_hr) : NULL,
                                        .out = b->grad_states,
                                        .m = s->count,
                                        .n = l->size,
                                        .k = l->output};
  tocha_recurrent_args a = {
      .rows = s->count,
      .size = l->size,
      .gates = tocha_row_at(b->gates, s->row),
      .cells = tocha_row_at(b->cells, s->row),
      .h = tocha_row_at(b->output, s->row),
      .h_before = tocha_row_at(s->starts ? b->o.hx : b->output, s->before),
      .cells_before = tocha_row_at(s->starts ? b->o.cx : b->cells, s->before),
      .grad_h = projects ? b->grad_states : tocha_row_at(b->grad_output, s->row),
      .grad_cells = tocha_row_at(b->grad_cells, s->row),
      .grad_h_before = tocha_row_at(s->starts ? b->grad_hx : b->grad_output, s->before),
      .grad_cells_before = tocha_row_at(s->starts ? b->grad_cx : b->grad_cells, s->before),
      .grad_gates = tocha_row_at(b->grad_gates, s->row),
      .grad_hidden_gates = tocha_row_at(b->grad_hidden, s->row),
      .mode = (int32_t)l->mode,
      .dtype = (int16_t)l->dtype,
      .adds = !s->starts};
  tocha_recurrent_product hidden = {.a = a.grad_hidden_gates,
                                    .b = tocha_bytes(b->o.weight_hh),
                                    .out = a.grad_h_before,
                                    .m = s->count,
                                    .n = l->output,
                                    .k = l->gates * l->size,
                                    .adds = !s->starts || l->mode == TOCHA_GRU};
  return (!projects || tocha_recurrent_multiply(l, projection)) &&
         tocha_launched(l->cx, l->stream->kernels->recurrent->backward(l->stream, &a)) &&
         tocha_recurrent_multiply(l, hidden);
}

/* Returns the states before every row, in the order of the rows. */
static tocha_tensor *states_before(const backward *b) {
  const tocha_recurrent_layer *l = &b->l;
  void *scratch;
  int count = 0;
  if (l->segment_count == 0) return tocha_some_rows(l->cx, b->o.hx, 0, 0); /* an empty batch */
  if (!tocha_new_scratch(l->cx, (tocha_device){TOCHA_CPU, -1},
                         (uint64_t)l->segment_count * sizeof(tocha_tensor *), &scratch))
    return NULL;
  tocha_tensor **pieces = scratch;
  for (int i = 0; pieces && i < l->segment_count;) {
    tocha_segment all = l->segments[l->reverse ? l->segment_count - 1 - i : i];
    for (i++; i < l->segment_count; i++) { /* segments whose states follow */
      const tocha_segment *s = &l->segments[l->reverse ? l->segment_count - 1 - i : i];
      if (s->starts != all.starts || s->before != all.before + all.count) break;
      all.count += s->count;
    }
    pieces[count] = tocha_some_rows(l->cx, all.starts ? b->o.hx : b->output, all.before, all.count);
    if (!pieces[count++]) return NULL;
  }
  return tocha_cat(l->cx, count, pieces, 0);
}

static tocha_tensor *multiply(const backward *b, tocha_tensor *x, tocha_tensor *y) {
  return x && y ? tocha_gemm(b->l.cx, NULL, x, y, tocha_int(0), tocha_int(1), false) : NULL;
}

static tocha_tensor *sum_of_rows(const backward *b, tocha_tensor *grad) {
  return tocha_sum_dim_IntList(b->l.cx, grad, 1, (const int64_t[]){0}, false);
}

enum { INPUT, HX, CX, WEIGHT_IH, WEIGHT_HH, BIAS_IH, BIAS_HH, WEIGHT_HR, EDGES };

static tocha_tensor *gradient(const backward *b, int edge) {
  tocha_context *cx = b->l.cx;
  switch (edge) {
  case INPUT:
    return multiply(b, b->grad_gates, b->o.weight_ih);
  case HX:
    return b->grad_hx;
  case CX:
    return b->grad_cx;
  case WEIGHT_IH:
    return multiply(b, tocha_flipped(cx, b->grad_gates), b->o.input);
  case WEIGHT_HH:
    return multiply(b, tocha_flipped(cx, b->grad_hidden), states_before(b));
  case BIAS_IH:
    return sum_of_rows(b, b->grad_gates);
  case BIAS_HH:
    return sum_of_rows(b, b->grad_hidden);
  default:
    return multiply(b, tocha_flipped(cx, b->grad_output), b->states);
  }
}

/* Runs the steps from the last to the first, and computes the gradients that are wanted. */
static bool run(tocha_backward_frame *f, backward *b, tocha_dtype dtype) {
  for (int i = b->l.segment_count - 1; i >= 0 && b->l.device.type != TOCHA_META; i--)
    if (!run_step(b, &b->l.segments[i])) return false;
  for (int i = 0; i < EDGES; i++)
    if (tocha_wants_grad(f, i)) f->out[i] = tocha_as_dtype(f->cx, gradient(b, i), dtype);
  return !tocha_failed(f->cx);
}

bool tocha_recurrent_backward(tocha_backward_frame *f) {
  const tocha_arg *a = f->args;
  backward b = {.o = {a[0].tensor, a[1].tensor, a[2].tensor, a[3].tensor, a[4].tensor, a[5].tensor,
                      a[6].tensor, a[7].tensor},
                .output = f->results[0],
                .gates = f->results[3],
                .cells = f->results[4],
                .states = f->results[5]};
  if (!f->grads[0] && !f->grads[1] && !f->grads[2]) return true;
  if (tocha_grad_enabled(f->cx)) return tocha_recurrent_replay(f, &b.o);
  tocha_dtype dtype = (tocha_dtype)a[0].tensor->dtype;
  if (!tocha_recurrent_begin(f->cx, &b.l, &b.o, a[8].value.integer, a[9].value.flag, a[10].count,
                             a[10].value.ints) ||
      !prepare(&b, f->grads))
    return false;
  bool before = tocha_set_products_of_cudnn(f->cx, true), ok = run(f, &b, dtype);
  tocha_set_products_of_cudnn(f->cx, before);
  return ok;
}
