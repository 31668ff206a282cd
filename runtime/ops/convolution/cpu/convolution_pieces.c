/* convolution_pieces.c: divides a convolution into pieces. */
#include "ops/convolution/cpu/convolution_pieces.h"

#include <string.h>

static int64_t product(const int64_t *sizes) { return sizes[0] * sizes[1] * sizes[2]; }

static int64_t divided_size(const tocha_convolution_args *a, tocha_division by) {
  if (by == TOCHA_BY_IMAGES) return a->images;
  if (by == TOCHA_BY_GROUPS) return a->groups;
  if (by == TOCHA_BY_ROWS) return a->windows.out[3 - a->space];
  return a->task == TOCHA_CONVOLVE_BACK_INPUT ? a->in_channels : a->out_channels;
}

/* Returns the first input row that the windows of output row `row` cover, below 0 in the padding. */
static int64_t row_begin(const tocha_windows *w, int64_t d, int64_t row) {
  return row * w->stride[d] - w->padding[d];
}
/* Returns the number of input rows that a window spans. */
static int64_t rows_covered(const tocha_windows *w, int64_t d) {
  return w->dilation[d] * (w->kernel[d] - 1) + 1;
}

/* Makes `q` the piece of n output rows from `begin` on, with the input rows that they see. */
static void take_rows(tocha_convolution_piece *q, int64_t begin, int64_t n) {
  tocha_windows *w = &q->shape.windows;
  int64_t d = 3 - q->shape.space, from = row_begin(w, d, begin);
  int64_t to = row_begin(w, d, begin + n - 1) + rows_covered(w, d);
  if (to > w->in[d]) to = w->in[d];
  q->offset[RESULT] = begin * (q->shape.result_plane / w->out[d]);
  q->offset[IMAGE] = (from < 0 ? 0 : from) * (q->shape.image_plane / w->in[d]);
  w->padding[d] = from < 0 ? -from : 0;
  w->in[d] = to - (from < 0 ? 0 : from);
  w->out[d] = n;
}

/* Makes `q` the piece of n groups from `begin` on. */
static void take_groups(tocha_convolution_piece *q, const tocha_convolution_args *a, int64_t begin,
                        int64_t n) {
  int64_t in = a->in_channels / a->groups, out = a->out_channels / a->groups;
  q->shape.groups = n;
  q->shape.in_channels = n * in;
  q->shape.out_channels = n * out;
  q->offset[IMAGE] = begin * in * q->shape.image_plane;
  q->offset[RESULT] = begin * out * q->shape.result_plane;
  q->offset[WEIGHT] = begin * out * q->shape.weight_stride;
  q->offset[BIAS] = begin * out;
}

tocha_convolution_piece tocha_convolution_piece_at(const tocha_convolution_pieces *p, int64_t i) {
  const tocha_convolution_args *a = p->args;
  int64_t plane = product(a->windows.in), spots = product(a->windows.out);
  int64_t window = product(a->windows.kernel), begin = i * p->each;
  int64_t left = divided_size(a, p->by) - begin, n = left < p->each ? left : p->each;
  tocha_convolution_piece q;
  memset(&q, 0, sizeof q);
  q.shape = (tocha_convolution_shape){.task = a->task,
                                      .images = a->images,
                                      .in_channels = a->in_channels,
                                      .out_channels = a->out_channels,
                                      .groups = a->groups,
                                      .space = a->space,
                                      .bias = a->bias != NULL,
                                      .image_stride = a->in_channels * plane,
                                      .weight_stride = a->in_channels / a->groups * window,
                                      .result_stride = a->out_channels * spots,
                                      .image_plane = plane,
                                      .result_plane = spots,
                                      .windows = a->windows};
  if (p->by == TOCHA_BY_ROWS) {
    take_rows(&q, begin, n);
  } else if (p->by == TOCHA_BY_GROUPS) {
    take_groups(&q, a, begin, n);
  } else if (p->by == TOCHA_BY_IMAGES) {
    q.shape.images = n;
    q.offset[IMAGE] = begin * q.shape.image_stride;
    q.offset[RESULT] = begin * q.shape.result_stride;
  } else if (a->task == TOCHA_CONVOLVE_BACK_INPUT) {
    q.shape.in_channels = n;
    q.offset[IMAGE] = begin * plane;
    q.offset[WEIGHT] = begin * window;
  } else {
    q.shape.out_channels = n;
    q.offset[WEIGHT] = begin * q.shape.weight_stride;
    q.offset[RESULT] = begin * spots;
    q.offset[BIAS] = begin;
  }
  return q;
}

