/* kernels.h: the kernels of a device, a table for each family. A plug-in fills one, and so does
 * the CPU (cpu_kernels.c). The operators compute shapes, checks, dtypes and outputs once; a
 * kernel receives plain data.
 *
 * A kernel starts the work in the stream's order and returns, or returns false if the work did
 * not start. The CPU's kernels complete the work before they return; false means that they were
 * interrupted, or that memory was short. An operator calls tocha_launched(cx,
 * stream->kernels->FAMILY->NAME(stream, &args)). The args are structs of the family's kernels.h.
 * All pointers in them are addresses of the device unless stated otherwise, and a struct that is
 * passed to a CUDA kernel unchanged has no gaps between its members (cuda/common/kernel.h). */
#ifndef TOCHA_KERNELS_H
#define TOCHA_KERNELS_H

#include <stdbool.h>

struct tocha_stream;

typedef struct tocha_kernels {
  const struct tocha_tensor_kernels *tensor;
  const struct tocha_pointwise_kernels *pointwise;
  const struct tocha_random_kernels *random;
  const struct tocha_creation_kernels *creation;
  const struct tocha_shape_kernels *shape;
  const struct tocha_indexing_kernels *indexing;
  const struct tocha_reduction_kernels *reduction;
  const struct tocha_scan_kernels *scan;
  const struct tocha_sorting_kernels *sorting;
  const struct tocha_normalization_kernels *normalization;
  const struct tocha_matmul_kernels *matmul;
  const struct tocha_convolution_kernels *convolution;
  const struct tocha_pooling_kernels *pooling;
  const struct tocha_resampling_kernels *resampling;
  const struct tocha_recurrent_kernels *recurrent;
  const struct tocha_attention_kernels *attention;
  const struct tocha_loss_kernels *loss;
  const struct tocha_optim_kernels *optim;
  const struct tocha_amp_kernels *amp;
  const struct tocha_linalg_kernels *linalg;
  /* Returns true if the libraries that the kernels of linalg call are there; NULL: they call none that may be missing. */
  bool (*solves)(struct tocha_stream *stream);
} tocha_kernels;

#endif
