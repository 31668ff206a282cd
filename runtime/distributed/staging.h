/* staging.h: copies between tensors of any strides and the packed memory that an engine sees.
 *
 * The script's thread plans them while it may look at tensors; a lane's thread carries them out. */
#ifndef TOCHA_STAGING_H
#define TOCHA_STAGING_H

#include "core/internal.h"

/* The memory of one tensor, and its packed copy. */
typedef struct tocha_staged {
  char *data, *packed;
  int64_t numel, item_size;
  int ndim;          /* 0: the tensor is packed, too */
  int64_t *geometry; /* sizes, then strides in bytes; in the plan's memory */
} tocha_staged;

typedef struct tocha_staging {
  tocha_staged *inputs, *outputs; /* copied before, and after the operation */
  int input_count, output_count;
  void *packed; /* memory that the copies share; from malloc */
} tocha_staging;

/* Adds the tensors to the inputs, the outputs or both. Returns their packed memory, one after the other: that of the tensors
 * themselves if they lie so, and then nothing is planned. Returns NULL with an error if memory is short, never
 * because there are no elements. */
void *tocha_stage(tocha_context *cx, tocha_staging *staging, int count,
                  tocha_tensor *const *tensors, bool is_input, bool is_output);
/* Returns the first byte if the tensors are row-major and lie one after the other, else NULL. */
char *tocha_find_packed(int count, tocha_tensor *const *tensors);
/* Copies what the operation reads to packed memory; then what it has written to the tensors. */
void tocha_stage_inputs(const tocha_staging *staging);
void tocha_stage_outputs(const tocha_staging *staging);
void tocha_staging_free(tocha_staging *staging);

#endif
