/* kernels.h: the arguments of the kernels of mixed precision and clipping, which process lists of
 * tensors, and the table that a device fills (device/kernels.h). The arrays of items are in host
 * memory, and are read before the call returns. Each tensor is dense. */
#ifndef TOCHA_AMP_KERNELS_H
#define TOCHA_AMP_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tocha_list_item {
  void *data;
  int64_t numel;
  int64_t begin; /* number of elements in the items before this one */
} tocha_list_item;

/* The arguments of scaling: multiplies all items, of one floating dtype, by *factor (float64 if
 * wide_factor, else float32). found: NULL, or a float32 that is set to 1 if an element was infinite
 * or NaN before. */
typedef struct tocha_scale_list_args {
  const tocha_list_item *items;
  int32_t count;
  int8_t dtype;
  bool wide_factor;
  const void *factor;
  float *found;
} tocha_scale_list_args;

enum { TOCHA_LIST_CHUNK = 4096 }; /* elements of an item that one thread block processes */

/* The arguments of norms: norms[i] = (sum of |x|^order)^(1/order) of item i, rounded to float32
 * unless items are float64. partial: a double for each chunk of each item. */
typedef struct tocha_norms_args {
  const tocha_list_item *items;
  int32_t count;
  int8_t dtype;
  double order; /* infinity: the maximum of |x|; 0: the number of nonzero elements */
  double *partial, *norms;
} tocha_norms_args;

/* The arguments of the total norm: *total = the norm of the norms, rounded to float32, of type
 * dtype. */
typedef struct tocha_total_norm_args {
  const double *norms;
  int64_t count;
  double order;
  int8_t dtype;
  void *total;
} tocha_total_norm_args;

/* The arguments of the update of the scale after an iteration (GradScaler). */
typedef struct tocha_update_scale_args {
  float *scale;
  int32_t *tracker;
  const float *found;
  double growth, backoff;
  int64_t interval;
} tocha_update_scale_args;

typedef struct tocha_amp_kernels {
  bool (*scale_list)(tocha_stream *stream, const tocha_scale_list_args *args);
  /* norms and total_norm are NULL if a list's norm is not faster than the norms of single
   * tensors. */
  bool (*norms)(tocha_stream *stream, const tocha_norms_args *args);
  bool (*total_norm)(tocha_stream *stream, const tocha_total_norm_args *args);
  bool (*update_scale)(tocha_stream *stream, const tocha_update_scale_args *args);
} tocha_amp_kernels;

#ifdef __cplusplus
}
#endif
#endif
