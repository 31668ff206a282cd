/* strided.c: the gradient of a convolution's input in the order of oneDNN 3, whose kernel for strides earlier versions lack.
 * For each column of the kernel it adds the rows one after the other, each row over all channels, with FMA. Then it adds the
 * sums of the columns.
 *
 * Rows of the kernel that meet an input row are `stride` apart, so they see consecutive rows of the output, backward. The
 * output of an image is therefore laid out with its rows reversed and its channels last, (columns, rows, channels), with zeros
 * around it. The sum over one kernel column for an input element is then one inner product of two vectors without gaps. Weights
 * are in panels of WIDTH input channels, or of LANES if no more are left. A panel is ordered by the kernel's first row, column,
 * row, channel. */
#include "ops/convolution/cpu/digits/strided.h"

#include <string.h>

#include "tensor/math/vector_math.h"

#if defined(TOCHA_VECTORS) && (defined(__AVX512F__) || defined(__AVX2__)) /* with FMA */

enum { LANES = sizeof(vfloat) / sizeof(float), WIDTH = 2 * LANES, SUMS = 8 };

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* The sizes along one of the two dimensions. taps: kernel positions that meet an input position, at most. last: the last output
 * position that an input position meets, or that the output has. places: positions laid out. */
typedef struct side {
  int64_t in, out, kernel, stride, padding, taps, last, places;
} side;

static side side_of(const tocha_convolution_args *a, int d) {
  const tocha_windows *w = &a->windows;
  side s = {w->in[d], w->out[d], w->kernel[d], w->stride[d], w->padding[d], 0, 0, 0};
  s.taps = (s.kernel + s.stride - 1) / s.stride;
  s.last = (s.in - 1 + s.padding) / s.stride;
  if (s.last < s.out - 1) s.last = s.out - 1;
  s.places = s.last + s.taps;
  return s;
}

/* Returns the number of the kernel's positions first, first + stride, ... */
static int64_t taps_from(const side *s, int64_t first) {
  return first < s->kernel ? (s->kernel - 1 - first) / s->stride + 1 : 0;
}

/* Returns the floats of the weights of one input channel. */
static int64_t weights_each(const tocha_convolution_args *a) {
  return a->out_channels * a->windows.kernel[1] * a->windows.kernel[2];
}

/* Returns the width of the panel that begins with `channel`. */
static int64_t width_at(const tocha_convolution_args *a, int64_t channel) {
  return a->in_channels - channel > LANES ? WIDTH : LANES;
}

static int64_t weight_floats(const tocha_convolution_args *a) {
  return (a->in_channels + WIDTH - 1) / WIDTH * WIDTH * weights_each(a);
}

static int64_t image_floats(const tocha_convolution_args *a) {
  side y = side_of(a, 1), x = side_of(a, 2);
  return (x.places + SUMS) * y.places * a->out_channels + x.in * WIDTH;
}

/* --- layouts ------------------------------------------------------------------------------------------- */

static void pack_panel(const tocha_convolution_args *a, int64_t channel, float *to) {
  side y = side_of(a, 1), x = side_of(a, 2);
  int64_t kernel = y.kernel * x.kernel, width = width_at(a, channel);
  int64_t some = smaller(width, a->in_channels - channel);
  for (int64_t first = 0; first < y.stride; first++)
    for (int64_t column = 0; column < x.kernel; column++)
      for (int64_t row = first; row < y.kernel; row += y.stride)
        for (int64_t o = 0; o < a->out_channels; o++, to += width) {
          const float *from = (const float *)a->weight + (o * a->in_channels + channel) * kernel +
                              row * x.kernel + column;
          for (int64_t c = 0; c < width; c++) to[c] = c < some ? from[c * kernel] : 0;
        }
}

static void pack_weights(const tocha_convolution_args *a, float *weights) {
  for (int64_t c = 0; c < a->in_channels; c += WIDTH)
    pack_panel(a, c, weights + c * weights_each(a));
}

/* Copies an image (channels, rows, columns) to (columns, rows backward, channels), with zeros around it. */
static void lay_out(const tocha_convolution_args *a, const side *y, const side *x,
                    const float *image, float *to) {
  int64_t channels = a->out_channels, plane = y->out * x->out;
  memset(to, 0, (size_t)((x->places + SUMS) * y->places * channels) * sizeof *to);
  for (int64_t row = 0; row < y->out; row++)
    for (int64_t column = 0; column < x->out; column++) {
      const float *from = image + row * x->out + column;
      float *place = to + ((column + x->taps - 1) * y->places + y->last - row) * channels;
      for (int64_t c = 0; c < channels; c++) place[c] = from[c * plane];
    }
}

/* --- products ------------------------------------------------------------------------------------------ */

/* Input elements of a row that are `stride` apart. For each the sums over `columns` columns of the kernel are taken, with
 * `terms` terms each. The first column's vectors begin at `from`, each pixel's `step` after the pixel's before. The next
 * column's begin `step` earlier. */
typedef struct pixels {
  const float *from, *weights;
  int64_t step, columns, terms, panel; /* panel: the distance between the weights of two columns */
  int64_t width;
} pixels;

static inline vfloat load(const float *from) {
  vfloat v;
  memcpy(&v, from, sizeof v);
  return v;
}

