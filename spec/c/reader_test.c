/* reader_test.c: files behind functions of the host: each format by readers that give one byte at a time, cannot seek, begin
 * elsewhere, lie, fail or interrupt at every call in turn, or use the same context; and by writers that do so. */
#include "tocha/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tocha/nn/linear.h"
#include "tocha/tocha.h"

/* --- a host's file ------------------------------------------------------------------------------------------- */

typedef enum manner {
  WORK,
  FAIL,
  FAIL_WITH_ERRNO,
  FAIL_IN_WORDS,
  INTERRUPT,
  OVERRUN,
  USE_CONTEXT
} manner;

typedef struct host_file {
  tocha_context *cx;
  char bytes[1 << 16];
  int64_t size, at;
  int64_t most; /* bytes of one call */
  int64_t lie;  /* added to the size that seeking tells */
  manner act;   /* at call number `when`, or every call if that is 0 */
  int calls, when;
} host_file;

static host_file file, other; /* other: used in a call of file's functions */

/* Does the file's act. Returns true if the call is to go on. */
static bool act_now(host_file *f, int64_t *result) {
  *result = -1;
  if (++f->calls != f->when && f->when) return true;
  if (f->act == FAIL_WITH_ERRNO) errno = EIO;
  if (f->act == FAIL_IN_WORDS) tocha_fail(f->cx, TOCHA_KEY_ERROR, "the archive is locked");
  if (f->act == INTERRUPT) tocha_interrupt(f->cx);
  if (f->act == USE_CONTEXT) {
    const tocha_reader reader = {&other, NULL, NULL};
    tocha_scope scope = tocha_scope_begin(f->cx);
    int64_t size = 100;
    CHECK(tocha_ones(f->cx, 1, &size) != NULL);
    CHECK(tocha_load_from(f->cx, &reader, NULL) == NULL); /* it has no function */
    tocha_clear_error(f->cx);
    tocha_scope_end(f->cx, scope, NULL);
  }
  *result = INT64_MAX;
  return f->act == WORK || f->act == INTERRUPT || f->act == USE_CONTEXT;
}

static int64_t result_of_failure(const host_file *f, int64_t result) {
  return f->act == OVERRUN ? result : -1;
}

static int64_t part_of(const host_file *f, int64_t left, size_t size) {
  int64_t part = f->most && f->most < left ? f->most : left;
  return part < (int64_t)size ? part : (int64_t)size;
}

static int64_t read_file(void *user, void *into, size_t size) {
  host_file *f = user;
  int64_t result;
  if (!act_now(f, &result)) return result_of_failure(f, result);
  int64_t part = part_of(f, f->at < f->size ? f->size - f->at : 0, size);
  if (part) memcpy(into, f->bytes + f->at, (size_t)part);
  f->at += part;
  return part;
}

static int64_t seek_file(void *user, int64_t offset, int origin) {
  host_file *f = user;
  int64_t result;
  if (!act_now(f, &result)) return result_of_failure(f, result);
  int64_t from = origin == SEEK_SET ? 0 : origin == SEEK_CUR ? f->at : f->size + f->lie;
  if (from + offset < 0) return -1;
  return f->at = from + offset;
}

static int64_t write_file(void *user, const void *from, size_t size) {
  host_file *f = user;
  int64_t result;
  if (!act_now(f, &result)) return result_of_failure(f, result);
  int64_t part = part_of(f, (int64_t)sizeof f->bytes - f->size, size);
  memcpy(f->bytes + f->size, from, (size_t)part);
  f->size += part;
  return part;
}

/* --- what is read and written -------------------------------------------------------------------------------- */

static const float VALUES[6] = {1, 2, 3, 4, 5, 6};

static bool equal(const tocha_tensor *t) {
  return t && tocha_numel(t) == 6 &&
         memcmp(tocha_data((tocha_tensor *)(size_t)t), VALUES, sizeof VALUES) == 0;
}

static tocha_tensor *values(tocha_context *cx) {
  int64_t sizes[2] = {2, 3};
  return tocha_from_values(cx, VALUES, 2, sizes, TOCHA_FLOAT32);
}

static tocha_module *linear(tocha_context *cx) {
  return tocha_nn_linear(cx, 3, 2, true, tocha_cpu(), TOCHA_FLOAT32);
}

static bool save(tocha_context *cx, const tocha_writer *w, tocha_checkpoint_format format) {
  tocha_checkpoint *c = tocha_checkpoint_new(cx);
  tocha_value *root = tocha_new_collection(c, TOCHA_VALUE_DICT);
  bool done =
      tocha_value_set(c, root, tocha_new_string(c, "x", 1), tocha_new_tensor(c, values(cx))) &&
      tocha_checkpoint_set_root(c, root) && tocha_save_to(cx, c, w, format);
  tocha_checkpoint_free(c);
  return done;
}

