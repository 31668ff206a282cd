/* kernels.h: the arguments of resampling kernels, and the table that a device fills
 * (device/kernels.h). */
#ifndef TOCHA_RESAMPLING_KERNELS_H
#define TOCHA_RESAMPLING_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TOCHA_SAMPLE_LINEAR, TOCHA_SAMPLE_NEAREST, TOCHA_SAMPLE_CUBIC };
enum { TOCHA_SAMPLE_ZEROS, TOCHA_SAMPLE_BORDER, TOCHA_SAMPLE_REFLECTION };

/* The arguments for samples of images at the places of a grid. All arrays are row-major and of one
 * floating dtype. There are three dimensions of space; the first has size 1 if the grid has only
 * two. A place has its last dimension's coordinate first, and -1 and 1 are the edges. A sample is
 * the sum of weight * element over the taps around its place (sampling.h). With a tangent, of the
 * grid's sizes, the weights are replaced by their derivative in the direction of the tangent. */
typedef struct tocha_sample_args {
  void *image;                /* (images, channels, in): read, or written by spread */
  void *sampled;              /* (images, channels, out): written by sample, else read */
  const void *grid, *tangent; /* (images, out, space); tangent may be NULL */
  void *slope;                /* as the grid: written by slope */
  int64_t *keys;              /* (points, images, out): written by bring, as is */
  void *brought;              /* (points, images, out, channels), of the compute dtype */
  int64_t images, channels, in[3], out[3], space;
  int64_t mode, padding, align_corners;
  int64_t dtype;
} tocha_sample_args;

/* The arguments of a weighted sum along n of (outer, n, inner), row-major: out[i] = the sum over k
 * < count of weights[k, i] * in[positions[k, i]]. The product of tap `first` is rounded; the others
 * are added in order by fused multiply-adds. All arrays but the positions are of one dtype, float32
 * or float64. */
typedef struct tocha_weigh_args {
  const void *in, *weights;
  const int64_t *positions;
  void *out;
  int64_t outer, from, n, inner, count; /* from: the input's n */
  int8_t dtype, first;
} tocha_weigh_args;

/* The arguments of a blend of planes (planes, in[0], in[1]) to (planes, out[0], out[1]), row-major:
 * out[i, j] = the sum over k and l of rows[k, i] * columns[l, j] * in[row_at[k, i], column_at[l,
 * j]], two taps each. Channels that fill whole vectors of `lanes` add the lower row first, the
 * others the upper row. All are of one dtype, float32 or float64. */
typedef struct tocha_blend_args {
  const void *in, *rows, *columns;
  const int64_t *row_at, *column_at;
  void *out;
  int64_t planes, channels, lanes, from[2], to[2];
  int8_t dtype;
} tocha_blend_args;

/* The modes of a resampled dimension (axis.h). WIDE: antialiased. */
enum {
  TOCHA_AXIS_NEAREST,
  TOCHA_AXIS_NEAREST_EXACT,
  TOCHA_AXIS_LINEAR,
  TOCHA_AXIS_CUBIC,
  TOCHA_AXIS_LINEAR_WIDE,
  TOCHA_AXIS_CUBIC_WIDE
};

typedef struct tocha_axis {
  int64_t in, out;
  double scale;   /* elements of the input for one of the result, rounded to the compute type */
  double support; /* antialiased modes: the distance at which weights become zero */
  int32_t mode, align_corners;
  int32_t fused,
      keeps; /* centers are found by one fused multiply-add; antialiased: each element stays as it is */
} tocha_axis;

/* The arguments that resample planes of `space` dimensions at once: in (planes, axes' in, inner) to
 * out (planes, axes' out, inner), both row-major and of one dtype: floating, or any dtype if elements
 * are picked. inner: channels that are last. */
typedef struct tocha_resize_args {
  const void *in;
  void *out;
  int64_t planes, inner, space, dtype;
  tocha_axis axes[3]; /* the first `space` count; the last dimension first */
} tocha_resize_args;

typedef struct tocha_resampling_kernels {
  bool (*sample)(tocha_stream *stream, const tocha_sample_args *args);
  /* Reverses sample: writes the gradient of the images, from the gradients in `sampled`. A GPU adds in no fixed order, to images of
   * zeros, of the type it computes in. */
  bool (*spread)(tocha_stream *stream, const tocha_sample_args *args);
  /* Writes the contribution of each place's points to the images, and the key of each point: the number of the image element
   * among those of one channel of all images. Points outside contribute zeros. A place has one point for each combination of taps. */
  bool (*bring)(tocha_stream *stream, const tocha_sample_args *args);
  /* Writes the derivative by the grid of the sum of sampled * sample. */
  bool (*slope)(tocha_stream *stream, const tocha_sample_args *args);
  bool (*weigh)(tocha_stream *stream, const tocha_weigh_args *args);
  bool (*blend)(tocha_stream *stream,
                const tocha_blend_args *args); /* NULL: weigh runs once for each dimension */
  /* Resamples all dimensions at once. A plane has less than 2^31 elements, before and after. NULL: weigh and blend do it. */
  bool (*resize)(tocha_stream *stream, const tocha_resize_args *args);
  /* Writes the gradient of resize, (planes, axes' in, inner), to `out` from the gradient (planes, axes' out, inner) in `in`. */
  bool (*resize_backward)(tocha_stream *stream, const tocha_resize_args *args);
} tocha_resampling_kernels;

#ifdef __cplusplus
}
#endif
#endif
