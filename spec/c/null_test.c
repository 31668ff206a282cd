/* null_test.c: every public function, called with what a host program may hand over by mistake: NULL, for the context
 * too, and while an error is pending; numbers, dtypes and devices that do not exist, with good objects; and good values beside NULL.
 * Each call runs in a child process; one that dies is named. The calls are written from the headers by
 * support/write_calls.lua. Prints what failed; exits with 0 when nothing did. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tocha/private.h"
#include "tocha/signals.h"
#include "tocha/tocha.h"

static tocha_context *cx;
static _Alignas(16) char zeros[4096];
static char room[4096];
static const int64_t ones[64] = {1, 1};
static const char *const names[] = {"/nowhere/name", NULL};
static const tocha_device nowhere = {99, 77};

#include "null_calls.h"

static int64_t read_nothing(void *user, void *into, size_t size) {
  (void)user, (void)into, (void)size;
  return 0;
}

static int64_t write_nothing(void *user, const void *from, size_t size) {
  (void)user, (void)from;
  return (int64_t)size;
}

static void make_objects(void) {
  static tocha_reader reader = {NULL, read_nothing, NULL};
  static tocha_writer writer = {NULL, write_nothing};
  static const int64_t sizes[] = {2, 2};
  static _Alignas(16) char buffers[8][4096];
  memset(&objects, 0, sizeof objects);
  cx = tocha_open(NULL);
  objects.tensor = tocha_ones(cx, 2, sizes);
  objects.module = tocha_nn_linear(cx, 2, 2, true, tocha_cpu(), TOCHA_FLOAT32);
  objects.state_dict = tocha_state_dict_new(cx);
  objects.optimizer = tocha_optimizer_new(cx, tocha_find_optimizer_class("SGD"), NULL);
  objects.generator = tocha_default_generator(cx);
  objects.data_loader = tocha_data_loader_new(
      cx, &(tocha_data_options){.parts = 1, .tensors = (tocha_tensor *[]){objects.tensor}});
  objects.reader = &reader;
  objects.writer = &writer;
  objects.scalar = buffers[0];
  objects.operand = buffers[1];
  objects.arg = buffers[2];
  objects.named_list = buffers[3];
  objects.results = buffers[4];
  objects.dlpack_device = buffers[5];
  objects.confinement = buffers[6];
  objects.tensors = buffers[6];
}

/* In a child: what kills it does not kill the test. */
static bool survives(const struct call *call, bool pending) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    if (pending) tocha_fail(cx, TOCHA_RUNTIME_ERROR, "pending");
    call->run();
    if (tocha_failed(cx) && !tocha_error(cx)->message[0]) _exit(2); /* an error without a word */
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    printf("not ok: %s (%s%s): signal %d\n", call->name, call->way, pending ? ", pending" : "",
           WTERMSIG(status));
  else if (WEXITSTATUS(status))
    printf("not ok: %s (%s%s): status %d\n", call->name, call->way, pending ? ", pending" : "",
           WEXITSTATUS(status));
  return status == 0;
}

static int checked, wrong;
static void expect(bool holds, const char *what) {
  checked++;
  if (!holds) printf("not ok: %s\n", what);
  wrong += !holds;
  tocha_clear_error(cx);
}

static bool says(const char *words) {
  return tocha_failed(cx) && strstr(tocha_error(cx)->message, words);
}