static bool save_zip(tocha_context *cx, const tocha_writer *w) {
  return save(cx, w, TOCHA_FORMAT_ZIP);
}
static bool save_legacy(tocha_context *cx, const tocha_writer *w) {
  return save(cx, w, TOCHA_FORMAT_LEGACY);
}
static bool save_safetensors(tocha_context *cx, const tocha_writer *w) {
  return save(cx, w, TOCHA_FORMAT_SAFETENSORS);
}

static bool load(tocha_context *cx, const tocha_reader *r) {
  tocha_checkpoint *c = tocha_load_from(cx, r, NULL);
  bool right = equal(tocha_value_tensor(tocha_value_find(tocha_checkpoint_root(c), "x")));
  tocha_checkpoint_free(c);
  return right;
}

static bool save_module(tocha_context *cx, const tocha_writer *w) {
  tocha_module *m = linear(cx);
  bool done = tocha_module_save_to(cx, m, w, TOCHA_FORMAT_ZIP);
  tocha_module_release(m);
  return done;
}

static bool load_module(tocha_context *cx, const tocha_reader *r) {
  tocha_module *m = linear(cx);
  bool done = tocha_module_load_from(cx, m, r, true);
  tocha_module_release(m);
  return done;
}

static bool read_rows(tocha_context *cx, const tocha_reader *r) {
  tocha_safetensors *s = tocha_safetensors_open_from(cx, r);
  tocha_tensor *row = tocha_safetensors_read(cx, s, tocha_safetensors_find(s, "x"), 1, 2);
  bool right = row && memcmp(tocha_data(row), VALUES + 3, 3 * sizeof *VALUES) == 0;
  tocha_safetensors_close(s);
  return right;
}

static bool write_npy(tocha_context *cx, const tocha_writer *w) {
  return tocha_npy_write_to(cx, w, values(cx));
}

static bool read_npy(tocha_context *cx, const tocha_reader *r) {
  return equal(tocha_npy_read_from(cx, r));
}

static bool read_npy_head(tocha_context *cx, const tocha_reader *r) {
  tocha_npy_head head;
  return tocha_npy_read_head_from(cx, r, &head) && head.ndim == 2 && head.sizes[1] == 3;
}

static bool write_npz(tocha_context *cx, const tocha_writer *w, bool compressed) {
  tocha_npz_writer *z = tocha_npz_begin_to(cx, w, compressed);
  bool done = tocha_npz_add(cx, z, "x.npy", values(cx));
  if (done) return tocha_npz_finish(cx, z);
  tocha_npz_abandon(z);
  return false;
}

static bool write_stored(tocha_context *cx, const tocha_writer *w) {
  return write_npz(cx, w, false);
}
static bool write_deflated(tocha_context *cx, const tocha_writer *w) {
  return write_npz(cx, w, true);
}

static bool read_npz(tocha_context *cx, const tocha_reader *r) {
  bool is_array = false;
  tocha_npz *z = tocha_npz_open_from(cx, r);
  bool right = equal(tocha_npz_read(cx, z, 0, &is_array)) && is_array;
  tocha_npz_close(z);
  return right;
}

static bool write_elements(tocha_context *cx, const tocha_writer *w) {
  return tocha_to_writer(cx, w, values(cx));
}

static bool read_elements(tocha_context *cx, const tocha_reader *r) {
  return equal(tocha_from_reader(cx, r, TOCHA_FLOAT32, -1, 0));
}

static bool read_sum(tocha_context *cx, const tocha_reader *r) {
  char sum[33];
  return tocha_md5_from(cx, r, sum) && strlen(sum) == 32;
}

static bool write_text(tocha_context *cx, const tocha_writer *w) {
  static const char text[] = "1 2 3\n4 5 6\n";
  return !tocha_failed(cx) && w->write(w->user, text, sizeof text - 1) == (int64_t)sizeof text - 1;
}

static bool read_text(tocha_context *cx, const tocha_reader *r) {
  const tocha_text_rules rules = {0};
  tocha_text *t = tocha_text_open_from(cx, r, &rules);
  bool right = tocha_text_next(cx, t) && tocha_text_next(cx, t) && tocha_text_field_count(t) == 3;
  tocha_text_close(t);
  return right;
}

