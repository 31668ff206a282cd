/* kernels.h: the functions behind kernels.def, one a row, each in the .cu file of its family. */
#pragma once

#include "state.h"

extern "C" {
#define KERNEL(name, job) bool tocha_cuda_##name(tocha_queue *queue, const job *work);
#include "core/kernels.def"
#undef KERNEL
}
