/* pool_test.c: work on several threads (tensor/pool.c, tensor/parallel.c): every chunk once, whoever comes; several
 * callers at a time; after a fork; and nobody waits for a thread that does not come. Prints what failed; exits with
 * 0 when nothing did. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/internal.h"
#include "platform/platform.h"
#include "tensor/parallel.h"
#include "tensor/pool.h"
#include "tocha/context.h"
#include "tocha/ops/matmul.h"
#include "tocha/ops/ones.h"
#include "tocha/ops/sum.h"
#include "tocha/tensor.h"

static int failures;

static void expect(bool holds, const char *what) {
  if (holds) return;
  failures++;
  printf("not ok: %s\n", what);
}

enum { CHUNKS = 5000, CALLERS = 6 };

typedef struct tally {
  atomic_int taken[CHUNKS];
} tally;

static void count(void *user, int64_t chunk) {
  tally *t = user;
  atomic_fetch_add(&t->taken[chunk], 1);
}

static bool all_once(tally *t, int64_t first) {
  for (int i = 0; i < CHUNKS; i++)
    if (atomic_load(&t->taken[i]) != (i >= first)) return false;
  return true;
}

static void *call(void *user) {
  static _Thread_local tally t;
  bool *ok = user;
  *ok = true;
  for (int round = 0; round < 200; round++) {
    int64_t first = round % 3;
    memset(&t, 0, sizeof t);
    tocha_pool_run(&(tocha_pool_task){count, &t, CHUNKS, round % 4, round % 8 > 3}, first);
    *ok = *ok && all_once(&t, first);
  }
  return NULL;
}

static void test_chunks(void) {
  pthread_t callers[CALLERS];
  bool ok[CALLERS];
  for (int i = 0; i < CALLERS; i++) pthread_create(&callers[i], NULL, call, &ok[i]);
  for (int i = 0; i < CALLERS; i++) {
    pthread_join(callers[i], NULL);
    expect(ok[i], "each chunk runs once, and has run when the call returns");
  }
}

/* A helper that would sleep for ever in its first chunk: the caller takes all the others, and what it takes last
 * lets the helper go on. */
static atomic_bool go_on;
static pthread_t caller;
static void hold_helpers(void *user, int64_t chunk) {
  struct timespec a_little = {0, 1000000};
  if (!pthread_equal(pthread_self(), caller))
    while (!atomic_load(&go_on)) nanosleep(&a_little, NULL);
  atomic_fetch_add((atomic_int *)user, 1);
  if (pthread_equal(pthread_self(), caller) && chunk >= CHUNKS - 4) atomic_store(&go_on, true);
}

static void test_slow_helpers(void) {
  atomic_int done = 0;
  caller = pthread_self();
  tocha_pool_run(&(tocha_pool_task){hold_helpers, &done, CHUNKS, 2, false}, 0);
  expect(atomic_load(&done) == CHUNKS, "the caller takes what helpers do not");
}

static void double_part(void *user, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i++) ((double *)user)[i] *= 2;
}

static bool doubles(tocha_context *cx) {
  enum { N = 1 << 21 };
  static double x[N];
  for (int i = 0; i < N; i++) x[i] = i;
  bool ok = tocha_parallel_for(cx, N, TOCHA_GRAIN, double_part, x);
  for (int i = 0; i < N; i++) ok = ok && x[i] == 2.0 * i;
  return ok;
}

static bool multiplies(tocha_context *cx) {
  int64_t sizes[] = {300, 300};
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *x = tocha_ones(cx, 2, sizes);
  tocha_scalar sum;
  bool ok = tocha_item(cx, tocha_sum(cx, tocha_matmul(cx, x, x)), &sum) &&
            tocha_scalar_real(sum) == 300.0 * 300 * 300;
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

static void test_fork(void) {
  tocha_context *cx = tocha_open(&(tocha_options){.threads = 3});
  expect(doubles(cx) && multiplies(cx), "before a fork");
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(doubles(cx) && multiplies(cx) ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child of a fork computes");
  expect(doubles(cx) && multiplies(cx), "after a fork");
  tocha_close(cx);
}

static void test_interrupt(void) {
  tocha_context *cx = tocha_open(&(tocha_options){.threads = 2});
  static double x[1 << 20];
  tocha_interrupt(cx);
  expect(!tocha_parallel_for(cx, 1 << 20, TOCHA_GRAIN, double_part, x), "an interrupt stops");
  expect(tocha_error(cx)->code == TOCHA_INTERRUPTED, "and is an error");
  tocha_clear_error(cx);
  expect(doubles(cx), "after an interrupt");
  tocha_close(cx);
}

/* Writes a file below the folder. */
static void write_file(const char *folder, const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  expect(file && fputs(text, file) >= 0, "a file is written");
  if (file) fclose(file);
}

/* The quotas of control groups, of version 2 and of version 1, in a folder of our own. */
static void test_quota(void) {
  static const char *const folders[] = {"pod", "pod/job", "cpu", "cpu/old"};
  static const char *const files[] = {"pod/cpu.max", "pod/job/cpu.max", "cpu/old/cpu.cfs_quota_us",
                                      "cpu/old/cpu.cfs_period_us", "groups"};
  char folder[] = "/tmp/tocha_quota_XXXXXX", path[256], groups[256];
  expect(mkdtemp(folder) != NULL, "a folder");
  for (int i = 0; i < 4; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
    expect(mkdir(path, 0700) == 0, "a folder below it");
  }
  snprintf(groups, sizeof groups, "%s/groups", folder);
  expect(platform_quota(folder, groups) == 0, "no groups, no quota");
  write_file(folder, "groups", "3:memory:/\n0::/pod/job\n");
  expect(platform_quota(folder, groups) == 0, "no files, no quota");
  write_file(folder, "pod/job/cpu.max", "max 100000\n");
  expect(platform_quota(folder, groups) == 0, "max is no quota");
  write_file(folder, "pod/cpu.max", "150000 100000\n");
  expect(platform_quota(folder, groups) == 2, "the quota of a group above, rounded up");
  write_file(folder, "pod/job/cpu.max", "50000 100000\n");
  expect(platform_quota(folder, groups) == 1, "the smaller one");
  write_file(folder, "groups", "7:cpuacct:/\n4:cpu,cpuacct:/old\n");
  write_file(folder, "cpu/old/cpu.cfs_quota_us", "-1\n");
  write_file(folder, "cpu/old/cpu.cfs_period_us", "100000\n");
  expect(platform_quota(folder, groups) == 0, "-1 is no quota");
  write_file(folder, "cpu/old/cpu.cfs_quota_us", "300000\n");
  expect(platform_quota(folder, groups) == 3, "a quota of version 1");
  for (int i = 0; i < 5; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[i]);
    remove(path);
  }
  for (int i = 3; i >= 0; i--) {
    snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
    rmdir(path);
  }
  expect(rmdir(folder) == 0, "nothing is left");
}

int main(void) {
  test_chunks();
  test_slow_helpers();
  test_fork();
  test_interrupt();
  test_quota();
  printf("%s\n", failures ? "pool_test failed" : "ok");
  return failures != 0;
}
