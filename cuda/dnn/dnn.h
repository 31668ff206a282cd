/* dnn.h: convolutions by cuDNN, which is opened when the first one is computed. */
#pragma once

#include "ops/convolution/kernels.h"
#include "runtime/state.h"

namespace tocha {

/* Frees a device's handle and plans. The device must be idle. */
void delete_dnn(Dnn *dnn);

/* Returns true if cuDNN is there, may be called, and has a plan for the convolution. */
bool dnn_takes(Stream *stream, const tocha_convolution_args &args);
/* Starts the convolution. If the plan fails, takes the next one; if none is left, fails, and dnn_takes returns false from then
 * on. */
bool dnn_convolve(Stream *stream, const tocha_convolution_args &args);

} // namespace tocha
