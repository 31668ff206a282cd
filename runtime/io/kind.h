/* kind.h: recognizes the kind of a file by its first bytes, for the errors of a reader that expected another kind. */
#ifndef TOCHA_IO_KIND_H
#define TOCHA_IO_KIND_H

#include "io/file.h"

enum { TOCHA_KIND_HEAD = 512 }; /* bytes of a file that are examined */

typedef struct tocha_file_kind {
  const char *name; /* "a Git LFS pointer" */
  const char *cure; /* the way to read the file, or to get the right one */
} tocha_file_kind;

/* Returns the kind of a file of `size` bytes (-1: unknown) that begins with `length` bytes at `head`, or NULL if unknown. */
const tocha_file_kind *tocha_kind_of_file(const char *head, size_t length, int64_t size);
/* Adds the hint that the file is of another kind to the pending error, unless it has a hint. `path` may be NULL; `expected`
 * names the kind that the reader expects. */
void *tocha_hint_kind(tocha_context *cx, const char *path, const char *head, size_t length,
                      int64_t size, const char *expected);

#endif
