/* loader.c: batches of a data set. The order, and the numbers that are drawn for it, are those of
 * PyTorch's DataLoader with its RandomSampler. */
#include "tocha/data.h"

#include <string.h>

#include "core/internal.h"
#include "tocha/ops/arange.h"
#include "tocha/ops/index_select.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/random_.h"
#include "tocha/ops/randperm.h"
#include "tocha/ops/stack.h"
#include "tocha/ops/to.h"

struct tocha_data_loader {
  tocha_context *context;
  tocha_data_options options;
  tocha_tensor *tensors[TOCHA_MAX_SAMPLE_PARTS];
  int64_t samples;
  tocha_tensor *order; /* indices of the pass, int64; NULL: no pass has begun */
  int64_t at;          /* samples of the pass so far */
  bool past_end;       /* more samples were asked for than there are */
};

/* --- a loader ----------------------------------------------------------------------------------- */

static bool check_samples(tocha_context *cx, const tocha_data_options *o, int64_t *samples) {
  if (!o->tensors && !o->sample)
    return tocha_refuse_none(cx, "DataLoader", "dataset", "tensors, or a function");
  *samples = o->samples;
  for (int i = 0; o->tensors && i < o->parts; i++) {
    const tocha_tensor *t = o->tensors[i];
    if (!t) return tocha_refuse_none(cx, "TensorDataset", "tensors", "Tensor");
    if (!t->ndim)
      return tocha_fail(cx, TOCHA_INDEX_ERROR,
                        "Dimension specified as 0 but tensor has no dimensions");
    if (i && t->sizes[0] != *samples)
      return tocha_fail(cx, TOCHA_ASSERTION_ERROR, "Size mismatch between tensors");
    *samples = t->sizes[0];
  }
  return true;
}

static bool check_options(tocha_context *cx, const tocha_data_options *o, int64_t *samples) {
  if (!o) return tocha_refuse_none(cx, "DataLoader", "options", "tocha_data_options");
  if (o->parts < 1 || o->parts > TOCHA_MAX_SAMPLE_PARTS)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "a sample has 1 to %d parts, not %d",
                      TOCHA_MAX_SAMPLE_PARTS, o->parts);
  if (o->batch_size < 0)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "batch_size should be a positive integer value, but got batch_size=%lld",
                      (long long)o->batch_size);
  if (!check_samples(cx, o, samples)) return false;
  if (*samples >= (o->shuffle ? 1 : 0)) return true;
  return tocha_fail(cx, TOCHA_VALUE_ERROR,
                    "num_samples should be a positive integer value, but got num_samples=%lld",
                    (long long)*samples);
}

tocha_data_loader *tocha_data_loader_new(tocha_context *cx, const tocha_data_options *options) {
  int64_t samples = 0;
  if (tocha_failed(cx) || !check_options(cx, options, &samples)) return NULL;
  tocha_data_loader *l = tocha_allocate_zeroed(cx, sizeof *l);
  if (!l) return NULL;
  tocha_context_retain(cx);
  l->context = cx;
  l->options = *options;
  l->samples = samples;
  if (!l->options.batch_size) l->options.batch_size = 1;
  for (int i = 0; options->tensors && i < options->parts; i++)
    l->tensors[i] = tocha_retain(options->tensors[i]);
  return l;
}

void tocha_data_loader_free(tocha_data_loader *l) {
  if (!l) return;
  tocha_context *cx = l->context;
  tocha_data_loader_rewind(l);
  for (int i = 0; i < l->options.parts; i++) tocha_release(l->tensors[i]);
  tocha_deallocate(cx, l, sizeof *l);
  tocha_context_release(cx);
}

int64_t tocha_data_loader_length(const tocha_data_loader *l) {
  if (!l) return 0;
  int64_t full = l->samples / l->options.batch_size, rest = l->samples % l->options.batch_size;
  return full + (rest && !l->options.drop_last);
}

void tocha_data_loader_rewind(tocha_data_loader *l) {
  if (!l) return;
  tocha_release(l->order);
  l->order = NULL;
  l->at = 0;
  l->past_end = false;
}

/* --- the order of a pass ------------------------------------------------------------------------ */

/* Draws a seed, as PyTorch draws those of its own generators. */
static bool draw_seed(tocha_context *cx, tocha_generator *generator, uint64_t *seed) {
  tocha_tensor *t = tocha_new(cx, 0, NULL, TOCHA_INT64, tocha_cpu());
  if (!t || !tocha_random_full_(cx, t, generator)) return false;
  *seed = (uint64_t) * (const int64_t *)tocha_data(t);
  return true;
}

static tocha_tensor *permutation(tocha_context *cx, int64_t n, tocha_generator *generator) {
  return tocha_randperm_full(cx, n, generator, TOCHA_INT64, tocha_cpu(), false);
}

/* Returns a permutation from a generator that the default one seeds. */
static tocha_tensor *permutation_of_new_generator(tocha_context *cx, int64_t n) {
  uint64_t seed;
  if (!draw_seed(cx, NULL, &seed)) return NULL;
  tocha_generator *own = tocha_generator_new(cx, tocha_cpu());
  if (!own) return NULL;
  tocha_generator_reseed(own, seed);
  tocha_tensor *order = permutation(cx, n, own);
  tocha_generator_free(cx, own);
  return order;
}

