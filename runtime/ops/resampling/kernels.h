/* kernels.h: the kernels of resampling: what they are given, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_RESAMPLING_KERNELS_H
#define TOCHA_RESAMPLING_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TOCHA_SAMPLE_LINEAR, TOCHA_SAMPLE_NEAREST, TOCHA_SAMPLE_CUBIC };
enum { TOCHA_SAMPLE_ZEROS, TOCHA_SAMPLE_BORDER, TOCHA_SAMPLE_REFLECTION };

/* Images sampled at the places of a grid; all row-major and of one floating dtype. Space has three dimensions; where the
 * grid tells only two, the first has size 1. A place tells its dimensions the last one first, -1 and 1 being the edges.
 * A sample is a sum of weight * element over the taps around its place (sampling.h). With a tangent, of the grid's
 * sizes, the weights are replaced by their derivative in the direction that the tangent says. */
typedef struct tocha_sample_args {
  void *image;                /* (images, channels, in): read, or written by spread */
  void *sampled;              /* (images, channels, out): written by sample, else read */
  const void *grid, *tangent; /* (images, out, space); tangent: or NULL */
  void *slope;                /* as grid: written by slope */
  int64_t *keys;              /* (points, images, out): written by bring, as is */
  void *brought;              /* (points, images, out, channels), of the dtype computed in */
  int64_t images, channels, in[3], out[3], space;
  int64_t mode, padding, align_corners;
  int64_t dtype;
} tocha_sample_args;

/* Along n of (outer, n, inner), row-major: out[i] = the sum over k of weights[k, i] * in[positions[k, i]]; count taps. Tap
 * `first`'s product is rounded, to which the others are added in their order, unrounded. All but the positions are of one
 * dtype, float32 or float64. */
typedef struct tocha_weigh_args {
  const void *in, *weights;
  const int64_t *positions;
  void *out;
  int64_t outer, from, n, inner, count; /* from: as n, of the input */
  int8_t dtype, first;
} tocha_weigh_args;

/* Planes (planes, in[0], in[1]) to (planes, out[0], out[1]), row-major: out[i, j] = the sum over k and l of rows[k, i] *
 * columns[l, j] * in[row_at[k, i], column_at[l, j]], two taps each. Channels that
 * fill whole vectors of `lanes` begin with the lower row, the others with the upper. Of one dtype, float32 or float64. */
typedef struct tocha_blend_args {
  const void *in, *rows, *columns;
  const int64_t *row_at, *column_at;
  void *out;
  int64_t planes, channels, lanes, from[2], to[2];
  int8_t dtype;
} tocha_blend_args;

typedef struct tocha_resampling_kernels {
  bool (*sample)(tocha_stream *stream, const tocha_sample_args *args);
  /* The reverse: what `sampled` brings to each element of the images. */
  bool (*spread)(tocha_stream *stream, const tocha_sample_args *args); /* NULL: bring */
  /* What every place's points bring to the images, and to which of their places: its number among those of a channel of all
   * images; points outside bring zeros. A place has a point for each choice of a tap in each dimension. */
  bool (*bring)(tocha_stream *stream, const tocha_sample_args *args);
  /* The derivative of the sum of sampled * sample by the grid. */
  bool (*slope)(tocha_stream *stream, const tocha_sample_args *args);
  bool (*weigh)(tocha_stream *stream, const tocha_weigh_args *args);
  bool (*blend)(tocha_stream *stream,
                const tocha_blend_args *args); /* NULL: weighs a dimension after the other */
} tocha_resampling_kernels;

#ifdef __cplusplus
}
#endif
#endif
