/* equal.c: whether two tensors hold the same. */
#include <string.h>

#include "creation/implementations.h"
#include "device/devices.h"
#include "tensor/copy.h"
#include "tocha/ops/any.h"
#include "tocha/ops/ne.h"

bool tocha_op_equal(tocha_context *cx, tocha_tensor *self, tocha_tensor *other,
                    tocha_results *results) {
  results->value_kind = TOCHA_KIND_BOOL;
  results->value.given = true;
  results->value.value.flag = false;
  if (!tocha_check_values(cx, self, "equal") || !tocha_check_values(cx, other, "equal"))
    return false;
  if (!tocha_same_sizes(self, other)) return true;
  tocha_tensor *differs = tocha_ne(cx, self, other);
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
