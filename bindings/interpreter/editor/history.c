/* history.c: the file of entries. A single write at the end of a file opened for appending is
 * atomic, even with other sessions. The lock is for the session that shortens the file. */
#include "interpreter/editor/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/platform.h"

enum { MAX_ENTRIES = 20000, KEPT_ENTRIES = 10000, MAX_LENGTH = 1 << 20 };

/* --- the path
 * -------------------------------------------------------------------------------------------- */

static char *join(const char *folder, const char *name) {
  size_t n = strlen(folder) + strlen(name) + 1;
  char *path = malloc(n);
  if (path) snprintf(path, n, "%s%s", folder, name);
  return path;
}

void history_open(history *h) {
  const char *own = getenv("TOCHA_HISTORY"), *state = getenv("XDG_STATE_HOME");
  const char *home = getenv("HOME");
  *h = (history){0};
  if (own)
    h->path = own[0] ? join(own, "") : NULL;
  else if (state && state[0] == '/')
    h->path = join(state, "/tocha/history");
  else if (home && home[0])
    h->path = join(home, "/.local/state/tocha/history");
}

static void make_folders(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    platform_make_folder(path, true);
    *slash = '/';
  }
}

static int open_file(history *h, int how) {
  if (!h->path) return -1;
  int file = platform_open(h->path, how | PLATFORM_PRIVATE);
  if (file < 0 && errno == ENOENT && (how & PLATFORM_CREATE)) {
    make_folders(h->path);
    file = platform_open(h->path, how | PLATFORM_PRIVATE);
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

static bytes read_rest(int file, int64_t from) {
  bytes b = {NULL, 0, 0};
  char buffer[16384];
  int64_t n;
  while ((n = platform_read_at(file, buffer, sizeof buffer, from)) > 0) {
    if (!bytes_add(&b, buffer, (size_t)n)) break;
    from += n;
  }
  return b;
}

static void read_new(history *h, int file) {
  platform_status s;
  if (!platform_file_status(file, &s)) return;
  if (s.number != h->number || s.device != h->device ||
      s.size < h->read) { /* another file, or a shorter one */
    forget(h);
    h->read = 0;
    h->number = s.number;
    h->device = s.device;
  }
  if (s.size <= h->read) return;
  bytes b = read_rest(file, h->read);
  if (b.data) h->read += (int64_t)keep_lines(h, b.data, b.length);
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

/* Writes the newest entries to a second file, and moves it to the first one's place. */
static void shorten(history *h) {
  bytes out = {NULL, 0, 0}, path = {NULL, 0, 0};
  bool ok = bytes_add_text(&path, h->path) && bytes_add_text(&path, ".new");
  for (size_t i = h->count - KEPT_ENTRIES; ok && i < h->count; i++)
    ok = encode(&out, &h->entries[i]);
  enum { NEW_FILE = PLATFORM_WRITE | PLATFORM_CREATE | PLATFORM_EMPTY | PLATFORM_PRIVATE };
  int file = ok ? platform_open(path.data, NEW_FILE) : -1;
  if (file >= 0) {
    ok = platform_write(file, out.data, out.length) && platform_flush_to_disk(file);
    platform_close(file);
    if (!ok || rename(path.data, h->path) != 0) remove(path.data);
  }
  bytes_free(&out);
  bytes_free(&path);
}

/* Opens and locks the file. Tries again if the name belongs to another file by then, because
 * another session has shortened the history. Returns -1 if it fails. */
static int open_locked(history *h) {
  for (int attempt = 0; attempt < 8; attempt++) {
    platform_status opened, named;
    int file = open_file(h, PLATFORM_READ | PLATFORM_WRITE | PLATFORM_CREATE | PLATFORM_APPEND);
    if (file < 0) return -1;
    if (!platform_lock_file(file, true) || !platform_file_status(file, &opened))
      return file; /* some file systems have no locks */
    if (platform_path_status(h->path, &named) && named.number == opened.number) return file;
    platform_close(file);
  }
  return -1;
}

void history_refresh(history *h) {
  int file = open_file(h, PLATFORM_READ);
  if (file < 0) return;
  read_new(h, file);
  platform_close(file);
  if (h->count <= MAX_ENTRIES) return;
  file = open_locked(h);
  if (file < 0) return;
  read_new(h, file);
  if (h->count > MAX_ENTRIES) shorten(h);
  platform_close(file);
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
  bool written = file >= 0 && platform_write(file, line.data, line.length);
  if (file >= 0) platform_close(file);
  bytes_free(&line);
  if (written && h->number)
    bytes_free(&entry); /* it comes back from the file, in order with those of others */
  else
    keep(h, entry);
  if (written && h->number) history_refresh(h);
}
