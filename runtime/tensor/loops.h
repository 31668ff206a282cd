/* loops.h: included by every file of loops, cpu/NAME.c of a family, which is compiled once for each
 * instruction set and for each type that the family's loops.cmake lists. The build defines
 * TOCHA_LOOPS_SUFFIX (avx2_float32, or avx2) and, if there are types, TOCHA_LOOPS_float32 and its C
 * type. A file ends with
 *
 *   const tocha_NAME_loops TOCHA_LOOPS(NAME) = {...};
 *
 * and is reached through the table the build writes (runtime/loops.cmake):
 *
 *   extern const tocha_NAME_loops *const tocha_NAME_loops_table[TOCHA_ISA_COUNT][TOCHA_DTYPE_COUNT];
 *   tocha_NAME_loops_table[cx->isa][dtype]      -- without types [cx->isa] alone */
#ifndef TOCHA_LOOPS_H
#define TOCHA_LOOPS_H

#include "core/isa.h"
#include "tocha/types.h"

#define TOCHA_IS_NAN(x) ((x) != (x)) /* true if x, a T, is NaN; integers never are */

#ifdef TOCHA_LOOPS_C_TYPE
typedef TOCHA_LOOPS_C_TYPE T;
#endif
#define TOCHA_LOOPS_JOIN(name, suffix) tocha_##name##_loops_##suffix
#define TOCHA_LOOPS_NAME(name, suffix) TOCHA_LOOPS_JOIN(name, suffix)
#define TOCHA_LOOPS(name) TOCHA_LOOPS_NAME(name, TOCHA_LOOPS_SUFFIX)

#endif
