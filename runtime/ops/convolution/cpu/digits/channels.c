/* channels.c: sums the elements of each channel, (C, M) of each image, one after the other, as oneDNN does. Each addition waits
 * for the one before it, so several channels are summed side by side. */
#include "ops/convolution/cpu/digits/channels.h"

#include "tensor/parallel.h"
#include "tensor/interruptible.h"

enum { TOGETHER = 8 };

typedef struct call {
  const float *in; /* (images, channels, plane) */
  float *out;      /* (channels) */
  int64_t images, channels, plane;
  bool by_images; /* each image gets a sum of its own, which is then added */
  tocha_stop stop;
} call;

/* Adds `count` channels (count, plane) of one image to `sums`. An image's elements are added to the running sums directly, or,
 * with by_images, to sums of their own first. */
static void add_some(const call *a, const float *from, int64_t count, float *sums) {
  float s[TOGETHER] = {0};
  for (int64_t c = 0; c < count && !a->by_images; c++) s[c] = sums[c];
  if (count == TOGETHER)
    for (int64_t i = 0; i < a->plane; i++)
      for (int c = 0; c < TOGETHER; c++) s[c] += from[c * a->plane + i];
  else
    for (int64_t c = 0; c < count; c++)
      for (int64_t i = 0; i < a->plane; i++) s[c] += from[c * a->plane + i];
  for (int64_t c = 0; c < count; c++) sums[c] = a->by_images ? sums[c] + s[c] : s[c];
}

static void sum_groups(void *user, int64_t begin, int64_t end) {
  const call *a = user;
  int64_t first = begin * TOGETHER, last = end * TOGETHER;
  if (last > a->channels) last = a->channels;
  for (int64_t c = first; c < last; c++) a->out[c] = 0;
  for (int64_t i = 0; i < a->images; i++) {
    if (tocha_is_set(a->stop)) return;
    const float *image = a->in + i * a->channels * a->plane;
    for (int64_t c = first; c < last; c += TOGETHER)
      add_some(a, image + c * a->plane, last - c < TOGETHER ? last - c : TOGETHER, a->out + c);
  }
}

bool tocha_sum_channels(tocha_context *cx, const tocha_convolution_args *args) {
  /* oneDNN leaves images with at most so many channels in their layout in a transposed convolution. */
  enum { FEW = 3 };
  const int64_t *space = args->transposed ? args->windows.in : args->windows.out;
  call c = {.in = args->transposed ? args->input : args->out,
            .out = args->bias,
            .images = args->images,
            .channels = args->transposed ? args->in_channels : args->out_channels,
            .plane = space[0] * space[1] * space[2],
            .stop = &cx->interrupted};
  c.by_images = args->transposed && args->groups == 1 && c.channels <= FEW;
  int64_t grain = TOCHA_GRAIN / (c.images * c.plane * TOGETHER + 1) + 1;
  return tocha_parallel_for(cx, (c.channels + TOGETHER - 1) / TOGETHER, grain, sum_groups, &c);
}
