/* batch.h: LAPACK's functions over the matrices of a batch, on several threads (batch.c). */
#ifndef TOCHA_LINALG_BATCH_H
#define TOCHA_LINALG_BATCH_H

#include <limits.h>
#include <math.h>

#include "device/devices.h"
#include "ops/linalg/cpu/lapack.h"
#include "ops/linalg/kernels.h"

enum { TOCHA_BATCH_OPERANDS = 5 };

/* The work of one kernel: `one` is called for each of `count` matrices. */
typedef struct tocha_batch {
  /* Computes a matrix. at[k] is where its part of operand k lies; scratch holds `scratch` bytes. Reads nothing else but `b` and its
   * args, for both may be copies (cancellable.h). */
  void (*one)(const struct tocha_batch *b, void *const *at, void *scratch);
  const void *args; /* the kernel's */
  size_t args_size;
  const tocha_lapack *lapack;
  tocha_context *cx;
  int64_t count;
  double work; /* multiplications for one matrix */
  size_t scratch;
  int room, index_room; /* elements, and ints, of LAPACK's own scratch memory */
  bool cancellable;     /* `one` is a single call that does not look whether it is interrupted */
  bool mkl_signs;       /* vectors get the signs of digits/digits.h */
  int operands;
  struct {
    char *data; /* NULL: it is not wanted */
    size_t step, bytes;
    bool read_only;
  } operand[TOCHA_BATCH_OPERANDS];
} tocha_batch;

/* Sets the context, the count and LAPACK's functions for dtype. */
void tocha_begin_batch(tocha_batch *b, tocha_stream *stream, int64_t count, int dtype);
/* Add the next operand, which `one` changes or only reads. */
void tocha_add_matrices(tocha_batch *b, const tocha_matrix_batch *m, bool read_only);
void tocha_add_vectors(tocha_batch *b, const tocha_vector_batch *v, size_t item, bool read_only);
/* The number of each matrix, `item` bytes; `one` writes it. */
void tocha_add_numbers(tocha_batch *b, void *numbers, size_t item);
/* Runs the batch. Returns false if it was interrupted or memory lacked. */
bool tocha_run_batch(tocha_batch *b);

/* Returns the leading dimension of a matrix of so many rows. */
static inline int tocha_leading(int64_t rows) { return rows > 1 ? (int)rows : 1; }

/* Returns the bytes of so many ints in front of other scratch memory. */
static inline size_t tocha_index_bytes(int count) {
  return ((size_t)count * sizeof(int) + 15) / 16 * 16;
}

/* Returns the size of its scratch memory that LAPACK answered, in the table's type: a float above 2^24 may be rounded down. */
static inline int tocha_answered(const tocha_lapack *lapack, const void *answer) {
  double size = lapack->item == sizeof(double) ? *(const double *)answer
                : *(const float *)answer < 1 << 24
                    ? (double)*(const float *)answer
                    : (double)nextafterf(*(const float *)answer, INFINITY);
  return size < INT_MAX ? (int)size : INT_MAX;
}

#endif
