/* number.c: parses numbers, independent of the locale. */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Parses a whole number that fits int64. */
static bool parse_integer(const char *at, const char *end, int64_t *value) {
  bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) at++;
  if (at == end) return false;
  *value = 0;
  for (; at < end; at++) {
    if (!is_digit(*at) || __builtin_mul_overflow(*value, 10, value)) return false;
    int digit = *at - '0';
    if (__builtin_add_overflow(*value, negative ? -digit : digit, value)) return false;
  }
  return true;
}

static bool is_word(const char *at, const char *end, const char *word) {
  for (; at < end && *word; at++, word++)
    if (tolower((unsigned char)*at) != *word) return false;
  return at == end && !*word;
}

static bool parse_word(const char *at, const char *end, bool negative, double *value) {
  if (is_word(at, end, "inf") || is_word(at, end, "infinity"))
    *value = negative ? -HUGE_VAL : HUGE_VAL;
  else if (is_word(at, end, "nan"))
    *value = NAN;
  else
    return false;
  return true;
}

/* Calls strtod with the decimal point of the locale in place of the point. */
static bool parse_slowly(const char *at, const char *end, double *value) {
  char text[512], *to = text;
  const char *point = localeconv()->decimal_point;
  size_t width = strlen(point);
  if ((size_t)(end - at) + width >= sizeof text) return false;
  for (; at < end; at++) {
    if (*at != '.') {
      *to++ = *at;
      continue;
    }
    memcpy(to, point, width);
    to += width;
  }
  *to = '\0';
  char *stop;
  *value = strtod(text, &stop);
  return stop == to;
}

/* Parses a decimal number. If the digits are at most 2^53 and the power of ten at most 10^22,
 * both are exact doubles, and a single operation rounds correctly (W. Clinger, How to read
 * floating point numbers accurately, 1990). Other numbers are read by the C library. */
static bool parse_real(const char *at, const char *end, double *value) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char *start = at;
  bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) at++;
  if (at < end && isalpha((unsigned char)*at)) return parse_word(at, end, negative, value);
  uint64_t digits = 0;
  int64_t exponent = 0, count = 0, seen = 0;
  for (bool point = false; at < end; at++) {
    if (*at == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(*at)) break;
    seen++;
    if (digits || *at != '0') count++;
    if (count <= 18) digits = digits * 10 + (uint64_t)(*at - '0');
    exponent -= point;
  }
  if (!seen) return false;
  if (at < end && (*at == 'e' || *at == 'E')) {
    int64_t power = 0;
    bool down = at + 1 < end && at[1] == '-';
    at += at + 1 < end && (at[1] == '-' || at[1] == '+') ? 2 : 1;
    if (at == end) return false;
    for (; at < end && is_digit(*at); at++)
      if (power < 100000) power = power * 10 + *at - '0';
    exponent += down ? -power : power;
  }
  if (at != end) return false;
  if (count > 18 || digits > 1ull << 53 || exponent < -22 || exponent > 22)
    return parse_slowly(start, end, value);
  double whole = (double)digits;
  whole = exponent < 0 ? whole / powers[-exponent] : whole * powers[exponent];
  *value = negative ? -whole : whole;
  return true;
}

bool tocha_parse_number(const char *text, size_t length, tocha_dtype dtype, void *element) {
  int64_t whole = 0;
  double real = 0;
  if (!text || !element || dtype < 0 || dtype >= TOCHA_DTYPE_COUNT) return false;
  const char *end = text + length;
  while (text < end && is_blank(*text)) text++;
  while (end > text && is_blank(end[-1])) end--;
  if (dtype == TOCHA_FLOAT64) return parse_real(text, end, element);
  if (tocha_dtype_is_floating(dtype)) {
    if (!parse_real(text, end, &real)) return false;
    tocha_store_scalar(element, dtype, tocha_float(real));
    return true;
  }
  if (!parse_integer(text, end, &whole)) return false;
  double maximum = tocha_dtype_max(dtype), minimum = dtype == TOCHA_UINT8 ? 0 : -maximum - 1;
  if (dtype == TOCHA_BOOL) whole = whole != 0;
  if (dtype != TOCHA_INT64 && dtype != TOCHA_BOOL &&
      ((double)whole > maximum || (double)whole < minimum))
    return false;
  tocha_store_scalar(element, dtype, tocha_int(whole));
  return true;
}