static const struct format {
  const char *name;
  bool (*write)(tocha_context *cx, const tocha_writer *writer);
  bool (*read)(tocha_context *cx, const tocha_reader *reader);
  bool own_text, needs_size; /* written by this program; a wrong size is found */
} FORMATS[] = {
    {"zip", save_zip, load, false, true},
    {"legacy", save_legacy, load, false, true},
    {"safetensors", save_safetensors, load, false, true},
    {"module", save_module, load_module, false, true},
    {"safetensors by rows", save_safetensors, read_rows, false, true},
    {"npy", write_npy, read_npy, false, false},
    {"head of npy", write_npy, read_npy_head, false, false},
    {"npz", write_stored, read_npz, false, true},
    {"deflated npz", write_deflated, read_npz, false, true},
    {"elements", write_elements, read_elements, false, true},
    {"md5", write_elements, read_sum, false, false},
    {"text", write_text, read_text, true, false},
};
enum { FORMAT_COUNT = sizeof FORMATS / sizeof *FORMATS };

/* --- the tests ----------------------------------------------------------------------------------------------- */

static const tocha_reader READER = {&file, read_file, seek_file}, STREAM = {&file, read_file, NULL};
static const tocha_writer WRITER = {&file, write_file};

static void behave(manner act, int when) {
  file.act = act;
  file.when = when;
  file.calls = 0;
}

/* Writes a file of the format, behind `before` other bytes. */
static void begin(tocha_context *cx, const struct format *format, int64_t before) {
  memset(&file, 0, sizeof file);
  memset(file.bytes, '#', (size_t)before);
  file.cx = cx;
  file.size = before;
  EXPECT(format->write(cx, &WRITER), format->name);
  file.at = before;
}

static bool reads(tocha_context *cx, const struct format *format, const tocha_reader *reader,
                  int64_t from) {
  file.at = from;
  tocha_scope scope = tocha_scope_begin(cx);
  bool right = format->read(cx, reader);
  tocha_scope_end(cx, scope, NULL);
  return right;
}

static bool says(tocha_context *cx, tocha_error_code code, const char *words) {
  const tocha_error_info *error = tocha_error(cx);
  bool right = error->code == code && (strstr(error->message, words) || strstr(error->hint, words));
  if (!right) printf("# code %d: %s (%s)\n", (int)error->code, error->message, error->hint);
  tocha_clear_error(cx);
  return right;
}

static void test_reads(tocha_context *cx, const struct format *format) {
  for (int64_t before = 0; before < 200; before += 100) {
    begin(cx, format, before);
    for (int64_t most = 0; most < 3; most++) {
      file.most = most;
      EXPECT(reads(cx, format, &READER, before), format->name);
      EXPECT(reads(cx, format, &STREAM, before), format->name);
    }
  }
  behave(USE_CONTEXT, 0);
  EXPECT(reads(cx, format, &READER, 100), format->name);
  tocha_clear_error(cx);
}

/* Fails at each call in turn, with and without an error of the host's own. Returns the number of calls. */
static int test_failures(tocha_context *cx, const struct format *format,
                         const tocha_reader *reader) {
  static const struct {
    manner act;
    tocha_error_code code;
    const char *words;
  } ways[] = {{FAIL, TOCHA_OS_ERROR, "ing "},
              {FAIL_WITH_ERRNO, TOCHA_OS_ERROR, " failed"},
              {FAIL_IN_WORDS, TOCHA_KEY_ERROR, "the archive is locked"},
              {OVERRUN, TOCHA_OK, NULL},
              {INTERRUPT, TOCHA_INTERRUPTED, ""}};
  int calls = 0;
  for (int way = 0; way < (int)(sizeof ways / sizeof *ways); way++)
    for (int when = 1;; when++) {
      behave(ways[way].act, when);
      bool done = reads(cx, format, reader, 0);
      if (file.calls < when) {
        EXPECT(done && when > 1, format->name);
        calls = when - 1;
        break;
      }
      if (ways[way].act == INTERRUPT && done) { /* in the last call */
        tocha_forget_interrupt(cx);
      } else if (ways[way].act == OVERRUN) { /* as the place or the size it is only a lie */
        EXPECT(!done || !tocha_failed(cx), format->name);
      } else {
        EXPECT(!done && tocha_failed(cx), format->name);
        EXPECT(says(cx, ways[way].code, ways[way].words), format->name);
      }
      tocha_clear_error(cx);
    }
  behave(WORK, 0);
  return calls;
}

static void test_lies(tocha_context *cx, const struct format *format) {
  for (int64_t lie = -3; lie <= 3; lie++) {
    file.lie = lie;
    bool done = reads(cx, format, &READER, 0);
    EXPECT(done != tocha_failed(cx), format->name);
    if (lie && format->needs_size) EXPECT(!done, format->name);
    tocha_clear_error(cx);
  }
  file.lie = (int64_t)1 << 60;
  bool done = reads(cx, format, &READER, 0);
  EXPECT(done != tocha_failed(cx), format->name);
  tocha_clear_error(cx);
  file.lie = 0;
}

