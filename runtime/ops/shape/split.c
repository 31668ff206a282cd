/* split.c: splits a tensor into a list of views: unbind, split, chunk, tensor_split; meshgrid and
 * the like. */
#include <string.h>

#include "autograd/node.h"
#include "ops/indexing/kernels.h"
#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "shape/implementations.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/slice.h"
#include "tocha/ops/stack.h"
#include "tocha/ops/view.h"

/* --- several views at once --------------------------------------------------------------------------- */

bool tocha_op_unbind(tocha_context *cx, tocha_tensor *self, int64_t dim, tocha_results *results) {
  if (self->ndim == 0) {
    tocha_fail(cx, TOCHA_INDEX_ERROR, "Dimension specified as 0 but tensor has no dimensions");
    return false;
  }
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return false;
  int64_t count = self->sizes[dim];
  if (!tocha_results_list(cx, results, count)) return false;
  for (int64_t i = 0; i < count; i++)
    if (!(results->tensors[i] = tocha_op_select(cx, self, dim, i))) return false;
  return true;
}

/* Returns the gradient of chunk i, or zeros of its shape if there is none. */
static tocha_tensor *chunk_gradient(const tocha_backward_frame *f, int i) {
  if (f->grads[i]) return f->grads[i];
  const tocha_gradient_shape *s = &tocha_frame_node(f)->inputs[i];
  tocha_tensor *t = tocha_new(f->cx, s->ndim, s->sizes, s->dtype, s->device);
  return t && tocha_fill_data(f->cx, t, tocha_int(0)) ? t : NULL;
}

/* Joins the gradients of all chunks by cat, or by stack for unbind. */
static bool cat_chunks(tocha_backward_frame *f, int64_t dim, bool stacked) {
  int count = tocha_frame_node(f)->input_count;
  bool any = false;
  for (int i = 0; i < count; i++) any = any || f->grads[i];
  if (!any) return true;
  uint64_t bytes = (uint64_t)count * sizeof(tocha_tensor *);
  tocha_tensor **chunks = tocha_allocate(f->cx, bytes);
  if (!chunks) return false;
  bool ok = true;
  for (int i = 0; ok && i < count; i++) ok = (chunks[i] = chunk_gradient(f, i)) != NULL;
  if (ok)
    f->out[0] =
        stacked ? tocha_stack(f->cx, count, chunks, dim) : tocha_cat(f->cx, count, chunks, dim);
  tocha_deallocate(f->cx, chunks, bytes);
  return f->out[0] != NULL;
}

bool tocha_unbind_backward(tocha_backward_frame *f) {
  return cat_chunks(f, f->args[1].value.integer, true);
}

bool tocha_split_backward(tocha_backward_frame *f) {
  return cat_chunks(f, f->args[f->op->parameter_count - 1].value.integer, false);
}

/* Makes `count` chunks along dim. Chunk i has size sizes[i], or `size` if sizes is NULL. */
static bool cut(tocha_context *cx, tocha_tensor *self, int64_t dim, int64_t count,
                const int64_t *sizes, int64_t size, tocha_results *results) {
  if (!tocha_results_list(cx, results, count)) return false;
  int64_t at = 0;
  for (int64_t i = 0; i < count; i++) {
    int64_t left = self->sizes[dim] - at, each = sizes ? sizes[i] : size;
    int64_t end = at + (each < left ? each : left);
    if (!(results->tensors[i] = tocha_op_slice(cx, self, dim, &at, &end, 1))) return false;
    at = end;
  }
  return true;
}

bool tocha_op_split(tocha_context *cx, tocha_tensor *self, int64_t split_size, int64_t dim,
                    tocha_results *results) {
  if (self->ndim == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "split expects at least a 1-dimensional tensor");
  if (split_size < 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "split expects split_size be non-negative, but got split_size=%lld",
                      (long long)split_size);
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return false;
  int64_t size = self->sizes[dim];
  if (split_size == 0 && size != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "split_size can only be 0 if dimension size is 0, but got dimension size of "
                      "%lld",
                      (long long)size);
  int64_t count = split_size && size ? (size - 1) / split_size + 1 : 1;
  return cut(cx, self, dim, count, NULL, split_size, results);
}

