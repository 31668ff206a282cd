/* buffer.c: tensors of raw elements: from bytes in memory, from a file, or from a mapped file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/process.h"
#include "io/file.h"
#include "platform/platform.h"
#include "tocha/ops/contiguous.h"

/* --- frombuffer --------------------------------------------------------------------------------- */

static bool is_dtype(tocha_context *cx, tocha_dtype dtype) {
  if (dtype >= 0 && dtype < TOCHA_DTYPE_COUNT) return true;
  return tocha_fail(cx, TOCHA_TYPE_ERROR, "there is no dtype %d", (int)dtype);
}

/* Returns the number of elements that a buffer gives, or -1 with PyTorch's error. */
static int64_t count_elements(tocha_context *cx, int64_t length, int64_t item, int64_t count,
                              int64_t offset) {
  long long left = offset < 0 ? 0 : length - offset; /* refused below */
  if (length <= 0 || count == 0)
    tocha_fail(cx, TOCHA_VALUE_ERROR, "both buffer length (%lld) and count (%lld) must not be 0",
               (long long)length, (long long)count);
  else if (offset < 0 || offset >= length)
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "offset (%lld bytes) must be non-negative and no greater than buffer length (%lld "
               "bytes) minus 1",
               (long long)offset, (long long)length);
  else if (count < 0 && left % item)
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "buffer length (%lld bytes) after offset (%lld bytes) must be a multiple of element "
               "size (%lld)",
               left, (long long)offset, (long long)item);
  else if (count > left / item)
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "requested buffer length (%lld * %lld bytes) after offset (%lld bytes) must not be "
               "greater than actual buffer length (%lld bytes)",
               (long long)count, (long long)item, (long long)offset, (long long)length);
  else
    return count < 0 ? left / item : count;
  return -1;
}

void tocha_tidy_bools(tocha_tensor *t) {
  if (t->dtype != TOCHA_BOOL || !t->numel) return;
  uint8_t *bytes = tocha_data(t);
  for (int64_t i = 0; i < t->numel; i++) bytes[i] = bytes[i] != 0;
}

tocha_tensor *tocha_from_buffer(tocha_context *cx, const void *bytes, size_t length,
                                tocha_dtype dtype, int64_t count, int64_t offset) {
  if (tocha_failed(cx) || !is_dtype(cx, dtype)) return NULL;
  if (length && !bytes) return tocha_refuse_none(cx, "frombuffer", "buffer", "bytes");
  int64_t n = count_elements(cx, (int64_t)length, tocha_item_size(dtype), count, offset);
  if (n < 0) return NULL;
  tocha_tensor *t = tocha_from_values(cx, (const char *)bytes + offset, 1, &n, dtype);
  if (t) tocha_tidy_bools(t);
  return t;
}

/* Reads the rest of a reader whose length is not known in advance, such as a pipe. */
static tocha_tensor *from_pipe(tocha_context *cx, const tocha_reader *reader, tocha_dtype dtype,
                               int64_t count, int64_t offset) {
  tocha_byte_block block = {NULL, 0, 0};
  if (!tocha_read_rest(cx, reader, &block)) return NULL;
  tocha_tensor *t = tocha_from_buffer(cx, block.data, block.size, dtype, count, offset);
  tocha_bytes_free(cx, &block);
  return t;
}

tocha_tensor *tocha_from_reader(tocha_context *cx, const tocha_reader *reader, tocha_dtype dtype,
                                int64_t count, int64_t offset) {
  if (!tocha_check_reader(cx, "frombuffer", reader) || !is_dtype(cx, dtype)) return NULL;
  int64_t left = tocha_bytes_left(cx, reader);
  if (left < 0) return from_pipe(cx, reader, dtype, count, offset);
  if (tocha_failed(cx)) return NULL;
  int64_t n = count_elements(cx, left, tocha_item_size(dtype), count, offset);
  int64_t first = n < 0 ? -1 : tocha_reader_position(cx, reader);
  if (first < 0 || !tocha_seek(cx, reader, first + offset)) return NULL;
  tocha_tensor *t = tocha_new(cx, 1, &n, dtype, tocha_cpu());
  if (!t) return NULL;
  size_t bytes = (size_t)n * tocha_dtype_size(dtype);
  size_t got = tocha_read_some(cx, reader, tocha_bytes(t), bytes);
  if (got < bytes) return tocha_fail_shortened(cx, first + offset + (int64_t)got);
  tocha_tidy_bools(t);
  return t;
}

tocha_tensor *tocha_from_stream(tocha_context *cx, FILE *file, tocha_dtype dtype, int64_t count,
                                int64_t offset) {
  if (!tocha_check_file(cx, "frombuffer", file)) return NULL;
  tocha_reader reader = tocha_reader_of_file(file);
  return tocha_from_reader(cx, &reader, dtype, count, offset);
}

