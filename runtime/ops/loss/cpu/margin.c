/* margin.c: the loops of margin.h. */
#include "ops/loss/cpu/margin.h"

#include <string.h>

static T weight_of(const tocha_margin_args *a, int64_t class) {
  return a->weight ? ((const T *)a->weight)[class] : 1;
}

static T grad_of(const tocha_margin_args *a, int64_t row) {
  return ((const T *)a->grad)[a->each ? row : 0] * (T)a->norm;
}

static void one(const tocha_margin_args *a, int64_t begin, int64_t end, tocha_stop stop) {
  for (int64_t i = begin; i < end; i++) {
    const T *x = (const T *)a->x + i * a->classes;
    int64_t y = a->target[i];
    T sum = 0, weight = weight_of(a, y);
    for (int64_t j = 0; j < a->classes && !tocha_ends_at(j, stop); j++) {
      T z = (T)a->margin - x[y] + x[j];
      if (j != y && z > 0) sum += weight * (a->squared ? z * z : z);
    }
    ((T *)a->out)[i] = sum / (T)a->classes;
  }
}

static void one_backward(const tocha_margin_args *a, int64_t begin, int64_t end, tocha_stop stop) {
  for (int64_t i = begin; i < end; i++) {
    const T *x = (const T *)a->x + i * a->classes;
    T *out = (T *)a->out + i * a->classes;
    int64_t y = a->target[i];
    T sum = 0, factor = grad_of(a, i) * weight_of(a, y);
    for (int64_t j = 0; j < a->classes && !tocha_ends_at(j, stop); j++) {
      T z = (T)a->margin - x[y] + x[j];
      T slope = j != y && z > 0 ? (a->squared ? 2 * z : 1) : 0;
      sum += slope;
      out[j] = slope * factor;
    }
    out[y] = 0 - sum * factor; /* 0 - ... is never -0 */
  }
}

/* Returns the number of targets of a row (classes): those before the first negative one. */
static int64_t count_targets(const int64_t *target, int64_t classes) {
  int64_t n = 0;
  while (n < classes && target[n] >= 0) n++;
  return n;
}

static bool is_target(const int64_t *target, int64_t n, int64_t class) {
  for (int64_t k = 0; k < n; k++)
    if (target[k] == class) return true;
  return false;
}

static void many(const tocha_margin_args *a, int64_t begin, int64_t end, tocha_stop stop) {
  for (int64_t i = begin; i < end; i++) {
    const T *x = (const T *)a->x + i * a->classes;
    const int64_t *target = a->target + i * a->classes;
    int64_t n = count_targets(target, a->classes);
    T sum = 0;
    for (int64_t j = 0; j < a->classes && !tocha_is_set(stop); j++) {
      if (is_target(target, n, j)) continue;
      for (int64_t k = 0; k < n; k++) {
        T z = 1 - x[target[k]] + x[j];
        if (z > 0) sum += z;
      }
    }
    ((T *)a->out)[i] = sum / (T)a->classes;
  }
}

static void many_backward(const tocha_margin_args *a, int64_t begin, int64_t end, tocha_stop stop) {
  for (int64_t i = begin; i < end; i++) {
    const T *x = (const T *)a->x + i * a->classes;
    T *out = (T *)a->out + i * a->classes, factor = grad_of(a, i);
    const int64_t *target = a->target + i * a->classes;
    int64_t n = count_targets(target, a->classes);
    memset(out, 0, (size_t)a->classes * sizeof(T));
    for (int64_t j = 0; j < a->classes && !tocha_is_set(stop); j++) {
      if (is_target(target, n, j)) continue;
      for (int64_t k = 0; k < n; k++) {
        if (!(1 - x[target[k]] + x[j] > 0)) continue;
        out[target[k]] -= factor;
        out[j] += factor;
      }
    }
  }
}

const tocha_margin_loops TOCHA_LOOPS(margin) = {one, one_backward, many, many_backward};
