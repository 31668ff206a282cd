/* run.c: the computations of a convolution. A library of the device does the whole convolution if it can. If not, windows
 * become columns and the convolution a product of matrices. One product covers a few images, a few groups of one image, or a
 * band of one group. */
#include "device/devices.h"
#include "ops/convolution/convolution.h"
#include "ops/matmul/gemm.h"
#include "ops/pointwise/elementwise.h"
#include "pointwise/formulas/add.h"
#include "tensor/copy.h"
#include "tensor/scratch.h"
#include "tocha/context.h"
#include "tocha/ops/add.h"
#include "tocha/ops/sum.h"

/* COLUMN_BYTES: columns in memory at a time, or those of one group of an image if these are more. BAND_BYTES: a group with more columns
 * is divided into bands. The CPU's columns stay in its caches; DEVICE_COLUMN_BYTES, a GPU's number for both, fills a GPU with
 * products. SLOT_BYTES: gradients of a weight that are added up side by side. */
enum {
  COLUMN_BYTES = 1 << 22,
  BAND_BYTES = 1 << 25,
  DEVICE_COLUMN_BYTES = 1 << 28,
  SLOT_BYTES = 1 << 26
};

typedef struct run {
  tocha_context *cx;
  tocha_stream *stream;
  tocha_convolution_args args;
  /* window: elements of a window over all channels. spots: windows of an image. plane: elements of an image's channel. */
  int64_t window, spots, plane;
  /* item: bytes of an element; weight_item: of an element of the weight or its gradient. chunk: images per product, or groups per
   * product if there are several groups. */
  int64_t item, weight_item, chunk;
  char *columns;
  bool direct; /* the columns are the images themselves */
  int dim;     /* bands divide this dimension, the first one with several windows */
  /* rows: rows of a band, of out, or of input for TOCHA_CONVOLVE_BACK_INPUT. 0: no bands. max_rows: rows of out in a band at most. */
  int64_t rows, max_rows;
  tocha_tensor *result; /* result: of TOCHA_CONVOLVE; band: memory for a part of it */
  tocha_tensor *band;
  /* slots: images whose products with a weight's gradient run at once on a GPU. Each image adds to a slot of its own in `sums`, and
   * the slots are added up at the end. sums is NULL if the only slot is the gradient itself. */
  int64_t slots;
  tocha_tensor *sums;
} run;

/* One part of the work: all groups of some images, some groups of one image, or a band of one group. The part has the `spots`
 * windows from `spot` on. */
typedef struct part {
  int64_t image, images, group, groups;
  tocha_windows windows;
  int64_t spot, spots, begin, end; /* begin, end: the rows of input that fold writes; 0: all */
} part;

static int64_t product(const int64_t *sizes) { return sizes[0] * sizes[1] * sizes[2]; }

