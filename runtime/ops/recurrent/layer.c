/* layer.c: the forward pass of a recurrent layer as a single node of the graph: one product for the
 * inputs of all steps, then for each step one product with the previous states, and the gates. */
#include "ops/recurrent/layer.h"

#include <string.h>

#include "ops/matmul/gemm.h"
#include "recurrent/implementations.h"
#include "tensor/copy.h"
#include "tensor/scratch.h"
#include "tocha/ops/add.h"

/* --- order of the rows ------------------------------------------------------------------------ */

static void add_segment(tocha_recurrent_layer *l, int64_t row, int64_t count, int64_t before,
                        bool starts) {
  if (count > 0) l->segments[l->segment_count++] = (tocha_segment){row, count, before, starts};
}

static void set_segments(tocha_recurrent_layer *l) {
  int64_t row = 0, next = 0;
  if (!l->reverse) {
    for (int64_t t = 0, before = 0; t < l->steps; t++) {
      add_segment(l, row, l->sizes[t], before, t == 0);
      before = row;
      row += l->sizes[t];
    }
    return;
  }
  row = l->rows;
  for (int64_t t = l->steps - 1; t >= 0; t--) {
    int64_t going = t == l->steps - 1 ? 0 : l->sizes[t + 1];
    row -= l->sizes[t];
    add_segment(l, row + going, l->sizes[t] - going, going, true);
    add_segment(l, row, going, next, false);
    next = row;
  }
}

bool tocha_each_end(const tocha_recurrent_layer *l,
                    bool (*each)(void *user, int64_t state, int64_t row, int64_t count),
                    void *user) {
  if (l->reverse) return each(user, 0, 0, l->batch);
  for (int64_t t = 0, row = 0; t < l->steps; row += l->sizes[t++]) {
    int64_t going = t + 1 < l->steps ? l->sizes[t + 1] : 0;
    if (l->sizes[t] > going && !each(user, going, row + going, l->sizes[t] - going)) return false;
  }
  return true;
}

/* --- operands ------------------------------------------------------------------------------------------ */

static bool refuse_product(tocha_context *cx, const tocha_tensor *a, const tocha_tensor *b) {
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)",
             (long long)a->sizes[0], (long long)a->sizes[1], (long long)b->sizes[1],
             (long long)b->sizes[0]);
  return false;
}

static bool check_state(tocha_context *cx, const char *name, const tocha_tensor *state,
                        int64_t batch, int64_t size) {
  char text[256];
  if (state->sizes[0] == batch && state->sizes[1] == size) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Expected hidden %s size [%lld, %lld], got %s", name,
             (long long)batch, (long long)size,
             tocha_shape_text(state->ndim, state->sizes, text, sizeof text));
  return false;
}

/* Fails if the bias does not broadcast to (rows, n). */
static bool check_bias(tocha_context *cx, const tocha_tensor *bias, int64_t rows, int64_t n) {
  char text[256];
  if (!bias || bias->numel == n) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "The expanded size of the tensor (%lld) must match the existing size (%lld) at "
             "non-singleton dimension 1.  Target sizes: [%lld, %lld].  Tensor sizes: %s",
             (long long)n, (long long)bias->numel, (long long)rows, (long long)n,
             tocha_shape_text(bias->ndim, bias->sizes, text, sizeof text));
  return false;
}

/* Fails because a weight has another dtype. With a bias PyTorch calls addmm, whose message names
 * the operands differently. Returns false. */
static bool refuse_kinds(tocha_context *cx, const tocha_recurrent_operands *o,
                         const tocha_tensor *other) {
  int own = o->input->dtype;
  if (o->bias_ih)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s and mat2 must have the same dtype, but got %s and %s",
               o->bias_ih->dtype == other->dtype ? "mat1" : "self", tocha_dtype_scalar_type(own),
               tocha_dtype_scalar_type(other->dtype));
  else
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "expected m1 and m2 to have the same dtype, but got: %s != %s",
               tocha_dtype_cpp_name(own), tocha_dtype_cpp_name(other->dtype));
  return false;
}

