/* data.h: batches of training data, as torch.utils.data.DataLoader makes them: from tensors, or from a
 * function that makes one sample. With the same seed they come in PyTorch's order. */
#ifndef TOCHA_DATA_H
#define TOCHA_DATA_H

#include "tocha/random.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TOCHA_MAX_SAMPLE_PARTS = 64 };

/* A data set, and how batches are made of it. Zero-initialize. */
typedef struct tocha_data_options {
  int parts; /* tensors of a sample, such as an image and its label: 1 to TOCHA_MAX_SAMPLE_PARTS */
  /* A tensor for each part, whose rows are the samples: all have the same first size. The loader keeps
   * them. NULL: see `sample`. */
  tocha_tensor *const *tensors;
  /* Makes sample `index`, from 0 to samples - 1: writes a tensor for each part, in the scope. All
   * samples have the same sizes. Returns false with an error (tocha_fail) if it fails. */
  bool (*sample)(tocha_context *cx, void *user, int64_t index, tocha_tensor **parts);
  void *user;
  int64_t samples;    /* for `sample` */
  int64_t batch_size; /* 0: 1 */
  bool shuffle;       /* draws a new order for each pass */
  bool drop_last;     /* leaves out a last batch that is not full */
  /* Draws the order, and must live as long as the loader. NULL: the default generator draws a seed for
   * each pass. */
  tocha_generator *generator;
  uint64_t reserved[8]; /* zeros; later versions add options in their place */
} tocha_data_options;

typedef struct tocha_data_loader tocha_data_loader;

/* Returns NULL with an error if it fails. The caller frees it before the context closes. */
TOCHA_API tocha_data_loader *tocha_data_loader_new(tocha_context *cx,
                                                   const tocha_data_options *options);
TOCHA_API void tocha_data_loader_free(tocha_data_loader *loader); /* NULL is allowed */
/* Returns the number of batches of a pass. */
TOCHA_API int64_t tocha_data_loader_length(const tocha_data_loader *loader);
/* Writes the next batch, a tensor for each part whose first size is that of the batch, to `batch`, in
 * the scope. Returns false after the last batch, or with an error; the call after that begins a new
 * pass. */
TOCHA_API bool tocha_data_loader_next(tocha_context *cx, tocha_data_loader *loader,
                                      tocha_tensor **batch);
/* Ends the pass: the next batch is the first of a new one. */
TOCHA_API void tocha_data_loader_rewind(tocha_data_loader *loader);

#ifdef __cplusplus
}
#endif
#endif
