/* permutation.c: random permutations for randperm, by shuffling or by sorting random keys. */
#include <math.h>

#include "ops/random/fill.h"
#include "ops/sorting/kernels.h"
#include "ops/sorting/sort.h"
#include "tocha/ops/bitwise_and.h"

/* Fills order with 0, ..., n - 1 sorted by random keys. The keys have so many bits that with
 * probability 0.9 no two are equal (https://osf.io/af2hy/). Elements of equal keys are shuffled. */
static bool sort_by_keys(tocha_context *cx, tocha_stream *stream, tocha_tensor *order,
                         tocha_generator *g) {
  int64_t n = order->numel;
  double count = (double)n;
  double bits = ceil(log2(count - (6 * count * count + 1) / (12 * log(0.9))));
  bool wide = bits > 32;
  tocha_dtype type = wide ? TOCHA_INT64 : TOCHA_INT32;
  tocha_tensor *keys = tocha_new(cx, 1, &n, type, order->device);
  tocha_tensor *sorted = tocha_new(cx, 1, &n, type, order->device);
  tocha_random_args draw = {.distribution = TOCHA_DISTRIBUTION_INTEGERS, .wide = true};
  draw.base = wide ? INT64_MIN : INT32_MIN; /* up to the largest, which is excluded */
  draw.range = wide ? UINT64_MAX : UINT32_MAX;
  if (!keys || !sorted || !tocha_fill_random(cx, keys, &draw, g)) return false;
  if (bits != 32 && bits < 64) {
    int64_t mask = (int64_t)(((uint64_t)1 << (int)bits) - 1);
    keys = tocha_bitwise_and_full(cx, keys, tocha_number(tocha_int(mask)));
    if (!keys) return false;
  }
  tocha_sort_args sort = {
      .outer = 1, .n = n, .inner = 1, .kept = n, .bits = bits < 32 || wide ? (int32_t)bits : 0};
  if (bits >= 64) sort.bits = 0;
  if (!tocha_sort_rows(cx, keys, &sort, sorted, order)) return false;
  tocha_shuffle_args shuffle = {.keys = tocha_bytes(sorted),
                                .order = (int64_t *)tocha_bytes(order),
                                .n = n,
                                .generator = g,
                                .wide = wide};
  return tocha_launched(cx, stream->kernels->random->shuffle(stream, &shuffle));
}

bool tocha_fill_permutation(tocha_context *cx, tocha_tensor *order, tocha_generator *generator) {
  tocha_generator *g = tocha_generator_for(cx, order->device, generator);
  tocha_stream *stream = g ? tocha_stream_of(cx, order->device) : NULL;
  if (!stream) return false;
  if (!stream->kernels->random->permutation) return sort_by_keys(cx, stream, order, g);
  tocha_permutation_args args = {
      .order = (int64_t *)tocha_bytes(order), .n = order->numel, .generator = g};
  return tocha_launched(cx, stream->kernels->random->permutation(stream, &args));
}
