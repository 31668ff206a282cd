// cuda_runtime.h: what a .cu file or its host code includes instead of NVIDIA's header of this
// name, when it is compiled as C++17 for the simulated GPU. See docs/cuda.md.
#ifndef TOCHA_SIMULATOR_CUDA_RUNTIME_H
#define TOCHA_SIMULATOR_CUDA_RUNTIME_H

#include "cuda_runtime_api.h"
#include "device_functions.h"
#include "launch.h"
#include "math_functions.h"

#endif