static bool check_kinds(tocha_context *cx, const tocha_recurrent_operands *o) {
  const tocha_tensor *all[] = {o->weight_ih, o->weight_hh, o->hx, o->weight_hr,
                               o->bias_ih,   o->bias_hh,   o->cx};
  for (int i = 0; i < TOCHA_COUNT(all); i++) {
    if (!all[i]) continue;
    if (all[i]->dtype != o->input->dtype) return refuse_kinds(cx, o, all[i]);
    if (i < 4 && all[i]->ndim != 2) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "a recurrent layer takes matrices, got %dD",
                 all[i]->ndim);
      return false;
    }
  }
  if (tocha_dtype_is_floating(o->input->dtype)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "result type Float can't be cast to the desired output type %s",
             tocha_dtype_scalar_type(o->input->dtype));
  return false;
}

static bool check_operands(tocha_context *cx, const tocha_recurrent_layer *l,
                           const tocha_recurrent_operands *o) {
  int64_t n = l->gates * l->size;
  if (o->weight_ih->sizes[1] != l->inner) return refuse_product(cx, o->input, o->weight_ih);
  if (o->hx->sizes[1] != o->weight_hh->sizes[1]) return refuse_product(cx, o->hx, o->weight_hh);
  if (o->weight_hr && o->weight_hr->sizes[1] != l->size)
    return refuse_product(cx, o->weight_hh, o->weight_hr);
  if (o->weight_ih->sizes[0] != n) return refuse_product(cx, o->weight_hh, o->weight_ih);
  return check_bias(cx, o->bias_ih, l->rows, n) && check_bias(cx, o->bias_hh, l->batch, n) &&
         check_state(cx, "[0]", o->hx, l->batch, l->output) &&
         (!o->cx || check_state(cx, "[1]", o->cx, l->batch, l->size));
}

static bool set_sizes(tocha_recurrent_layer *l, const tocha_recurrent_operands *o) {
  int64_t sum = 0;
  for (int64_t t = 0; t < l->steps; t++) {
    if (l->sizes[t] < 0 || (t > 0 && l->sizes[t] > l->sizes[t - 1])) sum = -1;
    if (sum >= 0 && __builtin_add_overflow(sum, l->sizes[t], &sum)) sum = -1;
  }
  l->rows = o->input->sizes[0];
  l->inner = o->input->sizes[1];
  l->batch = l->steps ? l->sizes[0] : 0;
  l->size = o->weight_hh->sizes[0] / l->gates;
  l->output = o->weight_hr ? o->weight_hr->sizes[0] : l->size;
  if (sum == l->rows) return true;
  tocha_fail(l->cx, TOCHA_RUNTIME_ERROR,
             "batch_sizes must be in decreasing order and sum to the %lld rows of data",
             (long long)l->rows);
  return false;
}

bool tocha_recurrent_begin(tocha_context *cx, tocha_recurrent_layer *l, tocha_recurrent_operands *o,
                           int64_t mode, bool reverse, int count, const int64_t *sizes) {
  *l = (tocha_recurrent_layer){
      .cx = cx,
      .mode = (tocha_recurrent_mode)mode,
      .dtype = tocha_kernel_dtype(o->input->device, (tocha_dtype)o->input->dtype),
      .device = o->input->device,
      .reverse = reverse,
      .gates = tocha_recurrent_gates((tocha_recurrent_mode)mode),
      .steps = count,
      .sizes = sizes};
  if (!check_kinds(cx, o) || !set_sizes(l, o) || !check_operands(cx, l, o)) return false;
  if (l->device.type == TOCHA_META) return true;
  tocha_tensor **all[] = {&o->input,     &o->hx,      &o->cx,      &o->weight_ih,
                          &o->weight_hh, &o->bias_ih, &o->bias_hh, &o->weight_hr};
  for (int i = 0; i < TOCHA_COUNT(all); i++) *all[i] = tocha_as_rows(cx, *all[i], l->dtype);
  void *scratch;
  uint64_t bytes = (uint64_t)(2 * l->steps) * sizeof *l->segments;
  if (tocha_failed(cx) || !tocha_new_scratch(cx, (tocha_device){TOCHA_CPU, -1}, bytes, &scratch))
    return false;
  l->segments = scratch;
  set_segments(l);
  l->stream = tocha_stream_of(cx, l->device);
  return l->stream != NULL;
}

tocha_tensor *tocha_some_rows(tocha_context *cx, tocha_tensor *t, int64_t row, int64_t count) {
  int64_t sizes[2] = {count, t->sizes[1]};
  return tocha_alias(cx, t, 2, sizes, t->strides, t->offset + row * t->strides[0]);
}

