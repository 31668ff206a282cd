/* float8.c: the checks of float8.h. */
#include "dispatch/float8.h"

#include <string.h>

#include "tensor/result_type.h"
#include "tensor/scratch.h"
#include "tocha/ops/to.h"

/* Copies words to text (which has room for `size` bytes), with the dtype's name for {dtype}. */
static void write_words(char *text, size_t size, const char *words, tocha_dtype dtype) {
  static const char mark[] = "{dtype}";
  size_t used = 0;
  while (*words && used + 1 < size) {
    bool at_mark = strncmp(words, mark, sizeof mark - 1) == 0;
    const char *name = tocha_dtype_scalar_type(dtype);
    for (; at_mark && *name && used + 1 < size; name++) text[used++] = *name;
    if (!at_mark) text[used++] = *words;
    words += at_mark ? sizeof mark - 1 : 1;
  }
  text[used] = 0;
}

bool tocha_accepts_float8(tocha_context *cx, const tocha_float8_rule *rule, tocha_dtype dtype) {
  char text[256];
  if (!tocha_is_float8(dtype) || !rule->words) return true;
  if (rule->accepted >> (dtype - TOCHA_FLOAT8_E4M3FN) & 1) return true;
  write_words(text, sizeof text, rule->words, dtype);
  tocha_fail(cx, rule->code, "%s", text);
  tocha_hint(cx,
             "a float8 dtype only stores numbers: compute in another dtype, x:to(torch.float32)");
  return false;
}

void *tocha_refuse_float8_promotion(tocha_context *cx, tocha_dtype a, tocha_dtype b) {
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Promotion for Float8 Types is not supported, attempted to promote %s and %s",
             tocha_dtype_scalar_type(a), tocha_dtype_scalar_type(b));
  return tocha_hint(cx, "convert the float8 tensor: x:to(torch.float32)");
}

void *tocha_refuse_float8_operands(tocha_context *cx, int count, const tocha_operand *operands) {
  tocha_dtype pair[2];
  tocha_promote_operands(cx, count, operands, pair);
  return tocha_refuse_float8_promotion(cx, pair[0], pair[1]);
}

/* Returns true if the call names a dtype for the result that is none of float8, and fails if it
 * names one of float8 that the operator refuses. */
static bool names_dtype(tocha_context *cx, const tocha_op *op, const tocha_arg *args) {
  bool named = false;
  for (int i = 0; i < op->parameter_count; i++) {
    if (op->parameters[i].kind != TOCHA_KIND_DTYPE || !args[i].given) continue;
    if (!tocha_accepts_float8(cx, &tocha_operator_of(op)->float8, args[i].value.dtype))
      return false;
    named = args[i].value.dtype != TOCHA_NO_DTYPE;
  }
  return named;
}

/* Returns a copy of args whose float8 tensors are converted to float32. */
static const tocha_arg *widened(tocha_context *cx, const tocha_op *op, const tocha_arg *args) {
  const tocha_device cpu = {TOCHA_CPU, -1};
  void *scratch;
  if (!tocha_new_scratch(cx, cpu, TOCHA_MAX_PARAMETERS * sizeof *args, &scratch)) return NULL;
  tocha_arg *copies = scratch;
  memcpy(copies, args, (size_t)op->parameter_count * sizeof *args);
  for (int i = 0; i < op->parameter_count; i++) {
    tocha_tensor *t = args[i].tensor;
    if (!t || !tocha_is_float8(t->dtype)) continue;
    copies[i].tensor = tocha_to_dtype(cx, t, TOCHA_FLOAT32, false, false);
    if (!copies[i].tensor) return NULL;
  }
  return copies;
}

const tocha_arg *tocha_float8_arguments(tocha_context *cx, const tocha_op *op,
                                        const tocha_arg *args) {
  const tocha_operator *operator= tocha_operator_of(op);
  const tocha_float8_rule *rule = &operator->float8;
  tocha_tensor_place at = {0};
  const tocha_tensor *t;
  if (!rule->words || operator->formula) return args;
  const bool named = names_dtype(cx, op, args);
  if (tocha_failed(cx)) return NULL;
  while ((t = tocha_next_tensor(op, args, &at))) {
    if (!tocha_is_float8(t->dtype)) continue;
    if (named) return widened(cx, op, args);
    if (!tocha_accepts_float8(cx, rule, t->dtype)) return NULL;
  }
  return args;
}
