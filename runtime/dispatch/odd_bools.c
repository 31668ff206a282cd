/* odd_bools.c: bools that contain other bytes than 0 and 1. Any byte but 0 is true, as in PyTorch,
 * but the loops expect only 0 and 1.
 *
 * Such bytes come from views of another dtype's memory, mapped files and the host program's memory.
 * Their storages are marked, and operators read clean copies of them. */
#include "core/storage.h"
#include "dispatch/call.h"
#include "tensor/copy.h"
#include "tensor/scratch.h"
#include "tocha/ops/ne.h"

static bool may_be_odd(const tocha_tensor *t) {
  return t && t->dtype == TOCHA_BOOL && t->storage->odd_bools && tocha_has_elements(t);
}

/* Returns a copy of t whose bytes are 0 and 1. */
static tocha_tensor *tidied(tocha_context *cx, tocha_tensor *t) {
  tocha_tensor *bytes = tocha_alias(cx, t, t->ndim, t->sizes, t->strides, t->offset);
  if (!bytes) return NULL;
  bytes->dtype = TOCHA_UINT8;
  return tocha_ne_full(cx, bytes, tocha_number(tocha_int(0)));
}

static bool tidy_list(tocha_context *cx, const tocha_arg *list, tocha_arg *tidy) {
  const tocha_device cpu = {TOCHA_CPU, -1};
  bool any = false;
  void *scratch;
  for (int k = 0; k < list->count; k++) any = any || may_be_odd(list->value.tensors[k]);
  if (!any) return true;
  if (!tocha_new_scratch(cx, cpu, (uint64_t)list->count * sizeof(tocha_tensor *), &scratch))
    return false;
  tocha_tensor **tensors = scratch;
  for (int k = 0; k < list->count; k++) {
    tocha_tensor *t = list->value.tensors[k];
    tensors[k] = may_be_odd(t) ? tidied(cx, t) : t;
  }
  tidy->value.tensors = tensors;
  return !tocha_failed(cx);
}

bool tocha_tidy_arguments(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                          tocha_arg *tidy) {
  for (int i = 0; i < op->parameter_count; i++) {
    tidy[i] = args[i];
    if (op->parameters[i].kind == TOCHA_KIND_TENSORS && !tidy_list(cx, &args[i], &tidy[i]))
      return false;
    if (!may_be_odd(args[i].tensor)) continue;
    tocha_tensor *t = tidied(cx, args[i].tensor);
    bool written = i == 0 && op->flags & TOCHA_OP_INPLACE;
    if (!t || (written && !tocha_copy_data(cx, args[i].tensor, t))) return false;
    if (!written) tidy[i].tensor = t;
  }
  return true;
}
