/* file_store.c: FileStore: values in a file that all processes reach, in PyTorch's format: a record for each change, of the
 * name's length in 4 bytes, the name, the value's length, the value. The file is locked while a process reads or adds.
 * Names of values begin with "/"; a record "-/NAME" deletes one. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/store/names.h"
#include "distributed/store/values.h"
#include "platform/platform.h"

typedef struct file_store {
  tocha_store head;
  char *path;
  int world_size;
  store_values *values; /* what was read of the file */
  int64_t position;     /* up to here */
  platform_mutex lock;
} file_store;

enum { CHUNK = 64 << 10, HEAD = 4 };

static const char users_name[] = "refcount/", leavers_name[] = "cleanup/";
static const int64_t first_pause = 500000,
                     longest_pause = 10000000; /* nanoseconds between two looks */
static const int64_t millisecond = 1000000;

static bool fail(const file_store *store, const char *what, tocha_store_failure *failure) {
  return store_fail(failure, TOCHA_STORE_FILE, "%s %s: %s", what, store->path, strerror(errno));
}

/* --- records ---------------------------------------------------------------------------------------- */

/* Reads what was added to the file. */
static bool read_rest(file_store *store, int file, store_buffer *bytes,
                      tocha_store_failure *failure) {
  char chunk[CHUNK];
  for (;;) {
    int64_t size =
        platform_read_at(file, chunk, sizeof chunk, store->position + (int64_t)bytes->size);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail(store, "read", failure);
    if (size == 0) return !bytes->failed || store_no_memory(failure);
    store_put(bytes, chunk, (size_t)size);
  }
}

static bool take_part(const store_buffer *bytes, size_t *at, store_text *part) {
  if (bytes->size - *at < HEAD) return false;
  size_t size = (size_t)store_read_number(bytes->bytes + *at, HEAD);
  if (bytes->size - *at - HEAD < size) return false;
  *part = (store_text){bytes->bytes + *at + HEAD, size};
  *at += HEAD + size;
  return true;
}

static bool note_record(file_store *store, store_text name, store_text value) {
  if (name.size && name.bytes[0] == '-') {
    store_values_delete(store->values, (store_text){name.bytes + 1, name.size - 1});
    return true;
  }
  return store_values_set(store->values, name, value);
}

/* Brings the values up to the file's end. */
static bool catch_up(file_store *store, int file, tocha_store_failure *failure) {
  store_buffer bytes = {0};
  bool done = read_rest(store, file, &bytes, failure);
  size_t at = 0;
  while (done && at < bytes.size) {
    size_t next = at;
    store_text name, value;
    if (!take_part(&bytes, &next, &name) || !take_part(&bytes, &next, &value))
      done = store_fail(failure, TOCHA_STORE_FILE, "%s is not the file of a FileStore, or was cut",
                        store->path);
    else if (!note_record(store, name, value))
      done = store_no_memory(failure);
    else
      at = next;
  }
  store->position += (int64_t)at;
  free(bytes.bytes);
  return done;
}

static void put_record(store_buffer *bytes, const char *prefix, store_text name, store_text value) {
  store_put_number(bytes, strlen(prefix) + name.size, HEAD);
  store_put(bytes, prefix, strlen(prefix));
  store_put(bytes, name.bytes, name.size);
  store_put_number(bytes, value.size, HEAD);
  store_put(bytes, value.bytes, value.size);
}

/* Adds to the file what a call has changed. */
static bool add_records(file_store *store, int file, const store_call *call,
                        tocha_store_failure *failure) {
  store_buffer bytes = {0};
  for (int i = 0; i < call->count; i++) {
    const store_text *value = store_values_find(store->values, call->names[i]);
    if (value)
      put_record(&bytes, "", call->names[i], *value);
    else
      put_record(&bytes, "-", call->names[i], (store_text){"", 0});
  }
  bool done = bytes.failed
                  ? store_no_memory(failure)
                  : platform_write(file, bytes.bytes, bytes.size) || fail(store, "write", failure);
  if (done) store->position += (int64_t)bytes.size;
  free(bytes.bytes);
  return done;
}

/* --- calls ------------------------------------------------------------------------------------------ */

/* Opens the file, and locks it. */
static int open_locked(const file_store *store, tocha_store_failure *failure) {
  int file = platform_open(store->path,
                           PLATFORM_READ | PLATFORM_WRITE | PLATFORM_CREATE | PLATFORM_APPEND);
  if (file >= 0 && platform_lock_file(file, true)) return file;
  fail(store, "open", failure);
  if (file >= 0) platform_close(file);
  return -1;
}