static void set_windows(const tocha_convolution_call *c, tocha_windows *w, const int64_t *image,
                        const int64_t *weight, const int64_t *out) {
  for (int d = 0; d < 3; d++) {
    int at = d - (3 - c->space) + 2;
    w->in[d] = at < 2 ? 1 : image[at];
    w->kernel[d] = at < 2 ? 1 : weight[at];
    w->out[d] = at < 2 ? 1 : out[at];
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

static char *images_of(const run *r, const part *p) {
  const tocha_convolution_args *a = &r->args;
  int64_t channel = p->image * a->in_channels + p->group * (a->in_channels / a->groups);
  return (char *)a->input + channel * r->plane * r->item;
}

static char *columns_of(const run *r, const part *p) {
  return r->direct ? images_of(r, p) : r->columns;
}

static char *out_of(const run *r, const part *p) {
  const tocha_convolution_args *a = &r->args;
  int64_t channel = p->image * a->out_channels + p->group * (a->out_channels / a->groups);
  return (char *)a->out + (channel * r->spots + p->spot) * r->item;
}

static int64_t group_weights(const run *r) {
  const tocha_convolution_args *a = &r->args;
  return a->out_channels / a->groups * (r->window / a->groups);
}

static char *weight_of(const run *r, const part *p) {
  return (char *)r->args.weight + p->group * group_weights(r) * r->weight_item;
}

static bool fold(const run *r, const part *p, bool unfold) {
  if (r->direct) return true;
  const tocha_convolution_args *a = &r->args;
  int64_t channels = a->in_channels / a->groups * p->groups;
  tocha_unfold_args args = {images_of(r, p), r->columns, p->images, channels, a->dtype,
                            p->windows,      r->dim,     p->begin,  p->end};
  const tocha_convolution_kernels *kernels = r->stream->kernels->convolution;
  return tocha_launched(r->cx, unfold ? kernels->unfold(r->stream, &args)
                                      : kernels->fold(r->stream, &args));
}

static bool gemm(const run *r, tocha_gemm_args *g) {
  g->dtype = r->args.dtype;
  g->wide =
      r->args.task == TOCHA_CONVOLVE_BACK_WEIGHT && tocha_dtype_size((tocha_dtype)g->dtype) == 2;
  g->alpha = tocha_int(1);
  tocha_set_gemm_precision(r->cx, g);
  return tocha_launched(r->cx, r->stream->kernels->matmul->gemm(r->stream, g));
}

/* Multiplies the weight by the part's columns and writes the product to `out`: one product per image, or, with groups, per
 * group. */
static bool multiply_into(const run *r, const part *p, char *out) {
  const tocha_convolution_args *a = &r->args;
  int64_t rows = a->out_channels / a->groups, depth = r->window / a->groups;
  tocha_gemm_args g = {.a = weight_of(r, p),
                       .b = columns_of(r, p),
                       .out = out,
                       .batch = a->groups > 1 ? p->groups : p->images,
                       .m = rows,
                       .n = p->spots,
                       .k = depth,
                       .a_batch_stride = a->groups > 1 ? rows * depth : 0,
                       .b_batch_stride = depth * p->spots,
                       .lda = depth,
                       .ldb = p->spots,
                       .beta = tocha_int(a->bias != NULL)};
  return gemm(r, &g);
}

/* Multiplies the weight by the part's columns and writes the product to the result. The product of a band is computed in memory
 * of its own and copied from there, row by row. */
static bool multiply_forward(const run *r, const part *p) {
  if (p->spots == r->spots) return multiply_into(r, p, out_of(r, p));
  const tocha_convolution_args *a = &r->args;
  int64_t rows = a->out_channels / a->groups, sizes[2] = {rows, p->spots};
  int64_t offset = (p->image * a->out_channels + p->group * rows) * r->spots + p->spot;
  tocha_tensor *place = tocha_alias(r->cx, r->result, 2, sizes, (int64_t[2]){r->spots, 1},
                                    r->result->offset + offset);
  tocha_tensor *band =
      tocha_alias(r->cx, r->band, 2, sizes, (int64_t[2]){p->spots, 1}, r->band->offset);
  return place && band && (!a->bias || tocha_copy_data(r->cx, band, place)) &&
         multiply_into(r, p, tocha_bytes(band)) && tocha_copy_data(r->cx, place, band);
}

static bool multiply_back_input(const run *r, const part *p) {
  const tocha_convolution_args *a = &r->args;
  int64_t rows = a->out_channels / a->groups, depth = r->window / a->groups;
  if (p->spots == 0) return true; /* no window covers the band */
  tocha_gemm_args g = {.a = weight_of(r, p),
                       .b = out_of(r, p),
                       .out = columns_of(r, p),
                       .batch = a->groups > 1 ? p->groups : p->images,
                       .m = depth,
                       .n = p->spots,
                       .k = rows,
                       .a_batch_stride = a->groups > 1 ? rows * depth : 0,
                       .b_batch_stride = rows * r->spots,
                       .lda = depth,
                       .ldb = r->spots,
                       .a_transposed = true,
                       .beta = tocha_int(0)};
  return gemm(r, &g);
}

/* Adds the images' products to the gradient of the weight: all groups of one image at a time or, with slots, one group of as many
 * images as there are slots. The first product overwrites. */
static bool multiply_back_weight(const run *r, const part *p) {
  const tocha_convolution_args *a = &r->args;
  int64_t rows = a->out_channels / a->groups, depth = r->window / a->groups;
  for (int64_t i = 0; i < p->images; i += r->slots) {
    int64_t left = p->images - i;
    part one = *p;
    one.image += i;
    tocha_gemm_args g = {.a = out_of(r, &one),
                         .b = columns_of(r, p) + i * r->window * p->spots * r->item,
                         .out = r->sums ? tocha_bytes(r->sums) : weight_of(r, p),
                         .batch = !r->sums          ? p->groups
                                  : left < r->slots ? left
                                                    : r->slots,
                         .m = rows,
                         .n = depth,
                         .k = p->spots,
                         .a_batch_stride = rows * r->spots,
                         .b_batch_stride = depth * p->spots,
                         .lda = r->spots,
                         .ldb = p->spots,
                         .b_transposed = true,
                         .beta = tocha_int(one.image > 0 || one.spot > 0)};
    if (!gemm(r, &g)) return false;
  }
  return true;
}

static bool run_part(const run *r, const part *p) {
  switch (r->args.task) {
  case TOCHA_CONVOLVE:
    return fold(r, p, true) && multiply_forward(r, p);
  case TOCHA_CONVOLVE_BACK_INPUT:
    return multiply_back_input(r, p) && fold(r, p, false);
  default:
    return fold(r, p, true) && multiply_back_weight(r, p);
  }
}

/* Sets the windows of band begin..end: the windows that cover these rows of the input for TOCHA_CONVOLVE_BACK_INPUT, else these
 * rows of windows. */
static void set_band(const run *r, part *p, int64_t begin, int64_t end) {
  const tocha_windows *w = &r->args.windows;
  int d = r->dim;
  int64_t rest = r->spots / w->out[d], step = w->stride[d];
  if (r->args.task == TOCHA_CONVOLVE_BACK_INPUT) {
    p->begin = begin;
    p->end = end;
    int64_t first = begin + w->padding[d] - (w->kernel[d] - 1) * w->dilation[d];
    begin = first > 0 ? (first + step - 1) / step : 0;
    end = (end - 1 + w->padding[d]) / step + 1;
    if (end > w->out[d]) end = w->out[d];
    if (begin > end) begin = end;
  }
  p->windows.out[d] = end - begin;
  p->windows.padding[d] = w->padding[d] - begin * step;
  p->spot = begin * rest;
  p->spots = (end - begin) * rest;
}

static bool run_bands(const run *r, part *p) {
  const tocha_windows *w = &r->args.windows;
  int64_t rows = r->args.task == TOCHA_CONVOLVE_BACK_INPUT ? w->in[r->dim] : w->out[r->dim];
  p->windows = *w;
  if (!r->rows) {
    p->spots = r->spots;
    return run_part(r, p);
  }
  for (int64_t begin = 0; begin < rows; begin += r->rows) {
    set_band(r, p, begin, begin + r->rows < rows ? begin + r->rows : rows);
    if (!run_part(r, p)) return false;
  }
  return true;
}

static bool run_parts(const run *r) {
  const tocha_convolution_args *a = &r->args;
  int64_t images = a->groups > 1 ? 1 : r->chunk, groups = a->groups > 1 ? r->chunk : 1;
  part p = {0};
  for (p.image = 0; p.image < a->images; p.image += images) {
    p.images = a->images - p.image < images ? a->images - p.image : images;
    for (p.group = 0; p.group < a->groups; p.group += groups) {
      p.groups = a->groups - p.group < groups ? a->groups - p.group : groups;
      if (!run_bands(r, &p)) return false;
    }
  }
  return true;
}

/* --- tensors ------------------------------------------------------------------------------------------ */

/* Returns a view of the bias (C) as (1, C, 1, ...). */
static tocha_tensor *as_channels(tocha_context *cx, tocha_tensor *bias, int ndim) {
  const int64_t sizes[5] = {1, bias->sizes[0], 1, 1, 1}, step = bias->strides[0];
  const int64_t strides[5] = {bias->sizes[0] * step, step, step, step, step};
  return tocha_alias(cx, bias, ndim, sizes, strides, bias->offset);
}

/* Sets how much of one group of an image is done at a time; each: the bytes of all its columns. */
static void set_rows(run *r, const tocha_tensor *out, int64_t each) {
  const tocha_windows *w = &r->args.windows;
  while (r->dim < 2 && w->out[r->dim] == 1) r->dim++;
  int d = r->dim;
  r->max_rows = w->out[d];
  int64_t bytes = tocha_is_on_device(out) ? DEVICE_COLUMN_BYTES : BAND_BYTES;
  if (r->direct || each <= bytes) return;
  int64_t halo = (w->kernel[d] - 1) * w->dilation[d], step = w->stride[d];
  r->rows = bytes / (each / w->out[d]);
  if (r->rows < 1) r->rows = 1;
  if (r->args.task != TOCHA_CONVOLVE_BACK_INPUT) {
    r->max_rows = r->rows < r->max_rows ? r->rows : r->max_rows;
    return;
  }
  r->rows = r->rows * step - halo; /* windows over two bands are multiplied twice */
  if (r->rows < halo + step) r->rows = halo + step;
  int64_t over = (r->rows - 1 + halo) / step + 1;
  r->max_rows = over < r->max_rows ? over : r->max_rows;
}

static bool new_band(run *r, tocha_tensor *out) {
  int64_t sizes[2] = {r->args.out_channels / r->args.groups,
                      r->spots / r->args.windows.out[r->dim] * r->max_rows};
  r->result = out;
  if (!r->rows || r->args.task != TOCHA_CONVOLVE) return true;
  r->band = tocha_new(r->cx, 2, sizes, (tocha_dtype)out->dtype, out->device);
  return r->band != NULL;
}

/* Allocates the slots. The first part has at least as many images as there are slots, so it writes to all of them. */
static bool new_slots(run *r, const tocha_tensor *out) {
  int64_t bytes = group_weights(r) * r->weight_item;
  r->slots = 1;
  if (r->args.task != TOCHA_CONVOLVE_BACK_WEIGHT || r->args.groups > 1 || !tocha_is_on_device(out))
    return true;
  if (SLOT_BYTES / bytes > 1) r->slots = SLOT_BYTES / bytes;
  if (r->slots > r->chunk) r->slots = r->chunk;
  int64_t sizes[2] = {r->slots, group_weights(r)};
  if (r->slots > 1) r->sums = tocha_new(r->cx, 2, sizes, (tocha_dtype)out->dtype, out->device);
  return r->slots == 1 || r->sums;
}

static bool add_slots(const run *r, tocha_tensor *out) {
  int64_t first = 0, dense[TOCHA_MAX_DIMS];
  if (!r->sums) return true;
  tocha_tensor *sum = tocha_sum_dim_IntList(r->cx, r->sums, 1, &first, false);
  if (!sum) return false;
  tocha_row_major_strides(out->ndim, out->sizes, dense);
  sum = tocha_alias(r->cx, sum, out->ndim, out->sizes, dense, sum->offset);
  return sum && tocha_copy_data(r->cx, out, sum);
}

static bool run_by_columns(run *r, tocha_tensor *out, tocha_tensor *bias) {
  const tocha_windows *w = &r->args.windows;
  r->plane = product(w->in);
  r->spots = product(w->out);
  r->window = r->args.in_channels * product(w->kernel);
  r->direct = is_direct(w);
  int64_t each = r->window / r->args.groups * r->spots * r->item;
  int64_t maximum = r->args.groups > 1 ? r->args.groups : r->args.images;
  bool device = tocha_is_on_device(out);
  r->chunk = (device ? DEVICE_COLUMN_BYTES : COLUMN_BYTES) / each;
  if (r->chunk < 1) r->chunk = 1;
  if (r->chunk > maximum) r->chunk = maximum;
  set_rows(r, out, each);
  void *columns = NULL;
  uint64_t bytes = r->direct ? 0 : (uint64_t)(r->chunk * (each / w->out[r->dim]) * r->max_rows);
  if (!new_band(r, out) || !new_slots(r, out)) return false;
  if (!tocha_new_scratch(r->cx, out->device, bytes, &columns)) return false;
  r->columns = columns;
  if (bias && !tocha_copy_data(r->cx, out, as_channels(r->cx, bias, out->ndim))) return false;
  return run_parts(r) && add_slots(r, out);
}

/* --- who computes it ------------------------------------------------------------------------------------ */

/* A task with its operands: `first` and `second` as for tocha_convolve; sizes: the result's; dtype: in which it is computed. */
typedef struct request {
  const tocha_convolution_call *c;
  tocha_convolution_task task;
  tocha_tensor *first, *second, *bias;
  const int64_t *sizes;
  tocha_dtype dtype;
  tocha_stream *stream;
} request;

/* Returns the arguments of the task for the device's kernels, with no addresses set. image, weight, out: their sizes. */
static tocha_convolution_args args_of(const tocha_context *cx, const tocha_convolution_call *c,
                                      tocha_convolution_task task, const int64_t *image,
                                      const int64_t *weight, const int64_t *out, int8_t dtype) {
  tocha_convolution_args args = {.task = task,
                                 .images = image[0],
                                 .in_channels = image[1],
                                 .out_channels = out[1],
                                 .groups = c->groups,
                                 .space = c->space,
                                 .dtype = dtype,
                                 .transposed = c->transposed,
                                 .cudnn = tocha_get_cudnn(cx, TOCHA_CUDNN_ENABLED),
                                 .tf32 = tocha_get_cudnn(cx, TOCHA_CUDNN_TF32),
                                 .deterministic = tocha_get_cudnn(cx, TOCHA_CUDNN_DETERMINISTIC) ||
                                                  tocha_deterministic(cx)};
  int64_t limit = tocha_get_cudnn_benchmark_limit(cx);
  args.trials = !tocha_get_cudnn(cx, TOCHA_CUDNN_BENCHMARK) ? 1 : limit > 0 ? limit : INT64_MAX;
  set_windows(c, &args.windows, image, weight, out);
  return args;
}

/* Returns the arguments of a request. */
static tocha_convolution_args request_args(const tocha_context *cx, const request *r) {
  const int64_t *all[3] = {r->first->sizes, r->second->sizes, r->sizes};
  if (r->task == TOCHA_CONVOLVE_BACK_INPUT) all[0] = r->sizes, all[2] = r->first->sizes;
  if (r->task == TOCHA_CONVOLVE_BACK_WEIGHT)
    all[0] = r->second->sizes, all[1] = r->sizes, all[2] = r->first->sizes;
  tocha_convolution_args args =
      args_of(cx, r->c, r->task, all[0], all[1], all[2], (int8_t)r->dtype);
  args.bias = r->bias;
  return args;
}

/* Sets the addresses of the operands and of the result. */
static void set_addresses(const request *r, tocha_convolution_args *args, tocha_tensor *result) {
  void *first = tocha_bytes(r->first), *second = tocha_bytes(r->second);
  void *made = tocha_bytes(result);
  bool back_input = r->task == TOCHA_CONVOLVE_BACK_INPUT;
  bool back_weight = r->task == TOCHA_CONVOLVE_BACK_WEIGHT;
  args->input = back_input ? made : back_weight ? second : first;
  args->weight = back_weight ? made : second;
  args->out = back_input || back_weight ? first : made;
  args->bias = r->bias ? tocha_bytes(r->bias) : NULL;
}

static bool takes(tocha_stream *stream, const tocha_convolution_args *args) {
  const tocha_convolution_kernels *kernels = stream->kernels->convolution;
  return kernels->takes && kernels->takes(stream, args);
}

/* Returns t converted to dtype, row-major or with its channels innermost, aligned as a GPU's kernels need it. */
static tocha_tensor *in_layout(tocha_context *cx, tocha_tensor *t, tocha_dtype dtype, bool last) {
  tocha_tensor *made = last ? tocha_as_channels_last(cx, t, dtype) : tocha_as_rows(cx, t, dtype);
  bool aligned = !made || !tocha_is_on_device(made) ||
                 (uintptr_t)tocha_bytes(made) % TOCHA_CONVOLUTION_ALIGNMENT == 0;
  return aligned ? made : tocha_copy_as(cx, made, dtype, tocha_its_device(), TOCHA_PRESERVE_FORMAT);
}

/* Adds the bias of the channels to a GPU's result in place. It lays out the operands itself, because a call of an operator costs the
 * host several times as much. last: the result's channels are innermost. */
static bool add_bias(tocha_context *cx, tocha_stream *stream, tocha_tensor *result,
                     const tocha_tensor *bias, bool last) {
  const int64_t item = (int64_t)tocha_dtype_size((tocha_dtype)result->dtype);
  const int64_t images = result->sizes[0], channels = result->sizes[1];
  const int64_t spots = result->numel / (images * channels);
  const tocha_scalar one = tocha_int(1);
  tocha_strided_layout l = {.ndim = last ? 2 : 3, .operands = 3, .numel = result->numel};
  const int64_t sizes[3] = {last ? channels : spots, last ? images * spots : channels, images};
  const int64_t of_bias[3] = {last ? item : 0, last ? 0 : item, 0};
  for (int d = 0; d < l.ndim; d++) {
    l.sizes[d] = sizes[d];
    l.strides[0][d] = l.strides[1][d] = d == 0 ? item : l.strides[0][d - 1] * sizes[d - 1];
    l.strides[2][d] = of_bias[d];
  }
  l.data[0] = l.data[1] = tocha_bytes(result);
  l.data[2] = tocha_bytes(bias);
  for (int k = 0; k < 3; k++) l.dtype[k] = (int8_t)result->dtype;
  return tocha_launch_formula(cx, stream, &tocha_formula_add, &l, 1, &one);
}

/* Computes the task by the device's kernels, which take args. Returns the result, or NULL, with an error unless a library gave
 * up. */
static tocha_tensor *run_by_device(tocha_context *cx, request r, tocha_convolution_args *args) {
  bool last = args->channels_last;
  tocha_tensor *bias = r.bias;
  if (!args->bias) r.bias = NULL;
  tocha_device device = r.first->device;
  tocha_tensor *result = last ? tocha_new_channels_last(cx, r.first->ndim, r.sizes, r.dtype, device)
                              : tocha_new(cx, r.first->ndim, r.sizes, r.dtype, device);
  r.first = in_layout(cx, r.first, r.dtype, last);
  r.second = in_layout(cx, r.second, r.dtype, last);
  bias = tocha_as_rows(cx, bias, r.dtype);
  if (r.bias) r.bias = bias;
  if (tocha_failed(cx)) return NULL;
  set_addresses(&r, args, result);
  if (!r.stream->kernels->convolution->convolve(r.stream, args)) {
    if (takes(r.stream, args)) tocha_launched(cx, false);
    return NULL;
  }
  return !bias || r.bias || add_bias(cx, r.stream, result, bias, last) ? result : NULL;
}

/* Computes the task by the device's kernels, if they take it: on a GPU with the channels innermost if an operand has them so,
 * and with the bias added by itself. Returns NULL, without an error, if they do not. */
static tocha_tensor *try_device(tocha_context *cx, const request *r) {
  bool gpu = tocha_is_on_device(r->first);
  bool last = gpu && (tocha_is_channels_last(r->first) || tocha_is_channels_last(r->second));
  tocha_convolution_args args = request_args(cx, r);
  for (int way = last ? 0 : 2; way < 4; way++) {
    bool apart = way % 2 == 1;
    if (apart && (!gpu || !r->bias)) continue;
    args.channels_last = way < 2;
    args.bias = apart ? NULL : r->bias;
    if (!takes(r->stream, &args)) continue;
    tocha_tensor *result = run_by_device(cx, *r, &args);
    if (result || tocha_failed(cx)) return result;
  }
  return NULL;
}

static tocha_tensor *run_by_products(tocha_context *cx, request r, tocha_dtype result_dtype) {
  tocha_tensor *result = tocha_new(cx, r.first->ndim, r.sizes, result_dtype, r.first->device);
  r.first = tocha_as_rows(cx, r.first, r.dtype);
  r.second = tocha_as_rows(cx, r.second, r.dtype);
  if (r.bias) r.bias = tocha_as_rows(cx, r.bias, r.dtype);
  if (tocha_failed(cx)) return NULL;
  run columns = {.cx = cx,
                 .stream = r.stream,
                 .item = (int64_t)tocha_dtype_size(r.dtype),
                 .weight_item = (int64_t)tocha_dtype_size(
                     r.task == TOCHA_CONVOLVE_BACK_WEIGHT ? result_dtype : r.dtype),
                 .args = request_args(cx, &r)};
  set_addresses(&r, &columns.args, result);
  bool before = tocha_set_products_of_cudnn(cx, true);
  bool ok = run_by_columns(&columns, result, r.bias);
  tocha_set_products_of_cudnn(cx, before);
  return ok ? result : NULL;
}

/* Returns the dtype of a result by products. Gradients of weights are summed over images, so 16-bit ones are float32. */
static tocha_dtype dtype_of(const tocha_tensor *t, tocha_convolution_task task) {
  bool adds = task == TOCHA_CONVOLVE_BACK_WEIGHT && tocha_dtype_is_floating(t->dtype) &&
              tocha_dtype_size(t->dtype) == 2;
  return adds ? TOCHA_FLOAT32 : tocha_gemm_dtype(t->device, t->dtype);
}

/* Returns the result of a transposed convolution, in dtype, plus its bias. float16 is rounded before the addition, too. */
static tocha_tensor *with_bias(tocha_context *cx, tocha_tensor *result, tocha_tensor *bias,
                               tocha_dtype dtype) {
  if (bias && dtype == TOCHA_FLOAT16) {
    result = tocha_as_dtype(cx, result, dtype);
    bias = tocha_as_dtype(cx, bias, dtype);
  }
  if (bias && result) result = tocha_add(cx, result, as_channels(cx, bias, result->ndim));
  return tocha_as_dtype(cx, result, dtype);
}

/* Returns the result of a task whose operands have no elements: the bias, or zeros. */
static tocha_tensor *fill_result(tocha_context *cx, tocha_tensor *result, tocha_tensor *bias) {
  bool ok = bias ? tocha_copy_data(cx, result, as_channels(cx, bias, result->ndim))
                 : tocha_fill_data(cx, result, tocha_int(0));
  return ok ? result : NULL;
}

tocha_tensor *tocha_convolve(tocha_context *cx, const tocha_convolution_call *c,
                             tocha_convolution_task task, tocha_tensor *first, tocha_tensor *second,
                             tocha_tensor *bias, const int64_t *sizes) {
  if (!first || !second) return NULL;
  tocha_dtype dtype = (tocha_dtype)first->dtype, result_dtype = dtype_of(first, task);
  bool empty = first->numel == 0 || second->numel == 0;
  for (int d = 0; d < first->ndim; d++) empty = empty || sizes[d] == 0;
  if (empty || first->device.type == TOCHA_META) {
    tocha_tensor *result = tocha_new(cx, first->ndim, sizes, dtype, first->device);
    return result && tocha_has_elements(result) ? fill_result(cx, result, bias) : result;
  }
  bool back_input = task == TOCHA_CONVOLVE_BACK_INPUT;
  request r = {c, task, first, second, back_input ? NULL : bias, sizes, result_dtype, NULL};
  if (tocha_is_on_device(first)) r.dtype = tocha_gemm_dtype(first->device, dtype);
  if (!(r.stream = tocha_stream_of(cx, first->device))) return NULL;
  tocha_tensor *result = try_device(cx, &r);
  if (!result && !tocha_failed(cx)) result = run_by_products(cx, r, result_dtype);
  if (!result) return NULL;
  if (!back_input || !bias) return tocha_as_dtype(cx, result, dtype);
  bias = tocha_as_rows(cx, bias, r.dtype);
  return bias ? with_bias(cx, result, bias, dtype) : NULL;
}

/* Sums over all dimensions but the channels, by the operator sum. */
static tocha_tensor *sum_channels(tocha_context *cx, tocha_tensor *t) {
  int64_t dims[TOCHA_MAX_DIMS];
  for (int d = 0; d < t->ndim - 1; d++) dims[d] = d == 0 ? 0 : d + 1;
  return tocha_sum_dim_IntList_full(cx, t, t->ndim - 1, dims, false, TOCHA_NO_DTYPE);
}

tocha_tensor *tocha_convolve_back_bias(tocha_context *cx, const tocha_convolution_call *c,
                                       tocha_tensor *grad, const tocha_tensor *input,
                                       const tocha_tensor *weight) {
  if (!tocha_has_elements(grad)) return sum_channels(cx, grad);
  const tocha_tensor *image = c->transposed ? grad : input, *out = c->transposed ? input : grad;
  tocha_convolution_args args = args_of(cx, c, TOCHA_CONVOLVE_BACK_BIAS, image->sizes,
                                        weight->sizes, out->sizes, (int8_t)grad->dtype);
  tocha_stream *stream = tocha_stream_of(cx, grad->device);
  if (!stream) return NULL;
  if (!takes(stream, &args)) return sum_channels(cx, grad);
  tocha_dtype dtype = (tocha_dtype)grad->dtype;
  grad = tocha_as_rows(cx, grad, dtype);
  tocha_tensor *result = grad ? tocha_new(cx, 1, grad->sizes + 1, dtype, grad->device) : NULL;
  if (!result) return NULL;
  *(c->transposed ? &args.input : &args.out) = tocha_bytes(grad);
  args.bias = tocha_bytes(result);
  return tocha_launched(cx, stream->kernels->convolution->convolve(stream, &args)) ? result : NULL;
}
