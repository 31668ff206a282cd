/* serialization_test.c: checkpoints without Lua: values made and read, modules, a save that is killed at every write, lack of
 * memory at every allocation. */
#define _GNU_SOURCE
#include "tocha/serialization.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "core/context.h"
#include "tocha/nn/linear.h"

/* --- a process that dies at its n-th step ------------------------------------------------------------------ */

static int steps_left = -1; /* -1: it lives */

static void pass(void) {
  if (steps_left >= 0 && steps_left-- == 0) kill(getpid(), SIGKILL);
}

/* What writes, in the place of the C library's own. */
size_t fwrite(const void *from, size_t size, size_t count, FILE *file) {
  static size_t (*own)(const void *, size_t, size_t, FILE *);
  if (!own) *(void **)&own = dlsym(RTLD_NEXT, "fwrite");
  pass();
  size_t part = steps_left == 0 && count > 1 ? count / 2 : count; /* the last one writes half */
  size_t written = own(from, size, part, file);
  if (part < count) fflush(file), pass();
  return written;
}

int fflush(FILE *file) {
  static int (*own)(FILE *);
  if (!own) *(void **)&own = dlsym(RTLD_NEXT, "fflush");
  pass();
  return own(file);
}

int fsync(int file) {
  static int (*own)(int);
  if (!own) *(void **)&own = dlsym(RTLD_NEXT, "fsync");
  pass();
  return own(file);
}

int rename(const char *from, const char *to) {
  static int (*own)(const char *, const char *);
  if (!own) *(void **)&own = dlsym(RTLD_NEXT, "rename");
  pass();
  int result = own(from, to);
  pass();
  return result;
}

/* --- the tests ----------------------------------------------------------------------------------------------- */

static tocha_checkpoint *make(tocha_context *cx, float fill) {
  float values[6] = {fill, 1, 2, 3, 4, 5};
  int64_t sizes[2] = {2, 3};
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_checkpoint *c = tocha_checkpoint_new(cx);
  tocha_value *root = tocha_new_collection(c, TOCHA_VALUE_DICT);
  tocha_value *list = tocha_new_collection(c, TOCHA_VALUE_LIST);
  bool done = tocha_value_append(c, list, tocha_new_int(c, 7)) &&
              tocha_value_append(c, list, tocha_new_none(c)) &&
              tocha_value_append(c, list, tocha_new_float(c, 0.5)) &&
              tocha_value_append(c, list, tocha_new_bool(c, true)) &&
              tocha_value_append(c, list, tocha_new_bytes(c, "a\xff", 2)) &&
              tocha_value_set(c, root, tocha_new_string(c, "list", 4), list) &&
              tocha_value_set(c, root, tocha_new_string(c, "same", 4), list) &&
              tocha_value_set(
                  c, root, tocha_new_string(c, "x", 1),
                  tocha_new_tensor(c, tocha_from_values(cx, values, 2, sizes, TOCHA_FLOAT32))) &&
              tocha_checkpoint_set_root(c, root);
  tocha_scope_end(cx, scope, NULL);
  if (done) return c;
  tocha_checkpoint_free(c);
  return NULL;
}

/* The first number of x; -1 for another file. */
static float first_of(tocha_context *cx, const char *path) {
  tocha_checkpoint *c = tocha_load(cx, path, NULL);
  const tocha_value *root = tocha_checkpoint_root(c);
  const tocha_value *list = tocha_value_find(root, "list");
  tocha_tensor *x = tocha_value_tensor(tocha_value_find(root, "x"));
  size_t length;
  bool right = x && tocha_value_count(list) == 5 && list == tocha_value_find(root, "same") &&
               tocha_value_int(tocha_value_item(list, 0)) == 7 &&
               tocha_value_kind_of(tocha_value_item(list, 1)) == TOCHA_VALUE_NONE &&
               tocha_value_float(tocha_value_item(list, 2)) == 0.5 &&
               tocha_value_bool(tocha_value_item(list, 3)) &&
               memcmp(tocha_value_text(tocha_value_item(list, 4), &length), "a\xff", 3) == 0 &&
               length == 2 && ((float *)tocha_data(x))[5] == 5;
  float first = right ? *(float *)tocha_data(x) : -1;
  tocha_checkpoint_free(c);
  tocha_clear_error(cx);
  return first;
}

static void test_values(tocha_context *cx, const char *path) {
  for (int format = TOCHA_FORMAT_ZIP; format <= TOCHA_FORMAT_LEGACY; format++) {
    tocha_checkpoint *c = make(cx, 8);
    size_t length;
    CHECK(tocha_save(cx, c, path, (tocha_checkpoint_format)format));
    CHECK(first_of(cx, path) == 8);
    char *bytes = tocha_save_bytes(cx, c, (tocha_checkpoint_format)format, &length);
    tocha_checkpoint *again = tocha_load_bytes(cx, bytes, length, NULL);
    CHECK(tocha_value_count(tocha_checkpoint_root(again)) == 3);
    CHECK(!tocha_load_bytes(cx, bytes, length - 1, NULL) && tocha_failed(cx));
    tocha_clear_error(cx);
    tocha_checkpoint_free(again);
    tocha_checkpoint_free(c);
    free(bytes);
  }
}

