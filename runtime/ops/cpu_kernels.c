/* cpu_kernels.c: the CPU's kernels, a table for each family (device/kernels.h). */
#include "device/kernels.h"

extern const struct tocha_amp_kernels tocha_cpu_amp;
extern const struct tocha_normalization_kernels tocha_cpu_normalization;

const tocha_kernels tocha_cpu_kernels = {
    .normalization = &tocha_cpu_normalization,
    .amp = &tocha_cpu_amp,
};
