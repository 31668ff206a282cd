/* integers.c: random_ and its bounds: the range of a dtype, and the range to draw from. */
#include <inttypes.h>
#include <math.h>

#include "ops/random/fill.h"
#include "random/implementations.h"
#include "tensor/iterator.h"
#include "tensor/overlap.h"

/* --- the range of a dtype --------------------------------------------------------------------- */

static int64_t lowest(tocha_dtype dtype) {
  if (dtype <= TOCHA_UINT8) return 0;
  return dtype == TOCHA_INT64 ? INT64_MIN : -((int64_t)1 << tocha_dtype_digits(dtype));
}

/* Returns the largest value that random_ draws: the largest integer, or for a floating dtype the
 * end of the range in which all integers are exact. */
static int64_t last_of(tocha_dtype dtype) {
  if (dtype == TOCHA_INT64) return INT64_MAX;
  int64_t power = (int64_t)1 << tocha_dtype_digits(dtype);
  return tocha_dtype_is_floating(dtype) ? power : power - 1;
}

static bool check_range(tocha_context *cx, const tocha_tensor *t, int64_t bound, const char *name) {
  tocha_dtype dtype = t->dtype;
  if (tocha_dtype_is_floating(dtype)) {
    if (fabs((double)bound) > tocha_dtype_max(dtype)) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s is out of bounds for %s", name,
                 tocha_dtype_cpp_name(dtype));
      return false;
    }
    int digits = tocha_dtype_digits(dtype);
    if (bound < -((int64_t)1 << digits) || bound > (int64_t)1 << digits)
      tocha_warn(cx,
                 "%s is out of bounds [-(2^%d), 2^%d]. Due to precision limitations %s can support "
                 "discrete uniform distribution only within this range. This warning will become "
                 "an error in version 1.7 release, please fix the code in advance",
                 name, digits, digits, tocha_dtype_cpp_name(dtype));
    return true;
  }
  if (bound >= lowest(dtype) && bound <= last_of(dtype)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s is out of bounds for %s", name,
             tocha_dtype_cpp_name(dtype));
  return false;
}

/* Returns the integer after conversion to the dtype and back. */
static int64_t through_type(int64_t value, tocha_dtype dtype) {
  char element[8];
  tocha_store_scalar(element, dtype, tocha_int(value));
  double real = tocha_scalar_real(tocha_load_scalar(element, dtype));
  return real >= 0x1p63 ? INT64_MAX : real < -0x1p63 ? INT64_MIN : (int64_t)real;
}

/* Returns the distance between `value` and its neighbours in a floating dtype of `digits`
 * digits. */
static int64_t spacing(int64_t value, int digits) {
  int bits = 0;
  for (uint64_t rest = (uint64_t)(value < 0 ? -value : value); rest >>= 1;) bits++;
  return (int64_t)1 << (bits - digits + 1);
}

/* Return the bound, or the next number inside the range if rounding to the dtype would move the
 * bound outside. */
static int64_t moved_up(tocha_dtype dtype, int64_t from) {
  int64_t above = through_type(from + 1, dtype);
  return above < from ? above + spacing(from + 1, tocha_dtype_digits(dtype)) : from;
}

static int64_t moved_down(tocha_dtype dtype, int64_t to) {
  int64_t below = through_type(to - 1, dtype);
  return below >= to ? below - spacing(to - 1, tocha_dtype_digits(dtype)) : to;
}

/* --- fills --------------------------------------------------------------------------------------- */

/* Fills t with `range` numbers from base on; range 0 means all 64-bit numbers. wide: draws 64 bits
 * for each number. */
static bool fill_range(tocha_context *cx, tocha_tensor *t, int64_t base, uint64_t range, bool wide,
                       tocha_generator *generator) {
  tocha_random_args args = {
      .distribution = TOCHA_DISTRIBUTION_INTEGERS, .base = base, .range = range, .wide = wide};
  return tocha_fill_random(cx, t, &args, generator);
}

static bool is_wide(uint64_t range) { return range >= (uint64_t)1 << 28; }

bool tocha_fill_integers(tocha_context *cx, tocha_tensor *t, int64_t from, int64_t to,
                         tocha_generator *generator) {
  if (!tocha_check_no_overlap(cx, t)) return false;
  if (from >= to) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "random_ expects 'from' to be less than 'to', but got from=%" PRId64
               " >= to=%" PRId64,
               from, to);
    return false;
  }
  if (tocha_dtype_is_floating(t->dtype)) {
    from = moved_up(t->dtype, from);
    to = moved_down(t->dtype, to);
    if (from >= to) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but "
                 "got from=%" PRId64 " >= to=%" PRId64,
                 from, to);
      return false;
    }
  }
  if (!check_range(cx, t, from, "from") || !check_range(cx, t, to - 1, "to - 1")) return false;
  uint64_t range = (uint64_t)to - (uint64_t)from;
  return fill_range(cx, t, from, range, is_wide(range), generator);
}

/* Fills t with numbers from `from` (rounded inwards) to the last one of the dtype. */
static bool fill_from(tocha_context *cx, tocha_tensor *t, int64_t from,
                      tocha_generator *generator) {
  int64_t last = last_of(t->dtype);
  if (!check_range(cx, t, from, "from")) return false;
  if (from == INT64_MIN) return fill_range(cx, t, 0, 0, true, generator);
  if (tocha_dtype_is_floating(t->dtype)) {
    from = moved_up(t->dtype, from);
    if (from >= last) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' "
                 "casted to dtype, but got from=%" PRId64 " > to_inc=%" PRId64,
                 from, last);
      return false;
    }
  }
  uint64_t range = (uint64_t)last - (uint64_t)from + 1;
  return fill_range(cx, t, from, range, is_wide(range), generator);
}

/* Draws numbers up to the largest integer, or for a floating dtype up to the end of the exact
 * integers. */
tocha_tensor *tocha_op_random_(tocha_context *cx, tocha_tensor *self, tocha_generator *generator) {
  int digits = tocha_dtype_digits(self->dtype);
  uint64_t range = ((uint64_t)1 << digits) + tocha_dtype_is_floating(self->dtype);
  return fill_range(cx, self, 0, range, digits > 32, generator) ? self : NULL;
}

tocha_tensor *tocha_op_random__to(tocha_context *cx, tocha_tensor *self, int64_t to,
                                  tocha_generator *generator) {
  return tocha_fill_integers(cx, self, 0, to, generator) ? self : NULL;
}

tocha_tensor *tocha_op_random__from(tocha_context *cx, tocha_tensor *self, int64_t from,
                                    const int64_t *to, tocha_generator *generator) {
  bool ok = to ? tocha_fill_integers(cx, self, from, *to, generator)
               : fill_from(cx, self, from, generator);
  return ok ? self : NULL;
}
