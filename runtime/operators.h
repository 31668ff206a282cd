/* operators.h: the lists that the build or cpu_kernels.c assembles from all folders, for open.c. */
#ifndef TOCHA_OPERATORS_H
#define TOCHA_OPERATORS_H

#include "device/kernels.h"
#include "dispatch/call.h"

extern const tocha_op_family
    *const tocha_op_families[];               /* generated/operators.c; the last is NULL */
extern const tocha_kernels tocha_cpu_kernels; /* cpu_kernels.c */

#endif
