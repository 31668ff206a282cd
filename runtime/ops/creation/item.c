/* item.c: the host looks at values: one number, or whether two tensors hold the same. Of a tensor on a
 * device it waits for the work before. */
#include <string.h>

#include "device/devices.h"
#include "tensor/transfer.h"
#include "tensor/convert.h"
#include "tensor/copy.h"
#include "ops/pointwise/elementwise.h"
#include "creation/implementations.h"
#include "tocha/ops/any.h"
#include "tocha/ops/multiply.h"

bool tocha_item(tocha_context *cx, const tocha_tensor *tensor, tocha_scalar *value) {
  if (!tensor || tocha_failed(cx)) return false;
  if (tensor->numel != 1) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "a Tensor with %lld elements cannot be converted to Scalar",
               (long long)tensor->numel);
    return false;
  }
  if (tensor->device.type == TOCHA_META) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Tensor.item() cannot be called on meta tensors");
    return false;
  }
  int64_t element;
  if (!tocha_read_element(cx, tensor, &element)) return false;
  *value = tocha_load_scalar(&element, tensor->dtype);
  return true;
}

bool tocha_check_values(tocha_context *cx, const tocha_tensor *t, const char *name) {
  if (t->device.type != TOCHA_META) return true;
  tocha_fail(
      cx, TOCHA_NOT_IMPLEMENTED_ERROR,
      "aten::%s: attempted to run this operator with Meta tensors, but there was no fake impl "
      "or Meta kernel registered. You may have run into this message while using an operator "
      "with PT2 compilation APIs (torch.compile/torch.export); in order to use this operator "
      "with those APIs you'll need to add a fake impl. Please see the following for next "
      "steps:  https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html",
      name);
  tocha_hint(cx, "a meta tensor has sizes and no values");
  return false;
}

bool tocha_op_equal(tocha_context *cx, tocha_tensor *self, tocha_tensor *other,
                    tocha_results *results) {
  results->value_kind = TOCHA_KIND_BOOL;
  results->value.given = true;
  results->value.value.flag = false;
  if (!tocha_check_values(cx, self, "equal") || !tocha_check_values(cx, other, "equal"))
    return false;
  if (!tocha_same_sizes(self, other)) return true;
  const tocha_operand both[2] = {tocha_operand_of(self), tocha_operand_of(other)};
  tocha_tensor *differs = tocha_elementwise_row(cx, TOCHA_ROW_ne, 2, both, 0, NULL, NULL);
  if (differs && tocha_is_on_device(differs)) { /* one element comes to the host */
    tocha_scalar any;
    if (!tocha_item(cx, tocha_any(cx, differs, 0, NULL, false), &any)) return false;
    results->value.value.flag = !any.value.integer;
    return true;
  }
  if (!differs) return false;
  results->value.value.flag =
      differs->numel == 0 || !memchr(tocha_bytes(differs), 1, (size_t)differs->numel);
  return true;
}
