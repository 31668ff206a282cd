/* fill.c: fills a tensor with random numbers of a distribution. */
#include "ops/random/fill.h"

#include "tensor/copy.h"
#include "tensor/iterator.h"
#include "tensor/output.h"
#include "tensor/overlap.h"
#include "tensor/strided.h"

void *tocha_refuse_random_type(tocha_context *cx, const char *kernel, const tocha_tensor *t) {
  return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s%s\" not implemented for '%s'", kernel,
                    tocha_is_on_device(t) ? "cuda" : "cpu", tocha_dtype_scalar_type(t->dtype));
}

tocha_tensor *tocha_on_host_instead(tocha_context *cx, tocha_tensor *t) {
  int64_t extent = 1;
  for (int i = 0; i < t->ndim; i++) extent += (t->sizes[i] - 1) * t->strides[i];
  tocha_tensor *memory = tocha_new(cx, 1, &extent, t->dtype, tocha_cpu());
  return memory ? tocha_alias(cx, memory, t->ndim, t->sizes, t->strides, 0) : NULL;
}

tocha_tensor *tocha_as_vector_along(tocha_context *cx, tocha_tensor *t, tocha_tensor *dense) {
  const int64_t stride = 1;
  if (t != dense) {
    tocha_tensor *copy =
        tocha_new_strided(cx, dense->ndim, dense->sizes, dense->strides, t->dtype, dense->device);
    if (!copy || !tocha_copy_data(cx, copy, t)) return NULL;
    t = copy;
  }
  return tocha_alias(cx, t, 1, &t->numel, &stride, t->offset);
}

static bool launch(tocha_context *cx, tocha_tensor *t, const tocha_random_args *args) {
  tocha_iterator it;
  tocha_stream *stream = tocha_stream_of(cx, t->device);
  if (!stream) return false;
  tocha_iterator_begin(&it, cx, t->ndim, t->sizes, 1, &t);
  if (it.ndim > TOCHA_LAYOUT_DIMS) { /* a dense tensor has a single dimension */
    tocha_tensor *dense = tocha_new_copy_of(cx, t, t->dtype, t->device);
    return dense && launch(cx, dense, args) && tocha_copy_data(cx, t, dense);
  }
  tocha_strided_layout layout;
  tocha_strided_layout_of(&it, &t, &layout);
  tocha_random_args full = *args;
  full.layout = &layout;
  return tocha_launched(cx, stream->kernels->random->random(stream, &full));
}

bool tocha_fill_random(tocha_context *cx, tocha_tensor *t, tocha_random_args *args,
                       tocha_generator *generator) {
  if (!tocha_check_no_overlap(cx, t)) return false;
  if (!tocha_has_elements(t)) return true;
  if (tocha_is_drawn_on_host(cx, t)) {
    tocha_tensor *host = tocha_on_host_instead(cx, t);
    return host && tocha_fill_random(cx, host, args, generator) && tocha_copy_data(cx, t, host);
  }
  args->row_major = tocha_is_contiguous(t);
  args->generator = tocha_generator_for(cx, t->device, generator);
  return args->generator && launch(cx, t, args);
}
