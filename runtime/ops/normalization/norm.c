/* norm.c: the parts that normalizations of layers, groups and batches share: statistics in the dtype that is computed in, the
 * kernels, and the gradients. If a graph of the gradients is recorded, they are composed of operators. */
#include "ops/normalization/norm.h"

#include "device/devices.h"
#include "ops/normalization/digits/statistics.h"
#include "tensor/copy.h"
#include "tensor/scratch.h"
#include "tocha/ops/add.h"
#include "tocha/ops/mean.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/rsqrt.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/to.h"

tocha_dtype tocha_norm_compute_dtype(const tocha_tensor *input) {
  return input->dtype == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
}

/* Returns the dtype of the returned statistics. On the CPU it is that of the weights. */
static tocha_dtype statistics_dtype(const tocha_norm_call *c) {
  if (tocha_is_on_device(c->input)) return tocha_norm_compute_dtype(c->input);
  const tocha_tensor *of[] = {c->weight, c->bias, c->running_mean, c->running_var};
  for (int i = 0; i < 4; i++)
    if (of[i]) return of[i]->dtype;
  return c->input->dtype;
}

bool tocha_norm_has_kernels(const tocha_norm_call *c) {
  const tocha_norm_args rows = {
      .dtype = (int8_t)c->input->dtype, .runs = c->runs, .length = c->length};
  return !c->about_zero || (tocha_is_on_device(c->input) && tocha_norm_takes_rows(&rows));
}

static bool check_dtypes(tocha_context *cx, const tocha_norm_call *c) {
  const tocha_tensor *all[] = {c->weight, c->bias, c->running_mean, c->running_var};
  tocha_dtype expected = statistics_dtype(c);
  bool fits = expected == (tocha_dtype)c->input->dtype ||
              (expected == TOCHA_FLOAT32 && tocha_dtype_size(c->input->dtype) == 2);
  for (int i = 0; i < 4 && !tocha_is_on_device(c->input); i++)
    fits = fits && (!all[i] || (tocha_dtype)all[i]->dtype == expected);
  if (!fits)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "mixed dtype (CPU): expect parameter to have scalar type of Float");
  return fits;
}

static const void *bytes_of(tocha_tensor *t) { return t ? tocha_bytes(t) : NULL; }

/* Returns true if a GPU's kernels read the weight or bias, which may be NULL, in the 16 bits that it has. */
static bool reads_narrow(const tocha_tensor *in, const tocha_tensor *of) {
  return tocha_is_on_device(in) && tocha_dtype_size((tocha_dtype)in->dtype) == 2 &&
         (!of || of->dtype == in->dtype);
}

/* Fills the arguments of a kernel, with tensors in the dtypes that it requires. running: the running mean and variance in
 * these. Returns false on failure. */
static bool fill(tocha_context *cx, const tocha_norm_call *c, tocha_tensor *in, tocha_norm_args *a,
                 tocha_tensor **running) {
  tocha_dtype compute = tocha_norm_compute_dtype(c->input);
  tocha_tensor *given[] = {c->weight, c->bias, c->running_mean, c->running_var, c->mean, c->rstd};
  if (!in) return false;
  bool narrow = reads_narrow(in, c->weight) && reads_narrow(in, c->bias);
  for (int i = 0; i < 6; i++) {
    tocha_dtype dtype = narrow && i < 2 ? (tocha_dtype)in->dtype : compute;
    if (given[i] && !(given[i] = tocha_as_rows(cx, given[i], dtype))) return false;
  }
  running[0] = given[2], running[1] = given[3];
  *a = (tocha_norm_args){.in = tocha_bytes(in),
                         .weight = bytes_of(given[0]),
                         .bias = bytes_of(given[1]),
                         .running_mean = given[2] ? tocha_bytes(given[2]) : NULL,
                         .running_var = given[3] ? tocha_bytes(given[3]) : NULL,
                         .mean = given[4] ? tocha_bytes(given[4]) : NULL,
                         .rstd = given[5] ? tocha_bytes(given[5]) : NULL,
                         .runs = c->runs,
                         .sets = c->sets,
                         .length = c->length,
                         .groups = c->groups,
                         .inner = c->inner,
                         .eps = c->eps,
                         .momentum = c->momentum,
                         .dtype = (int8_t)in->dtype,
                         .narrow = narrow,
                         .fixed = c->fixed,
                         .one_pass = c->one_pass,
                         .about_zero = c->about_zero};
  return true;
}

/* --- layout ----------------------------------------------------------------------------------------------- */

