/* new_file.c: writes a new file that replaces an old one once it is complete and on the disk. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/confine.h"
#include "io/source.h"
#include "platform/platform.h"
#include "tocha/io.h"

enum { LINKS = 40, PATH_ROOM = 4096, COPY = 1 << 20 };

static bool fail_path(tocha_context *cx, int number, const char *path) {
  tocha_fail(cx, number == ENOENT ? TOCHA_FILE_NOT_FOUND_ERROR : TOCHA_OS_ERROR,
             "[Errno %d] %s: '%.4000s'", number, strerror(number), path);
  return false;
}

/* Creates a new file beside `path`, named "PATH.tmp-PID-N", and locks it while it is written. An unlocked file of such a name
 * was left by a process that has ended (stale_files.c). Returns the descriptor, or -1 with errno set. */
static int open_beside(const char *path, char *name, size_t capacity) {
  for (int i = 0; i < 10000; i++) {
    if ((size_t)snprintf(name, capacity, "%s.tmp-%ld-%d", path, platform_process_number(), i) >=
        capacity)
      break;
    int file = platform_open(name, PLATFORM_WRITE | PLATFORM_CREATE | PLATFORM_NEW);
    if (file < 0 && errno != EEXIST) return -1;
    if (file < 0) continue;
    if (platform_lock_file(file, false) || errno != EWOULDBLOCK) return file;
    platform_close(file);
  }
  errno = ENAMETOOLONG;
  return -1;
}

/* Opens the temporary file beside `path`, which is not a link. Returns false with errno set. */
static bool open_temporary(tocha_context *cx, tocha_new_file *f, const char *path,
                           const platform_status *old) {
  char name[PATH_ROOM + 64];
  int file = open_beside(path, name, sizeof name);
  if (file < 0) return false;
  if (old) platform_set_owner(file, old);
  f->temporary = tocha_copy_text(cx, name);
  f->file = f->temporary ? platform_stream_of(file, "wb") : NULL;
  if (f->file) return true;
  int number = errno;
  platform_close(file);
  remove(name);
  errno = number;
  return false;
}

static void forget(tocha_context *cx, tocha_new_file *f) {
  tocha_deallocate_text(cx, f->path);
  tocha_deallocate_text(cx, f->temporary);
  *f = (tocha_new_file){NULL, NULL, NULL};
}

/* Follows links whose target does not exist yet, and writes the path to create to `target`. Returns false with errno set. */
static bool follow(const char *path, char target[PATH_ROOM]) {
  char link[PATH_ROOM];
  if (strlen(path) >= PATH_ROOM) return errno = ENAMETOOLONG, false;
  strcpy(target, path);
  for (int i = 0; i < LINKS; i++) {
    int64_t length = platform_read_link(target, link, sizeof link - 1);
    if (length < 0) return true; /* not a link */
    link[length] = '\0';
    char *slash = strrchr(target, '/');
    size_t before = link[0] == '/' || !slash ? 0 : (size_t)(slash - target) + 1;
    if (before + (size_t)length >= PATH_ROOM) return errno = ENAMETOOLONG, false;
    memcpy(target + before, link, (size_t)length + 1);
  }
  return errno = ELOOP, false;
}

/* Opens the temporary file, or, if the folder takes no new file, the old one itself. */
static bool open_file(tocha_context *cx, tocha_new_file *f, const platform_status *old) {
  tocha_remove_stale_files(f->path);
  if (open_temporary(cx, f, f->path, old)) return true;
  bool closed = errno == EACCES || errno == EPERM || errno == EROFS;
  if (old && closed) f->file = fopen(f->path, "wb");
  return f->file != NULL;
}

/* --- of a confined context: by the functions of its host -------------------------------------------------- */

static bool begin_confined(tocha_context *cx, tocha_new_file *f, const char *path) {
  char name[PATH_ROOM];
  bool moves = cx->confinement.move != NULL;
  if ((size_t)snprintf(name, sizeof name, "%s.tmp", path) >= sizeof name)
    return fail_path(cx, ENAMETOOLONG, path);
  f->path = tocha_copy_text(cx, path);
  f->temporary = f->path && moves ? tocha_copy_text(cx, name) : NULL;
  bool named = f->path && (!moves || f->temporary);
  f->file = named ? tocha_open_file(cx, moves ? name : path, TOCHA_FILE_WRITE) : NULL;
  if (f->file) return true;
  if (!tocha_failed(cx)) fail_path(cx, errno, path);
  forget(cx, f);
  return false;
}

/* Closes the file, and returns an error number. */
static int end_confined(tocha_context *cx, const tocha_new_file *f, bool done) {
  const tocha_confinement *c = &cx->confinement;
  int number = done && ferror(f->file) ? EIO : 0;
  if (fclose(f->file) != 0 && done && !number) number = errno ? errno : EIO;
  bool keep = done && !number;
  if (keep && f->temporary && !c->move(c->user, f->temporary, f->path)) number = errno;
  if ((!keep || number) && c->remove) c->remove(c->user, f->temporary ? f->temporary : f->path);
  return number;
}

