// cuda_runtime.h: included in place of NVIDIA's header of this name by a .cu file or its host code
// that is compiled as C++17 for the simulated GPU. See docs/cuda.md.
#ifndef TOCHA_SIMULATOR_CUDA_RUNTIME_H
#define TOCHA_SIMULATOR_CUDA_RUNTIME_H

#include "cuda_runtime_api.h"
#include "device_functions.h"
#include "launch.h"
#include "math_functions.h"

#endif
