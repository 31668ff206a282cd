/* kernels.c: the CPU's kernels of convolutions. Divides rows of columns and planes of images among threads. */
#include "ops/convolution/kernels.h"

#include "device/devices.h"
#include "ops/convolution/cpu/digits/channels.h"
#include "ops/convolution/cpu/digits/order.h"
#include "ops/convolution/cpu/digits/strided.h"
#include "ops/convolution/cpu/onednn.h"
#include "ops/convolution/cpu/unfold.h"
#include "tensor/parallel.h"

typedef struct unfold_call {
  const tocha_unfold_args *args;
  const tocha_unfold_loops *loops;
  tocha_stop stop;
} unfold_call;

static int64_t product(const int64_t *sizes) { return sizes[0] * sizes[1] * sizes[2]; }

static unfold_call call_of(tocha_context *cx, const tocha_unfold_args *args) {
  return (unfold_call){args, tocha_unfold_loops_table[cx->isa][args->dtype], &cx->interrupted};
}

static void unfold_rows(void *user, int64_t begin, int64_t end) {
  const unfold_call *c = user;
  c->loops->unfold(c->args, begin, end, c->stop);
}

static bool unfold(tocha_stream *stream, const tocha_unfold_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  unfold_call c = call_of(cx, args);
  int64_t rows = args->images * args->channels * product(args->windows.kernel);
  return tocha_parallel_for(cx, rows, TOCHA_GRAIN / (product(args->windows.out) + 1) + 1,
                            unfold_rows, &c);
}

static void fold_planes(void *user, int64_t begin, int64_t end) {
  const unfold_call *c = user;
  c->loops->fold(c->args, begin, end, c->stop);
}

static bool fold(tocha_stream *stream, const tocha_unfold_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  unfold_call c = call_of(cx, args);
  int64_t work = product(args->windows.kernel) * product(args->windows.out);
  return tocha_parallel_for(cx, args->images * args->channels, TOCHA_GRAIN / (work + 1) + 1,
                            fold_planes, &c);
}

static bool takes(tocha_stream *stream, const tocha_convolution_args *args) {
  tocha_convolution_way way = tocha_choose_convolution(tocha_stream_context(stream), args);
  if (way == TOCHA_CONVOLUTION_BY_ONEDNN) return tocha_onednn_takes_convolution(stream, args);
  return way != TOCHA_CONVOLUTION_BY_OPERATORS;
}

static bool convolve(tocha_stream *stream, const tocha_convolution_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  switch (tocha_choose_convolution(cx, args)) {
  case TOCHA_CONVOLUTION_BY_STRIDES:
    return tocha_strided_convolve(stream, args);
  case TOCHA_CONVOLUTION_BY_CHANNELS:
    return tocha_sum_channels(cx, args);
  default:
    return tocha_onednn_convolve(stream, args);
  }
}

extern const tocha_convolution_kernels tocha_cpu_convolution;
const tocha_convolution_kernels tocha_cpu_convolution = {
    .unfold = unfold, .fold = fold, .takes = takes, .convolve = convolve};
