/* stream_text.c: prints a tensor as C++ streams do, for the few messages of PyTorch that quote
 * one. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tensor/copy.h"

enum { LINE = 80 };

typedef struct text {
  char *at;
  size_t capacity;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(t->at, t->capacity, format, args);
  va_end(args);
  size_t used = n < 0 ? 0 : (size_t)n < t->capacity ? (size_t)n : t->capacity - 1;
  t->at += used;
  t->capacity -= used;
}

/* Style in which the numbers of one matrix are printed. */
typedef struct style {
  char kind; /* g, f or e */
  int width;
  double scale;
} style;

static int digits_before(double value) { return value == 0 ? 1 : (int)floor(log10(value)) + 1; }

static style style_of(const double *values, int64_t count) {
  double minimum = INFINITY, maximum = 0;
  bool whole = true;
  for (int64_t i = 0; i < count; i++) {
    double v = fabs(values[i]);
    if (!isfinite(v)) continue;
    whole = whole && v == ceil(v);
    minimum = v < minimum ? v : minimum;
    maximum = v > maximum ? v : maximum;
  }
  int low = isfinite(minimum) ? digits_before(minimum) : 1;
  int high = isfinite(minimum) ? digits_before(maximum) : 1;
  if (whole) return high > 9 ? (style){'e', 11, 1} : (style){'g', high + 1, 1};
  if (high - low > 4) return (style){'e', abs(high) > 99 || abs(low) > 99 ? 12 : 11, 1};
  if (high > 5 || high < 0) return (style){'f', 7, pow(10, high - 1)};
  return (style){'f', high == 0 ? 7 : high + 6, 1};
}

static void put_row(text *out, const double *row, int64_t from, int64_t to, style s) {
  for (int64_t i = from; i < to; i++) {
    const char *format = s.kind == 'e' ? "%*.4e" : s.kind == 'f' ? "%*.4f" : "%*.6g";
    put(out, format, s.width, row[i] / s.scale);
    put(out, i + 1 < to ? " " : "\n");
  }
}

static void put_matrix(text *out, const double *values, int64_t rows, int64_t columns, int indent) {
  style s = style_of(values, rows * columns);
  int64_t fit = (LINE - indent) / (s.width + 1);
  for (int64_t from = 0; from < columns; from += fit) {
    int64_t to = from + fit < columns ? from + fit : columns;
    if (fit < columns)
      put(out, "%sColumns %lld to %lld%*s", from ? "\n" : "", (long long)from + 1, (long long)to,
          indent, "");
    if (s.scale != 1) put(out, "%.16g *\n%*s", s.scale, indent, "");
    for (int64_t i = 0; i < rows; i++) {
      put_row(out, values + i * columns, from, to, s);
      if (i + 1 < rows) put(out, "%*s%s", indent, "", s.scale != 1 ? " " : "");
    }
  }
}

/* Prints the matrices of a tensor of more than two dimensions; the first dimension counts
 * fastest. */
static void put_matrices(text *out, const tocha_tensor *t, const double *values) {
  int last = t->ndim - 2;
  int64_t place[TOCHA_MAX_DIMS] = {0}, rows = t->sizes[last], columns = t->sizes[last + 1];
  for (int64_t left = t->numel / (rows * columns); left > 0; left--) {
    int64_t at = 0;
    put(out, "(");
    for (int d = 0; d < last; d++) {
      at = at * t->sizes[d] + place[d];
      put(out, "%lld,", (long long)place[d] + 1);
    }
    put(out, ".,.) = \n");
    put_matrix(out, values + at * rows * columns, rows, columns, 1);
    if (left > 1) put(out, "\n");
    for (int d = 0; d < last && ++place[d] == t->sizes[d]; d++) place[d] = 0;
  }
}

const char *tocha_stream_text(tocha_context *cx, tocha_tensor *t, char *buffer, size_t size) {
  text out = {buffer, size};
  char type[32];
  tocha_tensor *host = tocha_as_device(cx, t, (tocha_device){TOCHA_CPU, 0});
  tocha_tensor *rows = host ? tocha_as_rows(cx, host, TOCHA_FLOAT64) : NULL;
  if (!rows) return NULL;
  const double *values = (const double *)(const void *)tocha_bytes(rows);
  buffer[0] = '\0';
  if (t->numel > 0 && t->ndim == 2)
    put_matrix(&out, values, t->sizes[0], t->sizes[1], 0);
  else if (t->numel > 0)
    put_matrices(&out, t, values);
  put(&out, "[ %s{", tocha_type_text(t, type));
  for (int d = 0; d < t->ndim; d++) put(&out, d ? ",%lld" : "%lld", (long long)t->sizes[d]);
  put(&out, "} ]");
  return buffer;
}
