/* distributed_elements.h: elements of every dtype for tests of collectives, and the hash of what came out. */
#ifndef TOCHA_DISTRIBUTED_ELEMENTS_H
#define TOCHA_DISTRIBUTED_ELEMENTS_H

#include <stdint.h>
#include <string.h>

#include "tocha/types.h"

static inline uint32_t mixed(uint32_t rank, uint32_t i) {
  uint32_t x = i * 2654435761u + (rank + 1) * 40503u * 65537u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  x *= 3266489917u;
  return x ^ x >> 16;
}

static inline uint32_t bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* Rounds a double that is no subnormal half to `digits` bits, to the nearest even. */
static inline uint16_t half_of(float value, tocha_dtype dtype) {
  uint32_t bits = bits_of_float(value), sign = (bits >> 16) & 0x8000, rest = bits & 0x7fffffff;
  if (dtype == TOCHA_BFLOAT16)
    return (uint16_t)(sign | ((rest + 0x7fff + ((rest >> 16) & 1)) >> 16));
  if (rest < 113u << 23)
    return (uint16_t)(sign | (uint32_t)(value < 0 ? -value * 0x1p24f : value * 0x1p24f));
  return (uint16_t)(sign | ((rest - (112u << 23) + 0xfff + ((rest >> 13) & 1)) >> 13));
}

static inline float float_of_half(uint16_t half, tocha_dtype dtype) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7fff;
  uint32_t bits = dtype == TOCHA_BFLOAT16 ? rest << 16 : (rest << 13) + (112u << 23);
  float value;
  if (dtype == TOCHA_FLOAT16 && rest < 0x400) bits = bits_of_float((float)rest * 0x1p-24f);
  bits |= sign;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Writes an element of any dtype but float8. */
static inline void set_element(void *data, tocha_dtype dtype, int64_t i, double value) {
  switch (dtype) {
  case TOCHA_BOOL:
    ((uint8_t *)data)[i] = value != 0;
    break;
  case TOCHA_UINT8:
    ((uint8_t *)data)[i] = (uint8_t)(int64_t)value;
    break;
  case TOCHA_INT8:
    ((int8_t *)data)[i] = (int8_t)(int64_t)value;
    break;
  case TOCHA_INT16:
    ((int16_t *)data)[i] = (int16_t)(int64_t)value;
    break;
  case TOCHA_INT32:
    ((int32_t *)data)[i] = (int32_t)(int64_t)value;
    break;
  case TOCHA_INT64:
    ((int64_t *)data)[i] = (int64_t)value;
    break;
  case TOCHA_FLOAT32:
    ((float *)data)[i] = (float)value;
    break;
  case TOCHA_FLOAT64:
    ((double *)data)[i] = value;
    break;
  default:
    ((uint16_t *)data)[i] = half_of((float)value, dtype);
  }
}

static inline double get_element(const void *data, tocha_dtype dtype, int64_t i) {
  switch (dtype) {
  case TOCHA_BOOL:
  case TOCHA_UINT8:
    return ((const uint8_t *)data)[i];
  case TOCHA_INT8:
    return ((const int8_t *)data)[i];
  case TOCHA_INT16:
    return ((const int16_t *)data)[i];
  case TOCHA_INT32:
    return ((const int32_t *)data)[i];
  case TOCHA_INT64:
    return (double)((const int64_t *)data)[i];
  case TOCHA_FLOAT32:
    return ((const float *)data)[i];
  case TOCHA_FLOAT64:
    return ((const double *)data)[i];
  default:
    return float_of_half(((const uint16_t *)data)[i], dtype);
  }
}

/* Fills an array with numbers whose sums round: what spec/golden/distributed_engine.py fills a tensor with. */
static inline void fill_golden(void *data, tocha_dtype dtype, int64_t count, int rank) {
  for (int64_t i = 0; i < count; i++) {
    uint32_t x = mixed((uint32_t)rank, (uint32_t)i);
    bool floating = dtype == TOCHA_FLOAT32 || dtype == TOCHA_FLOAT64;
    bool half = dtype == TOCHA_FLOAT16 || dtype == TOCHA_BFLOAT16;
    double value = floating ? (double)(int32_t)x * 0x1p-29
                   : half   ? (double)(((int32_t)x) >> 21) * 0x1p-8
                            : (double)(x >> 16);
    if (dtype == TOCHA_BOOL) value = (x >> 16) & 1;
    set_element(data, dtype, i, value);
  }
}

/* Returns the sum of all bytes, each times an odd number of its own. */
static inline uint64_t hash_of(const void *data, size_t bytes) {
  const uint8_t *byte = data;
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes; i++)
    sum += (uint64_t)(byte[i] + 1) * (2 * (uint64_t)i * 2654435761u + 1);
  return sum;
}

#endif
