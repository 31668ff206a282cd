/* fused.h: which recurrent layers the fused kernels compute; the others are made of operators (fused.c). */
#ifndef TOCHA_RECURRENT_FUSED_H
#define TOCHA_RECURRENT_FUSED_H

#include "core/internal.h"

/* Returns true if the fused kernels compute a layer of this input. rounded_once: PyTorch leaves the layer to oneDNN, which rounds
 * bfloat16 at the end alone. */
bool tocha_recurrent_is_fused(const tocha_context *cx, const tocha_tensor *input,
                              bool rounded_once);

#endif
