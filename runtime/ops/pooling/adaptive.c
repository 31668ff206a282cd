/* adaptive.c: pooling by windows that divide the image among them. */
#include "device/devices.h"
#include "ops/pooling/pooling.h"
#include "pooling/implementations.h"
#include "tocha/ops/private/adaptive_avg_pool2d.h"
#include "tocha/ops/private/adaptive_avg_pool3d.h"
#include "tocha/ops/private/adaptive_max_pool2d.h"
#include "tocha/ops/private/adaptive_max_pool3d.h"
#include "tocha/ops/mean.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/unsqueeze.h"

static bool check_not_empty(tocha_context *cx, const tocha_tensor *self, int first,
                            const char *name) {
  char text[256];
  for (int d = first; d < self->ndim; d++) {
    if (self->sizes[d]) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "%s(): Expected input to have non-zero size for non-batch dimensions, but input has "
               "sizes %s with dimension %d being empty",
               name, tocha_pool_sizes(self, text), d);
    return false;
  }
  return true;
}

static bool check_rank(tocha_context *cx, const tocha_tensor *self, int space, const char *name,
                       const char *words) {
  char text[256];
  if (self->ndim == space + 1 || self->ndim == space + 2) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s(): Expected %dD or %dD tensor, but got%s %s", name,
             space + 1, space + 2, words, tocha_pool_sizes(self, text));
  return false;
}

/* Returns the sizes of all dimensions of space. A single number applies to each. */
static const int64_t *all(tocha_pool_list size, int space, int64_t buffer[3]) {
  for (int d = 0; d < space; d++)
    buffer[d] = size.values[size.count == 1 ? 0 : size.count - space + d];
  return buffer;
}

/* Reads the sizes of nn.functional. An absent size means the input's. Checks the list's
 * length first, as PyTorch does. */
static bool read_sizes(tocha_context *cx, const tocha_tensor *input, int count, const int64_t *size,
                       int64_t buffer[TOCHA_MAX_DIMS]) {
  if (count != 1 && input->ndim <= count)
    tocha_fail(cx, TOCHA_VALUE_ERROR, "Input dimension should be at least %d", count + 1);
  for (int d = 0; d < count && !tocha_failed(cx); d++) {
    int at = input->ndim - count + d;
    buffer[d] = size[d] == TOCHA_ABSENT && at >= 0 ? input->sizes[at] : size[d];
  }
  return !tocha_failed(cx);
}

/* --- averages ---------------------------------------------------------------------------------- */

static bool check_average(tocha_context *cx, int space, const int64_t *out) {
  const char *name = space == 2 ? "adaptive_avg_pool2d" : "adaptive_avg_pool3d";
  bool negative = false;
  for (int d = 0; d < space; d++) negative = negative || out[d] < 0;
  if (negative && space == 2)
    tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "%s: elements of output_size must be greater than or equal to 0 but received {%lld, %lld}",
        name, (long long)out[0], (long long)out[1]);
  else if (negative)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "%s: elements of output_size must be greater than or equal to 0 but received {%lld, "
               "%lld,%lld}",
               name, (long long)out[0], (long long)out[1], (long long)out[2]);
  return !negative;
}

tocha_tensor *tocha_op__adaptive_avg_pool(tocha_context *cx, tocha_tensor *self, int count,
                                          const int64_t *size, int space) {
  int64_t buffer[3];
  tocha_pool_args args = {0};
  const char *name = space == 2 ? "adaptive_avg_pool2d" : "adaptive_avg_pool3d";
  if (!check_rank(cx, self, space, name, "") ||
      !check_not_empty(cx, self, self->ndim - space - (space == 3), name))
    return NULL;
  const int64_t *out = all((tocha_pool_list){count, size}, space, buffer);
  tocha_set_adaptive_windows(&args.windows, space, self->sizes + self->ndim - space, out);
  if (space == 3 && !tocha_is_on_device(self)) args.kept = (int8_t)self->dtype;
  const char *kernel =
      space == 2 ? (tocha_is_on_device(self) ? "adaptive_avg_pool2d_cuda" : "adaptive_avg_pool2d")
      : tocha_is_on_device(self) ? "adaptive_avg_pool3d_cuda"
                                 : "adaptive_avg_pool3d_cpu";
  return tocha_pool(cx, self, space, &args, kernel, TOCHA_POOL_FLOATS, false, NULL);
}

tocha_tensor *tocha_op__adaptive_avg_pool_backward(tocha_context *cx, tocha_tensor *grad_output,
                                                   int count, const int64_t *sizes, int space) {
  tocha_pool_args args = {0};
  return tocha_read_pool_backward(cx, grad_output, count, sizes, space, NULL, &args)
             ? tocha_pool_backward(cx, grad_output, count, sizes, &args)
             : NULL;
}

