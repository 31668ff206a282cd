/* run.c: the three computations of a convolution. A library of the device does one where it can; else windows become
 * columns, and the convolution a product of matrices, a few images at a time. */
#include "device/devices.h"
#include "ops/convolution/convolution.h"
#include "ops/matmul/gemm.h"
#include "tensor/copy.h"
#include "tensor/scratch.h"
#include "tocha/ops/view.h"

enum { COLUMN_BYTES = 1 << 22 }; /* of columns at a time, but those of one image at least */

typedef struct run {
  tocha_context *cx;
  tocha_stream *stream;
  tocha_convolution_args args;
  int64_t window, spots,
      plane; /* elements of a window over all channels, windows, places of an image's channel */
  int64_t item, chunk; /* bytes of an element; images at a time */
  char *columns;
  bool direct; /* the columns are the images themselves */
} run;

static int64_t product(const int64_t *sizes) { return sizes[0] * sizes[1] * sizes[2]; }

static void set_windows(const tocha_convolution_call *c, tocha_windows *w,
                        const tocha_tensor *image, const tocha_tensor *weight,
                        const tocha_tensor *out) {
  for (int d = 0; d < 3; d++) {
    int at = d - (3 - c->space) + 2;
    w->in[d] = at < 2 ? 1 : image->sizes[at];
    w->kernel[d] = at < 2 ? 1 : weight->sizes[at];
    w->out[d] = at < 2 ? 1 : out->sizes[at];
    w->stride[d] = c->stride[d];
    w->padding[d] = c->padding[d];
    w->dilation[d] = c->dilation[d];
  }
}

static bool is_direct(const tocha_windows *w) {
  for (int d = 0; d < 3; d++)
    if (w->kernel[d] != 1 || w->stride[d] != 1 || w->padding[d] != 0) return false;
  return true;
}

static bool fold(const run *r, int64_t image, int64_t images, bool unfold) {
  if (r->direct) return true;
  const tocha_convolution_args *a = &r->args;
  tocha_unfold_args args = {(char *)a->input + image * a->in_channels * r->plane * r->item,
                            r->columns,
                            images,
                            a->in_channels,
                            a->dtype,
                            a->windows};
  const tocha_convolution_kernels *kernels = r->stream->kernels->convolution;
  return tocha_launched(r->cx, unfold ? kernels->unfold(r->stream, &args)
                                      : kernels->fold(r->stream, &args));
}

static char *columns_of(const run *r, int64_t image) {
  if (!r->direct) return r->columns;
  return (char *)r->args.input + image * r->args.in_channels * r->plane * r->item;
}

static char *out_of(const run *r, int64_t image) {
  return (char *)r->args.out + image * r->args.out_channels * r->spots * r->item;
}

static bool gemm(const run *r, tocha_gemm_args *g) {
  g->dtype = r->args.dtype;
  g->alpha = tocha_int(1);
  tocha_set_gemm_precision(r->cx, g);
  return tocha_launched(r->cx, r->stream->kernels->matmul->gemm(r->stream, g));
}

/* The product of images first..first + images; with groups, one image at a time and a product for each group. */
static bool multiply_forward(const run *r, int64_t image, int64_t images) {
  const tocha_convolution_args *a = &r->args;
  int64_t rows = a->out_channels / a->groups, depth = r->window / a->groups;
  tocha_gemm_args g = {.a = a->weight,
                       .b = columns_of(r, image),
                       .out = out_of(r, image),
                       .batch = a->groups > 1 ? a->groups : images,
                       .m = rows,
                       .n = r->spots,
                       .k = depth,
                       .a_batch_stride = a->groups > 1 ? rows * depth : 0,
                       .b_batch_stride = depth * r->spots,
                       .lda = depth,
                       .ldb = r->spots,
                       .beta = tocha_int(a->bias != NULL)};
  return gemm(r, &g);
}

static bool multiply_back_input(const run *r, int64_t image, int64_t images) {
  const tocha_convolution_args *a = &r->args;
  int64_t rows = a->out_channels / a->groups, depth = r->window / a->groups;
  tocha_gemm_args g = {.a = a->weight,
                       .b = out_of(r, image),
                       .out = columns_of(r, image),
                       .batch = a->groups > 1 ? a->groups : images,
                       .m = depth,
                       .n = r->spots,
                       .k = rows,
                       .a_batch_stride = a->groups > 1 ? rows * depth : 0,
                       .b_batch_stride = rows * r->spots,
                       .lda = depth,
                       .ldb = r->spots,
                       .a_transposed = true,
                       .beta = tocha_int(0)};
  return gemm(r, &g);
}

/* Adds what images first..first + images bring; the first of all writes. */
static bool multiply_back_weight(const run *r, int64_t image, int64_t images) {
  const tocha_convolution_args *a = &r->args;
  int64_t rows = a->out_channels / a->groups, depth = r->window / a->groups;
  for (int64_t i = 0; i < images; i++) {
    tocha_gemm_args g = {.a = out_of(r, image + i),
                         .b = columns_of(r, image) + i * r->window * r->spots * r->item,
                         .out = a->weight,
                         .batch = a->groups,
                         .m = rows,
                         .n = depth,
                         .k = r->spots,
                         .a_batch_stride = rows * r->spots,
                         .b_batch_stride = depth * r->spots,
                         .lda = r->spots,
                         .ldb = r->spots,
                         .b_transposed = true,
                         .beta = tocha_int(image + i > 0)};
    if (!gemm(r, &g)) return false;
  }
  return true;
}

