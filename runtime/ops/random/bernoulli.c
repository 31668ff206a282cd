/* bernoulli.c: random 0 or 1, with a single probability or with one for each element. */
#include <inttypes.h>

#include "ops/random/fill.h"
#include "random/implementations.h"
#include "tensor/copy.h"
#include "tensor/output.h"
#include "tensor/overlap.h"
#include "tensor/strided.h"
#include "tensor/transfer.h"

bool tocha_fill_bernoulli(tocha_context *cx, tocha_tensor *t, double p, double value,
                          tocha_generator *generator) {
  tocha_random_args args = {.distribution = TOCHA_DISTRIBUTION_BERNOULLI, .a = p, .b = value};
  if (!(p >= 0 && p <= 1)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "bernoulli_ expects p to be in [0, 1], but got p=%g", p);
    return false;
  }
  return tocha_fill_random(cx, t, &args, generator);
}

/* --- a probability for each element ------------------------------------------------------------- */

static bool check_probabilities(tocha_context *cx, const tocha_tensor *t, const tocha_tensor *p) {
  if (tocha_dtype_is_floating(p->dtype) || t->numel == 0) return true;
  if (tocha_is_on_device(t))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "expected probabilities tensor to have floating type, got %s",
               tocha_dtype_scalar_type(p->dtype));
  else
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
               "\"bernoulli_tensor_cpu_p_\" not implemented for '%s'",
               tocha_dtype_scalar_type(p->dtype));
  return false;
}

/* Runs the kernel. p is on t's device. */
static bool launch(tocha_context *cx, tocha_tensor *t, tocha_tensor *p,
                   tocha_generator *generator) {
  tocha_tensor *both[2] = {t, p};
  tocha_strided_layout layout;
  tocha_bernoulli_args args = {&layout, tocha_generator_for(cx, t->device, generator)};
  tocha_stream *stream = args.generator ? tocha_stream_of(cx, t->device) : NULL;
  if (!stream) return false;
  if (tocha_plain_layout(&layout, 2, both))
    return tocha_launched(cx, stream->kernels->random->bernoulli(stream, &args));
  /* more dimensions than a kernel supports: both become vectors in the order of t's memory */
  tocha_tensor *dense = tocha_new_copy_of(cx, t, t->dtype, t->device);
  tocha_tensor *dense_p = dense ? tocha_as_vector_along(cx, p, dense) : NULL;
  tocha_tensor *vector = dense_p ? tocha_as_vector_along(cx, dense, dense) : NULL;
  return vector && launch(cx, vector, dense_p, generator) && tocha_copy_data(cx, t, dense);
}

/* Fills t with 1, with the probabilities p, else 0. p broadcasts to t. */
static bool fill_by_tensor(tocha_context *cx, tocha_tensor *t, tocha_tensor *p,
                           tocha_generator *generator) {
  if (!check_probabilities(cx, t, p) || !tocha_check_no_overlap(cx, t)) return false;
  if (!tocha_has_elements(t)) return true;
  if (tocha_is_drawn_on_host(cx, t)) {
    tocha_tensor *host = tocha_on_host_instead(cx, t);
    return host && (p = tocha_on_host(cx, p)) != NULL && fill_by_tensor(cx, host, p, generator) &&
           tocha_copy_data(cx, t, host);
  }
  p = tocha_as_device(cx, p, t->device);
  return p && launch(cx, t, p, generator);
}

tocha_tensor *tocha_op_bernoulli_(tocha_context *cx, tocha_tensor *self, double p,
                                  tocha_generator *generator) {
  return tocha_fill_bernoulli(cx, self, p, 1, generator) ? self : NULL;
}

tocha_tensor *tocha_op_bernoulli__tensor(tocha_context *cx, tocha_tensor *self, tocha_tensor *p,
                                         tocha_generator *generator) {
  char a[256], b[256];
  for (int i = 1; i <= p->ndim; i++) {
    int64_t have = p->sizes[p->ndim - i], want = i <= self->ndim ? self->sizes[self->ndim - i] : 1;
    if (have == want || (have == 1 && i <= self->ndim)) continue;
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "The expanded size of the tensor (%" PRId64 ") must match the existing size "
                      "(%" PRId64 ") at non-singleton dimension %d.  Target sizes: %s.  Tensor "
                      "sizes: %s",
                      want, have, self->ndim - i, tocha_shape_text(self->ndim, self->sizes, a, 256),
                      tocha_shape_text(p->ndim, p->sizes, b, 256));
  }
  return fill_by_tensor(cx, self, p, generator) ? self : NULL;
}

tocha_tensor *tocha_op_bernoulli(tocha_context *cx, tocha_tensor *self,
                                 tocha_generator *generator) {
  tocha_tensor *out = tocha_new_like(cx, self, self->dtype);
  return out && fill_by_tensor(cx, out, self, generator) ? out : NULL;
}

tocha_tensor *tocha_op_bernoulli_p(tocha_context *cx, tocha_tensor *self, double p,
                                   tocha_generator *generator) {
  tocha_tensor *out = tocha_new_like(cx, self, self->dtype);
  return out && tocha_fill_bernoulli(cx, out, p, 1, generator) ? out : NULL;
}