static void test_modules(tocha_context *cx, const char *path) {
  static const tocha_device anywhere = {TOCHA_NO_DEVICE, -1};
  for (int format = TOCHA_FORMAT_ZIP; format <= TOCHA_FORMAT_SAFETENSORS; format++) {
    tocha_module *a = tocha_nn_linear(cx, 2, 3, true, anywhere, TOCHA_NO_DTYPE);
    tocha_module *b = tocha_nn_linear(cx, 2, 3, true, anywhere, TOCHA_NO_DTYPE);
    tocha_module *other = tocha_nn_linear(cx, 2, 3, false, anywhere, TOCHA_NO_DTYPE);
    CHECK(tocha_module_save(cx, a, path, (tocha_checkpoint_format)format));
    CHECK(tocha_module_load(cx, b, path, true));
    const float *x = tocha_data(tocha_get_parameter(cx, a, "weight"));
    const float *y = tocha_data(tocha_get_parameter(cx, b, "weight"));
    for (int i = 0; i < 6; i++) CHECK(x[i] == y[i]);
    CHECK(!tocha_module_load(cx, other, path, true) && strstr(tocha_error(cx)->message, "bias"));
    tocha_clear_error(cx);
    CHECK(tocha_module_load(cx, other, path, false));
    tocha_checkpoint *c = tocha_load(cx, path, NULL);
    CHECK(tocha_module_load_value(cx, b, tocha_checkpoint_root(c), true));
    CHECK(!tocha_module_load_value(cx, b, tocha_value_find(tocha_checkpoint_root(c), "net"), true));
    CHECK(strstr(tocha_error(cx)->hint, "no entry of that name"));
    tocha_clear_error(cx);
    tocha_checkpoint_free(c);
    tocha_module_release(a);
    tocha_module_release(b);
    tocha_module_release(other);
  }
}

/* Whoever is killed while saving leaves the old file or the new one. */
static void test_kill(tocha_context *cx, const char *path) {
  tocha_checkpoint *old = make(cx, 10), *young = make(cx, 20);
  int step = 0;
  bool killed = true;
  for (; killed; step++) {
    CHECK(tocha_save(cx, old, path, TOCHA_FORMAT_ZIP));
    pid_t child = fork();
    if (child == 0) {
      steps_left = step;
      tocha_save(cx, young, path, TOCHA_FORMAT_ZIP);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    killed = WIFSIGNALED(status);
    char beside[256];
    snprintf(beside, sizeof beside, "%s.tmp-%ld-0", path, (long)child);
    unlink(beside);
    float first = first_of(cx, path);
    CHECK(killed ? first == 10 || first == 20 : first == 20);
  }
  CHECK(step > 20);
  tocha_checkpoint_free(old);
  tocha_checkpoint_free(young);
}

/* Every allocation fails once: an error, and the old file. */
static void test_memory(tocha_context *cx, const char *path) {
  tocha_checkpoint *old = make(cx, 10);
  CHECK(tocha_save(cx, old, path, TOCHA_FORMAT_ZIP));
  bool lacked = true;
  for (int64_t n = 0; lacked; n++) {
    tocha_fail_allocation(cx, n);
    tocha_checkpoint *c = make(cx, 30);
    bool saved = c && tocha_save(cx, c, path, TOCHA_FORMAT_ZIP);
    tocha_checkpoint *read = saved ? tocha_load(cx, path, NULL) : NULL;
    lacked = tocha_failed(cx);
    CHECK(lacked ? tocha_error(cx)->code == TOCHA_MEMORY_ERROR : read != NULL);
    tocha_fail_allocation(cx, -1);
    tocha_clear_error(cx);
    tocha_checkpoint_free(c);
    tocha_checkpoint_free(read);
    CHECK(first_of(cx, path) == (saved ? 30 : 10));
    if (saved) CHECK(tocha_save(cx, old, path, TOCHA_FORMAT_ZIP));
  }
  tocha_checkpoint_free(old);
}

static void run_all(tocha_context *cx, const char *path) {
  test_values(cx, path);
  test_modules(cx, path);
  test_memory(cx, path);
}

int main(void) {
  char path[] = "/tmp/tocha_checkpoint_XXXXXX";
  int file = mkstemp(path);
  tocha_context *cx = tocha_open(NULL);
  CHECK(file >= 0 && cx);
  close(file);
  run_all(cx, path);
  size_t before = tocha_memory(cx, tocha_cpu()).allocated;
  run_all(cx, path);
  CHECK(tocha_memory(cx, tocha_cpu()).allocated == before); /* nothing is left behind */
  test_kill(cx, path);
  struct stat status;
  CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0600);
  unlink(path);
  tocha_close(cx);
  return finish();
}
