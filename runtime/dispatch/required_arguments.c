/* required_arguments.c: the checks of required_arguments.h. */
#include "dispatch/required_arguments.h"

#include "core/dtype.h"

bool tocha_given_operand(tocha_context *cx, const char *op, const char *name, tocha_operand value) {
  return value.tensor || value.scalar.kind != TOCHA_NO_SCALAR ||
         tocha_refuse_none(cx, op, name, "Tensor");
}

bool tocha_given_dtype(tocha_context *cx, const char *op, const char *name, tocha_dtype value) {
  if (value >= TOCHA_NO_DTYPE && value < TOCHA_DTYPE_COUNT) return true;
  return tocha_fail(cx, TOCHA_TYPE_ERROR, "%s(): argument '%s' must be torch.dtype, not %d", op,
                    name, (int)value);
}

bool tocha_given_text(tocha_context *cx, const char *op, const char *name, const char *value) {
  return value || tocha_refuse_none(cx, op, name, "str");
}

static bool given_count(tocha_context *cx, const char *op, const char *name, int count,
                        const void *value) {
  if (count < 0) {
    tocha_fail(cx, TOCHA_VALUE_ERROR, "%s(): argument '%s' has %d elements", op, name, count);
    return false;
  }
  return count == 0 || value || tocha_refuse_none(cx, op, name, "a list");
}

bool tocha_given_ints(tocha_context *cx, const char *op, const char *name, int count,
                      const void *value) {
  return given_count(cx, op, name, count, value);
}

bool tocha_given_tensors(tocha_context *cx, const char *op, const char *name, int count,
                         tocha_tensor *const *value, bool optional) {
  if (!given_count(cx, op, name, count, value)) return false;
  for (int i = 0; i < count && !optional; i++)
    if (!value[i]) {
      tocha_fail(cx, TOCHA_TYPE_ERROR,
                 "expected Tensor as element %d in argument '%s' of %s(), but got NoneType", i,
                 name, op);
      return false;
    }
  return true;
}

bool tocha_given_argument(tocha_context *cx, const tocha_op *op, int number, const tocha_arg *arg) {
  const tocha_parameter *p = &op->parameters[number];
  if (p->kind == TOCHA_KIND_TENSORS)
    return tocha_given_tensors(cx, op->lua_name, p->name, arg->count, arg->value.tensors,
                               p->optional || p->holes);
  if (p->kind == TOCHA_KIND_DTYPE &&
      !tocha_given_dtype(cx, op->lua_name, p->name, arg->value.dtype))
    return false;
  if (p->kind == TOCHA_KIND_DTYPE && tocha_is_float8(arg->value.dtype)) cx->float8 = true;
  if (p->kind != TOCHA_KIND_TENSOR && p->kind != TOCHA_KIND_STRING && p->kind != TOCHA_KIND_DTYPE)
    return tocha_given_ints(cx, op->lua_name, p->name, arg->count, arg->value.ints);
  if (p->optional || (p->kind == TOCHA_KIND_STRING && arg->value.string) ||
      (p->kind == TOCHA_KIND_DTYPE && arg->given))
    return true;
  tocha_fail(cx, TOCHA_TYPE_ERROR, "%s(): argument '%s' (position %d) must be %s, not NoneType",
             op->lua_name, p->name, number + 1, p->python);
  return false;
}

void *tocha_refuse_silence(tocha_context *cx, const char *function) {
  if (tocha_failed(cx)) return NULL;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s failed without an error", function);
  return tocha_hint(cx, "a function that the library calls says why with tocha_fail before it "
                        "returns NULL or false");
}
