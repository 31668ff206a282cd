/* index.c: the loops of index.h. */
#include "ops/indexing/cpu/index.h"

#include <string.h>

#include "tensor/cpu/element.h"
#include "tensor/loops.h"

typedef struct factor {
  value real;
  int64_t integer;
} factor;

/* Reads, writes, or adds to one element; `action` is a constant. */
static inline __attribute__((always_inline)) void act(int action, char *own, char *other,
                                                      factor scale) {
  T *mine = (T *)(void *)own, *theirs = (T *)(void *)other;
  (void)scale;
  if (action == TOCHA_INDEX_GET)
    *theirs = *mine;
  else if (action == TOCHA_INDEX_PUT)
    *mine = *theirs;
  else
#ifdef TOCHA_LOOPS_INTEGER
    *mine = (T)((uint64_t)*mine + (uint64_t)scale.integer * (uint64_t)*theirs);
#else
    *mine = element_of_value(value_of(*mine) + scale.real * value_of(*theirs));
#endif
}

/* Does the same for a row of n elements along which no index tensor changes. */
static inline __attribute__((always_inline)) void run_row(int action, char *own, int64_t own_stride,
                                                          char *other, int64_t other_stride,
                                                          int64_t n, factor scale) {
  bool dense = own_stride == sizeof(T) && other_stride == sizeof(T);
  if (dense && action == TOCHA_INDEX_GET)
    memcpy(other, own, (size_t)n * sizeof(T));
  else if (dense && action == TOCHA_INDEX_PUT)
    memcpy(own, other, (size_t)n * sizeof(T));
  else if (dense)
    for (int64_t i = 0; i < n; i++)
      act(action, own + i * (int64_t)sizeof(T), other + i * (int64_t)sizeof(T), scale);
  else
    for (int64_t i = 0; i < n; i++)
      act(action, own + i * own_stride, other + i * other_stride, scale);
}

/* Returns the distance in bytes that position i of all index tensors adds. */
static inline __attribute__((always_inline)) int64_t distance_of(const tocha_index_args *args,
                                                                 char *const *data,
                                                                 const int64_t *strides, int64_t i,
                                                                 bool *outside) {
  int64_t distance = 0;
  for (int k = 0; k < args->axes; k++)
    distance += tocha_index_distance(&args->axis[k], args->layout->dtype[2 + k] == TOCHA_INT64,
                                     data[2 + k] + i * strides[2 + k], outside);
  return distance;
}

static inline __attribute__((always_inline)) void run_rows(int action, const tocha_index_args *args,
                                                           char *const *data,
                                                           const int64_t *strides, int64_t n) {
  const tocha_strided_layout *l = args->layout;
  factor scale = {(value)args->scale, args->integer_scale};
  bool outside = false;
  for (int64_t i = 0; i < n; i++)
    run_row(action, data[1] + i * strides[1] + distance_of(args, data, strides, i, &outside),
            l->strides[1][0], data[0] + i * strides[0], l->strides[0][0], l->sizes[0], scale);
  tocha_index_report(args->outside, outside);
}

/* Runs the usual case: one axis with dense positions, whose elements are contiguous. */
static inline __attribute__((always_inline)) void
run_dense(int action, const tocha_index_args *args, char *const *data, int64_t stride, int64_t n) {
  factor scale = {(value)args->scale, args->integer_scale};
  const int64_t *index = (const int64_t *)(const void *)data[2], size = args->axis[0].size;
  T *own = (T *)(void *)data[1];
  char *other = data[0];
  bool outside = false;
  for (int64_t i = 0; i < n; i++)
    act(action, (char *)(own + tocha_index_position(index[i], size, &outside)), other + i * stride,
        scale);
  tocha_index_report(args->outside, outside);
}

static inline __attribute__((always_inline)) void run_elements(int action,
                                                               const tocha_index_args *args,
                                                               char *const *data,
                                                               const int64_t *strides, int64_t n) {
  factor scale = {(value)args->scale, args->integer_scale};
  char *other = data[0], *own = data[1];
  bool outside = false;
  if (args->axes == 1 && args->layout->dtype[2] == TOCHA_INT64 && strides[1] == 0 &&
      strides[2] == sizeof(int64_t) && args->axis[0].step == sizeof(T)) {
    if (strides[0] == sizeof(T))
      run_dense(action, args, data, sizeof(T), n);
    else
      run_dense(action, args, data, strides[0], n);
    return;
  }
  for (int64_t i = 0; i < n; i++)
    act(action, own + i * strides[1] + distance_of(args, data, strides, i, &outside),
        other + i * strides[0], scale);
  tocha_index_report(args->outside, outside);
}

static void get(const tocha_index_args *args, char *const *data, const int64_t *strides,
                int64_t n) {
  run_elements(TOCHA_INDEX_GET, args, data, strides, n);
}

static void put(const tocha_index_args *args, char *const *data, const int64_t *strides,
                int64_t n) {
  run_elements(TOCHA_INDEX_PUT, args, data, strides, n);
}

static void add(const tocha_index_args *args, char *const *data, const int64_t *strides,
                int64_t n) {
  run_elements(TOCHA_INDEX_ADD, args, data, strides, n);
}

static void get_rows(const tocha_index_args *args, char *const *data, const int64_t *strides,
                     int64_t n) {
  run_rows(TOCHA_INDEX_GET, args, data, strides, n);
}

static void put_rows(const tocha_index_args *args, char *const *data, const int64_t *strides,
                     int64_t n) {
  run_rows(TOCHA_INDEX_PUT, args, data, strides, n);
}

static void add_rows(const tocha_index_args *args, char *const *data, const int64_t *strides,
                     int64_t n) {
  run_rows(TOCHA_INDEX_ADD, args, data, strides, n);
}

/* Returns true if any of n positions is out of low..size - 1. Has no branch for each position. */
static bool any_outside(const int64_t *index, int64_t n, int64_t low, int64_t size) {
  int64_t outside = 0;
  for (int64_t i = 0; i < n; i++) outside |= (index[i] < low) | (index[i] >= size);
  return outside;
}

const tocha_index_loops TOCHA_LOOPS(index) = {
    .any_outside = any_outside,
    .elements = {[TOCHA_INDEX_GET] = get, [TOCHA_INDEX_PUT] = put, [TOCHA_INDEX_ADD] = add},
    .rows =
        {[TOCHA_INDEX_GET] = get_rows, [TOCHA_INDEX_PUT] = put_rows, [TOCHA_INDEX_ADD] = add_rows},
};
