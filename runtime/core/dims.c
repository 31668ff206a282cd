/* dims.c: prints sizes and types as text, and wraps dimensions counted from the end. */
#include <stdio.h>

#include "core/internal.h"

const char *tocha_shape_text(int ndim, const int64_t *sizes, char *text, size_t capacity) {
  size_t used = (size_t)snprintf(text, capacity, "[");
  for (int i = 0; i < ndim && used < capacity; i++)
    used +=
        (size_t)snprintf(text + used, capacity - used, i ? ", %lld" : "%lld", (long long)sizes[i]);
  if (used < capacity) snprintf(text + used, capacity - used, "]");
  return text;
}

const char *tocha_type_text(const tocha_tensor *t, char text[32]) {
  const char *type = tocha_dtype_scalar_type((tocha_dtype)t->dtype);
  bool new_kind = t->dtype == TOCHA_BOOL || t->dtype == TOCHA_BFLOAT16; /* these have no old name */
  if (t->device.type == TOCHA_META)
    snprintf(text, 32, "Meta%sType", type);
  else if (new_kind)
    snprintf(text, 32, "%s%sType", t->device.type == TOCHA_CUDA ? "CUDA" : "CPU", type);
  else
    snprintf(text, 32, "torch.%s%sTensor", t->device.type == TOCHA_CUDA ? "cuda." : "", type);
  return text;
}

bool tocha_wrap_dim(tocha_context *cx, int64_t *dim, int ndim) {
  int64_t range = ndim ? ndim : 1;
  if (!dim) return tocha_refuse_none(cx, "wrap_dim", "dim", "int");
  if (*dim < -range || *dim >= range) {
    tocha_fail(cx, TOCHA_INDEX_ERROR,
               "Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)",
               (long long)-range, (long long)range - 1, (long long)*dim);
    return false;
  }
  if (*dim < 0) *dim += range;
  return true;
}

bool tocha_size_of(tocha_context *cx, const tocha_tensor *t, int dim, int64_t *size) {
  int64_t d = dim;
  if (t->ndim == 0)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "Dimension specified as %d but tensor has no dimensions", dim) != NULL;
  if (!tocha_wrap_dim(cx, &d, t->ndim)) return false;
  *size = t->sizes[d];
  return true;
}
