/* looks.h: which tensors no longer look as they did when they were made. */
#ifndef TOCHA_CORE_LOOKS_H
#define TOCHA_CORE_LOOKS_H

#include "core/tensor.h"

/* One of tocha_tensor_flags: the sizes, dtype or device of the header were changed, by x.data = y, x:t_() or x:free(). */
enum { TOCHA_FLAG_CHANGED_LOOK = 4096 };

#endif