/* Carries a call out on the file as it is now. */
static bool run_on_file(file_store *store, store_call *call, store_outcome *outcome,
                        tocha_store_failure *failure) {
  int file = open_locked(store, failure);
  if (file < 0) return false;
  store_text awaited;
  bool done = catch_up(store, file, failure);
  if (done) {
    *outcome = store_values_run(store->values, call, false, &awaited);
    bool changes = store_changes_values(call->operation) ||
                   (call->operation == STORE_DELETE && call->answer.number);
    if (*outcome == STORE_DONE && changes) done = add_records(store, file, call, failure);
  }
  platform_close(file);
  if (!done || *outcome == STORE_DONE || *outcome == STORE_NOT_YET) return done;
  if (*outcome == STORE_SHORT) return store_no_memory(failure);
  return store_fail(failure, TOCHA_STORE_NO_NUMBER, "stoll");
}

/* Runs a call, again and again until what it waits for is there. */
static bool run_until_done(file_store *store, store_call *call, const store_patience *patience,
                           tocha_store_failure *failure) {
  int64_t pause = first_pause, begin = platform_nanoseconds();
  for (;;) {
    store_outcome outcome;
    platform_lock(&store->lock);
    bool done = run_on_file(store, call, &outcome, failure);
    platform_unlock(&store->lock);
    if (!done || outcome != STORE_NOT_YET) return done;
    if (store_is_over(patience, failure)) break;
    platform_sleep(pause);
    pause = pause * 2 < longest_pause ? pause * 2 : longest_pause;
  }
  if (failure->kind == TOCHA_STORE_TIMED_OUT && call->operation == STORE_GET)
    store_fail(failure, TOCHA_STORE_TIMED_OUT, "Timeout waiting for key: %.*s after %" PRId64 " ms",
               (int)call->names[0].size - 1, call->names[0].bytes + 1,
               (patience->deadline - begin + millisecond / 2) / millisecond);
  return false;
}

static bool call_file(tocha_store *store, store_call *call, const store_patience *patience,
                      tocha_store_failure *failure) {
  static const char prefix[] = "/"; /* of all names but those that count users */
  if (call->operation == STORE_QUEUE_PUSH || call->operation == STORE_QUEUE_POP ||
      call->operation == STORE_QUEUE_LENGTH)
    return store_fail(failure, TOCHA_STORE_UNSUPPORTED, "queue support is not implemented.");
  store_prefixed prefixed;
  if (!store_add_prefix(&prefixed, call, prefix, failure)) return false;
  bool done = run_until_done((file_store *)store, call, patience, failure);
  store_drop_prefix(&prefixed, call);
  if (!done || call->operation != STORE_LIST_KEYS) return done;
  return store_strip_answer(call, prefix, failure);
}

/* --- opening and closing ---------------------------------------------------------------------------- */

/* Adds to one of the numbers of users, whose names have no prefix. */
static bool count_user(file_store *store, const char *which, int64_t amount, int64_t *sum,
                       tocha_store_failure *failure) {
  store_text name = {which, strlen(which)};
  store_call add = {.operation = STORE_ADD, .count = 1, .names = &name, .number = amount};
  store_outcome outcome;
  bool done = run_on_file(store, &add, &outcome, failure);
  if (done) *sum = add.answer.number;
  return done;
}

static void free_parts(file_store *store) {
  store_values_free(store->values);
  free(store->path);
  platform_mutex_close(&store->lock);
}

/* The last of all users removes the file. */
static void close_file(tocha_store *head) {
  file_store *store = (file_store *)head;
  platform_status status;
  tocha_store_failure failure;
  int64_t left = 0, users = 0;
  if (platform_path_status(store->path, &status) && status.size >= store->position &&
      count_user(store, leavers_name, 1, &left, &failure) &&
      count_user(store, users_name, -1, &users, &failure) && users == 0 && store->world_size >= 0 &&
      left >= store->world_size)
    remove(store->path);
  free_parts(store);
}

static const store_kind kind = {"FileStore", false, false, call_file, NULL, close_file};

tocha_store *tocha_file_store_new(tocha_context *cx, const char *path, int world_size) {
  if (!cx || tocha_failed(cx)) return NULL;
  if (!path) return tocha_fail(cx, TOCHA_TYPE_ERROR, "a FileStore needs a path");
  tocha_store_failure failure;
  file_store *store = (file_store *)store_new(&kind, sizeof(file_store), 0, &failure);
  if (!store) return store_raise(cx, &failure);
  size_t size = strlen(path) + 1;
  bool locked = platform_mutex_open(&store->lock);
  store->path = locked ? malloc(size) : NULL;
  store->values = store->path ? store_values_new() : NULL;
  store->world_size = world_size;
  int64_t users;
  if (store->path) memcpy(store->path, path, size);
  if (!store->values)
    store_no_memory(&failure);
  else if (count_user(store, users_name, 1, &users, &failure))
    return &store->head;
  if (locked) free_parts(store);
  free(store);
  return store_raise(cx, &failure);
}

const char *tocha_file_store_path(const tocha_store *store) {
  return store && store->kind == &kind ? ((const file_store *)store)->path : "";
}