static bool run_images(const run *r) {
  for (int64_t i = 0; i < r->args.images; i += r->chunk) {
    int64_t left = r->args.images - i, images = left < r->chunk ? left : r->chunk;
    bool ok = true;
    switch (r->args.task) {
    case TOCHA_CONVOLVE:
      ok = fold(r, i, images, true) && multiply_forward(r, i, images);
      break;
    case TOCHA_CONVOLVE_BACK_INPUT:
      ok = multiply_back_input(r, i, images) && fold(r, i, images, false);
      break;
    default:
      ok = fold(r, i, images, true) && multiply_back_weight(r, i, images);
    }
    if (!ok) return false;
  }
  return true;
}

/* --- tensors ------------------------------------------------------------------------------------------ */

/* (C) as (1, C, 1, ...). */
static tocha_tensor *as_channels(tocha_context *cx, tocha_tensor *bias, int ndim) {
  int64_t sizes[5] = {1, bias->sizes[0], 1, 1, 1};
  return tocha_view(cx, bias, ndim, sizes);
}

static bool run_by_columns(run *r, tocha_tensor *out, tocha_tensor *bias) {
  const tocha_windows *w = &r->args.windows;
  r->plane = product(w->in);
  r->spots = product(w->out);
  r->window = r->args.in_channels * product(w->kernel);
  r->direct = is_direct(w);
  r->chunk = COLUMN_BYTES / (r->window * r->spots * r->item);
  if (r->chunk < 1 || r->args.groups > 1) r->chunk = 1;
  if (r->chunk > r->args.images) r->chunk = r->args.images;
  void *columns = NULL;
  size_t bytes = r->direct ? 0 : (size_t)(r->chunk * r->window * r->spots * r->item);
  if (!tocha_new_scratch(r->cx, out->device, bytes, &columns)) return false;
  r->columns = columns;
  if (bias && !tocha_copy_data(r->cx, out, as_channels(r->cx, bias, out->ndim))) return false;
  return run_images(r);
}

static bool run_on(tocha_context *cx, const tocha_convolution_call *c, tocha_convolution_task task,
                   tocha_tensor *image, tocha_tensor *weight, tocha_tensor *out, tocha_tensor *bias,
                   tocha_tensor *result) {
  run r = {.cx = cx,
           .item = (int64_t)tocha_dtype_size((tocha_dtype)result->dtype),
           .args = {.task = task,
                    .images = image->sizes[0],
                    .in_channels = image->sizes[1],
                    .out_channels = out->sizes[1],
                    .groups = c->groups,
                    .space = c->space,
                    .bias = bias ? tocha_bytes(bias) : NULL,
                    .dtype = (int8_t)result->dtype}};
  set_windows(c, &r.args.windows, image, weight, out);
  if (!(r.stream = tocha_stream_of(cx, result->device))) return false;
  const tocha_convolution_kernels *kernels = r.stream->kernels->convolution;
  bool taken = kernels->takes && kernels->takes(r.stream, &r.args);
  r.args.input = tocha_bytes(image);
  r.args.weight = tocha_bytes(weight);
  r.args.out = tocha_bytes(out);
  return taken ? tocha_launched(cx, kernels->convolve(r.stream, &r.args))
               : run_by_columns(&r, result, bias);
}

/* The dtype that is computed in: gradients of weights add up over images, so 16-bit ones in float32. */
static tocha_dtype dtype_of(const tocha_tensor *t, tocha_convolution_task task) {
  bool adds = task == TOCHA_CONVOLVE_BACK_WEIGHT && tocha_dtype_is_floating(t->dtype) &&
              tocha_dtype_size(t->dtype) == 2;
  return adds ? TOCHA_FLOAT32 : tocha_gemm_dtype(t->device, t->dtype);
}

tocha_tensor *tocha_convolve(tocha_context *cx, const tocha_convolution_call *c,
                             tocha_convolution_task task, tocha_tensor *first, tocha_tensor *second,
                             tocha_tensor *bias, const int64_t *sizes) {
  if (!first || !second) return NULL;
  tocha_dtype dtype = (tocha_dtype)first->dtype, compute = dtype_of(first, task);
  tocha_tensor *result = tocha_new(cx, first->ndim, sizes, compute, first->device);
  if (!result || !tocha_has_elements(result)) return tocha_as_dtype(cx, result, dtype);
  if (first->numel == 0 || second->numel == 0) {
    bool ok = bias ? tocha_copy_data(cx, result, as_channels(cx, bias, result->ndim))
                   : tocha_fill_data(cx, result, tocha_int(0));
    return ok ? tocha_as_dtype(cx, result, dtype) : NULL;
  }
  first = tocha_as_rows(cx, first, compute);
  second = tocha_as_rows(cx, second, compute);
  if (bias) bias = tocha_as_rows(cx, bias, compute);
  if (tocha_failed(cx)) return NULL;
  bool ok;
  if (task == TOCHA_CONVOLVE)
    ok = run_on(cx, c, task, first, second, result, bias, result);
  else if (task == TOCHA_CONVOLVE_BACK_INPUT)
    ok = run_on(cx, c, task, result, second, first, NULL, result);
  else
    ok = run_on(cx, c, task, second, result, first, NULL, result);
  return ok ? tocha_as_dtype(cx, result, dtype) : NULL;
}