bool tocha_to_writer(tocha_context *cx, const tocha_writer *writer, tocha_tensor *tensor) {
  if (!tocha_check_writer(cx, "tofile", writer)) return false;
  tocha_scope scope = tocha_scope_begin(cx);
  const tocha_tensor *t = tocha_contiguous(cx, tensor);
  bool done = t != NULL;
  if (done && t->device.type != TOCHA_CPU)
    done = tocha_fail(cx, TOCHA_TYPE_ERROR, "a file takes elements of tensors on the CPU");
  if (done && t->numel)
    done =
        tocha_write_all(cx, writer, tocha_bytes(t), (size_t)t->numel * tocha_dtype_size(t->dtype));
  tocha_scope_end(cx, scope, NULL);
  return done;
}

bool tocha_to_stream(tocha_context *cx, FILE *file, tocha_tensor *tensor) {
  if (!tocha_check_file(cx, "tofile", file)) return false;
  tocha_writer writer = tocha_writer_of_file(file);
  return tocha_to_writer(cx, &writer, tensor);
}

/* --- from_file ---------------------------------------------------------------------------------- */

static void unmap(void *user, void *data) {
  platform_mapping *m = user;
  (void)data;
  platform_unmap(m);
  free(m);
}

static void *fail_file(tocha_context *cx, const char *format, const char *filename,
                       const char *what) {
  int number = errno;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, format, filename, what, strerror(number), number);
}

/* Opens the file, large enough for `end` bytes. Returns -1 with an error if it fails. */
static int open_file(tocha_context *cx, const char *filename, bool shared, int64_t end) {
  platform_status status;
  int how =
      shared ? PLATFORM_READ | PLATFORM_WRITE | PLATFORM_CREATE | PLATFORM_PRIVATE : PLATFORM_READ;
  int file = platform_open(filename, how);
  if (file < 0) {
    fail_file(cx, "unable to open file <%s> in %s mode: %s (%d)", filename,
              shared ? "read-write" : "read-only");
    return -1;
  }
  if (!platform_file_status(file, &status))
    fail_file(cx, "unable to stat the file <%s>%s: %s (%d)", filename, "");
  else if (status.kind == PLATFORM_FOLDER || end <= status.size)
    return file;
  else if (!shared)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "file <%s> size <%lld> is smaller than the required mapping size <%lld>", filename,
               (long long)status.size, (long long)end);
  else if (!platform_resize_file(file, end))
    fail_file(cx, "unable to resize file <%s>%s to the right size: %s (%d)", filename, "");
  else
    return file;
  platform_close(file);
  return -1;
}

/* Another process may shorten a mapped file, and then the next read of it ends the host. */
static void *refuse_mapping(tocha_context *cx, const char *filename) {
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "unable to mmap file <%.4000s>: %s maps no files", filename,
             cx->confined ? "a sandbox" : "this program");
  return tocha_hint(cx, "torch.frombuffer(io.open(path, \"rb\")) reads the file");
}

tocha_tensor *tocha_from_file(tocha_context *cx, const char *filename, bool shared, int64_t size,
                              tocha_dtype dtype, int64_t offset) {
  int64_t bytes, end;
  if (tocha_failed(cx) || !is_dtype(cx, dtype)) return NULL;
  if (!filename) return tocha_refuse_none(cx, "from_file", "filename", "str");
  if (!tocha_may_map(cx)) return refuse_mapping(cx, filename);
  if (size == 0) return tocha_new(cx, 1, &size, dtype, tocha_cpu());
  bool fits = !__builtin_mul_overflow(size, tocha_item_size(dtype), &bytes) &&
              !__builtin_add_overflow(bytes, offset, &end);
  if (!fits) bytes = INT64_MIN;
  if (bytes < 0 || offset < 0) {
    errno = ENOMEM;
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "unable to mmap %lld bytes from file <%s>: %s (%d)",
                      (long long)bytes, filename, strerror(errno), errno);
  }
  int file = open_file(cx, filename, shared, end);
  if (file < 0) return NULL;
  platform_mapping *m = malloc(sizeof *m);
  if (!m) {
    platform_close(file);
    return tocha_fail(cx, TOCHA_MEMORY_ERROR, "there is no memory for a mapping");
  }
  char *first = platform_map_file(file, offset, (size_t)bytes, shared, m);
  int number = errno;
  platform_close(file); /* the mapping stays valid */
  if (!first) {
    free(m);
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "unable to mmap %lld bytes from file <%s>: %s (%d)",
                      (long long)bytes, filename, strerror(number), number);
  }
  tocha_tensor *t = tocha_from_memory(cx, first, 1, &size, dtype, unmap, m);
  if (t)
    t->storage->any_thread = true;
  else
    unmap(m, NULL);
  return t;
}