bool tocha_op_split_with_sizes(tocha_context *cx, tocha_tensor *self, int split_sizes_count,
                               const int64_t *split_sizes, int64_t dim, tocha_results *results) {
  char text[256];
  int64_t sum = 0, said = dim;
  if (self->ndim == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "split expects at least a 1-dimensional tensor");
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return false;
  tocha_shape_text(split_sizes_count, split_sizes, text, sizeof text);
  for (int i = 0; i < split_sizes_count; i++) {
    if (split_sizes[i] < 0)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "split_with_sizes expects split_sizes have only non-negative entries, but "
                        "got split_sizes=%s",
                        text);
    if (__builtin_add_overflow(sum, split_sizes[i], &sum))
      sum = INT64_MAX; /* larger than any size */
  }
  if (sum != self->sizes[dim])
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "split_with_sizes expects split_sizes to sum exactly to %lld (input tensor's "
                      "size at dimension %lld), but got split_sizes=%s",
                      (long long)self->sizes[dim], (long long)said, text);
  return cut(cx, self, dim, split_sizes_count, split_sizes, 0, results);
}

static bool split_into(tocha_context *cx, tocha_tensor *self, int64_t each, int64_t dim, bool safe,
                       tocha_results *results) {
  tocha_arg args[] = {{.tensor = self}, {.value.integer = each}, {.value.integer = dim}};
  for (int i = 0; i < 3; i++) args[i].given = true;
  return tocha_call(cx, tocha_operator_named(cx, safe ? "split" : "unsafe_split"), args, results);
}

/* Splits a dimension of size 0 into `count` chunks. */
static bool split_empty(tocha_context *cx, tocha_tensor *self, int count, int64_t dim, bool safe,
                        tocha_results *results) {
  uint64_t bytes = (uint64_t)count * sizeof(int64_t);
  int64_t *sizes = tocha_allocate_zeroed(cx, bytes);
  if (!sizes) return false;
  tocha_arg args[] = {
      {.tensor = self}, {.value.ints = sizes, .count = count}, {.value.integer = dim}};
  for (int i = 0; i < 3; i++) args[i].given = true;
  bool ok = tocha_call(
      cx, tocha_operator_named(cx, safe ? "split_with_sizes" : "unsafe_split_with_sizes"), args,
      results);
  tocha_deallocate(cx, sizes, bytes);
  return ok;
}

/* Splits self into chunks. safe: the chunks are views. */
bool tocha_op_chunk(tocha_context *cx, tocha_tensor *self, int64_t chunks, int64_t dim, bool safe,
                    tocha_results *results) {
  if (self->ndim == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "chunk expects at least a 1-dimensional tensor");
  if (chunks <= 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "chunk expects `chunks` to be greater than 0, got: %lld", (long long)chunks);
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return false;
  int64_t size = self->sizes[dim], each = size / chunks + (size % chunks != 0);
  int64_t count = each ? (size - 1) / each + 1 : chunks; /* an empty dimension has all the chunks */
  if (count > INT32_MAX)
    return tocha_fail(cx, TOCHA_MEMORY_ERROR, "vector::reserve: %lld tensors", (long long)count);
  return each ? split_into(cx, self, each, dim, safe, results)
              : split_empty(cx, self, (int)count, dim, safe, results);
}

/* --- lists made of other operators -------------------------------------------------------------------- */

static bool tensor_split(tocha_context *cx, tocha_tensor *self, int64_t dim, int64_t count,
                         const int64_t *ends, int64_t sections, tocha_results *results) {
  if (!tocha_results_list(cx, results, count)) return false;
  int64_t size = self->sizes[dim], at = 0;
  for (int64_t i = 0; i < count; i++) {
    int64_t end = sections        ? at + size / sections + (i < size % sections)
                  : i < count - 1 ? ends[i]
                                  : size;
    if (!(results->tensors[i] = tocha_slice(cx, self, dim, &at, &end, 1))) return false;
    at = end;
  }
  return true;
}

