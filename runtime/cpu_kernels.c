/* cpu_kernels.c: the CPU's kernels, a table for each family (device/kernels.h). */
#include "operators.h"

extern const struct tocha_tensor_kernels tocha_cpu_tensor;
extern const struct tocha_creation_kernels tocha_cpu_creation;
extern const struct tocha_shape_kernels tocha_cpu_shape;
extern const struct tocha_indexing_kernels tocha_cpu_indexing;
extern const struct tocha_sorting_kernels tocha_cpu_sorting;
extern const struct tocha_amp_kernels tocha_cpu_amp;
extern const struct tocha_matmul_kernels tocha_cpu_matmul;
extern const struct tocha_normalization_kernels tocha_cpu_normalization;
extern const struct tocha_random_kernels tocha_cpu_random;
extern const struct tocha_pointwise_kernels tocha_cpu_pointwise;
extern const struct tocha_convolution_kernels tocha_cpu_convolution;
extern const struct tocha_pooling_kernels tocha_cpu_pooling;
extern const struct tocha_resampling_kernels tocha_cpu_resampling;
extern const struct tocha_recurrent_kernels tocha_cpu_recurrent;
extern const struct tocha_attention_kernels tocha_cpu_attention;
extern const struct tocha_loss_kernels tocha_cpu_loss;
extern const struct tocha_optim_kernels tocha_cpu_optim;
extern const struct tocha_reduction_kernels tocha_cpu_reduction;
extern const struct tocha_scan_kernels tocha_cpu_scan;
extern const struct tocha_linalg_kernels tocha_cpu_linalg;

const tocha_kernels tocha_cpu_kernels = {
    .tensor = &tocha_cpu_tensor,
    .creation = &tocha_cpu_creation,
    .shape = &tocha_cpu_shape,
    .indexing = &tocha_cpu_indexing,
    .sorting = &tocha_cpu_sorting,
    .random = &tocha_cpu_random,
    .matmul = &tocha_cpu_matmul,
    .normalization = &tocha_cpu_normalization,
    .pointwise = &tocha_cpu_pointwise,
    .convolution = &tocha_cpu_convolution,
    .pooling = &tocha_cpu_pooling,
    .resampling = &tocha_cpu_resampling,
    .recurrent = &tocha_cpu_recurrent,
    .attention = &tocha_cpu_attention,
    .loss = &tocha_cpu_loss,
    .optim = &tocha_cpu_optim,
    .reduction = &tocha_cpu_reduction,
    .scan = &tocha_cpu_scan,
    .amp = &tocha_cpu_amp,
    .linalg = &tocha_cpu_linalg,
};
