/* index_device.h: elements picked by index tensors, on a device. Nothing here waits for the device:
 * an index out of range is reported by the kernel at the next synchronization. */
#ifndef TOCHA_INDEX_DEVICE_H
#define TOCHA_INDEX_DEVICE_H

#include "device/devices.h"
#include "ops/indexing/kernels.h"
#include "ops/indexing/index.h"

/* What is picked, all of one shape: element number i of `picked` belongs to the element of
 * `indexed` at i plus the sum of index * step over the axes. Where several elements of the shape
 * may meet in one place of `indexed`, its strides are 0 or the index tensors' are not. */
typedef struct tocha_pick {
  const char *op; /* for reports */
  tocha_tensor *indexed, *picked;
  int axes;
  tocha_tensor *index[TOCHA_MAX_DIMS];   /* int64 or int32 */
  tocha_index_axis axis[TOCHA_MAX_DIMS]; /* steps in elements */
  bool wraps;                            /* negative positions count from the end */
} tocha_pick;

/* Reads (into picked), or writes; of several writes to one place any may win. */
bool tocha_pick_move(tocha_context *cx, tocha_pick *pick, bool put);
/* indexed += scale * picked, with the same sums in every run. */
bool tocha_pick_add(tocha_context *cx, tocha_pick *pick, tocha_scalar scale);

/* index tensors where self is: those of the CPU are moved to a device; any others elsewhere are an
 * error, and so are freed tensors. moved: room for TOCHA_MAX_DIMS entries. */
bool tocha_place_indices(tocha_context *cx, const tocha_tensor *self, int count,
                         tocha_tensor *const *indices, tocha_tensor **moved);

/* memory (1-D, dense) += source, whose element i lies at the place that strides and offset give to
 * it; several may lie at one. */
bool tocha_add_at_places(tocha_context *cx, tocha_tensor *memory, tocha_tensor *source,
                         const int64_t *strides, int64_t offset);

/* What tocha_plan_get, tocha_plan_put and tocha_coordinates do on a device. */
tocha_tensor *tocha_plan_get_on_device(tocha_context *cx, const tocha_index_plan *plan);
bool tocha_plan_put_on_device(tocha_context *cx, const tocha_index_plan *plan, tocha_tensor *values,
                              bool accumulate, tocha_scalar scale);
tocha_tensor *tocha_coordinates_on_device(tocha_context *cx, tocha_tensor *t);
/* The elements of self (dense) where mask (dense, the same shape) is not zero. Waits, for the
 * count. */
tocha_tensor *tocha_masked_on_device(tocha_context *cx, tocha_tensor *self, tocha_tensor *mask);

#endif
