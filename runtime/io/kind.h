/* kind.h: tells a file by its first bytes, for the errors of whoever was given another. */
#ifndef TOCHA_IO_KIND_H
#define TOCHA_IO_KIND_H

#include "io/file.h"

enum { TOCHA_KIND_HEAD = 512 }; /* bytes of a file that are looked at */

typedef struct tocha_file_kind {
  const char *name; /* "a Git LFS pointer" */
  const char *cure; /* how to read it, or to get the right one */
} tocha_file_kind;

/* Returns the kind of a file of `size` bytes (-1: unknown) that begins with `length` bytes, or NULL if it is none that is known. */
const tocha_file_kind *tocha_kind_of_file(const char *head, size_t length, int64_t size);
/* Adds to the pending error, if it has no hint, that the file is of another kind. path may be NULL; `expected` names what is read. */
void *tocha_hint_kind(tocha_context *cx, const char *path, const char *head, size_t length,
                      int64_t size, const char *expected);

#endif
