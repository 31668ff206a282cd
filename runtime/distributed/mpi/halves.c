/* halves.c: the operations of MPI that reduce halves, which it has no types for. */
#include "distributed/mpi/mpi.h"
#include "distributed/reductions/reductions.h"

/* MPI tells a function of ours neither operation nor dtype: there is one for each. */
#define HALVES(name, DTYPE, OP)                                                                    \
  static void name(void *from, void *to, int *count, MPI_Datatype *type) {                         \
    (void)type;                                                                                    \
    engine_find_reduction(TOCHA_##DTYPE, TOCHA_REDUCE_##OP)(to, from, to, (size_t)*count);         \
  }
HALVES(sum_float16, FLOAT16, SUM)
HALVES(product_float16, FLOAT16, PRODUCT)
HALVES(min_float16, FLOAT16, MIN)
HALVES(max_float16, FLOAT16, MAX)
HALVES(sum_bfloat16, BFLOAT16, SUM)
HALVES(product_bfloat16, BFLOAT16, PRODUCT)
HALVES(min_bfloat16, BFLOAT16, MIN)
HALVES(max_bfloat16, BFLOAT16, MAX)

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
