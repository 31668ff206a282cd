/* distributions.c: the distributions that PyTorch's CPU draws one at a time in double precision
 * (exponential, geometric, cauchy, log-normal), and multinomial sampling. random.h describes
 * them. */

#include <math.h>

#include "random/random.h"

/* ---- one sample each ----------------------------------------------------------------------- */

static double exponential_sample(tocha_generator *g, double lambda) {
  return -1.0 / lambda * log1p(-tocha_generator_next_unit64(g));
}

static double geometric_sample(tocha_generator *g, double p) {
  return ceil(log(tocha_generator_next_unit64(g)) / log1p(-p));
}

static double cauchy_sample(tocha_generator *g, double median, double sigma) {
  double angle = 3.14159265358979323846 * (tocha_generator_next_unit64(g) - 0.5);
  return fma(sigma, tan(angle), median);
}

static double log_normal_sample(tocha_generator *g, double mean, double std) {
  return exp(tocha_random_normal_sample(g, mean, std));
}

void tocha_random_exponential_float64(tocha_generator *g, double *out, size_t n, double lambda) {
  for (size_t i = 0; i < n; i++) out[i] = exponential_sample(g, lambda);
}

void tocha_random_geometric_float64(tocha_generator *g, double *out, size_t n, double p) {
  for (size_t i = 0; i < n; i++) out[i] = geometric_sample(g, p);
}

void tocha_random_cauchy_float64(tocha_generator *g, double *out, size_t n, double median,
                                 double sigma) {
  for (size_t i = 0; i < n; i++) out[i] = cauchy_sample(g, median, sigma);
}

void tocha_random_log_normal_float64(tocha_generator *g, double *out, size_t n, double mean,
                                     double std) {
  for (size_t i = 0; i < n; i++) out[i] = log_normal_sample(g, mean, std);
}

/* ---- multinomial --------------------------------------------------------------------------- */

/* Returns true if a ranks before b: largest key first, and the lower category among equal keys. NaN (0 / 0) counts as the largest. */
static bool ranks_before(const double *key, int64_t a, int64_t b) {
  double x = key[a], y = key[b];
  if (isnan(x) || isnan(y)) return isnan(x) && (!isnan(y) || a < b);
  return x > y || (x == y && a < b);
}

/* Restores the heap, whose root is the member that ranks last. */
static void sift_down(const double *key, int64_t *heap, size_t size, size_t at) {
  int64_t moving = heap[at];
  for (size_t child; (child = 2 * at + 1) < size; at = child) {
    if (child + 1 < size && ranks_before(key, heap[child], heap[child + 1])) child++;
    if (!ranks_before(key, moving, heap[child])) break;
    heap[at] = heap[child];
  }
  heap[at] = moving;
}

/* Writes the indices of the k largest keys to out[0..k-1], in falling order. */
static void top_indices(const double *key, size_t n, int64_t *out, size_t k,
                        tocha_stop_flag *stop) {
  for (size_t i = 0; i < k; i++) out[i] = (int64_t)i;
  for (size_t i = k / 2; i-- > 0;) sift_down(key, out, k, i);
  for (size_t i = k; i < n && !tocha_random_stops(stop, i); i++) {
    if (!ranks_before(key, (int64_t)i, out[0])) continue;
    out[0] = (int64_t)i;
    sift_down(key, out, k, 0);
  }
  for (size_t last = k; last-- > 1 && !tocha_random_stops(stop, last);) {
    int64_t root = out[0];
    out[0] = out[last];
    out[last] = root;
    sift_down(key, out, last, 0);
  }
}

/* Returns the first category whose cumulative share is at least u; `share` ends with 1. */
static int64_t find_share(const double *share, size_t n, double u) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (share[middle] < u)
      low = middle + 1;
    else
      high = middle;
  }
  return (int64_t)low;
}

void tocha_random_multinomial_float64(tocha_generator *g, int64_t *out, const double *weights,
                                      size_t rows, size_t categories, size_t samples,
                                      bool replacement, double *workspace, tocha_stop_flag *stop) {
  for (size_t row = 0; row < rows && !tocha_random_stops(stop, 0);
       row++, weights += categories, out += samples) {
    if (!replacement || samples == 1) {
      for (size_t i = 0; i < categories && !tocha_random_stops(stop, i); i++)
        workspace[i] = weights[i] / exponential_sample(g, 1.0);
      top_indices(workspace, categories, out, samples, stop);
      continue;
    }
    double sum = 0.0;
    for (size_t i = 0; i < categories; i++) workspace[i] = sum += weights[i];
    for (size_t i = 0; i < categories; i++) workspace[i] /= sum;
    workspace[categories - 1] = 1.0;
    for (size_t i = 0; i < samples && !tocha_random_stops(stop, i); i++)
      out[i] = find_share(workspace, categories, tocha_generator_next_unit64(g));
  }
}

void tocha_random_multinomial_float32(tocha_generator *g, int64_t *out, const float *weights,
                                      size_t rows, size_t categories, size_t samples,
                                      bool replacement, double *workspace, tocha_stop_flag *stop) {
  for (size_t row = 0; row < rows && !tocha_random_stops(stop, 0);
       row++, weights += categories, out += samples) {
    if (!replacement || samples == 1) {
      for (size_t i = 0; i < categories && !tocha_random_stops(stop, i); i++)
        workspace[i] = weights[i] / (float)exponential_sample(g, 1.0);
      top_indices(workspace, categories, out, samples, stop);
      continue;
    }
    float sum = 0.0f;
    for (size_t i = 0; i < categories; i++) workspace[i] = sum += weights[i];
    for (size_t i = 0; i < categories; i++) workspace[i] = (float)workspace[i] / sum;
    workspace[categories - 1] = 1.0;
    for (size_t i = 0; i < samples && !tocha_random_stops(stop, i); i++)
      out[i] = find_share(workspace, categories, tocha_generator_next_unit64(g));
  }
}