static bool begin_pass(tocha_context *cx, tocha_data_loader *l) {
  tocha_generator *given = l->options.generator;
  uint64_t unused; /* PyTorch draws the seed of workers, also if there are none */
  if (!draw_seed(cx, given, &unused)) return false;
  tocha_tensor *order = !l->options.shuffle ? tocha_arange_full(cx, tocha_int(l->samples),
                                                                TOCHA_INT64, tocha_cpu(), false)
                        : given             ? permutation(cx, l->samples, given)
                                            : permutation_of_new_generator(cx, l->samples);
  l->order = tocha_retain(order);
  return order != NULL;
}

/* Takes what PyTorch's sampler draws, and does not use, when it is asked for more than it has. */
static bool draw_past_end(tocha_context *cx, tocha_data_loader *l) {
  tocha_generator *given = l->options.generator;
  if (l->past_end) return true;
  l->past_end = true;
  return !l->options.shuffle || !given || permutation(cx, l->samples, given);
}

/* --- a batch ------------------------------------------------------------------------------------ */

/* Writes the rows of each tensor that the next n indices select. */
static bool select_rows(tocha_context *cx, const tocha_data_loader *l, int64_t n,
                        tocha_tensor **batch) {
  tocha_tensor *index = tocha_narrow(cx, l->order, 0, l->at, n);
  bool done = index != NULL;
  for (int i = 0; done && i < l->options.parts; i++) {
    tocha_tensor *t = l->tensors[i];
    tocha_tensor *here = tocha_to(cx, index, t->device, TOCHA_NO_DTYPE, false, false);
    batch[i] = tocha_index_select(cx, t, 0, here);
    done = batch[i] != NULL;
  }
  return done;
}

/* Makes n samples. Writes part i of sample k to parts[i * n + k]. */
static bool make_samples(tocha_context *cx, const tocha_data_loader *l, int64_t n,
                         tocha_tensor **parts) {
  const int64_t *order = (const int64_t *)tocha_data(l->order) + l->at;
  tocha_tensor *sample[TOCHA_MAX_SAMPLE_PARTS];
  for (int64_t k = 0; k < n; k++) {
    memset(sample, 0, sizeof sample);
    if (tocha_interrupted(cx)) return false;
    bool made = l->options.sample(cx, l->options.user, order[k], sample);
    if (tocha_failed(cx)) return false;
    for (int i = 0; i < l->options.parts; i++) {
      if (!made || !sample[i])
        return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "the function made no part %d of sample %lld", i,
                          (long long)order[k]);
      parts[i * n + k] = sample[i];
    }
  }
  return true;
}

/* Stacks each part of the next n samples. */
static bool stack_samples(tocha_context *cx, const tocha_data_loader *l, int64_t n,
                          tocha_tensor **batch) {
  uint64_t bytes = (uint64_t)n * (uint64_t)l->options.parts * sizeof(tocha_tensor *);
  tocha_tensor **parts = n <= INT32_MAX ? tocha_allocate(cx, bytes) : NULL;
  if (!parts) return false;
  bool done = make_samples(cx, l, n, parts);
  for (int i = 0; done && i < l->options.parts; i++) {
    batch[i] = tocha_stack(cx, (int)n, parts + i * n, 0);
    done = batch[i] != NULL;
  }
  tocha_deallocate(cx, parts, bytes);
  return done;
}

/* Writes the next batch. Returns false after the last one, or with an error. */
static bool make_batch(tocha_context *cx, tocha_data_loader *l, tocha_tensor **batch) {
  int64_t size = l->options.batch_size, left;
  if (!l->order && !begin_pass(cx, l)) return false;
  left = l->samples - l->at;
  int64_t n = left < size ? left : size;
  if (n < size && !draw_past_end(cx, l)) return false;
  if (!n || (n < size && l->options.drop_last)) return false;
  bool done = l->options.tensors ? select_rows(cx, l, n, batch) : stack_samples(cx, l, n, batch);
  l->at += n;
  return done;
}

/* Passes the tensors of a batch from a scope that ends to the outer one. */
static bool end_batch(tocha_context *cx, tocha_scope scope, int parts, tocha_tensor **batch,
                      bool done) {
  for (int i = 0; done && i < parts; i++) tocha_retain(batch[i]);
  tocha_scope_end(cx, scope, NULL);
  for (int i = 0; i < parts; i++)
    if (!done || !tocha_scope_push(cx, batch[i])) batch[i] = NULL;
  return done && !tocha_failed(cx);
}

bool tocha_data_loader_next(tocha_context *cx, tocha_data_loader *l, tocha_tensor **batch) {
  if (tocha_failed(cx)) return false;
  if (!l || !batch) return tocha_refuse_none(cx, "DataLoader", "loader", "a loader");
  tocha_scope scope = tocha_scope_begin(cx);
  bool done = end_batch(cx, scope, l->options.parts, batch, make_batch(cx, l, batch));
  if (!done) tocha_data_loader_rewind(l);
  return done;
}
