/* text.c: text that grows, and numbers in Python's format. */
#include "core/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tocha/tensor.h"

/* --- growing -------------------------------------------------------------------------------- */

/* Reserves `more` bytes and a terminator after the text. Returns false if memory is short. */
static bool reserve(tocha_text *text, size_t more) {
  if (text->failed) return false;
  if (more < text->capacity - text->length) return true;
  size_t capacity = text->capacity ? text->capacity : 256;
  while (capacity - text->length <= more) {
    if (capacity > SIZE_MAX / 2) {
      text->failed = true;
      return false;
    }
    capacity *= 2;
  }
  char *bytes = realloc(text->bytes, capacity);
  if (!bytes) {
    text->failed = true;
    return false;
  }
  text->bytes = bytes;
  text->capacity = capacity;
  return true;
}

void tocha_text_append(tocha_text *text, const char *bytes, size_t count) {
  if (!count || !reserve(text, count)) return;
  memcpy(text->bytes + text->length, bytes, count);
  text->length += count;
}

void tocha_text_string(tocha_text *text, const char *string) {
  tocha_text_append(text, string, strlen(string));
}

void tocha_text_format(tocha_text *text, const char *format, ...) {
  char brief[128];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(brief, sizeof brief, format, args);
  va_end(args);
  if (length < 0) {
    text->failed = true;
  } else if ((size_t)length < sizeof brief) {
    tocha_text_append(text, brief, (size_t)length);
  } else if (reserve(text, (size_t)length)) {
    va_start(args, format);
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
  }
}

void tocha_text_repeat(tocha_text *text, char byte, size_t count) {
  if (!reserve(text, count)) return;
  memset(text->bytes + text->length, byte, count);
  text->length += count;
}

void tocha_text_align_right(tocha_text *text, size_t start, size_t width) {
  size_t length = text->length - start;
  if (length >= width || !reserve(text, width - length)) return;
  char *first = text->bytes + start;
  memmove(first + (width - length), first, length);
  memset(first, ' ', width - length);
  text->length = start + width;
}

void tocha_text_indented(tocha_text *text, const char *other, size_t indent) {
  for (const char *end; (end = strchr(other, '\n')) != NULL; other = end + 1) {
    tocha_text_append(text, other, (size_t)(end - other) + 1);
    tocha_text_repeat(text, ' ', indent);
  }
  tocha_text_string(text, other);
}

char *tocha_text_finish(tocha_context *cx, tocha_text *text) {
  if (!reserve(text, 0)) {
    tocha_text_free(text);
    return tocha_fail(cx, TOCHA_MEMORY_ERROR, "not enough memory for a text");
  }
  char *bytes = text->bytes;
  bytes[text->length] = '\0';
  memset(text, 0, sizeof *text);
  return bytes;
}

void tocha_text_free(tocha_text *text) {
  free(text->bytes);
  memset(text, 0, sizeof *text);
}

/* --- numbers -------------------------------------------------------------------------------- */

/* Replaces the decimal point of any locale, which may be several bytes, by '.'; returns the
 * length. */
static size_t normalize_point(char *number, size_t length) {
  size_t written = 0;
  bool in_point = false;
  for (size_t i = 0; i < length; i++) {
    char c = number[i];
    bool part = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e';
    if (part || !in_point) number[written++] = part ? c : '.';
    in_point = !part;
  }
  return written;
}

static const char *non_finite_name(double value) {
  return isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

void tocha_text_real(tocha_text *text, double value, int precision, char kind) {
  if (!isfinite(value)) {
    tocha_text_string(text, non_finite_name(value));
    return;
  }
  size_t start = text->length;
  tocha_text_format(text, kind == 'e' ? "%.*e" : "%.*f", precision, value);
  if (!text->failed)
    text->length = start + normalize_point(text->bytes + start, text->length - start);
}

void tocha_text_size(tocha_text *text, int ndim, const int64_t *sizes) {
  tocha_text_string(text, "torch.Size([");
  for (int i = 0; i < ndim; i++)
    tocha_text_format(text, i ? ", %lld" : "%lld", (long long)sizes[i]);
  tocha_text_string(text, "])");
}

/* Changes the decimal to the next one with as many digits, away from zero. Returns false on a
 * carry out of the first digit. */
static bool increment_digits(char *number) {
  for (char *c = strchr(number, 'e') - 1; c >= number; c--) {
    if (*c < '0' || *c > '9') continue;
    if (*c != '9') {
      ++*c;
      return true;
    }
    *c = '0';
  }
  return false;
}

/* Writes the fewest digits that read back as `value` (finite, positive), as "d.ddde-XX". A
 * double represents 15 decimal digits, so below the 16th the nearest decimal is the shortest one
 * with zeros after it; only the few bits of subnormal numbers need the search from 1. At a power
 * of two the gap below is half the gap above: there 16 digits may read back although the nearest
 * 16 do not. */
static void shortest_digits(double value, char number[32]) {
  int precision = value < 0x1p-1022 ? 0 : 14;
  for (; precision < 17; precision++) {
    snprintf(number, 32, "%.*e", precision, value);
    if (strtod(number, NULL) == value) break;
    int exponent;
    if (precision == 15 && frexp(value, &exponent) == 0.5 && increment_digits(number) &&
        strtod(number, NULL) == value)
      break;
  }
  normalize_point(number, strlen(number) + 1);
}

const char *tocha_format_number(double value, char out[32]) {
  if (value != floor(value) || fabs(value) >= 1e15) return tocha_format_float(value, out);
  snprintf(out, 32, "%lld", (long long)value);
  return out;
}

const char *tocha_format_float(double value, char out[32]) {
  if (!out) return NULL;
  if (!isfinite(value)) {
    snprintf(out, 32, "%s", non_finite_name(value));
    return out;
  }
  char number[32], digits[24];
  int count = 0, written = 0;
  if (value == 0)
    snprintf(number, sizeof number, "0e+00");
  else
    shortest_digits(fabs(value), number);
  const char *c = number;
  for (; *c != 'e'; c++)
    if (*c != '.') digits[count++] = *c;
  int exponent = (int)strtol(c + 1, NULL, 10);
  while (count > 1 && digits[count - 1] == '0') count--;
  bool scientific = exponent < -4 || exponent >= 16;
  while (!scientific && count <= exponent) digits[count++] = '0';
  digits[count] = '\0';
  if (signbit(value)) out[written++] = '-';
  char *rest = out + written;
  size_t capacity = 32 - (size_t)written;
  if (scientific)
    snprintf(rest, capacity, "%c%s%se%+03d", digits[0], count > 1 ? "." : "", digits + 1, exponent);
  else if (exponent < 0)
    snprintf(rest, capacity, "0.%.*s%s", -exponent - 1, "000", digits);
  else if (count > exponent + 1)
    snprintf(rest, capacity, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
  else
    snprintf(rest, capacity, "%s.0", digits);
  return out;
}

const char *tocha_format_scalar(tocha_scalar value, char out[32]) {
  if (value.kind == TOCHA_SCALAR_FLOAT) return tocha_format_float(value.value.real, out);
  if (value.kind == TOCHA_SCALAR_BOOL)
    snprintf(out, 32, "%s", value.value.integer ? "True" : "False");
  else
    snprintf(out, 32, "%lld", (long long)value.value.integer);
  return out;
}
