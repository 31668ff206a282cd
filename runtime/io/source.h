/* source.h: the source and the target of a checkpoint: a file, or bytes in memory. Positions
 * count from its beginning. */
#ifndef TOCHA_SOURCE_H
#define TOCHA_SOURCE_H

#include "io/file.h"

typedef struct tocha_source {
  tocha_reader reader;
  const char *path;  /* the file's path or NULL, for mappings */
  const char *bytes; /* NULL: call the reader */
  int64_t base;      /* position of the reader at which the source begins */
  int64_t size;
  tocha_byte_block block; /* all bytes of a reader that cannot seek */
} tocha_source;

/* Makes a source of the rest of a reader's bytes, which are read at once if it cannot seek. Free it by
 * tocha_source_close. If it fails, there is nothing to free. */
bool tocha_source_open(tocha_context *cx, const tocha_reader *reader, tocha_source *source);
void tocha_source_close(tocha_context *cx, tocha_source *source);
/* Returns a source of bytes that stay valid, which needs no tocha_source_close. */
tocha_source tocha_source_of_bytes(const void *bytes, size_t length);
/* Reads `length` bytes at position `at`. Fails if the source is too short. */
bool tocha_source_read(tocha_context *cx, const tocha_source *s, int64_t at, void *to,
                       size_t length);
/* Reads n elements of dtype from position `at` on into a new tensor, in the scope. swapped: they
 * are stored in the other byte order. Returns NULL with an error if it fails. */
tocha_tensor *tocha_source_tensor(tocha_context *cx, const tocha_source *s, int64_t at, int64_t n,
                                  tocha_dtype dtype, bool swapped);
/* Returns consecutive bytes as a number, the lowest first. */
uint64_t tocha_little_endian(const void *at, int bytes);
/* Reverses the bytes of each of n elements. */
void tocha_swap_bytes(void *data, int64_t n, int item);

typedef struct tocha_sink {
  tocha_writer writer;    /* zeros: write to block */
  tocha_byte_block block; /* from the context */
  int64_t at;             /* bytes written so far */
} tocha_sink;

bool tocha_sink_write(tocha_context *cx, tocha_sink *sink, const void *bytes, size_t length);

/* A new file that replaces an old one once it is complete. */
typedef struct tocha_new_file {
  FILE *file;
  char *path, *temporary; /* texts of the context; temporary is NULL if a device or pipe is written
                           * directly */
} tocha_new_file;

bool tocha_new_file_begin(tocha_context *cx, tocha_new_file *f, const char *path);
/* Removes the unfinished files of processes that are gone from the folder of `path`. */
void tocha_remove_stale_files(const char *path);
/* Flushes and renames the new file if `done`, else removes it. Returns true if the new file is
 * in place. */
bool tocha_new_file_end(tocha_context *cx, tocha_new_file *f, bool done);

#endif
