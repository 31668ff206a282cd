/* streams.c: C's streams of files by number, of large files, and of a function. */
#define _GNU_SOURCE /* fopencookie */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#if defined(__linux__)
#include <stdio_ext.h> /* __fpurge */
#endif

#include "platform/platform.h"

FILE *platform_stream_of(int file, const char *mode) { return fdopen(file, mode); }

int platform_file_of(FILE *stream) { return fileno(stream); }

int64_t platform_tell(FILE *stream) { return ftello(stream); }

bool platform_seek(FILE *stream, int64_t offset, int origin) {
  return fseeko(stream, (off_t)offset, origin) == 0;
}

#if defined(__linux__)

typedef struct reader {
  int64_t (*read)(void *user, char *to, size_t capacity);
  void *user;
} reader;

static ssize_t read_by(void *cookie, char *to, size_t capacity) {
  const reader *r = cookie;
  return (ssize_t)r->read(r->user, to, capacity);
}

static int free_reader(void *cookie) {
  free(cookie);
  return 0;
}

FILE *platform_open_reader(int64_t (*read)(void *user, char *to, size_t capacity), void *user) {
  reader *r = malloc(sizeof *r);
  if (!r) return NULL;
  *r = (reader){read, user};
  FILE *stream = fopencookie(r, "r", (cookie_io_functions_t){read_by, NULL, NULL, free_reader});
  if (!stream) free(r);
  return stream;
}

void platform_discard_input(FILE *stream) { __fpurge(stream); }

typedef struct writer {
  int64_t (*write)(void *user, const char *from, size_t length);
  void *user;
} writer;

static ssize_t write_by(void *cookie, const char *from, size_t length) {
  const writer *w = cookie;
  return (ssize_t)w->write(w->user, from, length);
}

FILE *platform_open_writer(int64_t (*write)(void *user, const char *from, size_t length),
                           void *user) {
  writer *w = malloc(sizeof *w);
  if (!w) return NULL;
  *w = (writer){write, user};
  FILE *stream = fopencookie(w, "w", (cookie_io_functions_t){NULL, write_by, NULL, free_reader});
  if (!stream) free(w);
  return stream;
}

typedef struct bounded {
  int file;
  bool (*may_grow)(void *user, int64_t size);
  void *user;
} bounded;

static ssize_t read_bounded(void *cookie, char *to, size_t capacity) {
  const bounded *b = cookie;
  return read(b->file, to, capacity);
}

static ssize_t write_bounded(void *cookie, const char *from, size_t length) {
  const bounded *b = cookie;
  bool appends = fcntl(b->file, F_GETFL) & O_APPEND;
  off_t at = lseek(b->file, 0, appends ? SEEK_END : SEEK_CUR);
  if (at < 0 || !b->may_grow(b->user, (int64_t)at + (int64_t)length)) return errno = EFBIG, 0;
  return platform_write(b->file, from, length) ? (ssize_t)length : 0;
}

static int seek_bounded(void *cookie, off64_t *offset, int origin) {
  const bounded *b = cookie;
  off_t at = lseek(b->file, (off_t)*offset, origin);
  if (at < 0) return -1;
  *offset = at;
  return 0;
}

static int close_bounded(void *cookie) {
  bounded *b = cookie;
  int result = close(b->file);
  free(b);
  return result;
}

FILE *platform_bounded_stream(int file, const char *mode,
                              bool (*may_grow)(void *user, int64_t size), void *user) {
  bounded *b = malloc(sizeof *b);
  if (!b) return NULL;
  *b = (bounded){file, may_grow, user};
  cookie_io_functions_t functions = {read_bounded, write_bounded, seek_bounded, close_bounded};
  FILE *stream = fopencookie(b, mode, functions);
  if (!stream) free(b);
  return stream;
}

#else

FILE *platform_open_reader(int64_t (*read)(void *user, char *to, size_t capacity), void *user) {
  (void)read, (void)user;
  return NULL;
}

void platform_discard_input(FILE *stream) { (void)stream; }

FILE *platform_open_writer(int64_t (*write)(void *user, const char *from, size_t length),
                           void *user) {
  (void)write, (void)user;
  return NULL;
}

FILE *platform_bounded_stream(int file, const char *mode,
                              bool (*may_grow)(void *user, int64_t size), void *user) {
  (void)file, (void)mode, (void)may_grow, (void)user;
  return NULL;
}

#endif
