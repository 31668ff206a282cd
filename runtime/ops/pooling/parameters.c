/* parameters.c: reads and checks the parameters of max_pool2d, avg_pool3d and the like. The order
 * of the checks decides which error is reported. */
#include <stdio.h>
#include <string.h>

#include "device/devices.h"
#include "ops/pooling/pooling.h"
#include "tensor/geometry.h"

/* Spreads a list over three dimensions: the dimensions of space come last, the others get
 * `before`. */
static void spread(tocha_pool_list list, int space, int64_t before, int64_t out[3]) {
  for (int d = 0; d < 3; d++) {
    int at = d - (3 - space);
    out[d] = at < 0 || !list.values ? before : list.values[list.count == 1 ? 0 : at];
  }
}

/* Returns a / b, rounded down. */
static int64_t floor_quotient(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Limits value to the largest number whose square fits into int64. No image is larger, so the limit
 * changes no result. */
static int64_t limited(int64_t value) {
  const int64_t maximum = 3037000499;
  return value > maximum ? maximum : value;
}

static int64_t windows_along(const tocha_pool_windows *w, int d, bool ceil_mode) {
  int64_t stride = limited(w->stride[d]), padding = limited(w->padding[d]);
  int64_t covered = limited(w->dilation[d]) * (limited(w->kernel[d]) - 1) + 1;
  int64_t range = w->in[d] + 2 * padding - covered;
  int64_t out = floor_quotient(range + (ceil_mode ? stride - 1 : 0), stride) + 1;
  return ceil_mode && (out - 1) * stride >= w->in[d] + padding ? out - 1 : out;
}

static void set_lists(tocha_pool_windows *w, int space, const tocha_pool_lists *lists) {
  memset(w, 0, sizeof *w);
  spread(lists->kernel, space, 1, w->kernel);
  spread(lists->stride.count ? lists->stride : lists->kernel, space, 1, w->stride);
  spread(lists->padding, space, 0, w->padding);
  spread(lists->dilation, space, 1, w->dilation);
}

void tocha_set_pool_windows(tocha_pool_windows *w, int space, const tocha_pool_lists *lists,
                            const int64_t *in) {
  set_lists(w, space, lists);
  spread((tocha_pool_list){space, in}, space, 1, w->in);
  for (int d = 0; d < 3; d++) w->out[d] = windows_along(w, d, lists->ceil_mode);
}

void tocha_set_adaptive_windows(tocha_pool_windows *w, int space, const int64_t *in,
                                const int64_t *out) {
  memset(w, 0, sizeof *w);
  w->adaptive = true;
  spread((tocha_pool_list){space, in}, space, 1, w->in);
  spread((tocha_pool_list){space, out}, space, 1, w->out);
}

const char *tocha_pool_sizes(const tocha_tensor *t, char text[256]) {
  return tocha_shape_text(t->ndim, t->sizes, text, 256);
}

/* --- lists ------------------------------------------------------------------------------------- */

static bool is_list(tocha_context *cx, const char *op, int space, const char *name,
                    tocha_pool_list list, const char *words) {
  bool may_be_empty = strcmp(name, "stride") == 0;
  if (list.count == 1 || list.count == space || (may_be_empty && list.count == 0)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s%dd: %s must %s%sa single int, or a tuple of %s ints", op,
             space, name, words, may_be_empty ? "be omitted, " : "be ",
             space == 2 ? "two" : "three");
  return false;
}

static bool are_lists(tocha_context *cx, const char *op, int space, const tocha_pool_lists *l) {
  const char *words = strcmp(op, "avg_pool") == 0 && space == 3 ? "" : "either ";
  bool fine = is_list(cx, op, space, "kernel_size", l->kernel, words) &&
              is_list(cx, op, space, "stride", l->stride, words) &&
              is_list(cx, op, space, "padding", l->padding, words);
  if (!fine || !l->dilation.values || l->dilation.count == 1 || l->dilation.count == space)
    return fine;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "%s%dd: dilation must be either a single int, or a tuple of %s ints", op, space,
             space == 2 ? "two" : "three");
  return false;
}

/* --- sizes ------------------------------------------------------------------------------------- */

