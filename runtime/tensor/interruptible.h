/* interruptible.h: divides the long loops of a kernel into pieces, and checks for interrupts between
 * them. */
#ifndef TOCHA_INTERRUPTIBLE_H
#define TOCHA_INTERRUPTIBLE_H

#include "core/interruption.h"

enum { TOCHA_PIECE = 1 << 18 }; /* elements of simple arithmetic: less than a millisecond */

typedef tocha_interruption *tocha_stop; /* the context's */

/* Returns true if the loop must stop. */
static inline bool tocha_is_set(tocha_stop stop) {
  return tocha_is_requested(stop) || (stop->poll && tocha_poll_interruption(stop));
}

/* Returns true if a loop must end at step i. Checks the flag every TOCHA_PIECE steps. */
static inline bool tocha_ends_at(int64_t i, tocha_stop stop) {
  return i % TOCHA_PIECE == 0 && tocha_is_set(stop);
}

/* Returns the end of the piece that begins at `first`, or `first` itself if the loop must stop. */
static inline int64_t tocha_piece_end(int64_t first, int64_t n, tocha_stop stop) {
  if (tocha_is_set(stop)) return first;
  return n - first < TOCHA_PIECE ? n : first + TOCHA_PIECE;
}

/* Runs the statement that follows for each piece first..end - 1 of 0..n. */
#define TOCHA_PIECES(first, end, n, stop)                                                          \
  for (int64_t first = 0, end; first < (n) && (end = tocha_piece_end(first, n, stop)) > first;     \
       first = end)

#endif
