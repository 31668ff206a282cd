/* constants.h: constants as sums of a high part, whose last bits are 0 so that products with small
 * integers are exact, and a low part. */
#ifndef TOCHA_VECTOR_CONSTANTS_H
#define TOCHA_VECTOR_CONSTANTS_H

/* log 2: a high part of 15 or 42 bits */
#define FLOAT_LOG2_HIGH 0x1.62e4p-1f
#define FLOAT_LOG2_LOW 0x1.7f7d1cp-20f
#define DOUBLE_LOG2_HIGH 0x1.62e42fefa38p-1
#define DOUBLE_LOG2_LOW 0x1.ef35793c7673p-45
/* log 2 to twice the precision of the type */
#define FLOAT_LOG2 0x1.62e43p-1f
#define FLOAT_LOG2_REST -0x1.05c61p-29f
#define DOUBLE_LOG2 0x1.62e42fefa39efp-1
#define DOUBLE_LOG2_REST 0x1.abc9e3b39803fp-56
/* log10 2: as LOG2_HIGH and LOG2_LOW */
#define FLOAT_LOG10_2_HIGH 0x1.344p-2f
#define FLOAT_LOG10_2_LOW 0x1.3509f8p-18f
#define DOUBLE_LOG10_2_HIGH 0x1.34413509f78p-2
#define DOUBLE_LOG10_2_LOW 0x1.fef311f12b358p-46
/* 1 / log 2 and 1 / log 10 */
#define FLOAT_LOG2_E 0x1.715476p+0f
#define FLOAT_LOG2_E_REST 0x1.4ae0cp-26f
#define DOUBLE_LOG2_E 0x1.71547652b82fep+0
#define DOUBLE_LOG2_E_REST 0x1.777d0ffda0d24p-56
#define FLOAT_LOG10_E 0x1.bcb7b2p-2f
#define FLOAT_LOG10_E_REST -0x1.5b235ep-27f
#define DOUBLE_LOG10_E 0x1.bcb7b1526e50ep-2
#define DOUBLE_LOG10_E_REST 0x1.95355baaafad3p-57
/* pi / 2 */
#define FLOAT_HALF_PI 0x1.921fb6p+0f
#define FLOAT_HALF_PI_REST -0x1.777a5cp-25f
#define DOUBLE_HALF_PI 0x1.921fb54442d18p+0
#define DOUBLE_HALF_PI_REST 0x1.1a62633145c07p-54
/* arguments of exp and exp2 beyond which a power of 2 is no normal number, or the result is 0 or
 * infinite */
#define FLOAT_EXP_ORDINARY 87.0f
#define FLOAT_EXP_LEAST -110.0f
#define FLOAT_EXP_MOST 90.0f
#define FLOAT_EXP2_ORDINARY 125.0f
#define FLOAT_EXP2_LEAST -160.0f
#define FLOAT_EXP2_MOST 130.0f
#define DOUBLE_EXP_ORDINARY 708.0
#define DOUBLE_EXP_LEAST -750.0
#define DOUBLE_EXP_MOST 712.0
#define DOUBLE_EXP2_ORDINARY 1021.0
#define DOUBLE_EXP2_LEAST -1090.0
#define DOUBLE_EXP2_MOST 1030.0
/* |x| for which tanh x is 1, and -x for which expm1 x is -1, to the last bit */
#define FLOAT_TANH_ONE 10.0f
#define FLOAT_EXPM1_LEAST -20.0f
#define DOUBLE_TANH_ONE 20.0
#define DOUBLE_EXPM1_LEAST -40.0

#endif
