/* elementwise_checks.c: what PyTorch refuses to compute elementwise, in its words, and rows that
 * are replaced by cheaper ones. */
#include <string.h>

#include "device/devices.h"
#include "tensor/convert.h"
#include "ops/pointwise/elementwise.h"
#include "tensor/iterator.h"

/* The names PyTorch's kernels go by in its messages, where they are not NAME_cpu. */
static const char *kernel_name(tocha_row_id row) {
  switch (row) {
  case TOCHA_ROW_floor_divide:
    return "div_floor_cpu";
  case TOCHA_ROW_trunc_divide:
    return "div_trunc_cpu";
  case TOCHA_ROW_pow:
    return "pow";
  case TOCHA_ROW_floor:
    return "floor_vml_cpu";
  case TOCHA_ROW_ceil:
    return "ceil_vml_cpu";
  case TOCHA_ROW_trunc:
    return "trunc_vml_cpu";
  case TOCHA_ROW_round:
    return "round_vml_cpu";
  case TOCHA_ROW_round_decimals:
  case TOCHA_ROW_round_tens:
    return "round_cpu";
  case TOCHA_ROW_gelu:
  case TOCHA_ROW_gelu_tanh:
    return "GeluKernelImpl";
  case TOCHA_ROW_softshrink:
    return "softshrink_check";
  case TOCHA_ROW_lerp:
    return "lerp_kernel_tensor";
  case TOCHA_ROW_lerp_number:
    return "lerp_kernel_scalar";
  case TOCHA_ROW_addcmul:
    return "addcmul_cpu_out";
  case TOCHA_ROW_addcdiv:
    return "addcdiv_cpu_out";
  case TOCHA_ROW_clamp_tensors:
    return "clamp_cpu";
  default:
    return NULL;
  }
}

static const char *const row_names[TOCHA_ROW_COUNT] = {
#define ROW(name, inputs, policy, output, types, formula) #name,
#include "ops/pointwise/elementwise.def"
#undef ROW
};

void *tocha_row_not_implemented(tocha_context *cx, tocha_row_id row, tocha_dtype type) {
  const char *name = kernel_name(row), *suffix = name ? "" : "_cpu";
  return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"%s%s\" not implemented for '%s'",
                    name ? name : row_names[row], suffix, tocha_dtype_scalar_type(type));
}

bool tocha_check_number(tocha_context *cx, tocha_scalar number, tocha_dtype type) {
  static const struct {
    const char *name;
    int64_t low, high;
  } of[] = {{"bool", INT64_MIN, INT64_MAX}, {"uint8_t", -255, 255},
            {"int8_t", -128, 127},          {"int16_t", -32768, 32767},
            {"int", INT32_MIN, INT32_MAX},  {"int64_t", INT64_MIN, INT64_MAX}};
  if (type > TOCHA_INT64) return true;
  bool fits = number.kind == TOCHA_SCALAR_FLOAT
                  ? type == TOCHA_BOOL || (number.value.real >= (double)of[type].low &&
                                           number.value.real <= (double)of[type].high)
                  : number.value.integer >= of[type].low && number.value.integer <= of[type].high;
  if (!fits)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "value cannot be converted to type %s without overflow",
               of[type].name);
  return fits;
}

static tocha_dtype operand_type(const tocha_operand *o) {
  if (o->tensor) return o->tensor->dtype;
  return o->scalar.kind == TOCHA_SCALAR_BOOL ? TOCHA_BOOL : TOCHA_NO_DTYPE;
}

/* Differences of bool tensors are refused: what is meant may be one of three things. */
static bool check_difference(tocha_context *cx, const tocha_operand *operands) {
  bool a = operand_type(&operands[0]) == TOCHA_BOOL, b = operand_type(&operands[1]) == TOCHA_BOOL;
  if (!a && !b) return true;
  if (a && b)
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
               "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` "
               "or `logical_xor()` operator instead.");
  else
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
               "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
               "trying to invert a mask, use the `~` or `logical_not()` operator instead.");
  return false;
}

static bool check_alpha(tocha_context *cx, tocha_dtype type, tocha_scalar alpha) {
  if (alpha.kind == TOCHA_SCALAR_INT && alpha.value.integer == 1) return true;
  if (alpha.kind == TOCHA_SCALAR_BOOL && type != TOCHA_BOOL) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Boolean alpha only supported for Boolean results.");
    return false;
  }
  if (alpha.kind == TOCHA_SCALAR_FLOAT && !tocha_dtype_is_floating(type)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "For integral input tensors, argument alpha must not be a floating point number.");
    return false;
  }
  return tocha_check_number(cx, alpha, type);
}

/* --- division of integers -------------------------------------------------------------------------- */

typedef struct zero_search {
  tocha_converter to_bool;
  atomic_bool found;
} zero_search;

static void search_zero(void *user, char *const *data, const int64_t *strides, int64_t n) {
  zero_search *search = user;
  char truth[512];
  for (int64_t at = 0; at < n; at += (int64_t)sizeof truth) {
    int64_t count = n - at < (int64_t)sizeof truth ? n - at : (int64_t)sizeof truth;
    search->to_bool(truth, 1, data[0] + at * strides[0], strides[0], count);
    if (memchr(truth, 0, (size_t)count)) atomic_store(&search->found, true);
  }
}

/* Whether the divisor of integers has a zero, which no loop could divide by. A device is not made to
 * wait for the answer: its kernels give 0 there. */
