/* process_test.c: a context that is refused everything does nothing to the process: the C library's functions that would do it are
 * this program's, and count their calls. What is not refused is then seen to be done. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WITHOUT_LEAK_SEARCH /* it starts a thread through the functions below */
#include "check.h"
#include "core/context.h"
#include "tocha/nn/linear.h"
#include "tocha/tocha.h"

/* --- the C library's functions ------------------------------------------------------------------------------ */

/* Calls by this process while `watched`. */
typedef enum effect {
  LIBRARY,
  VARIABLE,
  HANDLER,
  EXIT,
  THREAD,
  FORK,
  ENTROPY,
  MAPPING,
  SYSTEM,
  EFFECTS
} effect;
static const char *const NAMES[EFFECTS] = {"dlopen",     "getenv",         "sigaction",
                                           "atexit",     "pthread_create", "atfork",
                                           "getentropy", "mmap",           "/proc or /sys"};
static bool watched;
static int calls[EFFECTS + 1]; /* the last one: of no interest */

static void count(effect e) {
  if (watched) calls[e]++;
}

static bool is_of_system(const char *path) {
  return strncmp(path, "/proc", 5) == 0 || strncmp(path, "/sys", 4) == 0;
}

#define F(effect, result, name, parameters, arguments)                                             \
  static result(*own_##name) parameters;                                                           \
  result name parameters;                                                                          \
  result name parameters {                                                                         \
    if (!own_##name) *(void **)&own_##name = dlsym(RTLD_NEXT, #name);                              \
    count(effect);                                                                                 \
    return own_##name arguments;                                                                   \
  }
#include "process_functions.def"
#undef F

/* Finds all now: a sanitizer calls some where dlsym does not work. */
static void find_own(void) {
#define F(effect, result, name, parameters, arguments)                                             \
  *(void **)&own_##name = dlsym(RTLD_NEXT, #name);
#include "process_functions.def"
#undef F
}

/* Counts the signals whose handler is not the one of the last call. */
static int changed_handlers(void) {
  enum { SIGNALS = 65 };
  static struct sigaction last[SIGNALS];
  int changed = 0;
  for (int number = 1; number < SIGNALS; number++) {
    struct sigaction now;
    if (sigaction(number, NULL, &now)) continue;
    changed += now.sa_handler != last[number].sa_handler;
    last[number] = now;
  }
  return changed;
}

/* Counts from now on. */
static void begin_to_watch(void) {
  memset(calls, 0, sizeof calls);
  changed_handlers();
  watched = true;
}

static void end_watching(void) {
  watched = false;
  calls[HANDLER] = changed_handlers();
}

/* --- work of every kind ------------------------------------------------------------------------------------- */

static double number(tocha_context *cx, const tocha_tensor *t) {
  tocha_scalar value = tocha_int(0);
  CHECK(tocha_item(cx, t, &value));
  return tocha_scalar_real(value);
}

static void train(tocha_context *cx) {
  tocha_module *net = tocha_nn_linear(cx, 64, 64, true, tocha_cpu(), TOCHA_FLOAT32);
  tocha_tensor *x = tocha_randn(cx, 2, (int64_t[]){256, 64});
  tocha_tensor *loss = tocha_mean(cx, tocha_relu(cx, tocha_module_call(cx, net, x)));
  CHECK(tocha_backward(cx, loss, NULL, false, false));
  CHECK(tocha_grad(tocha_get_parameter(cx, net, "weight")) != NULL);
  tocha_module_release(net);
}

/* Uses every family that a library or threads could help, and files. */
static void work(tocha_context *cx, const char *path) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *a = tocha_randn(cx, 2, (int64_t[]){300, 300}),
               *b = tocha_randn(cx, 2, (int64_t[]){300, 300});
  CHECK(tocha_mm(cx, a, b) != NULL);
  CHECK(tocha_mm(cx, tocha_to(cx, a, tocha_cpu(), TOCHA_BFLOAT16, false, false),
                 tocha_to(cx, b, tocha_cpu(), TOCHA_BFLOAT16, false, false)) != NULL);
  tocha_tensor *one = tocha_randn(cx, 2, (int64_t[]){3, 3});
  tocha_tensor *inverse = tocha_inverse(cx, one), *unit = tocha_mm(cx, one, inverse);
  CHECK(unit && fabs(number(cx, tocha_sum(cx, unit)) - 3) < 1e-2);
  tocha_tensor *images = tocha_randn(cx, 4, (int64_t[]){8, 16, 32, 32});
  tocha_tensor *weight = tocha_randn(cx, 4, (int64_t[]){32, 16, 3, 3});
  CHECK(tocha_conv2d(cx, images, weight, NULL, 1, (int64_t[]){1}, 1, (int64_t[]){0}, 1,
                     (int64_t[]){1}, 1) != NULL);
  tocha_tensor *big = tocha_randn(cx, 1, (int64_t[]){2000000});
  CHECK(number(cx, tocha_sum(cx, tocha_exp(cx, big))) > 0);
  tocha_tensor *sorted, *places;
  CHECK(tocha_sort(cx, big, -1, false, &sorted, &places));
  train(cx);
  tocha_module *net = tocha_nn_linear(cx, 2, 2, true, tocha_cpu(), TOCHA_FLOAT32);
  CHECK(tocha_module_save(cx, net, path, TOCHA_FORMAT_ZIP) &&
        tocha_module_load(cx, net, path, true));
  tocha_module_release(net);
  CHECK(!tocha_failed(cx));
  if (tocha_failed(cx)) printf("# %s\n", tocha_error(cx)->message);
  tocha_scope_end(cx, scope, NULL);
}

/* Maps a file by a checkpoint. */
static void map(tocha_context *cx, const char *path) {
  tocha_checkpoint *c = tocha_load(cx, path, &(tocha_load_options){.mmap = true});
  CHECK(c != NULL);
  tocha_checkpoint_free(c);
}

static void watch(const tocha_options *options, const char *path) {
  begin_to_watch();
  tocha_context *cx = tocha_open(options);
  work(cx, path);
  map(cx, path);
  tocha_close(cx);
  end_watching();
}

static bool says(tocha_context *cx, const char *words) {
  bool right = strstr(tocha_error(cx)->message, words) || strstr(tocha_error(cx)->hint, words);
  if (!right) printf("# %s (%s)\n", tocha_error(cx)->message, tocha_error(cx)->hint);
  tocha_clear_error(cx);
  return right;
}

/* Refused are the library itself, its threads, a device's plug-in and a mapping, in words. */
static void test_errors(tocha_context *cx, const char *path) {
  tocha_set_threads(cx, 8);
  CHECK(tocha_threads(cx) == 1);
  CHECK(tocha_refused(cx) == TOCHA_REFUSE_ALL && tocha_refused(NULL) == 0);
  CHECK(!tocha_from_file(cx, path, false, 4, TOCHA_UINT8, 0) &&
        says(cx, "this program maps no files"));
  tocha_tensor *image = tocha_ones(cx, 3, (int64_t[]){3, 8, 8});
  image = tocha_to(cx, image, tocha_cpu(), TOCHA_UINT8, false, false);
  CHECK(!tocha_encode_jpeg(cx, image, 75) && says(cx, "libjpeg is not here"));
  CHECK(!tocha_to(cx, image, tocha_cuda_device(0), TOCHA_NO_DTYPE, false, false) &&
        says(cx, "shared libraries"));
  CHECK(tocha_generator_initial_seed(tocha_default_generator(cx)) == 67280421310721);
}

/* The environment and libraries again, by a context that is refused neither: beside the first one. */
static void test_others(const char *path) {
  tocha_options free_options = {.threads = 2};
  watch(&free_options, path);
  static const effect done[] = {LIBRARY, VARIABLE, THREAD, FORK, ENTROPY, MAPPING};
  for (int i = 0; i < 6; i++) EXPECT(calls[done[i]] > 0, NAMES[done[i]]);
  EXPECT(calls[HANDLER] == 0, "sigaction");
}

/* One thread, and nothing refused: no thread of ours. */
static void test_one_thread(void) {
  tocha_options options = {.threads = 1,
                           .refuse = TOCHA_REFUSE_LIBRARIES}; /* OpenBLAS may have its own */
  begin_to_watch();
  tocha_context *cx = tocha_open(&options);
  work(cx, "/tmp/tocha_process_test.pt");
  tocha_close(cx);
  end_watching();
  CHECK(calls[THREAD] == 0 && calls[FORK] == 0);
}

int main(void) {
  find_own();
  char path[] = "/tmp/tocha_process_XXXXXX";
  int file = mkstemp(path);
  close(file);
  setenv("TOCHA_DIGITS", "fast", 1);
  tocha_options options = {.refuse = TOCHA_REFUSE_ALL};
  watch(&options, path);
  for (int e = 0; e < EFFECTS; e++) EXPECT(calls[e] == 0, NAMES[e]);
  tocha_context *refused = tocha_open(&options);
  CHECK(tocha_get_digits(refused) == TOCHA_DIGITS_PYTORCH);
  test_errors(refused, path);
  test_one_thread();
  test_others(path);
  begin_to_watch(); /* what the others have done to the process does not reach the first context */
  work(refused, path);
  end_watching();
  for (int e = 0; e < EFFECTS; e++) EXPECT(calls[e] == 0, NAMES[e]);
  tocha_close(refused);
  unlink(path);
  return finish();
}