/* Computes the sums of `count` pixels of `vectors` vectors each. Both numbers are constants at each call. */
static inline __attribute__((always_inline)) void sum_pixels(const pixels *p, int count,
                                                             int vectors, vfloat *sums) {
  const float *from = p->from, *weights = p->weights;
  for (int i = 0; i < count * vectors; i++) sums[i] = (vfloat){0};
  for (int64_t k = 0; k < p->columns; k++, from -= p->step, weights += p->panel) {
    vfloat part[SUMS];
    for (int i = 0; i < count * vectors; i++) part[i] = (vfloat){0};
    for (int64_t t = 0; t < p->terms; t++) {
      const float *w = weights + t * vectors * LANES;
      vfloat first = load(w), second = vectors > 1 ? load(w + LANES) : first;
#pragma GCC unroll 8
      for (int i = 0; i < count; i++) {
        vfloat x = from[i * p->step + t] - (vfloat){0};
        part[i * vectors] = vfloat_fma(x, first, part[i * vectors]);
        if (vectors > 1) part[i * vectors + 1] = vfloat_fma(x, second, part[i * vectors + 1]);
      }
    }
    for (int i = 0; i < count * vectors; i++) sums[i] += part[i];
  }
}

/* Computes the sums of the next pixels, of which `left` remain, and returns their number. Pixels beyond the end read zeros. */
static int64_t sum_next(const pixels *p, int64_t left, vfloat *sums) {
  if (p->width == WIDTH)
    sum_pixels(p, SUMS / 2, 2, sums);
  else if (left > SUMS / 2)
    sum_pixels(p, SUMS, 1, sums);
  else
    sum_pixels(p, SUMS / 2, 1, sums);
  return smaller(left, p->width == WIDTH ? SUMS / 2 : SUMS);
}

/* Computes one input row of `width` channels, (columns, channels), into `out`. */
static void sum_row(const tocha_convolution_args *a, const side *y, const side *x, int64_t row,
                    int64_t width, const float *image, const float *panel, float *out) {
  int64_t first = (row + y->padding) % y->stride, at = (row + y->padding) / y->stride;
  int64_t rows_before = 0;
  for (int64_t i = 0; i < first; i++) rows_before += taps_from(y, i);
  pixels p = {.step = y->places * a->out_channels,
              .terms = taps_from(y, first) * a->out_channels,
              .width = width};
  panel += rows_before * x->kernel * a->out_channels * width;
  p.panel = p.terms * width * x->stride;
  image += (y->last - at) * a->out_channels;
  for (int64_t c = 0; c < smaller(x->stride, x->in); c++) {
    int64_t phase = (c + x->padding) % x->stride, place = (c + x->padding) / x->stride;
    int64_t count = (x->in - c + x->stride - 1) / x->stride;
    p.columns = taps_from(x, phase);
    p.weights = panel + phase * p.terms * width;
    vfloat sums[SUMS];
    for (int64_t i = 0, n; i < count; i += n) {
      p.from = image + (place + i + x->taps - 1) * p.step;
      n = sum_next(&p, count - i, sums);
      for (int64_t k = 0; k < n; k++)
        memcpy(out + (c + (i + k) * x->stride) * width, sums + k * width / LANES,
               (size_t)width * sizeof *out);
    }
  }
}

static void put_row(const float *row, int64_t width, int64_t columns, int64_t channels,
                    int64_t plane, float *to) {
  for (int64_t c = 0; c < channels; c++)
    for (int64_t i = 0; i < columns; i++) to[c * plane + i] = row[i * width + c];
}

/* Computes all rows of a panel of channels, for one image. */
static void sum_channels(const tocha_strided_images *s, int64_t channel, const float *image,
                         float *line, float *result) {
  const tocha_convolution_args *a = s->args;
  side y = side_of(a, 1), x = side_of(a, 2);
  int64_t width = width_at(a, channel), some = smaller(width, a->in_channels - channel);
  const float *panel = s->weights + channel * weights_each(a);
  for (int64_t first = 0; first < y.stride; first++)
    for (int64_t row = first; row < y.in && !tocha_is_set(s->stop); row += y.stride) {
      sum_row(a, &y, &x, row, width, image, panel, line);
      put_row(line, width, x.in, some, y.in * x.in, result + row * x.in);
    }
}

static void images(const tocha_strided_images *s) {
  const tocha_convolution_args *a = s->args;
  side y = side_of(a, 1), x = side_of(a, 2);
  float *line = s->scratch, *image = s->scratch + x.in * WIDTH;
  for (int64_t i = s->first; i < s->end && !tocha_is_set(s->stop); i++) {
    lay_out(a, &y, &x, (const float *)a->out + i * a->out_channels * y.out * x.out, image);
    float *result = (float *)a->input + i * a->in_channels * y.in * x.in;
    for (int64_t c = 0; c < a->in_channels; c += WIDTH)
      sum_channels(s, c, image, line, result + c * y.in * x.in);
  }
}

const tocha_strided_loops TOCHA_LOOPS(strided) = {weight_floats, image_floats, pack_weights,
                                                  images};

#else

const tocha_strided_loops TOCHA_LOOPS(strided) = {NULL, NULL, NULL, NULL};

#endif