/* Returns the call as kernels compute it. A GPU takes batches that are channels_last as they are: as rows of one element of each
 * channel. */
static tocha_norm_call laid_out(const tocha_norm_call *c) {
  tocha_norm_call out = *c;
  bool batches = !c->layers && c->length == c->inner && c->sets == c->groups;
  out.last = batches && tocha_is_on_device(c->input) && tocha_has_elements(c->input) &&
             tocha_is_channels_last(c->input);
  if (out.last) {
    out.runs = c->input->numel / c->sets;
    out.length = out.inner = 1;
  }
  return out;
}

/* Returns t in dtype, in the order that the call's kernels read. */
static tocha_tensor *ordered(tocha_context *cx, const tocha_norm_call *c, tocha_tensor *t,
                             tocha_dtype dtype) {
  return c->last ? tocha_as_channels_last(cx, t, dtype) : tocha_as_rows(cx, t, dtype);
}

/* Returns a new tensor of the sizes and order of `in`. */
static tocha_tensor *new_ordered(tocha_context *cx, const tocha_norm_call *c, tocha_tensor *in) {
  tocha_dtype dtype = (tocha_dtype)in->dtype;
  return c->last ? tocha_new_channels_last(cx, in->ndim, in->sizes, dtype, in->device)
                 : tocha_new_like(cx, in, dtype);
}

/* --- forward ---------------------------------------------------------------------------------------------- */

/* Copies running statistics back if they were computed in another dtype or layout. This counts as no change in place, because
 * the backward pass of an earlier call may still come. */
static bool update_running(tocha_context *cx, tocha_tensor *t, tocha_tensor *computed) {
  return !t || computed == t || tocha_copy_data(cx, t, computed);
}

/* Allocates the memory in which a GPU's kernels keep the partial sums of parts. */
static bool new_partial(tocha_context *cx, const tocha_tensor *in, bool backward,
                        tocha_norm_args *a) {
  if (!tocha_is_on_device(in)) return true;
  size_t item = tocha_dtype_size(tocha_norm_compute_dtype(in));
  int64_t count = backward ? tocha_norm_partial_gradients(a) : tocha_norm_partial_moments(a);
  return tocha_new_scratch(cx, in->device, (uint64_t)count * item, &a->partial);
}

static bool launch_forward(tocha_context *cx, tocha_norm_call *c, tocha_tensor *in,
                           tocha_tensor *out) {
  tocha_norm_args args;
  tocha_tensor *running[2];
  tocha_stream *s = tocha_stream_of(cx, in->device);
  if (!s || !fill(cx, c, in, &args, running) || !new_partial(cx, in, false, &args)) return false;
  args.out = tocha_bytes(out);
  tocha_dtype kept = statistics_dtype(c);
  bool in_bfloat16 = tocha_counts_in_bfloat16(cx, c, kept);
  if (in_bfloat16) args.running_mean = args.running_var = NULL;
  if (!tocha_launched(cx, s->kernels->normalization->norm(s, &args))) return false;
  if (in_bfloat16) tocha_count_in_bfloat16(c, &args, running);
  if (!tocha_apply_rounded_statistics(cx, c, &args, s, kept)) return false;
  return c->fixed || (update_running(cx, c->running_mean, running[0]) &&
                      update_running(cx, c->running_var, running[1]));
}

/* Allocates mean and rstd, or rstd alone if there is no mean. A GPU's share one block of memory, because each block that is allocated costs the host more than the
 * launch of a kernel. */
static bool new_statistics(tocha_context *cx, tocha_norm_call *c, int ndim, const int64_t *sizes,
                           tocha_dtype dtype) {
  const tocha_device device = c->input->device;
  int64_t strides[TOCHA_MAX_DIMS], both = 2 * c->sets;
  if (c->about_zero) return (c->rstd = tocha_new(cx, ndim, sizes, dtype, device)) != NULL;
  if (!tocha_is_on_device(c->input)) {
    c->mean = tocha_new(cx, ndim, sizes, dtype, device);
    c->rstd = tocha_new(cx, ndim, sizes, dtype, device);
    return c->mean && c->rstd;
  }
  const tocha_tensor *block = tocha_new(cx, 1, &both, dtype, device);
  if (!block) return false;
  tocha_row_major_strides(ndim, sizes, strides);
  c->mean = tocha_alias(cx, block, ndim, sizes, strides, 0);
  c->rstd = tocha_alias(cx, block, ndim, sizes, strides, c->sets);
  return c->mean && c->rstd;
}

