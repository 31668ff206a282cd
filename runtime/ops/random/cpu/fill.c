/* fill.c: random numbers of a distribution on the CPU (random/random.h has the generators). One
 * thread fills a tensor in the order of its memory, as in PyTorch, so that a seed gives the same
 * sequence for any number of threads. */
#include "ops/random/cpu/fill.h"

#include "device/devices.h"
#include "tensor/convert.h"
#include "tensor/iterator.h"

/* --- samples ------------------------------------------------------------------------------------- */

/* Draws n samples; at most TOCHA_RANDOM_BLOCK if they are converted to the tensor's dtype. */
typedef void (*draw_samples)(const tocha_random_args *args, void *out, int64_t n);

/* The function that draws a distribution for a dtype, and the dtype of its samples. */
typedef struct sampler {
  draw_samples draw;
  tocha_dtype type;
} sampler;

static void draw_uniform_float32(const tocha_random_args *args, void *out, int64_t n) {
  tocha_random_uniform_float32(args->generator, out, (size_t)n, args->a, args->b);
}
static void draw_uniform_float64(const tocha_random_args *args, void *out, int64_t n) {
  tocha_random_uniform_float64(args->generator, out, (size_t)n, args->a, args->b);
}

/* Draws uniform samples for a 16-bit type. Samples that round up to the upper bound become the
 * lower bound. */
static void draw_uniform_half(const tocha_random_args *args, void *out, int64_t n) {
  float *x = out, low = (float)args->a, high = (float)args->b;
  bool bfloat16 = args->layout->dtype[0] == TOCHA_BFLOAT16;
  uint16_t top = bfloat16 ? tocha_float_to_bfloat16(high) : tocha_float_to_half(high);
  draw_uniform_float32(args, out, n);
  for (int64_t i = 0; i < n; i++)
    if ((bfloat16 ? tocha_float_to_bfloat16(x[i]) : tocha_float_to_half(x[i])) == top) x[i] = low;
}

static void draw_normal_float32(const tocha_random_args *args, void *out, int64_t n) {
  tocha_random_normal_scalar_float32(args->generator, out, (size_t)n, args->a, args->b);
}
static void draw_normal_float64(const tocha_random_args *args, void *out, int64_t n) {
  tocha_random_normal_scalar_float64(args->generator, out, (size_t)n, args->a, args->b);
}
static void draw_log_normal(const tocha_random_args *args, void *out, int64_t n) {
  tocha_random_log_normal_float64(args->generator, out, (size_t)n, args->a, args->b);
}
static void draw_exponential(const tocha_random_args *args, void *out, int64_t n) {
  tocha_random_exponential_float64(args->generator, out, (size_t)n, args->a);
}
static void draw_cauchy(const tocha_random_args *args, void *out, int64_t n) {
  tocha_random_cauchy_float64(args->generator, out, (size_t)n, args->a, args->b);
}
static void draw_geometric(const tocha_random_args *args, void *out, int64_t n) {
  tocha_random_geometric_float64(args->generator, out, (size_t)n, args->a);
}
static void draw_integers(const tocha_random_args *args, void *out, int64_t n) {
  tocha_random_integers(args->generator, out, (size_t)n, args->base, args->range, args->wide);
}

static void draw_bernoulli_bool(const tocha_random_args *args, void *out, int64_t n) {
  tocha_random_bernoulli_scalar(args->generator, args->a, out, (size_t)n);
}

static void draw_bernoulli_float32(const tocha_random_args *args, void *out, int64_t n) {
  uint8_t samples[TOCHA_RANDOM_BLOCK];
  float *x = out, value = (float)args->b;
  tocha_random_bernoulli_scalar(args->generator, args->a, samples, (size_t)n);
  for (int64_t i = 0; i < n; i++) x[i] = samples[i] ? value : 0;
}

static void draw_bernoulli_float64(const tocha_random_args *args, void *out, int64_t n) {
  uint8_t samples[TOCHA_RANDOM_BLOCK];
  double *x = out, value = args->b;
  tocha_random_bernoulli_scalar(args->generator, args->a, samples, (size_t)n);
  for (int64_t i = 0; i < n; i++) x[i] = samples[i] ? value : 0;
}

static sampler bernoulli_sampler(const tocha_random_args *args) {
  if (args->b == 1) return (sampler){draw_bernoulli_bool, TOCHA_BOOL};
  if (args->layout->dtype[0] == TOCHA_FLOAT64)
    return (sampler){draw_bernoulli_float64, TOCHA_FLOAT64};
  return (sampler){draw_bernoulli_float32, TOCHA_FLOAT32};
}

