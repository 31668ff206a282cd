/* move.c: the loops of move.h, for elements of T's size. */
#include "tensor/cpu/move.h"

#include <string.h>

/* Copies n bytes between arrays that do not overlap. If `to` is slightly above `from` modulo the
 * page size, each load waits for the store before it, because the low bits of their addresses
 * match: on some processors the copy takes ten times as long. It then starts from the end, where
 * no load has to wait. */
static void copy_bytes(char *to, const char *from, size_t n) {
  enum { PAGE = 4096, NEAR = 256, BLOCK = 64 };
  typedef char block __attribute__((vector_size(BLOCK)));
  size_t behind = ((uintptr_t)to - (uintptr_t)from) % PAGE;
  if (n >= NEAR && behind > 0 && behind < NEAR)
    for (; n >= BLOCK; n -= BLOCK) {
      block b;
      memcpy(&b, from + n - BLOCK, BLOCK);
      memcpy(to + n - BLOCK, &b, BLOCK);
    }
  memcpy(to, from, n);
}

/* Copies elements in reverse order, the last source element first: a loop that the compiler
 * vectorizes. */
static void copy_backward(T *restrict to, const T *restrict from, int64_t n) {
  for (int64_t i = 0; i < n; i++) to[i] = from[-i];
}

static void copy(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n) {
  if (to_stride == sizeof(T) && from_stride == sizeof(T)) {
    copy_bytes(to, from, (size_t)n * sizeof(T));
    return;
  }
  if (to_stride == sizeof(T) && from_stride == -(int64_t)sizeof(T)) {
    copy_backward((T *)(void *)to, (const T *)(const void *)from, n);
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

/* Transposes a block of W by W elements, each row 32 bytes. Step s exchanges the squares of s by
 * s elements on either side of the diagonal; for each pair of rows that is two shuffles, by a
 * builtin that clang does not have. */
#if defined(__AVX2__) && !defined(__clang__)
enum { W = 32 / sizeof(T) };
typedef T row_of_T __attribute__((vector_size(32)));

static inline __attribute__((always_inline)) void exchange(row_of_T *rows, int s) {
  row_of_T upper, lower;
  for (int k = 0; k < W; k++) {
    upper[k] = (T)(k & s ? W + k - s : k);
    lower[k] = (T)(k & s ? W + k : k + s);
  }
  for (int k = 0; k < W; k++) {
    if (k & s) continue;
    row_of_T a = rows[k], b = rows[k + s];
    rows[k] = __builtin_shuffle(a, b, upper);
    rows[k + s] = __builtin_shuffle(a, b, lower);
  }
}

static inline void transpose_block(char *to, int64_t to_stride, const char *from,
                                   int64_t from_stride) {
  row_of_T rows[W];
  for (int k = 0; k < W; k++) memcpy(&rows[k], from + k * from_stride, sizeof rows[k]);
  if (W > 4) exchange(rows, 4);
  exchange(rows, 2);
  exchange(rows, 1);
  for (int k = 0; k < W; k++) memcpy(to + k * to_stride, &rows[k], sizeof rows[k]);
}
#endif

static void transpose_elements(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                               int64_t rows, int64_t columns) {
  for (int64_t j = 0; j < columns; j++) {
    T *row = (T *)(void *)(to + j * to_stride);
    const char *column = from + j * (int64_t)sizeof(T);
    for (int64_t i = 0; i < rows; i++)
      row[i] = *(const T *)(const void *)(column + i * from_stride);
  }
}

static void transpose(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                      int64_t rows, int64_t columns) {
  int64_t i = 0;
#if defined(__AVX2__) && !defined(__clang__)
  for (; sizeof(T) >= 4 && i + W <= rows; i += W) {
    char *part = to + i * (int64_t)sizeof(T);
    const char *source = from + i * from_stride;
    int64_t j = 0;
    for (; j + W <= columns; j += W)
      transpose_block(part + j * to_stride, to_stride, source + j * (int64_t)sizeof(T),
                      from_stride);
    transpose_elements(part + j * to_stride, to_stride, source + j * (int64_t)sizeof(T),
                       from_stride, W, columns - j);
  }
#endif
  transpose_elements(to + i * (int64_t)sizeof(T), to_stride, from + i * from_stride, from_stride,
                     rows - i, columns);
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