/* Returns the mean if there is a single window, else the averages. */
static tocha_tensor *average_or_mean(tocha_context *cx, tocha_tensor *input, int space,
                                     tocha_pool_list size) {
  static const int64_t last[] = {-1, -2, -3};
  int64_t buffer[3] = {0};
  if (size.count != 1 && size.count != space)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "adaptive_avg_pool%dd: output_size must be %d",
                      space, space);
  const int64_t *out = all(size, space, buffer);
  if (!check_average(cx, space, out)) return NULL;
  bool one = out[0] == 1 && out[1] == 1 && out[space - 1] == 1 && input->ndim >= space;
  if (one) return tocha_mean_dim(cx, input, space, last, true);
  return (space == 2 ? tocha_private_adaptive_avg_pool2d
                     : tocha_private_adaptive_avg_pool3d)(cx, input, space, out);
}

tocha_tensor *tocha_op_adaptive_avg_pool(tocha_context *cx, tocha_tensor *input, int count,
                                         const int64_t *size, int space) {
  int64_t buffer[TOCHA_MAX_DIMS];
  if (!read_sizes(cx, input, count, size, buffer)) return NULL;
  return average_or_mean(cx, input, space, (tocha_pool_list){count, buffer});
}

/* --- one dimension ----------------------------------------------------------------------------- */

static bool check_one_dimension(tocha_context *cx, const tocha_tensor *self, int count,
                                const char *name) {
  if (self->ndim != 2 && self->ndim != 3)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected 2 to 3 dimensions, but got %d-dimensional tensor for argument #1 'self' "
               "(while checking arguments for %s)",
               self->ndim, name);
  else if (count != 1)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "%s() argument 'output_size' should contain one int (got %d)", name, count);
  return !tocha_failed(cx);
}

tocha_tensor *tocha_op_adaptive_avg_pool1d(tocha_context *cx, tocha_tensor *self, int count,
                                           const int64_t *size) {
  if (!check_one_dimension(cx, self, count, "adaptive_avg_pool1d")) return NULL;
  int64_t both[] = {1, *size};
  return tocha_squeeze_dim(
      cx, average_or_mean(cx, tocha_unsqueeze(cx, self, -2), 2, (tocha_pool_list){2, both}), -2);
}

bool tocha_op_adaptive_max_pool1d(tocha_context *cx, tocha_tensor *self, int count,
                                  const int64_t *size, tocha_tensor **output,
                                  tocha_tensor **indices) {
  if (!check_one_dimension(cx, self, count, "adaptive_max_pool1d") ||
      !check_not_empty(cx, self, 1, "adaptive_max_pool1d"))
    return false;
  int64_t both[] = {1, *size};
  if (!tocha_private_adaptive_max_pool2d(cx, tocha_unsqueeze(cx, self, -2), 2, both, output,
                                         indices))
    return false;
  *output = tocha_squeeze_dim(cx, *output, -2);
  *indices = tocha_squeeze_dim(cx, *indices, -2);
  return *output && *indices;
}

/* --- maximum ---------------------------------------------------------------------------------- */

bool tocha_op__adaptive_max_pool(tocha_context *cx, tocha_tensor *self, int count,
                                 const int64_t *size, int space, tocha_tensor **output,
                                 tocha_tensor **indices) {
  int64_t buffer[3];
  tocha_pool_args args = {0};
  const char *name = space == 2 ? "adaptive_max_pool2d" : "adaptive_max_pool3d";
  const char *kernel =
      space == 2 ? (tocha_is_on_device(self) ? "adaptive_max_pool2d_cuda" : "adaptive_max_pool2d")
      : tocha_is_on_device(self) ? "adaptive_max_pool3d_cuda"
                                 : "adaptive_max_pool3d_cpu";
  if (!check_rank(cx, self, space, name, ":") ||
      !check_not_empty(cx, self, self->ndim - space, name))
    return false;
  if (count != 1 && count != space) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s(): internal error: output_size.size() must be %d", name,
               space);
    return false;
  }
  const int64_t *out = all((tocha_pool_list){count, size}, space, buffer);
  tocha_set_adaptive_windows(&args.windows, space, self->sizes + self->ndim - space, out);
  *output = tocha_pool(cx, self, space, &args, kernel, TOCHA_POOL_FLOATS, true, indices);
  return *output != NULL;
}

/* Implements nn.functional's form: writes `indices` if return_indices or with_indices is set. */
bool tocha_op_adaptive_max_pool_functional(tocha_context *cx, tocha_tensor *input, int count,
                                           const int64_t *size, bool return_indices, int space,
                                           bool with_indices, tocha_tensor **output,
                                           tocha_tensor **indices) {
  tocha_tensor *places;
  int64_t buffer[TOCHA_MAX_DIMS];
  if (space > 1 && !read_sizes(cx, input, count, size, buffer)) return false;
  if (space > 1) size = buffer;
  bool fine = space == 1 ? tocha_op_adaptive_max_pool1d(cx, input, count, size, output, &places)
              : space == 2
                  ? tocha_private_adaptive_max_pool2d(cx, input, count, size, output, &places)
                  : tocha_private_adaptive_max_pool3d(cx, input, count, size, output, &places);
  if (fine && (return_indices || with_indices)) *indices = places;
  return fine;
}
