/* kernels.h: the kernels of mixed precision and clipping, which work on lists of tensors: their args, and the
 * table that a device fills (device/kernels.h). The arrays of items are the host's, and are read before the
 * call returns. Each tensor is dense. */
#ifndef TOCHA_AMP_KERNELS_H
#define TOCHA_AMP_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tocha_list_item {
  void *data;
  int64_t numel;
  int64_t begin; /* elements of the items before this one */
} tocha_list_item;

/* Multiplies all items, of one floating dtype, by *factor (float32, or float64 where wide_factor).
 * found: NULL, or a float32 that becomes 1 where an element was infinite or NaN before. */
typedef struct tocha_scale_list_args {
  const tocha_list_item *items;
  int32_t count;
  int8_t dtype;
  bool wide_factor;
  const void *factor;
  float *found;
} tocha_scale_list_args;

enum { TOCHA_LIST_CHUNK = 4096 }; /* elements of an item that one thread block takes */

/* norms[i] = (sum of |x|^order)^(1/order) of item i, rounded to float32 but for float64. partial: a
 * double for each chunk of each item. */
typedef struct tocha_norms_args {
  const tocha_list_item *items;
  int32_t count;
  int8_t dtype;
  double order; /* infinity: the largest; 0: how many are not 0 */
  double *partial, *norms;
} tocha_norms_args;

/* *total = the norm of the norms, rounded to float32, and of type dtype. */
typedef struct tocha_total_norm_args {
  const double *norms;
  int64_t count;
  double order;
  int8_t dtype;
  void *total;
} tocha_total_norm_args;

/* The scale of gradients after an iteration (GradScaler). */
typedef struct tocha_update_scale_args {
  float *scale;
  int32_t *tracker;
  const float *found;
  double growth, backoff;
  int64_t interval;
} tocha_update_scale_args;

typedef struct tocha_amp_kernels {
  bool (*scale_list)(tocha_stream *stream, const tocha_scale_list_args *args);
  /* NULL, both, where a norm is no faster for a list than tensor by tensor. */
  bool (*norms)(tocha_stream *stream, const tocha_norms_args *args);
  bool (*total_norm)(tocha_stream *stream, const tocha_total_norm_args *args);
  bool (*update_scale)(tocha_stream *stream, const tocha_update_scale_args *args);
} tocha_amp_kernels;

#ifdef __cplusplus
}
#endif
#endif