/* What a mistake without an error pending is told, and that it is one. */
static void test_words(void) {
  tocha_device zero = {0};
  tocha_tensor *x = objects.tensor;
  expect(!tocha_add(cx, x, NULL) && says("argument 'other' must be Tensor, not NoneType"),
         "x + NULL");
  expect(!tocha_matmul(cx, NULL, x) && says("argument 'self' must be Tensor, not NoneType"),
         "NULL @ x");
  expect(!tocha_new(cx, -1, ones, TOCHA_FLOAT32, tocha_cpu()) && says("-1"),
         "less than no dimensions");
  expect(!tocha_new(cx, 65, ones, TOCHA_FLOAT32, tocha_cpu()) && says("64 dims"),
         "too many dimensions");
  expect(!tocha_sum_full(cx, x, (tocha_dtype)99) && says("must be torch.dtype, not 99"), "a dtype");
  expect(!tocha_gelu_full(cx, x, NULL) && says("must be str, not NoneType"), "a string");
  expect(!tocha_cat(cx, -1, &x, 0) && says("-1 elements"), "a count");
  tocha_tensors list = {0};
  bool flag = true;
  expect(!tocha_chunk(cx, NULL, 2, 0, &list) &&
             says("argument 'self' must be Tensor, not NoneType"),
         "chunks of NULL");
  expect(!tocha_chunk(cx, x, 2, 0, NULL) && says("must be tensors, not NoneType"), "a list");
  expect(!tocha_equal(cx, x, NULL, &flag) && !flag && tocha_failed(cx), "equal to NULL");
  expect(!tocha_register_module(cx, objects.module, NULL, NULL) && says("NoneType"), "a name");
  expect(!tocha_module_call(cx, NULL, x) && tocha_failed(cx), "a module");
  expect(!tocha_optimizer_step(cx, NULL) && says("NoneType"), "an optimizer");
  tocha_tensor *on_zero = tocha_new(cx, 1, ones, TOCHA_FLOAT32, zero);
  expect(on_zero && tocha_device_equal(tocha_device_of(on_zero), tocha_cpu()),
         "device {0} is the CPU");
  expect(tocha_device_equal(zero, tocha_cpu()), "a zeroed device is the CPU");
  expect(tocha_add(cx, on_zero, x) != NULL, "and goes with other tensors there");
  expect(!tocha_add(NULL, x, x) && tocha_failed(NULL), "a context that is NULL");
  expect(strstr(tocha_error(NULL)->message, "the context is NULL") != NULL, "its message");
}

/* Calls an operator by reflection. All arguments are zero except for tensors at the places in `given`. */
static void call_zeroed(const tocha_op *op, unsigned given) {
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  tocha_results results;
  memset(args, 0, sizeof args);
  for (int i = 0; i < op->parameter_count; i++)
    if (given >> i & 1 && op->parameters[i].kind == TOCHA_KIND_TENSOR)
      args[i] = (tocha_arg){.tensor = objects.tensor, .given = true};
  tocha_scope scope = tocha_scope_begin(cx);
  if (tocha_call(cx, op, args, &results)) tocha_results_free(cx, &results);
  tocha_scope_end(cx, scope, NULL);
}

/* Calls all operators with no tensor, with only the first tensor, and with all tensors but one. */
static void test_zeroed_calls(void) {
  const tocha_op *op;
  for (int i = 0; (op = tocha_op_at(i)); i++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      call_zeroed(op, 0);
      bool refused = tocha_failed(cx), wants = false;
      for (int k = 0; k < op->parameter_count; k++)
        wants |= op->parameters[k].kind == TOCHA_KIND_TENSOR && !op->parameters[k].optional;
      for (int k = -1; k < op->parameter_count; k++) {
        tocha_clear_error(cx);
        call_zeroed(op, k < 0 ? 1U : ~(1U << k));
      }
      _exit(wants && !refused);
    }
    int status = 1;
    waitpid(child, &status, 0);
    expect(status == 0, op->name);
  }
}

int main(int argc, char **argv) {
  int failures = 0, count = (int)(sizeof calls / sizeof *calls), passed = 0;
  make_objects();
  for (int i = 0; i < count; i++) {
    if (argc > 1 && strcmp(argv[1], calls[i].name) != 0) continue;
    for (int pending = 0; pending < 2; pending++) {
      if (survives(&calls[i], pending))
        passed++;
      else
        failures++;
    }
  }
  test_words();
  test_zeroed_calls();
  passed += checked - wrong;
  failures += wrong;
  tocha_close(cx);
  printf("%d passed, %d failed\n", passed, failures);
  return failures != 0;
}