bool tocha_new_file_begin(tocha_context *cx, tocha_new_file *f, const char *path) {
  *f = (tocha_new_file){NULL, NULL, NULL};
  if (cx->confined) return begin_confined(cx, f, path);
  platform_status status;
  char target[PATH_ROOM];
  bool exists = platform_path_status(path, &status);
  char *real = exists ? platform_real_path(path) : NULL; /* a link stays: its target is replaced */
  if (exists && status.kind == PLATFORM_FOLDER) {
    fail_path(cx, EISDIR, path);
  } else if (!exists && !follow(path, target)) {
    fail_path(cx, errno, path);
  } else if ((f->path = tocha_copy_text(cx, real ? real : exists ? path : target))) {
    bool regular = !exists || status.kind == PLATFORM_FILE;
    if (!regular) f->file = fopen(path, "wb");
    if (!f->file && (!regular || !open_file(cx, f, exists ? &status : NULL)) && !tocha_failed(cx))
      fail_path(cx, errno, path);
  }
  free(real);
  if (f->file) return true;
  forget(cx, f);
  return false;
}

/* Flushes the directory's entry to the disk too, if the system supports it. */
static void flush_directory(char *path) {
  char *end = strrchr(path, '/'), kept = '\0';
  if (end && end == path) end++;
  if (end) kept = *end, *end = '\0';
  int file = platform_open(end ? path : ".", PLATFORM_READ);
  if (end) *end = kept;
  if (file < 0) return;
  platform_flush_to_disk(file);
  platform_close(file);
}

/* Writes the content of file `from` into the existing file `to`. Returns an error number. */
static int copy_over(tocha_context *cx, const char *from, const char *to) {
  int number = 0, in = platform_open(from, PLATFORM_READ), out = -1;
  char *buffer = in < 0 ? NULL : tocha_allocate(cx, COPY);
  if (buffer) out = platform_open(to, PLATFORM_WRITE | PLATFORM_EMPTY);
  if (in < 0 || out < 0) number = errno ? errno : ENOMEM;
  for (int64_t got = 1; !number && got > 0;) {
    got = platform_read(in, buffer, COPY);
    if (got < 0 || !platform_write(out, buffer, (size_t)got)) number = errno ? errno : EIO;
  }
  if (!number && !platform_flush_to_disk(out)) number = errno;
  if (buffer) tocha_deallocate(cx, buffer, COPY);
  if (in >= 0) platform_close(in);
  if (out >= 0 && !platform_close(out) && !number) number = errno;
  return number;
}

/* Renames the temporary file to its final name. A file that is itself a mount point cannot be replaced, so its content is
 * overwritten. Returns an error number. */
static int put_in_place(tocha_context *cx, const tocha_new_file *f) {
  if (rename(f->temporary, f->path) == 0) return 0;
  int number = errno;
  if (number == EBUSY || number == EXDEV) number = copy_over(cx, f->temporary, f->path);
  remove(f->temporary);
  return number;
}

/* Adds the path to the error of a write that failed: "[Errno 28] No space left on device: 'PATH'". */
static void name_path(tocha_context *cx, const char *path) {
  const tocha_error_info *error = tocha_error(cx);
  int number, end = 0;
  if (!tocha_failed(cx) || error->code != TOCHA_OS_ERROR || !path) return;
  if (sscanf(error->message, "[Errno %d] %n", &number, &end) != 1 || !end ||
      strcmp(error->message + end, strerror(number)) != 0)
    return;
  tocha_clear_error(cx);
  fail_path(cx, number, path);
}

/* Closes the file, which replaces the old one if it is done, and returns an error number. */
static int end_file(tocha_context *cx, const tocha_new_file *f, bool done) {
  int number = 0;
  platform_status status;
  if (done && (fflush(f->file) != 0 || ferror(f->file))) number = errno ? errno : EIO;
  int file = platform_file_of(f->file);
  bool regular = platform_file_status(file, &status) && status.kind == PLATFORM_FILE;
  if (done && !number && regular && !platform_flush_to_disk(file)) number = errno;
  /* renamed while it is open and locked, so that no other process takes it for a stale file */
  if (f->temporary && done && !number)
    number = put_in_place(cx, f);
  else if (f->temporary)
    remove(f->temporary);
  if (fclose(f->file) != 0 && done && !number) number = errno;
  if (done && !number && f->temporary) flush_directory(f->path);
  return number;
}

bool tocha_new_file_end(tocha_context *cx, tocha_new_file *f, bool done) {
  int number = cx->confined ? end_confined(cx, f, done) : end_file(cx, f, done);
  if (!done) name_path(cx, f->path);
  if (number) fail_path(cx, number, f->path ? f->path : "");
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