static void test_writes(tocha_context *cx, const struct format *format) {
  static host_file whole;
  tocha_manual_seed(cx, 1);
  begin(cx, format, 0);
  whole = file;
  memset(&file, 0, sizeof file);
  file.cx = cx, file.most = 1;
  tocha_manual_seed(cx, 1);
  EXPECT(format->write(cx, &WRITER), format->name);
  EXPECT(file.size == whole.size && memcmp(file.bytes, whole.bytes, (size_t)whole.size) == 0,
         format->name);
  static const manner ways[] = {FAIL, FAIL_WITH_ERRNO, FAIL_IN_WORDS, OVERRUN, INTERRUPT};
  for (int way = 0; way < 5; way++)
    for (int when = 1;; when++) {
      memset(&file, 0, sizeof file);
      file.cx = cx;
      behave(ways[way], when);
      tocha_manual_seed(cx, 1);
      tocha_scope scope = tocha_scope_begin(cx);
      bool done = format->write(cx, &WRITER);
      tocha_scope_end(cx, scope, NULL);
      EXPECT(done != tocha_failed(cx), format->name);
      /* what the failed write leaves is the beginning of the file */
      EXPECT(memcmp(file.bytes, whole.bytes, (size_t)file.size) == 0, format->name);
      if (done) EXPECT(file.size == whole.size, format->name);
      tocha_clear_error(cx);
      tocha_forget_interrupt(cx);
      if (file.calls < when) break;
      if (ways[way] != INTERRUPT) EXPECT(!done, format->name);
    }
}

static void test_words(tocha_context *cx) {
  begin(cx, &FORMATS[0], 0);
  behave(FAIL_WITH_ERRNO, 4); /* CUR, CUR, END, SET */
  CHECK(!reads(cx, &FORMATS[0], &READER, 0));
  CHECK(strcmp(tocha_error(cx)->message, "[Errno 5] Input/output error") == 0);
  CHECK(says(cx, TOCHA_OS_ERROR, "seeking to byte 0 failed"));
  behave(FAIL, 1);
  CHECK(!reads(cx, &FORMATS[0], &STREAM, 0));
  CHECK(says(cx, TOCHA_OS_ERROR, "reading 65536 bytes failed"));
  behave(OVERRUN, 1);
  CHECK(!reads(cx, &FORMATS[0], &STREAM, 0));
  CHECK(
      says(cx, TOCHA_RUNTIME_ERROR, "was asked for 65536 bytes and returned 9223372036854775807"));
  behave(WORK, 0);
  file.lie = 1;
  CHECK(!reads(cx, &FORMATS[9], &READER, 0));
  CHECK(says(cx, TOCHA_VALUE_ERROR, "multiple of element size"));
  file.lie = 4;
  CHECK(!reads(cx, &FORMATS[9], &READER, file.size - 24));
  CHECK(says(cx, TOCHA_EOF_ERROR, "its size, as the reader's seek gave it, is larger"));
  file.lie = 0;
  CHECK(!tocha_load_from(cx, &(tocha_reader){0}, NULL));
  CHECK(says(cx, TOCHA_TYPE_ERROR, "reader"));
  CHECK(!tocha_load_from(cx, &READER, &(tocha_load_options){.mmap = true}));
  CHECK(says(cx, TOCHA_VALUE_ERROR, "f must be a file path"));
}

static size_t taken; /* bytes of the host's allocator */

static void *allocate(void *user, void *pointer, size_t old_size, size_t new_size) {
  (void)user;
  void *result = NULL;
  if (new_size)
    result = realloc(pointer, new_size);
  else
    free(pointer);
  if (result || !new_size) taken += new_size - old_size;
  return result;
}

static void test_format(const struct format *format) {
  tocha_options options = {.allocate = allocate, .threads = 1};
  tocha_context *cx = tocha_open(&options);
  test_reads(cx, format);
  begin(cx, format, 0);
  EXPECT(test_failures(cx, format, &READER) >= test_failures(cx, format, &STREAM), format->name);
  test_lies(cx, format);
  if (!format->own_text) test_writes(cx, format);
  CHECK(!tocha_failed(cx));
  tocha_close(cx);
  EXPECT(taken == 0, format->name);
}

int main(void) {
  for (int i = 0; i < FORMAT_COUNT; i++) test_format(&FORMATS[i]);
  tocha_context *cx = tocha_open(NULL);
  test_words(cx);
  tocha_close(cx);
  return finish();
}
