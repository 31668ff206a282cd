/* rounded_pad.c: the gradient of padding in 16-bit types. PyTorch's CPU adds it place by place (rounds =
 * "steps"). */
#include "ops/shape/pad_modes.h"
#include "shape/implementations.h"
#include "tocha/ops/private/index_select_backward.h"
#include "tocha/ops/reshape.h"

static int64_t product(const int64_t *sizes, int count) {
  int64_t n = 1;
  for (int d = 0; d < count; d++) n *= sizes[d];
  return n;
}

/* Adds all dimensions at once, but for circular padding one dimension after the other. */
tocha_tensor *tocha_steps__pad_backward(tocha_context *cx, tocha_tensor *grad_output,
                                        int sizes_count, const int64_t *sizes, int count,
                                        const int64_t *pad, const char *mode) {
  if (mode[0] == 'c')
    return tocha_op__pad_backward(cx, grad_output, sizes_count, sizes, count, pad, mode);
  int ndim = grad_output->ndim, padded = count / 2, outer = ndim - padded;
  int64_t flat[2] = {product(sizes, outer), product(grad_output->sizes + outer, padded)};
  int64_t now[2] = {flat[0], product(sizes + outer, padded)};
  tocha_tensor *at = tocha_padded_places(cx, mode, grad_output->sizes, sizes, ndim, 0, padded, pad,
                                         grad_output->device);
  tocha_tensor *rows = tocha_reshape(cx, grad_output, 2, flat);
  if (!at || !rows) return NULL;
  return tocha_reshape(cx, tocha_private_index_select_backward(cx, rows, 2, now, 1, at), ndim,
                       sizes);
}
