/* complex.c: functions of complex numbers, of tensors whose elements are real. */
#include "shape/implementations.h"
#include "tensor/copy.h"
#include "tensor/output.h"

tocha_tensor *tocha_op_real(tocha_context *cx, tocha_tensor *self) {
  (void)cx;
  return self;
}

tocha_tensor *tocha_op_isreal(tocha_context *cx, tocha_tensor *self) {
  tocha_tensor *out = tocha_new_copy_of(cx, self, TOCHA_BOOL, self->device);
  return out && tocha_fill_data(cx, out, tocha_int(1)) ? out : NULL;
}