tocha_tensor *tocha_norm_forward(tocha_context *cx, tocha_norm_call *call, int ndim,
                                 const int64_t *sizes) {
  if (!check_dtypes(cx, call)) return NULL;
  tocha_norm_call own = laid_out(call), *c = &own;
  tocha_device device = c->input->device;
  tocha_dtype compute = tocha_norm_compute_dtype(c->input), kept = statistics_dtype(c);
  tocha_tensor *in =
      ordered(cx, c, c->input, tocha_kernel_dtype(device, (tocha_dtype)c->input->dtype));
  tocha_tensor *out = in ? new_ordered(cx, c, in) : NULL;
  if (!out || (!c->fixed && !new_statistics(cx, c, ndim, sizes, compute))) return NULL;
  if (tocha_has_elements(out) && !launch_forward(cx, c, in, out)) return NULL;
  if (!c->fixed) {
    if (c->mean) call->mean = tocha_as_dtype(cx, c->mean, kept);
    call->rstd = tocha_as_dtype(cx, c->rstd, kept);
  }
  return tocha_as_dtype(cx, out, (tocha_dtype)c->input->dtype);
}

/* --- gradients by kernels --------------------------------------------------------------------------------- */

/* Returns the number of edges: of input, weight, and bias. */
static int edges_of(const tocha_norm_call *c) { return c->about_zero ? 2 : 3; }

/* Returns a new gradient of weight or bias (edge 1 or 2) for the kernel to fill, or NULL if it is not wanted. Without input
 * elements it is filled with zeros. */
static tocha_tensor *new_edge(tocha_backward_frame *f, int edge, tocha_dtype dtype) {
  if (!tocha_wants_grad(f, edge)) return NULL;
  tocha_shape s = tocha_edge_shape(f, edge);
  tocha_tensor *t = tocha_new(f->cx, s.ndim, s.sizes, dtype, s.device);
  if (t && f->args[0].tensor->numel == 0 && !tocha_fill_data(f->cx, t, tocha_int(0))) return NULL;
  return f->out[edge] = t;
}

/* Returns true if a GPU's kernels write the gradients of weight and bias in the 16 bits that both have. */
static bool writes_narrow(tocha_backward_frame *f, const tocha_norm_call *c,
                          const tocha_tensor *in) {
  bool narrow = tocha_is_on_device(in) && tocha_dtype_size((tocha_dtype)in->dtype) == 2;
  for (int edge = 1; edge < edges_of(c); edge++)
    narrow = narrow && (!tocha_wants_grad(f, edge) || tocha_edge_shape(f, edge).dtype == in->dtype);
  return narrow;
}

static bool launch_backward(tocha_backward_frame *f, const tocha_norm_call *c, tocha_tensor *in,
                            tocha_tensor *grad) {
  tocha_context *cx = f->cx;
  tocha_norm_args args;
  tocha_tensor *running[2];
  tocha_stream *s = tocha_stream_of(cx, in->device);
  if (!s || !fill(cx, c, in, &args, running) || !new_partial(cx, in, true, &args)) return false;
  args.grad = tocha_bytes(grad);
  args.out = f->out[0] ? tocha_bytes(f->out[0]) : NULL;
  args.grad_weight = f->out[1] ? tocha_bytes(f->out[1]) : NULL;
  args.grad_bias = edges_of(c) == 3 && f->out[2] ? tocha_bytes(f->out[2]) : NULL;
  args.narrow_gradients = writes_narrow(f, c, in);
  args.kept = (int8_t)(c->layers ? c->input->dtype : in->dtype);
  const tocha_normalization_kernels *kernels = s->kernels->normalization;
  if (args.out && !tocha_launched(cx, kernels->norm_backward(s, &args))) return false;
  return (!args.grad_weight && !args.grad_bias) ||
         tocha_launched(cx, kernels->norm_weights(s, &args));
}

static bool by_kernels(tocha_backward_frame *f, const tocha_norm_call *call) {
  tocha_context *cx = f->cx;
  const tocha_norm_call own = laid_out(call), *c = &own;
  tocha_dtype dtype = tocha_kernel_dtype(c->input->device, (tocha_dtype)c->input->dtype);
  tocha_tensor *in = ordered(cx, c, c->input, dtype);
  tocha_tensor *grad = ordered(cx, c, f->grads[0], dtype);
  if (!in || !grad) return false;
  if (tocha_wants_grad(f, 0)) f->out[0] = new_ordered(cx, c, in);
  tocha_dtype summed = writes_narrow(f, c, in) ? dtype : tocha_norm_compute_dtype(c->input);
  for (int edge = 1; edge < edges_of(c); edge++) new_edge(f, edge, summed);
  if (tocha_failed(cx)) return false;
  if (tocha_has_elements(in) && !launch_backward(f, c, in, grad)) return false;
  for (int edge = 0; edge < edges_of(c); edge++)
    if (f->out[edge])
      f->out[edge] = tocha_as_dtype(cx, f->out[edge], tocha_edge_shape(f, edge).dtype);
  return !tocha_failed(cx);
}

