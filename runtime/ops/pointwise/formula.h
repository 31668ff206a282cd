/* formula.h: the formula of an elementwise operator as data, what its entry says (list/formulas.lua). Read by
 * C and by C++. */
#ifndef TOCHA_FORMULA_H
#define TOCHA_FORMULA_H

#include "tocha/types.h"

/* The compute types: those a formula has loops for. Other types are converted: float16 and bfloat16 are
 * computed in float32, narrower integers in int64. */
enum {
  TOCHA_TAKES_FLOATS = 1, /* float32 and float64 */
  TOCHA_TAKES_INT64 = 2,
  TOCHA_TAKES_BOOL = 4,
  TOCHA_BOOL_AS_INT64 = 8, /* bool is no compute type, but computed as int64 */
  TOCHA_TYPES_FLOATS = TOCHA_TAKES_FLOATS,
  TOCHA_TYPES_REALS = TOCHA_TAKES_FLOATS | TOCHA_TAKES_INT64,
  TOCHA_TYPES_NUMBERS = TOCHA_TYPES_REALS | TOCHA_BOOL_AS_INT64,
  TOCHA_TYPES_ALL = TOCHA_TYPES_REALS | TOCHA_TAKES_BOOL,
  TOCHA_TYPES_BITS = TOCHA_TAKES_INT64 | TOCHA_TAKES_BOOL,
  TOCHA_TYPES_INTEGERS = TOCHA_TAKES_INT64
};

/* How types follow from the operands. */
enum {
  TOCHA_PROMOTION_ARITHMETIC, /* the promoted type of the operands */
  TOCHA_PROMOTION_FLOATING,   /* the same, integers becoming the default floating type */
  TOCHA_PROMOTION_BITWISE,    /* the promoted type, which must be an integer or bool */
  TOCHA_PROMOTION_WIDENED     /* the promoted type of the operands and of the numbers */
};

/* Where the result lies in memory. */
enum {
  TOCHA_LAID_OPERANDS, /* as all operands together have it, numbers too */
  TOCHA_LAID_FIRST,    /* as the first operand alone has it */
  TOCHA_LAID_COPY,     /* as a copy of the first operand */
  TOCHA_LAID_ROWS,     /* row by row */
  TOCHA_LAID_NUMBER    /* as a comparison of such a result with a number */
};

/* The type that a formula's numbers must fit into. */
enum {
  TOCHA_FITS_ANY,
  TOCHA_FITS_OWN,  /* that of the operands */
  TOCHA_FITS_WIDE, /* the same, float32 for float16 and bfloat16 */
  TOCHA_FITS_REAL  /* that of the operands if it is floating point, else any */
};

enum { TOCHA_FORMULA_INPUTS = 3, TOCHA_FORMULA_NUMBERS = 4 };

typedef struct tocha_formula tocha_formula;
struct tocha_formula_use; /* elementwise.h */

/* One inner loop of the CPU: data[0] is the output, then the inputs; strides in bytes; p the formula's
 * numbers in the compute type, TOCHA_FORMULA_NUMBERS of them. */
typedef void (*tocha_elementwise_loop)(char *const *data, const int64_t *strides, int64_t n,
                                       const void *p);
/* The loops of a list file's formulas for one instruction set and compute type. */
struct tocha_elementwise_loops {
  const tocha_elementwise_loop *of;
};

struct tocha_formula {
  const char *name;
  const char *kernel;   /* its name in "not implemented for" */
  uint8_t inputs;       /* operands */
  uint8_t types;        /* TOCHA_TYPES_... */
  uint8_t promotion;    /* TOCHA_PROMOTION_... */
  uint8_t layout;       /* TOCHA_LAID_... */
  uint8_t fits;         /* TOCHA_FITS_... */
  bool to_bool;         /* the result is bool, whatever the operands are */
  bool keeps_precision; /* a number beside float16 and bfloat16 tensors stays float32 */
  bool refuses_last; /* errors of the shapes and of out= are reported before those of `prepare` */
  uint16_t list, index; /* the list file, and the place among its formulas */
  /* Checks what can be checked without reading any element. Returns false with an error. May choose
   * another formula that computes the same faster. NULL: nothing to do. */
  bool (*prepare)(tocha_context *cx, struct tocha_formula_use *use);
  const struct tocha_elementwise_loops *const (*loops)[TOCHA_DTYPE_COUNT]; /* the CPU's, by isa */
};

#endif
