/* channels.c: every channel's elements are added one after the other, as oneDNN's gradients of biases are. Each sum waits for
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

static void add_one(const float *from, int64_t n, float *sum) {
  for (int64_t i = 0; i < n; i++) *sum += from[i];
}

static void add_some(const float *from, int64_t plane, float *sums) {
  float s[TOGETHER];
  for (int c = 0; c < TOGETHER; c++) s[c] = sums[c];
  for (int64_t i = 0; i < plane; i++)
    for (int c = 0; c < TOGETHER; c++) s[c] += from[c * plane + i];
  for (int c = 0; c < TOGETHER; c++) sums[c] = s[c];
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
    int64_t c = first;
    for (; c + TOGETHER <= last; c += TOGETHER)
      add_some(image + c * a->plane, a->plane, a->out + c);
    for (; c < last; c++) add_one(image + c * a->plane, a->plane, a->out + c);
  }
}

bool tocha_cpu_sum_channels(tocha_stream *stream, const tocha_channel_sums *args) {
  tocha_context *cx = tocha_stream_context(stream);
  call k = {args, &cx->interrupted};
  int64_t grain = TOCHA_GRAIN / (args->images * args->plane * TOGETHER + 1) + 1;
  return tocha_parallel_for(cx, (args->channels + TOGETHER - 1) / TOGETHER, grain, sum_groups, &k);
}