/* --- gradients made of operators -------------------------------------------------------------------------- */

/* Dimensions of (runs, sets / groups, groups, channels of a group, inner): those of one set, and those over which a channel is
 * summed. */
static const int64_t of_set[] = {0, 3, 4}, of_channel[] = {0, 1, 4};

static tocha_tensor *seen(tocha_context *cx, const tocha_norm_call *c, tocha_tensor *t) {
  int64_t sizes[] = {c->runs, c->sets / c->groups, c->groups, c->length / c->inner, c->inner};
  t = tocha_to_dtype(cx, t, tocha_norm_compute_dtype(c->input), false, false);
  return tocha_reshape(cx, t, 5, sizes);
}

static tocha_tensor *of_channels(tocha_context *cx, const tocha_norm_call *c, tocha_tensor *t) {
  int64_t sizes[] = {1, 1, c->groups, c->length / c->inner, 1};
  t = tocha_to_dtype(cx, t, tocha_norm_compute_dtype(c->input), false, false);
  return tocha_reshape(cx, t, 5, sizes);
}

static tocha_tensor *of_sets(tocha_context *cx, const tocha_norm_call *c, tocha_tensor *t) {
  int64_t sizes[] = {1, c->sets / c->groups, c->groups, 1, 1};
  t = tocha_to_dtype(cx, t, tocha_norm_compute_dtype(c->input), false, false);
  return tocha_reshape(cx, t, 5, sizes);
}

static tocha_tensor *mean(tocha_context *cx, tocha_tensor *t) {
  return tocha_mean_dim(cx, t, 3, of_set, true);
}

/* Sets an edge's gradient to t, in the edge's shape and dtype, if it is wanted. */
static void give(tocha_backward_frame *f, int edge, tocha_tensor *t) {
  if (!t || !tocha_wants_grad(f, edge)) return;
  tocha_shape s = tocha_edge_shape(f, edge);
  f->out[edge] =
      tocha_to_dtype(f->cx, tocha_reshape(f->cx, t, s.ndim, s.sizes), s.dtype, false, false);
}

static bool by_operators(tocha_backward_frame *f, const tocha_norm_call *c) {
  tocha_context *cx = f->cx;
  tocha_operand eps = tocha_number(tocha_float(c->eps));
  tocha_tensor *x = seen(cx, c, c->input), *grad = seen(cx, c, f->grads[0]), *centered, *var;
  if (c->fixed) {
    centered = tocha_sub(cx, x, of_sets(cx, c, c->running_mean));
    var = of_sets(cx, c, c->running_var);
  } else {
    centered = c->about_zero ? x : tocha_sub(cx, x, mean(cx, x));
    var = mean(cx, tocha_mul(cx, centered, centered));
  }
  tocha_tensor *rstd = tocha_rsqrt(cx, tocha_add_full(cx, var, eps, tocha_int(1)));
  tocha_tensor *normal = tocha_mul(cx, centered, rstd);
  tocha_tensor *g = c->weight ? tocha_mul(cx, grad, of_channels(cx, c, c->weight)) : grad;
  tocha_tensor *out = g;
  if (!c->fixed && !c->about_zero) out = tocha_sub(cx, g, mean(cx, g));
  if (!c->fixed)
    out = tocha_sub(cx, out, tocha_mul(cx, normal, mean(cx, tocha_mul(cx, g, normal))));
  give(f, 0, tocha_mul(cx, out, rstd));
  if (tocha_wants_grad(f, 1))
    give(f, 1, tocha_sum_dim_IntList(cx, tocha_mul(cx, grad, normal), 3, of_channel, false));
  if (!c->about_zero && tocha_wants_grad(f, 2))
    give(f, 2, tocha_sum_dim_IntList(cx, grad, 3, of_channel, false));
  return !tocha_failed(cx);
}

bool tocha_norm_gradients(tocha_backward_frame *f, const tocha_norm_call *c) {
  if (!f->grads[0]) return true; /* statistics have no gradients */
  if (!tocha_norm_has_kernels(c) || (tocha_grad_enabled(f->cx) && c->input->numel > 0))
    return by_operators(f, c);
  return by_kernels(f, c);
}
