/* formula.h: the formula of an elementwise operator as data, generated from its entry
 * (list/formulas.lua). C and C++ include this file. */
#ifndef TOCHA_FORMULA_H
#define TOCHA_FORMULA_H

#include "tocha/types.h"

/* The compute types, for which a formula has loops. Other types are converted: float16 and bfloat16
 * to float32, narrower integers to int64. */
enum {
  TOCHA_TAKES_FLOATS = 1, /* float32 and float64 */
  TOCHA_TAKES_INT64 = 2,
  TOCHA_TAKES_BOOL = 4,
  TOCHA_BOOL_AS_INT64 = 8, /* bool is not a compute type; it is computed as int64 */
  TOCHA_TYPES_FLOATS = TOCHA_TAKES_FLOATS,
  TOCHA_TYPES_REALS = TOCHA_TAKES_FLOATS | TOCHA_TAKES_INT64,
  TOCHA_TYPES_NUMBERS = TOCHA_TYPES_REALS | TOCHA_BOOL_AS_INT64,
  TOCHA_TYPES_ALL = TOCHA_TYPES_REALS | TOCHA_TAKES_BOOL,
  TOCHA_TYPES_BITS = TOCHA_TAKES_INT64 | TOCHA_TAKES_BOOL,
  TOCHA_TYPES_INTEGERS = TOCHA_TAKES_INT64
};

/* Rules by which the common type follows from the operands. */
enum {
  TOCHA_PROMOTION_ARITHMETIC, /* the promoted type of the operands */
  TOCHA_PROMOTION_FLOATING,   /* the same, integers becoming the default floating type */
  TOCHA_PROMOTION_BITWISE,    /* the promoted type, which must be an integer or bool */
  TOCHA_PROMOTION_WIDENED     /* the promoted type of the operands and of the numbers */
};

/* The layout of the result in memory: its strides. */
enum {
  TOCHA_LAID_OPERANDS, /* follow from all operands, numbers included */
  TOCHA_LAID_FIRST,    /* follow from the first operand alone */
  TOCHA_LAID_COPY,     /* those of a copy of the first operand */
  TOCHA_LAID_ROWS,     /* row-major */
  TOCHA_LAID_NUMBER    /* those of a comparison of a LAID_OPERANDS result with a number */
};

/* The type that a formula's numbers must fit into. */
enum {
  TOCHA_FITS_ANY,
  TOCHA_FITS_OWN,  /* the operands' type */
  TOCHA_FITS_WIDE, /* the operands' type, but float32 for float16 and bfloat16 */
  TOCHA_FITS_REAL  /* the operands' type if it is floating point, else any */
};

enum { TOCHA_FORMULA_INPUTS = 3, TOCHA_FORMULA_NUMBERS = 4 };

typedef struct tocha_formula tocha_formula;
struct tocha_formula_use; /* elementwise.h */

/* An inner loop of the CPU over n elements. data[0] is the output and the inputs follow. strides:
 * in bytes. p: the formula's TOCHA_FORMULA_NUMBERS numbers in the compute type. */
typedef void (*tocha_elementwise_loop)(char *const *data, const int64_t *strides, int64_t n,
                                       const void *p);
/* The loops of the formulas of one list file, for one instruction set and compute type. */
struct tocha_elementwise_loops {
  const tocha_elementwise_loop *of;
};

struct tocha_formula {
  const char *name;
  const char *kernel;   /* the kernel's name in "not implemented for" */
  uint8_t inputs;       /* number of operands */
  uint8_t types;        /* TOCHA_TYPES_... */
  uint8_t promotion;    /* TOCHA_PROMOTION_... */
  uint8_t layout;       /* TOCHA_LAID_... */
  uint8_t fits;         /* TOCHA_FITS_... */
  bool to_bool;         /* the result is bool, whatever the operands are */
  bool keeps_precision; /* a number beside float16 and bfloat16 tensors stays float32 */
  bool refuses_last; /* errors of the shapes and of out= are reported before those of `prepare` */
  uint16_t list, index; /* the list file, and the index among its formulas */
  /* Checks everything that can be checked without reading an element. Returns false with an error
   * set. May choose another formula that computes the same values faster. NULL if there is nothing
   * to check. */
  bool (*prepare)(tocha_context *cx, struct tocha_formula_use *use);
  const struct tocha_elementwise_loops *const (*loops)[TOCHA_DTYPE_COUNT]; /* the CPU's, by isa */
};

#endif