static bool check_padding(tocha_context *cx, const tocha_pool_windows *w, int d) {
  long long padding = w->padding[d], kernel = w->kernel[d], dilation = w->dilation[d];
  if (w->stride[d] == 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "stride should not be zero");
  else if (padding < 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "pad must be non-negative, but got pad: %lld", padding);
  else if (padding > ((kernel - 1) * dilation + 1) / 2)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "pad should be at most half of effective kernel size, but got pad=%lld, "
               "kernel_size=%lld and dilation=%lld",
               padding, kernel, dilation);
  return !tocha_failed(cx);
}

static bool are_positive(tocha_context *cx, int space, const char *name, const char *part,
                         const int64_t *list) {
  static const char *const suffixes[] = {"T", "H", "W"};
  char text[128] = "";
  size_t at = 0;
  int first = 3 - space, d = first;
  while (d < 3 && list[d] > 0) d++;
  if (d == 3) return true;
  for (d = first; d < 3; d++)
    at += (size_t)snprintf(text + at, sizeof text - at, " %s%s: %lld", part, suffixes[d],
                           (long long)list[d]);
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s should be greater than zero, but got%s", name,
                    text);
}

static bool check_shape(tocha_context *cx, const tocha_tensor *self, int space) {
  char text[256];
  int first = self->ndim - space - 1;
  bool empty = false;
  if (space == 3) return true;
  for (int d = first; d < self->ndim; d++) empty = empty || self->sizes[d] == 0;
  if (!empty && self->ndim <= 4) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
             "got:%s",
             tocha_pool_sizes(self, text));
  return false;
}

static bool check_volume(tocha_context *cx, const tocha_tensor *self, const char *op) {
  char text[256];
  for (int d = self->ndim - 4; d < self->ndim; d++) {
    if (self->sizes[d] > 0) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "%s(): Expected input to have non-zero size for non-batch dimensions, but input has "
               "sizes %s with dimension %d being empty",
               op, tocha_pool_sizes(self, text), d);
    return false;
  }
  return true;
}

/* Writes "(3x8x8)" into text and returns it. */
static const char *extents(int64_t channels, int space, const int64_t *sizes, char text[128]) {
  int at = snprintf(text, 128, "(%lld", (long long)channels);
  for (int d = 3 - space; d < 3; d++)
    at += snprintf(text + at, 128 - (size_t)at, "x%lld", (long long)sizes[d]);
  snprintf(text + at, 128 - (size_t)at, ")");
  return text;
}

static bool check_windows(tocha_context *cx, const tocha_tensor *self, int space,
                          const tocha_pool_windows *w) {
  char text[128], other[128];
  int64_t channels = self->sizes[self->ndim - space - 1];
  bool fine = true;
  for (int d = 3 - space; d < 3; d++) fine = fine && w->out[d] >= 1;
  if (!fine) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Given input size: %s. Calculated output size: %s. Output size is too small",
               extents(channels, space, w->in, text), extents(channels, space, w->out, other));
    tocha_hint(cx, "a smaller kernel, padding, or fewer layers before that shrink the input");
  }
  return fine;
}

static bool read(tocha_context *cx, const tocha_tensor *self, int space,
                 const tocha_pool_lists *lists, tocha_pool_windows *w) {
  set_lists(w, space, lists);
  /* kernels read them as 32-bit numbers */
  if (!tocha_fits_int(cx, 3, w->kernel) || !tocha_fits_int(cx, 3, w->stride) ||
      !tocha_fits_int(cx, 3, w->padding) || !tocha_fits_int(cx, 3, w->dilation))
    return false;
  for (int d = 3 - space; d < 3; d++)
    if (!check_padding(cx, w, d)) return false;
  if (!are_positive(cx, space, "kernel size", "k", w->kernel) ||
      !are_positive(cx, space, "stride", "d", w->stride) ||
      !are_positive(cx, space, "dilation", "dilation", w->dilation) ||
      !check_shape(cx, self, space))
    return false;
  tocha_set_pool_windows(w, space, lists, self->sizes + self->ndim - space);
  return true;
}

static bool check_rank(tocha_context *cx, const tocha_tensor *self, int space) {
  if (self->ndim == space + 1 || self->ndim == space + 2) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "non-empty %dD or %dD (batch mode) tensor expected for input",
             space + 1, space + 2);
  return false;
}