bool tocha_op_tensor_split(tocha_context *cx, tocha_tensor *self, int64_t sections, int64_t dim,
                           tocha_results *results) {
  if (self->ndim == 0)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "tensor_split expected at least a 1-dimensional tensor, but got a tensor with "
        "0 dims");
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return false;
  if (sections <= 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "number of sections must be larger than 0, got %lld",
                      (long long)sections);
  return tensor_split(cx, self, dim, sections, NULL, sections, results);
}

bool tocha_op_tensor_split_indices(tocha_context *cx, tocha_tensor *self, int indices_count,
                                   const int64_t *indices, int64_t dim, tocha_results *results) {
  if (self->ndim == 0)
    return tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "tensor_split expected at least a 1-dimensional tensor, but got a tensor with "
        "0 dims");
  if (!tocha_wrap_dim(cx, &dim, self->ndim)) return false;
  return tensor_split(cx, self, dim, indices_count + 1, indices, 0, results);
}

bool tocha_op_tensor_split_tensor(tocha_context *cx, tocha_tensor *self, tocha_tensor *at,
                                  int64_t dim, tocha_results *results) {
  static const char expected[] = "tensor_split expected tensor_indices_or_sections to ";
  if (self->ndim == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "tensor_split expected at least a 1-dimensional tensor, but got a tensor "
                      "with 0 dims");
  char text[24];
  if (at->device.type != TOCHA_CPU)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%sbe on cpu, but it's on %s", expected,
                      tocha_device_text(at->device, text));
  if (at->dtype != TOCHA_INT64)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%shave dtype of long, but got %s", expected,
                      tocha_dtype_scalar_type(at->dtype));
  if (at->ndim > 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "%sbe a zero-dimensional or one-dimensional tensor, but got a tensor with %d "
                      "dims",
                      expected, at->ndim);
  at = tocha_copy_rows(cx, at);
  if (!at) return false;
  const int64_t *numbers = (const int64_t *)(const void *)tocha_bytes(at);
  if (at->ndim == 0) return tocha_op_tensor_split(cx, self, numbers[0], dim, results);
  return tocha_op_tensor_split_indices(cx, self, (int)at->numel, numbers, dim, results);
}

bool tocha_op_broadcast_tensors(tocha_context *cx, int tensors_count, tocha_tensor *const *tensors,
                                tocha_results *results) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  if (!tocha_broadcast_sizes(cx, tensors_count, tensors, &ndim, sizes)) return false;
  if (!tocha_results_list(cx, results, tensors_count)) return false;
  for (int i = 0; i < tensors_count; i++) {
    bool fits = tensors[i]->ndim == ndim &&
                memcmp(tensors[i]->sizes, sizes, (size_t)ndim * sizeof *sizes) == 0;
    results->tensors[i] = fits ? tensors[i] : tocha_expand(cx, tensors[i], ndim, sizes);
    if (!results->tensors[i]) return false;
  }
  return true;
}

static bool refuse_grid(tocha_context *cx, tocha_tensor *t) {
  char text[8192];
  const char *quoted = tocha_stream_text(cx, t, text, sizeof text);
  return quoted &&
         tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: "
                    "%s",
                    quoted);
}

