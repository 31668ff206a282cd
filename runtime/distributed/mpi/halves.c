/* halves.c: halves, which MPI has no types for: added in float, and rounded after each addition. */
#include "distributed/mpi/mpi.h"

#include "tensor/math/half.h"

enum { BLOCK = 256 }; /* elements */

static void widen(float *to, const uint16_t *from, int count, bool bfloat16) {
  if (!bfloat16) tocha_halves_to_floats(to, from, count);
  for (int i = 0; bfloat16 && i < count; i++) to[i] = tocha_bfloat16_to_float(from[i]);
}

static void narrow(uint16_t *to, const float *from, int count, bool bfloat16) {
  if (!bfloat16) tocha_floats_to_halves(to, from, count);
  for (int i = 0; bfloat16 && i < count; i++) to[i] = tocha_float_to_bfloat16(from[i]);
}

static void combine(float *a, const float *b, int count, tocha_reduce_op op) {
  switch (op) {
  case TOCHA_REDUCE_PRODUCT:
    for (int i = 0; i < count; i++) a[i] *= b[i];
    break;
  case TOCHA_REDUCE_MIN:
    for (int i = 0; i < count; i++) a[i] = b[i] < a[i] ? b[i] : a[i];
    break;
  case TOCHA_REDUCE_MAX:
    for (int i = 0; i < count; i++) a[i] = a[i] < b[i] ? b[i] : a[i];
    break;
  default:
    for (int i = 0; i < count; i++) a[i] += b[i];
  }
}

static void reduce(uint16_t *to, const uint16_t *from, int count, tocha_reduce_op op,
                   bool bfloat16) {
  float a[BLOCK], b[BLOCK];
  for (int i = 0; i < count; i += BLOCK) {
    int n = count - i < BLOCK ? count - i : BLOCK;
    widen(a, to + i, n, bfloat16);
    widen(b, from + i, n, bfloat16);
    combine(a, b, n, op);
    narrow(to + i, a, n, bfloat16);
  }
}

/* MPI tells a function of ours neither operation nor dtype: there is one for each. */
#define HALVES(name, op, bfloat16)                                                                 \
  static void name(void *from, void *to, int *count, MPI_Datatype *type) {                         \
    (void)type;                                                                                    \
    reduce(to, from, *count, op, bfloat16);                                                        \
  }
HALVES(sum_float16, TOCHA_REDUCE_SUM, false)
HALVES(product_float16, TOCHA_REDUCE_PRODUCT, false)
HALVES(min_float16, TOCHA_REDUCE_MIN, false)
HALVES(max_float16, TOCHA_REDUCE_MAX, false)
HALVES(sum_bfloat16, TOCHA_REDUCE_SUM, true)
HALVES(product_bfloat16, TOCHA_REDUCE_PRODUCT, true)
HALVES(min_bfloat16, TOCHA_REDUCE_MIN, true)
HALVES(max_bfloat16, TOCHA_REDUCE_MAX, true)

enum { KINDS = 4 };
static MPI_User_function *const functions[2][KINDS] = {
    {sum_float16, product_float16, min_float16, max_float16},
    {sum_bfloat16, product_bfloat16, min_bfloat16, max_bfloat16}};
static MPI_Op operations[2][KINDS];

static void create(const void *unused) {
  (void)unused;
  for (int d = 0; d < 2; d++)
    for (int k = 0; k < KINDS; k++)
      if (MPI_Op_create(functions[d][k], 1, &operations[d][k]) != MPI_SUCCESS)
        operations[d][k] = MPI_OP_NULL;
}

MPI_Op mpi_halves(tocha_dtype dtype, tocha_reduce_op op) {
  static platform_once once;
  platform_call_once(&once, create, NULL);
  bool bfloat16 = dtype == TOCHA_BFLOAT16;
  switch (op) {
  case TOCHA_REDUCE_SUM:
  case TOCHA_REDUCE_AVG:
    return operations[bfloat16][0];
  case TOCHA_REDUCE_PRODUCT:
    return operations[bfloat16][1];
  case TOCHA_REDUCE_MIN:
    return operations[bfloat16][2];
  case TOCHA_REDUCE_MAX:
    return operations[bfloat16][3];
  default:
    return MPI_OP_NULL;
  }
}

static void divide_halves(uint16_t *data, int64_t count, float ranks, bool bfloat16) {
  float a[BLOCK];
  for (int64_t i = 0; i < count; i += BLOCK) {
    int n = count - i < BLOCK ? (int)(count - i) : BLOCK;
    widen(a, data + i, n, bfloat16);
    for (int k = 0; k < n; k++) a[k] /= ranks;
    narrow(data + i, a, n, bfloat16);
  }
}

void mpi_divide(void *data, tocha_dtype dtype, int64_t count, int ranks) {
  float *floats = data;
  double *doubles = data;
  if (dtype == TOCHA_FLOAT32)
    for (int64_t i = 0; i < count; i++) floats[i] /= (float)ranks;
  else if (dtype == TOCHA_FLOAT64)
    for (int64_t i = 0; i < count; i++) doubles[i] /= ranks;
  else
    divide_halves(data, count, (float)ranks, dtype == TOCHA_BFLOAT16);
}
