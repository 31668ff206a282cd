/* npy.h: reads and writes the parts of an .npy file, also for archives of them. */
#ifndef TOCHA_IO_NPY_H
#define TOCHA_IO_NPY_H

#include "io/foreign.h"

/* The source of an .npy file: a reader, or bytes in memory. */
typedef struct tocha_npy_source {
  const tocha_reader *reader;
  const char *bytes;
  int64_t left; /* bytes that remain, or -1 if it is not known in advance */
} tocha_npy_source;

enum { TOCHA_NPY_HEAD = 2048 }; /* maximum length that tocha_npy_head_text writes */

/* An element type as NumPy names it: "<f8". */
typedef struct tocha_npy_type {
  char kind;         /* 'f', 'i', 'u', 'b', 'c', 'S', 'U', 'O', 'V', 'M', 'm' */
  int size;          /* bytes of an element; of 'U', characters */
  bool swapped;      /* stored in the other byte order */
  tocha_dtype dtype; /* dtype of a tensor with these numbers, or TOCHA_NO_DTYPE */
  int foreign; /* the type in the file, of tocha_foreign_types; TOCHA_FOREIGN_NONE: dtype itself */
  const char *name; /* "float64" */
} tocha_npy_type;

/* Reads the name of an element type. Returns false if `text` does not name a type of NumPy. */
bool tocha_npy_read_type(const char *text, size_t length, tocha_npy_type *type);
/* Reads the head of a file with elements of any type, and sets *type to that type. */
bool tocha_npy_begin(tocha_context *cx, tocha_npy_source *source, tocha_npy_head *head,
                     tocha_npy_type *type);
/* Fails as torch.from_numpy does for a type that no tensor has. */
void *tocha_npy_refuse(tocha_context *cx, const char *type);
/* Returns the array of the .npy file whose bytes are `file`, a uint8 tensor of one dimension. The array shares its memory, unless
 * its elements must be converted. */
tocha_tensor *tocha_npy_over(tocha_context *cx, tocha_tensor *file);
/* Reads the elements that follow a head. */
tocha_tensor *tocha_npy_take(tocha_context *cx, tocha_npy_source *source,
                             const tocha_npy_head *head);
/* Writes the head of t's .npy file. Returns its length. */
size_t tocha_npy_head_text(const tocha_tensor *t, char text[TOCHA_NPY_HEAD]);
/* Returns a tensor whose memory, from its first element on, is the content of the file: t
 * itself, its transpose or a copy; in the scope. Fails for a tensor that .npy files cannot
 * represent. */
const tocha_tensor *tocha_npy_elements(tocha_context *cx, tocha_tensor *t);
bool tocha_npy_is_magic(const char *bytes, size_t length);

#endif