bool tocha_read_max_pool(tocha_context *cx, const tocha_tensor *self, int space,
                         const tocha_pool_lists *lists, tocha_pool_args *args) {
  tocha_pool_windows *w = &args->windows;
  return are_lists(cx, "max_pool", space, lists) && check_rank(cx, self, space) &&
         read(cx, self, space, lists, w) &&
         (space == 2 || check_volume(cx, self, "max_pool3d_with_indices_out_cpu_template")) &&
         check_windows(cx, self, space, w);
}

static bool check_divisor(tocha_context *cx, const int64_t *divisor) {
  if (!divisor || *divisor) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "divisor must be not zero");
  return false;
}

/* Fails if self has too few dimensions. avg_pool2d indexes dimension -3, avg_pool3d checks the
 * number of dimensions. */
static bool check_average_rank(tocha_context *cx, const tocha_tensor *self, int space) {
  if (space == 3) return check_rank(cx, self, space);
  if (self->ndim >= 3) return true;
  int maximum = self->ndim ? self->ndim : 1;
  tocha_fail(cx, TOCHA_INDEX_ERROR,
             "Dimension out of range (expected to be in range of [%d, %d], but got -3)", -maximum,
             maximum - 1);
  return false;
}

static bool check_room(tocha_context *cx, const tocha_pool_windows *w) {
  if (w->in[0] >= w->kernel[0] && w->in[1] >= w->kernel[1] && w->in[2] >= w->kernel[2]) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "input image (T: %lld H: %lld W: %lld) smaller than kernel size (kT: %lld kH: %lld "
             "kW: %lld)",
             (long long)w->in[0], (long long)w->in[1], (long long)w->in[2], (long long)w->kernel[0],
             (long long)w->kernel[1], (long long)w->kernel[2]);
  return false;
}

static bool check_not_empty(tocha_context *cx, const tocha_tensor *self) {
  char text[256];
  for (int d = 1; d < self->ndim; d++) {
    if (self->sizes[d]) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "avg_pool3d(): Expected input to have non-zero size for non-batch dimensions, but "
               "input has sizes %s with dimension %d being empty",
               tocha_pool_sizes(self, text), d);
    return false;
  }
  return true;
}

bool tocha_read_average_pool(tocha_context *cx, const tocha_tensor *self, int space,
                             const tocha_pool_lists *lists, const int64_t *divisor,
                             tocha_pool_args *args) {
  tocha_pool_windows *w = &args->windows;
  return are_lists(cx, "avg_pool", space, lists) && check_divisor(cx, divisor) &&
         check_average_rank(cx, self, space) && read(cx, self, space, lists, w) &&
         (space == 2 || (check_not_empty(cx, self) && check_room(cx, w))) &&
         check_windows(cx, self, space, w);
}

static bool are_positive_lists(const tocha_pool_windows *w) {
  for (int d = 0; d < 3; d++)
    if (w->kernel[d] <= 0 || w->stride[d] <= 0 || w->padding[d] < 0) return false;
  return true;
}

bool tocha_read_pool_backward(tocha_context *cx, const tocha_tensor *grad, int count,
                              const int64_t *sizes, int space, const tocha_pool_lists *lists,
                              tocha_pool_args *args) {
  tocha_pool_windows *w = &args->windows;
  bool fits = count == grad->ndim && count > space;
  for (int d = 0; fits && d < count; d++)
    fits = d < count - space ? sizes[d] == grad->sizes[d] : sizes[d] > 0 && grad->sizes[d] > 0;
  const int64_t *out = grad->sizes + count - space;
  if (fits && !lists) {
    tocha_set_adaptive_windows(w, space, sizes + count - space, out);
  } else if (fits) {
    if (!are_lists(cx, "avg_pool", space, lists)) return false;
    set_lists(w, space, lists);
    if (!tocha_fits_int(cx, 3, w->kernel) || !tocha_fits_int(cx, 3, w->stride) ||
        !tocha_fits_int(cx, 3, w->padding))
      return false;
    fits = are_positive_lists(w);
    if (fits) tocha_set_pool_windows(w, space, lists, sizes + count - space);
    for (int d = 0; fits && d < space; d++) fits = w->out[3 - space + d] == out[d];
  }
  if (fits) return true;
  char text[256], own[256];
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "the gradient of a pooling, of size %s, does not go with an input of size %s",
             tocha_shape_text(grad->ndim, grad->sizes, text, sizeof text),
             tocha_shape_text(count, sizes, own, sizeof own));
  return false;
}