static bool check_divisor(tocha_context *cx, const tocha_operand *divisor) {
  bool zero;
  tocha_tensor *t = divisor->tensor;
  if (!t) {
    zero = divisor->scalar.value.integer == 0;
  } else {
    if (!t->numel || !t->storage->data || tocha_is_on_device(t)) return true;
    tocha_iterator it;
    zero_search search = {.to_bool = tocha_conversion(TOCHA_BOOL, t->dtype)};
    atomic_init(&search.found, false);
    tocha_iterator_begin(&it, cx, t->ndim, t->sizes, 1, &t);
    if (!tocha_iterator_run(&it, search_zero, &search)) return false;
    zero = atomic_load(&search.found);
  }
  if (zero) tocha_fail(cx, TOCHA_RUNTIME_ERROR, "ZeroDivisionError");
  return !zero;
}

/* Element types as messages of C++ origin call them. */
static const char *c_name(tocha_dtype type) {
  static const char *const names[TOCHA_DTYPE_COUNT] = {
      "bool",     "unsigned char", "signed char",   "short int", "int",
      "long int", "c10::Half",     "c10::BFloat16", "float",     "double"};
  return names[type];
}

static bool check_same_type(tocha_context *cx, const tocha_operand *operands, int which,
                            const char *name) {
  if (operands[0].tensor->dtype == operands[which].tensor->dtype) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "expected dtype %s for `%s` but got dtype %s",
             c_name(operands[0].tensor->dtype), name, c_name(operands[which].tensor->dtype));
  return false;
}

static bool check_addcdiv(tocha_context *cx, const tocha_operand *operands) {
  if (tocha_dtype_is_floating(operands[1].tensor->dtype) ||
      tocha_dtype_is_floating(operands[2].tensor->dtype))
    return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Integer division with addcdiv is no longer supported, and in a future  release "
             "addcdiv will perform a true division of tensor1 and tensor2. The historic addcdiv "
             "behavior can be implemented as (input + value * torch.trunc(tensor1 / "
             "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
             "tensor2) for float inputs. The future addcdiv behavior is just the latter "
             "implementation: (input + value * tensor1 / tensor2), for all dtypes.");
  return false;
}

static bool check_power(tocha_context *cx, tocha_dtype type, const tocha_operand *exponent) {
  if (exponent->tensor || tocha_dtype_is_floating(type) || type == TOCHA_BOOL) return true;
  if (exponent->scalar.value.integer < 0) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Integers to negative integer powers are not allowed.");
    return false;
  }
  return tocha_check_number(cx, exponent->scalar, type);
}

bool tocha_check_row(tocha_context *cx, tocha_row_id row, tocha_dtype type, int count,
                     const tocha_operand *operands, int numbers, const tocha_scalar *p) {
  (void)count;
  switch (row) {
  case TOCHA_ROW_sub:
    if (!check_difference(cx, operands)) return false;
    return check_alpha(cx, type, p[0]);
  case TOCHA_ROW_add:
    return check_alpha(cx, type, p[0]);
  case TOCHA_ROW_neg:
    if (type != TOCHA_BOOL) return true;
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR,
               "Negation, the `-` operator, on a bool tensor is not supported. If you are trying "
               "to invert a mask, use the `~` or `logical_not()` operator instead.");
    return false;
  case TOCHA_ROW_relu:
    if (type != TOCHA_BOOL) return true;
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "Boolean inputs not supported for relu");
    return false;
  case TOCHA_ROW_hardtanh:
    if (type != TOCHA_BOOL) return true;
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "Bool inputs not supported for hardtanh");
    return false;
  case TOCHA_ROW_floor_divide:
  case TOCHA_ROW_trunc_divide:
  case TOCHA_ROW_remainder:
  case TOCHA_ROW_fmod:
    return tocha_dtype_is_floating(type) || type == TOCHA_BOOL || check_divisor(cx, &operands[1]);
  case TOCHA_ROW_pow:
    return check_power(cx, type, &operands[1]);
  case TOCHA_ROW_lerp:
    return check_same_type(cx, operands, 1, "end") && check_same_type(cx, operands, 2, "weight");
  case TOCHA_ROW_lerp_number:
    return check_same_type(cx, operands, 1, "end");
  case TOCHA_ROW_addcdiv:
    return check_addcdiv(cx, operands);
  case TOCHA_ROW_heaviside:
    if (operands[0].tensor->dtype == operands[1].tensor->dtype) return true;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "heaviside is not yet implemented for tensors with different dtypes.");
    return false;
  case TOCHA_ROW_threshold:
    for (int i = 0; i < numbers; i++)
      if (!tocha_check_number(cx, p[i], type)) return false;
    return true;
  default:
    return true;
  }
}

tocha_row_id tocha_cheaper_row(tocha_row_id row, tocha_dtype type, int *count,
                               const tocha_operand *operands) {
  if (row != TOCHA_ROW_pow || operands[1].tensor || !operands[0].tensor || type == TOCHA_BOOL)
    return row;
  double exponent = tocha_scalar_real(operands[1].scalar);
  tocha_row_id cheaper = row;
  if (exponent == 2) cheaper = TOCHA_ROW_square;
  if (exponent == 3) cheaper = TOCHA_ROW_cube;
  if (tocha_dtype_is_floating(type)) {
    if (exponent == 0.5) cheaper = TOCHA_ROW_sqrt;
    if (exponent == -0.5) cheaper = TOCHA_ROW_rsqrt;
    if (exponent == -1) cheaper = TOCHA_ROW_reciprocal;
    if (exponent == -2) cheaper = TOCHA_ROW_inverse_square;
  }
  if (cheaper != row) *count = 1;
  return cheaper;
}
