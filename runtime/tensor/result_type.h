/* result_type.h: the promotion of operands, with the dtypes that cannot be promoted. */
#ifndef TOCHA_RESULT_TYPE_H
#define TOCHA_RESULT_TYPE_H

#include "core/internal.h"

/* Returns what tocha_result_type returns. If that is TOCHA_NO_DTYPE, because a float8 dtype meets
 * another dtype, writes these two to pair. */
tocha_dtype tocha_promote_operands(const tocha_context *cx, int count,
                                   const tocha_operand *operands, tocha_dtype pair[2]);
#endif
