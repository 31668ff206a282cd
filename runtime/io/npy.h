/* npy.h: the parts of an .npy file, for archives of them. */
#ifndef TOCHA_IO_NPY_H
#define TOCHA_IO_NPY_H

#include "io/file.h"

/* Where an .npy file is read from: a file, or bytes in memory. */
typedef struct tocha_npy_source {
  FILE *file;
  const char *bytes;
  int64_t left; /* bytes of it; -1: only reading tells */
} tocha_npy_source;

enum { TOCHA_NPY_HEAD = 2048 }; /* the most that tocha_npy_head_text writes */

tocha_tensor *tocha_npy_from(tocha_context *cx, tocha_npy_source *source);
/* The head of t's .npy file: its length. */
size_t tocha_npy_head_text(const tocha_tensor *t, char text[TOCHA_NPY_HEAD]);
/* The tensor whose memory, from its first element on, is what the file holds: t itself, its transpose or a copy; in the
 * scope. NULL with an error for what no .npy file holds. */
const tocha_tensor *tocha_npy_elements(tocha_context *cx, tocha_tensor *t);
bool tocha_npy_is_magic(const char *bytes, size_t length);

#endif
