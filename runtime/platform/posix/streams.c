/* streams.c: C's streams of files by number, of large files, and of a function. */
#define _GNU_SOURCE /* fopencookie */
#include <stdio.h>
#include <stdlib.h>
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

#else

FILE *platform_open_reader(int64_t (*read)(void *user, char *to, size_t capacity), void *user) {
  (void)read, (void)user;
  return NULL;
}

void platform_discard_input(FILE *stream) { (void)stream; }

#endif
