/* source.h: where a checkpoint is read from and written to: a file, or bytes in memory; places count from where it begins. */
#ifndef TOCHA_SOURCE_H
#define TOCHA_SOURCE_H

#include "io/file.h"

typedef struct tocha_source {
  FILE *file;
  const char *path;  /* of the file, or NULL: for mappings */
  const char *bytes; /* NULL: the file */
  int64_t base;      /* where it begins in the file */
  int64_t size;
} tocha_source;

/* The rest of a file; what cannot seek is read into block first. */
bool tocha_source_of_file(tocha_context *cx, FILE *file, tocha_byte_block *block,
                          tocha_source *source);
/* Reads length bytes at a place; false with an error where they are not there. */
bool tocha_source_read(tocha_context *cx, const tocha_source *s, int64_t at, void *to,
                       size_t length);
/* A new tensor of n elements of dtype from there on, in the scope; swapped: in the other byte order. NULL with an error. */
tocha_tensor *tocha_source_tensor(tocha_context *cx, const tocha_source *s, int64_t at, int64_t n,
                                  tocha_dtype dtype, bool swapped);
/* Bytes behind one another as a number, the lowest first. */
uint64_t tocha_little_endian(const void *at, int bytes);
/* Elements in the other byte order; bytes that are no bool. */
void tocha_swap_bytes(void *data, int64_t n, int item);

typedef struct tocha_sink {
  FILE *file;             /* NULL: block */
  tocha_byte_block block; /* from the context */
  int64_t at;             /* bytes so far */
} tocha_sink;

bool tocha_sink_write(tocha_context *cx, tocha_sink *sink, const void *bytes, size_t length);

/* A file that takes another's place once it is whole. */
typedef struct tocha_new_file {
  FILE *file;
  char *path,
      *temporary; /* texts of the context; temporary NULL: a device or pipe, written as it is */
} tocha_new_file;

bool tocha_new_file_begin(tocha_context *cx, tocha_new_file *f, const char *path);
/* Removes the unfinished files of processes that are gone from the folder of `path`. */
void tocha_remove_stale_files(const char *path);
/* done: flushes and renames; else removes what was written. Returns whether the new file is there. */
bool tocha_new_file_end(tocha_context *cx, tocha_new_file *f, bool done);

#endif
