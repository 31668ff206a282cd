/* new_file.c: a file that takes another's place once it is whole and on the disk. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/source.h"
#include "tocha/io.h"

static bool fail_path(tocha_context *cx, int number, const char *path) {
  tocha_fail(cx, number == ENOENT ? TOCHA_FILE_NOT_FOUND_ERROR : TOCHA_OS_ERROR,
             "[Errno %d] %s: '%.4000s'", number, strerror(number), path);
  return false;
}

/* A file beside path that nobody else has: "PATH.tmp-PID-N". */
static int open_beside(tocha_context *cx, const char *path, mode_t mode, char *name, size_t room) {
  for (int i = 0;; i++) {
    if ((size_t)snprintf(name, room, "%s.tmp-%ld-%d", path, (long)getpid(), i) >= room) {
      fail_path(cx, ENAMETOOLONG, path);
      return -1;
    }
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file >= 0) return file;
    if (errno != EEXIST || i == 9999) {
      fail_path(cx, errno, path);
      return -1;
    }
  }
}

/* Opens the file beside `path`, which is no link. */
static bool open_temporary(tocha_context *cx, tocha_new_file *f, const char *path,
                           const struct stat *old) {
  size_t room = strlen(path) + 64;
  char *name = tocha_allocate(cx, room);
  if (!name) return false;
  int file = open_beside(cx, path, 0666, name, room);
  if (file >= 0) {
    if (old) fchmod(file, old->st_mode & 07777); /* as the file had it; where that fails, as new */
    f->temporary = tocha_copy_text(cx, name);
    f->file = f->temporary ? fdopen(file, "wb") : NULL;
    if (!f->file) {
      if (f->temporary) fail_path(cx, errno, path);
      close(file);
      unlink(name);
    }
  }
  tocha_deallocate(cx, name, room);
  return f->file != NULL;
}

static void forget(tocha_context *cx, tocha_new_file *f) {
  tocha_deallocate_text(cx, f->path);
  tocha_deallocate_text(cx, f->temporary);
  *f = (tocha_new_file){NULL, NULL, NULL};
}

bool tocha_new_file_begin(tocha_context *cx, tocha_new_file *f, const char *path) {
  *f = (tocha_new_file){NULL, NULL, NULL};
  struct stat status;
  bool exists = stat(path, &status) == 0;
  char *real = exists ? realpath(path, NULL) : NULL; /* a link stays: its target is replaced */
  const char *target = real ? real : path;
  if (exists && S_ISDIR(status.st_mode)) {
    fail_path(cx, EISDIR, path);
  } else if (exists && !S_ISREG(status.st_mode)) {
    f->file = fopen(path, "wb");
    if (!f->file) fail_path(cx, errno, path);
  } else if ((f->path = tocha_copy_text(cx, target))) {
    open_temporary(cx, f, f->path, exists ? &status : NULL);
  }
  free(real);
  if (f->file) return true;
  forget(cx, f);
  return false;
}

/* The directory's entry is on the disk, too, where the system can say so. */
static void flush_directory(char *path) {
  char *end = strrchr(path, '/'), kept = '\0';
  if (end && end == path) end++;
  if (end) kept = *end, *end = '\0';
  int file = open(end ? path : ".", O_RDONLY | O_CLOEXEC);
  if (end) *end = kept;
  if (file < 0) return;
  fsync(file);
  close(file);
}

bool tocha_new_file_end(tocha_context *cx, tocha_new_file *f, bool done) {
  int number = 0;
  if (done && fflush(f->file) != 0) number = errno;
  if (done && !number && f->temporary && fsync(fileno(f->file)) != 0) number = errno;
  if (fclose(f->file) != 0 && done && !number) number = errno;
  if (f->temporary) {
    if (done && !number && rename(f->temporary, f->path) != 0) number = errno;
    if (!done || number) unlink(f->temporary);
  }
  if (number) fail_path(cx, number, f->path ? f->path : "");
  if (done && !number && f->path) flush_directory(f->path);
  forget(cx, f);
  return done && !number;
}

/* --- for hosts ------------------------------------------------------------------------------------------- */

struct tocha_file_writer {
  tocha_context *context;
  tocha_new_file file;
};

tocha_file_writer *tocha_file_begin(tocha_context *cx, const char *path) {
  if (tocha_failed(cx)) return NULL;
  if (!path) return tocha_fail(cx, TOCHA_TYPE_ERROR, "a file's path must not be NULL");
  tocha_file_writer *w = tocha_allocate_zeroed(cx, sizeof *w);
  if (!w) return NULL;
  if (!tocha_new_file_begin(cx, &w->file, path)) {
    tocha_deallocate(cx, w, sizeof *w);
    return NULL;
  }
  tocha_context_retain(cx);
  w->context = cx;
  return w;
}

FILE *tocha_file_stream(const tocha_file_writer *w) { return w ? w->file.file : NULL; }

static bool end(tocha_file_writer *w, bool done) {
  tocha_context *cx = w->context;
  bool whole = tocha_new_file_end(cx, &w->file, done);
  tocha_deallocate(cx, w, sizeof *w);
  tocha_context_release(cx);
  return whole;
}

bool tocha_file_finish(tocha_context *cx, tocha_file_writer *w) {
  if (w) return end(w, !tocha_failed(cx));
  tocha_fail(cx, TOCHA_VALUE_ERROR, "there is no file to finish");
  return false;
}

void tocha_file_abandon(tocha_file_writer *w) {
  if (w) end(w, false);
}
