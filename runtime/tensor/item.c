/* item.c: reads values on the host. If the tensor is on a device, waits for the work that was
 * started before. */
#include "device/devices.h"
#include "tensor/copy.h"
#include "tensor/transfer.h"

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
  if (!tocha_read_element(cx, tensor, &element)) {
    tocha_name_in_capture(cx, "item");
    return false;
  }
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
