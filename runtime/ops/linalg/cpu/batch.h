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
  /* Computes a matrix. at[k] points to the matrix's part of operand k; scratch holds `scratch` bytes. Reads no more than `b`
   * and `b->args`, because both may be copies (cancellable.h). */
  void (*one)(const struct tocha_batch *b, void *const *at, void *scratch);
  const void *args; /* the kernel's arguments */
  size_t args_size;
  const tocha_lapack *lapack;
  tocha_context *cx;
  int64_t count;
  double work; /* multiplications for one matrix */
  uint64_t scratch;
  int lwork, liwork; /* sizes of LAPACK's scratch memory, in elements and in ints */
  bool cancellable;  /* `one` is a single call that does not check for interrupts */
  bool own;          /* the decompositions of digits/digits.h compute the vectors */
  int operands;
  struct {
    char *data; /* NULL: not wanted */
    size_t step, bytes;
    bool read_only;
  } operand[TOCHA_BATCH_OPERANDS];
} tocha_batch;

/* Sets the context, the count and LAPACK's functions for dtype. */
void tocha_begin_batch(tocha_batch *b, tocha_stream *stream, int64_t count, int dtype);
/* Add the next operand. `one` only reads the operand if read_only, else changes it. */
void tocha_add_matrices(tocha_batch *b, const tocha_matrix_batch *m, bool read_only);
void tocha_add_vectors(tocha_batch *b, const tocha_vector_batch *v, size_t item, bool read_only);
/* Adds an operand of one number for each matrix, of `item` bytes, which `one` writes. */
void tocha_add_numbers(tocha_batch *b, void *numbers, size_t item);
/* Runs the batch. Returns false if the batch was interrupted or there was too little memory. */
bool tocha_run_batch(tocha_batch *b);

/* Returns the leading dimension of a matrix of so many rows. */
static inline int tocha_leading(int64_t rows) { return rows > 1 ? (int)rows : 1; }

/* Returns the bytes of `count` ints in front of other scratch memory, rounded up to a multiple of 16. */
static inline uint64_t tocha_index_bytes(int count) {
  return ((uint64_t)count * sizeof(int) + 15) / 16 * 16;
}

/* Returns the size of scratch memory that LAPACK answered, in the real part of an element. A float above 2^24 may be rounded
 * down, so the next larger float counts. */
static inline int tocha_answered(const tocha_lapack *lapack, const void *answer) {
  double size = lapack->real_item == sizeof(double) ? *(const double *)answer
                : *(const float *)answer < 1 << 24
                    ? (double)*(const float *)answer
                    : (double)nextafterf(*(const float *)answer, INFINITY);
  return size < INT_MAX ? (int)size : INT_MAX;
}

#endif