tocha_tensor *tocha_flipped(tocha_context *cx, tocha_tensor *t) {
  int64_t sizes[2] = {t->sizes[1], t->sizes[0]}, strides[2] = {t->strides[1], t->strides[0]};
  return tocha_alias(cx, t, 2, sizes, strides, t->offset);
}

bool tocha_recurrent_multiply(const tocha_recurrent_layer *l, tocha_recurrent_product p) {
  if (p.m == 0 || p.n == 0 || p.k == 0) return true;
  tocha_gemm_args args = {.a = p.a,
                          .b = p.b,
                          .bias = p.bias,
                          .out = p.out,
                          .batch = 1,
                          .m = p.m,
                          .n = p.n,
                          .k = p.k,
                          .lda = p.k,
                          .ldb = p.transposed ? p.k : p.n,
                          .b_transposed = p.transposed,
                          .alpha = tocha_int(1),
                          .beta = tocha_int(p.adds),
                          .dtype = (int8_t)l->dtype};
  tocha_set_gemm_precision(l->cx, &args);
  return tocha_launched(l->cx, l->stream->kernels->matmul->gemm(l->stream, &args));
}

/* --- forward ------------------------------------------------------------------------------------------- */

typedef struct forward {
  tocha_recurrent_layer l;
  tocha_recurrent_operands o;
  tocha_tensor *output, *hy, *cy, *gates, *cells, *states; /* states: before a projection */
  void *hidden_gates;                                      /* GRU: of one step */
  tocha_tensor *hidden_weights; /* weight_hh; transposed if that is faster */
  bool flipped;
} forward;

static tocha_tensor *new_rows(const tocha_recurrent_layer *l, int64_t rows, int64_t columns) {
  return tocha_new(l->cx, 2, (const int64_t[]){rows, columns}, l->dtype, l->device);
}

/* Returns the inputs' part of the gates of all steps, with the biases. */
static tocha_tensor *input_gates(forward *f) {
  tocha_context *cx = f->l.cx;
  tocha_tensor *bias = f->o.bias_ih;
  if (f->o.bias_hh && f->l.mode != TOCHA_GRU)
    bias = bias ? tocha_add(cx, bias, f->o.bias_hh) : f->o.bias_hh;
  tocha_tensor *weights = tocha_flipped(cx, f->o.weight_ih);
  if (tocha_failed(cx)) return NULL;
  return tocha_gemm(cx, bias, f->o.input, weights, tocha_int(bias != NULL), tocha_int(1), false);
}

static bool make_results(forward *f) {
  const tocha_recurrent_layer *l = &f->l;
  bool has_cells = l->mode >= TOCHA_LSTM, projects = f->o.weight_hr != NULL;
  f->output = new_rows(l, l->rows, l->output);
  f->hy = new_rows(l, l->batch, l->output);
  f->cy = new_rows(l, l->mode == TOCHA_LSTM ? l->batch : 0, l->size);
  f->cells = new_rows(l, has_cells ? l->rows : 0, l->size);
  f->states = new_rows(l, projects ? l->rows : 0, l->size);
  return f->output && f->hy && f->cy && f->cells && f->states;
}

/* Copies weight_hh transposed on a CPU, where that layout is faster, if enough steps use the
 * copy. */
static bool lay_out_weights(forward *f) {
  enum { MIN_STEPS = 4, MIN_ROWS = 4 };
  const tocha_recurrent_layer *l = &f->l;
  f->flipped = l->device.type == TOCHA_CPU && l->steps >= MIN_STEPS && l->batch >= MIN_ROWS;
  f->hidden_weights = f->flipped
                          ? tocha_as_rows(l->cx, tocha_flipped(l->cx, f->o.weight_hh), l->dtype)
                          : f->o.weight_hh;
  return f->hidden_weights != NULL;
}

