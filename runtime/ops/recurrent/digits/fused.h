/* fused.h: tells which recurrent layers the fused kernels compute; the others are made of operators
 * (fused.c). */
#ifndef TOCHA_RECURRENT_FUSED_H
#define TOCHA_RECURRENT_FUSED_H

#include "core/internal.h"

/* Returns true if the fused kernels compute a layer of this input. rounded_once: PyTorch passes the
 * layer to oneDNN, which rounds bfloat16 only at the end. */
bool tocha_recurrent_is_fused(const tocha_context *cx, const tocha_tensor *input,
                              bool rounded_once);

#endif
