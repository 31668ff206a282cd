/* channels.c: every channel's elements are added one after the other, as oneDNN's gradients of biases are (some of them image by
 * image). Each sum waits for
 * its last addition, so some channels go side by side. */
#include "ops/convolution/cpu/channels.h"

#include "device/devices.h"
#include "tensor/parallel.h"
#include "tensor/pieces.h"

enum { TOGETHER = 8 };

typedef struct call {
  const tocha_channel_sums *args;
  tocha_stop stop;
} call;

/* The sums of an image go on from those before it, or are added to them. */
static void add_some(const tocha_channel_sums *a, const float *from, int64_t count, float *sums) {
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
  const call *k = user;
  const tocha_channel_sums *a = k->args;
  int64_t first = begin * TOGETHER, last = end * TOGETHER;
  if (last > a->channels) last = a->channels;
  for (int64_t c = first; c < last; c++) a->out[c] = 0;
  for (int64_t i = 0; i < a->images; i++) {
    if (tocha_is_set(k->stop)) return;
    const float *image = a->in + i * a->channels * a->plane;
    for (int64_t c = first; c < last; c += TOGETHER)
      add_some(a, image + c * a->plane, last - c < TOGETHER ? last - c : TOGETHER, a->out + c);
  }
}

bool tocha_cpu_sum_channels(tocha_stream *stream, const tocha_channel_sums *args) {
  tocha_context *cx = tocha_stream_context(stream);
  call k = {args, &cx->interrupted};
  int64_t grain = TOCHA_GRAIN / (args->images * args->plane * TOGETHER + 1) + 1;
  return tocha_parallel_for(cx, (args->channels + TOGETHER - 1) / TOGETHER, grain, sum_groups, &k);
}
