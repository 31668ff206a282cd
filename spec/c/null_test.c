/* null_test.c: every public function, called with what a host program may hand over by mistake: NULL, also where an
 * error is pending; numbers, dtypes and devices that do not exist, with good objects; and good values beside NULL.
 * Each call runs in a child process; one that dies is named. The calls are written from the headers by
 * support/write_calls.lua. Prints what failed; exits with 0 when nothing did. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tocha/tocha.h"

static tocha_context *cx;
static _Alignas(16) char zeros[4096];
static char room[4096];
static const int64_t ones[64] = {1, 1};
static const tocha_device nowhere = {99, 77};

#include "null_calls.h"

static void make_objects(void) {
  static const int64_t sizes[] = {2, 2};
  static _Alignas(16) char buffers[8][4096];
  memset(&objects, 0, sizeof objects);
  cx = tocha_open(NULL);
  objects.tensor = tocha_ones(cx, 2, sizes);
  objects.module = tocha_nn_linear(cx, 2, 2, true, tocha_cpu(), TOCHA_FLOAT32);
  objects.state_dict = tocha_state_dict_new(cx);
  objects.optimizer = tocha_optimizer_new(cx, tocha_find_optimizer_class("SGD"), NULL);
  objects.generator = tocha_default_generator(cx);
  objects.scalar = buffers[0];
  objects.operand = buffers[1];
  objects.arg = buffers[2];
  objects.named_list = buffers[3];
  objects.results = buffers[4];
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
  tocha_close(cx);
  printf("%d passed, %d failed\n", passed, failures);
  return failures != 0;
}
