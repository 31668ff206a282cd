/* move.c: the loops of move.h, for elements of T's size. */
#include "tensor/cpu/move.h"

#include <string.h>

static void copy(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n) {
  if (to_stride == sizeof(T) && from_stride == sizeof(T)) {
    memcpy(to, from, (size_t)n * sizeof(T));
    return;
  }
  if (to_stride == sizeof(T) && from_stride == 0) {
    T *dense = (T *)(void *)to;
    const T value = *(const T *)(const void *)from;
    for (int64_t i = 0; i < n; i++) dense[i] = value;
    return;
  }
  for (int64_t i = 0; i < n; i++)
    *(T *)(void *)(to + i * to_stride) = *(const T *)(const void *)(from + i * from_stride);
}

static void transpose(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                      int64_t rows, int64_t columns) {
  for (int64_t j = 0; j < columns; j++) {
    T *row = (T *)(void *)(to + j * to_stride);
    const char *column = from + j * (int64_t)sizeof(T);
    for (int64_t i = 0; i < rows; i++)
      row[i] = *(const T *)(const void *)(column + i * from_stride);
  }
}

static void fill(char *to, int64_t to_stride, uint64_t element, int64_t n) {
  T value;
  memcpy(&value, &element, sizeof value);
  if (to_stride == sizeof(T)) {
    T *dense = (T *)(void *)to;
    for (int64_t i = 0; i < n; i++) dense[i] = value;
  } else {
    for (int64_t i = 0; i < n; i++) *(T *)(void *)(to + i * to_stride) = value;
  }
}

const tocha_move_loops TOCHA_LOOPS(move) = {copy, transpose, fill};
