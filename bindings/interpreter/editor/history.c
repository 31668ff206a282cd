/* history.c: the file of entries. A single write at the end of a file opened for appending is
 * atomic, even with other sessions. The lock is for the session that shortens the file. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif

#include "interpreter/editor/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ENTRIES = 20000, KEPT_ENTRIES = 10000, MAX_LENGTH = 1 << 20 };

/* --- the path
 * -------------------------------------------------------------------------------------------- */

static char *join(const char *folder, const char *name) {
  size_t n = strlen(folder) + strlen(name) + 2;
  char *path = malloc(n);
  if (path) snprintf(path, n, "%s/%s", folder, name);
  return path;
}

void history_open(history *h) {
  const char *own = getenv("TOCHA_HISTORY"), *state = getenv("XDG_STATE_HOME");
  const char *home = getenv("HOME");
  *h = (history){0};
  if (own)
    h->path = own[0] ? strdup(own) : NULL;
  else if (state && state[0] == '/')
    h->path = join(state, "tocha/history");
  else if (home && home[0])
    h->path = join(home, ".local/state/tocha/history");
}

static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0700);
    *slash = '/';
  }
}

static int open_file(history *h, int flags) {
  if (!h->path) return -1;
  int file = open(h->path, flags | O_CLOEXEC, 0600);
  if (file < 0 && errno == ENOENT && (flags & O_CREAT)) {
    make_folders(h->path);
    file = open(h->path, flags | O_CLOEXEC, 0600);
  }
  return file;
}

/* --- entries ------------------------------------------------------------------------------------------- */

static void forget(history *h) {
  for (size_t i = 0; i < h->count; i++) bytes_free(&h->entries[i]);
  h->count = 0;
}

void history_close(history *h) {
  forget(h);
  free(h->entries);
  free(h->path);
  *h = (history){0};
}

/* Adds the entry to those in memory, which own it from now on. */
static void keep(history *h, bytes entry) {
  if (h->count == h->capacity) {
    size_t capacity = h->capacity ? h->capacity * 2 : 256;
    bytes *entries = realloc(h->entries, capacity * sizeof *entries);
    if (!entries) {
      bytes_free(&entry);
      return;
    }
    h->entries = entries;
    h->capacity = capacity;
  }
  h->entries[h->count++] = entry;
}

static void keep_line(history *h, const char *line, size_t n) {
  bytes entry = {NULL, 0, 0};
  for (size_t i = 0; i < n; i++) {
    char c = line[i];
    if (c == '\\' && i + 1 < n) c = line[++i] == 'n' ? '\n' : line[i];
    if (!bytes_add(&entry, &c, 1)) break;
  }
  if (entry.length > 0)
    keep(h, entry);
  else
    bytes_free(&entry);
}

/* Adds the complete lines of the text to those in memory. Returns the number of bytes in them. */
static size_t keep_lines(history *h, const char *data, size_t n) {
  size_t done = 0;
  const char *end;
  while (done < n && (end = memchr(data + done, '\n', n - done)) != NULL) {
    keep_line(h, data + done, (size_t)(end - data) - done);
    done = (size_t)(end - data) + 1;
  }
  return done;
}

/* --- the file -------------------------------------------------------------------------------------------- */

static bytes read_rest(int file, off_t from) {
  bytes b = {NULL, 0, 0};
  char buffer[16384];
  ssize_t n;
  while ((n = pread(file, buffer, sizeof buffer, from)) > 0) {
    if (!bytes_add(&b, buffer, (size_t)n)) break;
    from += n;
  }
  return b;
}

static void read_new(history *h, int file) {
  struct stat s;
  if (fstat(file, &s) != 0) return;
  if (s.st_ino != h->inode || s.st_dev != h->device ||
      s.st_size < h->read) { /* another file, or a shorter one */
    forget(h);
    h->read = 0;
    h->inode = s.st_ino;
    h->device = s.st_dev;
  }
  if (s.st_size <= h->read) return;
  bytes b = read_rest(file, h->read);
  if (b.data) h->read += (off_t)keep_lines(h, b.data, b.length);
  bytes_free(&b);
}

static bool encode(bytes *out, const bytes *entry) {
  bool ok = true;
  for (size_t i = 0; ok && i < entry->length; i++) {
    char c = entry->data[i];
    if (c == '\n')
      ok = bytes_add(out, "\\n", 2);
    else if (c == '\\')
      ok = bytes_add(out, "\\\\", 2);
    else
      ok = bytes_add(out, &c, 1);
  }
  return ok && bytes_add(out, "\n", 1);
}

static bool write_all(int file, const bytes *b) {
  size_t done = 0;
  while (done < b->length) {
    ssize_t n = write(file, b->data + done, b->length - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += (size_t)n;
  }
  return true;
}

/* Writes the newest entries to a second file, and moves it to the first one's place. */
static void shorten(history *h) {
  bytes out = {NULL, 0, 0}, path = {NULL, 0, 0};
  bool ok = bytes_add_text(&path, h->path) && bytes_add_text(&path, ".new");
  for (size_t i = h->count - KEPT_ENTRIES; ok && i < h->count; i++)
    ok = encode(&out, &h->entries[i]);
  int file = ok ? open(path.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
  if (file >= 0) {
    ok = write_all(file, &out) && fsync(file) == 0;
    close(file);
    if (!ok || rename(path.data, h->path) != 0) unlink(path.data);
  }
  bytes_free(&out);
  bytes_free(&path);
}

/* Opens and locks the file. Tries again if the name belongs to another file by then, because
 * another session has shortened the history. Returns -1 if it fails. */
static int open_locked(history *h) {
  for (int attempt = 0; attempt < 8; attempt++) {
    struct stat opened, named;
    int file = open_file(h, O_RDWR | O_CREAT | O_APPEND);
    if (file < 0) return -1;
    if (flock(file, LOCK_EX) != 0 || fstat(file, &opened) != 0)
      return file; /* some file systems have no locks */
    if (stat(h->path, &named) == 0 && named.st_ino == opened.st_ino) return file;
    close(file);
  }
  return -1;
}

void history_refresh(history *h) {
  int file = open_file(h, O_RDONLY);
  if (file < 0) return;
  read_new(h, file);
  close(file);
  if (h->count <= MAX_ENTRIES) return;
  file = open_locked(h);
  if (file < 0) return;
  read_new(h, file);
  if (h->count > MAX_ENTRIES) shorten(h);
  close(file);
}

static bool is_wanted(const history *h, const char *data, size_t n) {
  if (n == 0 || n > MAX_LENGTH || data[0] == ' ' || memchr(data, '\0', n)) return false;
  const bytes *last = h->count > 0 ? &h->entries[h->count - 1] : NULL;
  return !last || last->length != n || memcmp(last->data, data, n) != 0;
}

void history_add(history *h, const char *data, size_t n) {
  bytes entry = {NULL, 0, 0}, line = {NULL, 0, 0};
  if (!is_wanted(h, data, n) || !bytes_add(&entry, data, n)) return;
  int file = encode(&line, &entry) ? open_locked(h) : -1;
  bool written = file >= 0 && write_all(file, &line);
  if (file >= 0) close(file);
  bytes_free(&line);
  if (written && h->inode)
    bytes_free(&entry); /* it comes back from the file, in order with those of others */
  else
    keep(h, entry);
  if (written && h->inode) history_refresh(h);
}