bool tocha_op_meshgrid(tocha_context *cx, int tensors_count, tocha_tensor *const *tensors,
                       const char *indexing, tocha_results *results) {
  int64_t sizes[TOCHA_MAX_DIMS], shape[TOCHA_MAX_DIMS];
  if (tensors_count == 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "meshgrid expects a non-empty TensorList");
  for (int i = 1; i < tensors_count; i++)
    if (tensors[i]->dtype != tensors[0]->dtype)
      return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                        "meshgrid expects all tensors to have the same dtype");
  bool matrix = !indexing || strcmp(indexing, "ij") == 0;
  if (!matrix && strcmp(indexing, "xy") != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: %s",
                      indexing);
  bool swapped = !matrix && tensors_count > 1; /* the first two are checked in reverse order */
  for (int i = 0; i < tensors_count; i++) {
    tocha_tensor *looked_at = tensors[swapped && i < 2 ? 1 - i : i];
    if (looked_at->ndim > 1) return refuse_grid(cx, looked_at);
  }
  for (int i = 0; i < tensors_count; i++) {
    int at = swapped && i < 2 ? 1 - i : i;
    sizes[at] = tensors[i]->numel;
  }
  if (!tocha_results_list(cx, results, tensors_count)) return false;
  for (int i = 0; i < tensors_count; i++) {
    int at = swapped && i < 2 ? 1 - i : i;
    for (int d = 0; d < tensors_count; d++) shape[d] = d == at ? sizes[d] : 1;
    tocha_tensor *t = tocha_view(cx, tensors[i], tensors_count, shape);
    if (!t || !(results->tensors[i] = tocha_expand(cx, t, tensors_count, sizes))) return false;
  }
  return true;
}

static bool at_least(tocha_context *cx, int count, tocha_tensor *const *tensors,
                     tocha_tensor *(*one)(tocha_context *, tocha_tensor *),
                     tocha_results *results) {
  if (!tocha_results_list(cx, results, count)) return false;
  for (int i = 0; i < count; i++)
    if (!(results->tensors[i] = one(cx, tensors[i]))) return false;
  return true;
}

bool tocha_op_atleast_1d_list(tocha_context *cx, int tensors_count, tocha_tensor *const *tensors,
                              tocha_results *results) {
  return at_least(cx, tensors_count, tensors, tocha_op_atleast_1d, results);
}

bool tocha_op_atleast_2d_list(tocha_context *cx, int tensors_count, tocha_tensor *const *tensors,
                              tocha_results *results) {
  return at_least(cx, tensors_count, tensors, tocha_op_atleast_2d, results);
}

bool tocha_op_atleast_3d_list(tocha_context *cx, int tensors_count, tocha_tensor *const *tensors,
                              tocha_results *results) {
  return at_least(cx, tensors_count, tensors, tocha_op_atleast_3d, results);
}

/* --- hsplit, vsplit, dsplit ---------------------------------------------------------------------- */

typedef struct split_call {
  const char *name;
  int min_ndim, dim; /* dimensions that self must have; the one to split */
} split_call;

static bool check_split(tocha_context *cx, const split_call *c, const tocha_tensor *self,
                        bool sections, int64_t count) {
  if (self->ndim < c->min_ndim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.%s requires a tensor with at least %d dimension, but got a tensor "
                      "with %d dimensions!",
                      c->name, c->min_ndim, self->ndim);
  if (!sections) return true;
  if (count == 0 || self->sizes[c->dim] % count != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.%s attempted to split along dimension %d, but the size of the "
                      "dimension %lld is not divisible by the split_size %lld!",
                      c->name, c->dim, (long long)self->sizes[c->dim], (long long)count);
  return true;
}

/* Returns the call of hsplit, vsplit or dsplit: along `dim`, or along the only dimension of a
 * vector (hsplit). */
static split_call direction(const tocha_tensor *self, const char *name, int min_ndim, int dim) {
  return (split_call){name, min_ndim, self->ndim > 1 ? dim : 0};
}

bool tocha_op_split_along(tocha_context *cx, tocha_tensor *self, int64_t sections, int dim,
                          int min_ndim, const char *name, tocha_results *results) {
  split_call c = direction(self, name, min_ndim, dim);
  return check_split(cx, &c, self, true, sections) &&
         tocha_op_tensor_split(cx, self, sections, c.dim, results);
}

bool tocha_op_split_along_indices(tocha_context *cx, tocha_tensor *self, int indices_count,
                                  const int64_t *indices, int dim, int min_ndim, const char *name,
                                  tocha_results *results) {
  split_call c = direction(self, name, min_ndim, dim);
  return check_split(cx, &c, self, false, 0) &&
         tocha_op_tensor_split_indices(cx, self, indices_count, indices, c.dim, results);
}