/* --- number of pieces ------------------------------------------------------------------------------------------ */

/* Limits of pieces, in multiply-adds unless stated otherwise. WORTH_PIECES: the minimum worth dividing. MAX_PIECE: the
 * maximum of one piece, about 0.06 s, so that an interrupt is answered in time. Each piece brings its own copy of the
 * weights into the library's layout, so pieces should be large if the weights are. MAX_OF_FEW: with at most FEW channels the
 * weights are small and multiply-adds slow. MAX_GROUPED: with groups a multiply-add takes ten times as long or more. CHANNELS:
 * channels that the library processes at a time. PATIENCE: rows are divided instead if pieces by groups would be more than this
 * many times larger than wanted. */
enum {
  WORTH_PIECES = 1 << 21,
  CHANNELS = 16,
  FEW = 32,
  MAX_OF_FEW = 1 << 29,
  MAX_GROUPED = 1 << 26,
  PATIENCE = 4
};
static const int64_t MAX_PIECE = (int64_t)1 << 31;

static int64_t multiply_adds(const tocha_convolution_args *a) {
  return a->images * a->out_channels * (a->in_channels / a->groups) * product(a->windows.kernel) *
         product(a->windows.out);
}

static void divide(tocha_convolution_pieces *p, tocha_division by, int64_t enough, int64_t step) {
  int64_t n = divided_size(p->args, by);
  p->by = by;
  p->each = ((n + enough - 1) / enough + step - 1) / step * step;
  if (p->each > n) p->each = n;
  p->count = (n + p->each - 1) / p->each;
}

/* Returns true if all pieces but the first and the last see the same number of input rows. */
static bool are_inner_alike(const tocha_convolution_pieces *p) {
  const tocha_windows *w = &p->args->windows;
  int64_t d = 3 - p->args->space, before_last = (p->count - 1) * p->each - 1;
  return row_begin(w, d, p->each) >= 0 && row_begin(w, d, p->each - 1) + rows_covered(w, d) > 0 &&
         row_begin(w, d, before_last) + rows_covered(w, d) <= w->in[d] &&
         row_begin(w, d, before_last + 1) < w->in[d];
}

/* Returns true if a convolution in groups keeps its digits when its rows are divided: one channel a group, and no padding. */
static bool rows_have_digits(const tocha_convolution_args *a) {
  const tocha_windows *w = &a->windows;
  int64_t d = 3 - a->space;
  return a->task == TOCHA_CONVOLVE && a->in_channels == a->groups && a->out_channels == a->groups &&
         w->padding[d] == 0 && row_begin(w, d, w->out[d] - 1) + rows_covered(w, d) <= w->in[d];
}

/* Returns the maximum number of pieces such that each is about half as high as a window, so that every piece shares input rows
 * with its neighbours. */
static int64_t halves_of_windows(const tocha_convolution_args *a) {
  int64_t d = 3 - a->space;
  return 2 * a->windows.out[d] / rows_covered(&a->windows, d) + 1;
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

tocha_convolution_pieces tocha_divide_convolution(const tocha_convolution_args *a,
                                                  int64_t threads) {
  tocha_convolution_pieces p = {.args = a};
  int64_t work = multiply_adds(a);
  int64_t enough = threads > 1 && work >= WORTH_PIECES ? threads : 1;
  bool few = a->in_channels <= FEW && a->out_channels <= FEW;
  int64_t max_piece = a->groups > 1 ? MAX_GROUPED : few ? MAX_OF_FEW : MAX_PIECE;
  if (enough < work / max_piece + 1) enough = work / max_piece + 1;
  bool weights = a->task == TOCHA_CONVOLVE_BACK_WEIGHT; /* a sum over images, which stay whole */
  if (!weights && a->images >= enough) {
    divide(&p, TOCHA_BY_IMAGES, enough, 1);
  } else if (a->groups > 1) {
    divide(&p, TOCHA_BY_GROUPS, enough, a->in_channels == a->groups ? CHANNELS : 1);
    if (p.count * PATIENCE < enough && rows_have_digits(a))
      divide(&p, TOCHA_BY_ROWS, smaller(enough, halves_of_windows(a)), 1);
  } else {
    divide(&p, TOCHA_BY_CHANNELS, enough, CHANNELS);
    if (p.count >= enough || a->task != TOCHA_CONVOLVE) return p;
    tocha_convolution_pieces rows = p;
    divide(&rows, TOCHA_BY_ROWS, enough, 1);
    if (rows.count > 1 && are_inner_alike(&rows)) return rows;
  }
  return p;
}