static bool run_step(const forward *f, const tocha_segment *s) {
  const tocha_recurrent_layer *l = &f->l;
  int64_t n = l->gates * l->size;
  bool projects = f->o.weight_hr != NULL, gru = l->mode == TOCHA_GRU;
  tocha_recurrent_args a = {.rows = s->count,
                            .size = l->size,
                            .gates = tocha_row_at(f->gates, s->row),
                            .hidden_gates = f->hidden_gates,
                            .cells = tocha_row_at(f->cells, s->row),
                            .h = tocha_row_at(projects ? f->states : f->output, s->row),
                            .h_before = tocha_row_at(s->starts ? f->o.hx : f->output, s->before),
                            .cells_before = tocha_row_at(s->starts ? f->o.cx : f->cells, s->before),
                            .mode = (int32_t)l->mode,
                            .dtype = (int16_t)l->dtype};
  tocha_recurrent_product hidden = {.a = a.h_before,
                                    .b = tocha_bytes(f->hidden_weights),
                                    .bias = gru && f->o.bias_hh ? tocha_bytes(f->o.bias_hh) : NULL,
                                    .out = gru ? f->hidden_gates : a.gates,
                                    .m = s->count,
                                    .n = n,
                                    .k = l->output,
                                    .transposed = !f->flipped,
                                    .adds = !gru};
  tocha_recurrent_product projection = {.a = a.h,
                                        .b = projects ? tocha_bytes(f->o.weight_hr) : NULL,
                                        .out = tocha_row_at(f->output, s->row),
                                        .m = s->count,
                                        .n = l->output,
                                        .k = l->size,
                                        .transposed = true};
  return tocha_recurrent_multiply(l, hidden) &&
         tocha_launched(l->cx, l->stream->kernels->recurrent->forward(l->stream, &a)) &&
         (!projects || tocha_recurrent_multiply(l, projection));
}

static bool copy_end(void *user, int64_t state, int64_t row, int64_t count) {
  const forward *f = user;
  tocha_context *cx = f->l.cx;
  tocha_tensor *to = tocha_some_rows(cx, f->hy, state, count);
  tocha_tensor *from = tocha_some_rows(cx, f->output, row, count);
  if (!to || !from || !tocha_copy_data(cx, to, from)) return false;
  if (f->l.mode != TOCHA_LSTM) return true;
  to = tocha_some_rows(cx, f->cy, state, count);
  from = tocha_some_rows(cx, f->cells, row, count);
  return to && from && tocha_copy_data(cx, to, from);
}

static bool run(forward *f) {
  tocha_recurrent_layer *l = &f->l;
  uint64_t bytes = (uint64_t)(l->batch * 3 * l->size) * tocha_dtype_size(l->dtype);
  if (!make_results(f)) return false;
  if (l->device.type == TOCHA_META) {
    f->gates = new_rows(l, l->rows, l->gates * l->size);
    return f->gates != NULL;
  }
  if (!(f->gates = input_gates(f))) return false;
  if (l->mode == TOCHA_GRU && !tocha_new_scratch(l->cx, l->device, bytes, &f->hidden_gates))
    return false;
  if (f->output->numel == 0) return true;
  if (!lay_out_weights(f)) return false;
  for (int i = 0; i < l->segment_count; i++)
    if (!run_step(f, &l->segments[i])) return false;
  return tocha_each_end(l, copy_end, f);
}

bool tocha_op__recurrent_layer(tocha_context *cx, tocha_tensor *input, tocha_tensor *hx,
                               tocha_tensor *cells, tocha_tensor *weight_ih,
                               tocha_tensor *weight_hh, tocha_tensor *bias_ih,
                               tocha_tensor *bias_hh, tocha_tensor *weight_hr, int64_t mode,
                               bool reverse, int count, const int64_t *sizes, tocha_tensor **output,
                               tocha_tensor **hy, tocha_tensor **cy, tocha_tensor **gates,
                               tocha_tensor **all_cells, tocha_tensor **states) {
  forward f = {.o = {input, hx, cells, weight_ih, weight_hh, bias_ih, bias_hh, weight_hr}};
  tocha_dtype dtype = (tocha_dtype)input->dtype;
  if (!tocha_recurrent_begin(cx, &f.l, &f.o, mode, reverse, count, sizes)) return false;
  bool before = tocha_set_products_of_cudnn(cx, true), ok = run(&f);
  tocha_set_products_of_cudnn(cx, before);
  if (!ok) return false;
  *output = tocha_as_dtype(cx, f.output, dtype);
  *hy = tocha_as_dtype(cx, f.hy, dtype);
  *cy = tocha_as_dtype(cx, f.cy, dtype);
  *gates = f.l.mode >= TOCHA_LSTM ? f.gates : new_rows(&f.l, 0, f.l.size);
  *all_cells = f.cells;
  *states = f.states;
  return !tocha_failed(cx);
}