static sampler sampler_of(const tocha_random_args *args) {
  tocha_dtype dtype = (tocha_dtype)args->layout->dtype[0];
  bool wide = dtype == TOCHA_FLOAT64;
  switch ((tocha_distribution)args->distribution) {
  case TOCHA_DISTRIBUTION_UNIFORM:
    if (wide) return (sampler){draw_uniform_float64, TOCHA_FLOAT64};
    return (sampler){dtype == TOCHA_FLOAT32 ? draw_uniform_float32 : draw_uniform_half,
                     TOCHA_FLOAT32};
  case TOCHA_DISTRIBUTION_NORMAL:
    if (wide) return (sampler){draw_normal_float64, TOCHA_FLOAT64};
    return (sampler){draw_normal_float32, TOCHA_FLOAT32};
  case TOCHA_DISTRIBUTION_LOG_NORMAL:
    return (sampler){draw_log_normal, TOCHA_FLOAT64};
  case TOCHA_DISTRIBUTION_EXPONENTIAL:
    return (sampler){draw_exponential, TOCHA_FLOAT64};
  case TOCHA_DISTRIBUTION_CAUCHY:
    return (sampler){draw_cauchy, TOCHA_FLOAT64};
  case TOCHA_DISTRIBUTION_GEOMETRIC:
    return (sampler){draw_geometric, TOCHA_FLOAT64};
  case TOCHA_DISTRIBUTION_BERNOULLI:
    return bernoulli_sampler(args);
  default:
    return (sampler){draw_integers, TOCHA_INT64};
  }
}

/* --- filling ------------------------------------------------------------------------------------- */

typedef struct fill {
  const tocha_random_args *args;
  sampler sampler;
  int64_t item;            /* bytes of a sample */
  tocha_converter convert; /* to the tensor's dtype; NULL if the samples have it */
} fill;

static void fill_run(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const fill *f = user;
  char *out = data[0];
  bool direct = !f->convert && strides[0] == f->item;
  _Alignas(64) char samples[TOCHA_RANDOM_BLOCK * 8];
  tocha_dtype type = (tocha_dtype)f->args->layout->dtype[0];
  tocha_converter convert = f->convert ? f->convert : tocha_conversion(type, type);
  for (int64_t at = 0; at < n; at += TOCHA_RANDOM_BLOCK) {
    int64_t count = n - at < TOCHA_RANDOM_BLOCK ? n - at : TOCHA_RANDOM_BLOCK;
    if (direct) {
      f->sampler.draw(f->args, out + at * f->item, count);
      continue;
    }
    f->sampler.draw(f->args, samples, count);
    convert(out + at * strides[0], strides[0], samples, f->item, count);
  }
}

enum { NORMAL_BLOCK = 16, NORMAL_STEP = 1 << 18 };

/* Draws n normal samples into data. samples: scratch for n floats, used by 16-bit types. */
static void draw_normal(const tocha_random_args *args, char *data, size_t n, float *samples) {
  tocha_dtype dtype = (tocha_dtype)args->layout->dtype[0];
  if (dtype == TOCHA_FLOAT32) {
    tocha_random_normal_float32(args->generator, (float *)(void *)data, n, args->a, args->b);
  } else if (dtype == TOCHA_FLOAT64) {
    tocha_random_normal_float64(args->generator, (double *)(void *)data, n, args->a, args->b);
  } else {
    tocha_random_normal_reduced(args->generator, samples, n, args->a, args->b);
    tocha_conversion(dtype, TOCHA_FLOAT32)(data, 2, (const char *)samples, 4, (int64_t)n);
  }
}

/* Fills a row-major tensor of at least 16 elements in blocks of 16, which change the sequence.
 * Works in steps of whole blocks, except for the last, to react to interrupts. */
static bool fill_normal_blocks(tocha_context *cx, const tocha_random_args *args) {
  size_t left = (size_t)args->layout->numel, item = tocha_dtype_size(args->layout->dtype[0]);
  size_t capacity = left < NORMAL_STEP + NORMAL_BLOCK ? left : NORMAL_STEP + NORMAL_BLOCK;
  uint64_t bytes = item == 2 ? capacity * sizeof(float) : 0;
  float *samples = bytes ? tocha_allocate(cx, bytes) : NULL;
  if (bytes && !samples) return false;
  bool ok = true;
  for (char *data = args->layout->data[0]; ok && left;) {
    size_t n = left < NORMAL_STEP + NORMAL_BLOCK ? left : NORMAL_STEP;
    draw_normal(args, data, n, samples);
    data += n * item;
    left -= n;
    ok = !tocha_interrupted(cx);
  }
  tocha_deallocate(cx, samples, bytes);
  return ok;
}

bool tocha_random_on_cpu(tocha_stream *stream, const tocha_random_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  const tocha_strided_layout *layout = args->layout;
  if (args->distribution == TOCHA_DISTRIBUTION_NORMAL && args->row_major && layout->numel >= 16)
    return fill_normal_blocks(cx, args);
  fill f = {.args = args, .sampler = sampler_of(args)};
  f.item = (int64_t)tocha_dtype_size(f.sampler.type);
  if (f.sampler.type != (tocha_dtype)layout->dtype[0])
    f.convert = tocha_conversion((tocha_dtype)layout->dtype[0], f.sampler.type);
  return tocha_run_layout_serial(cx, layout, fill_run, &f);
}
