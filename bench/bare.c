/* bare.c: the speed of the machine itself, for the last columns of the table: plain C loops over
 * floats and direct calls of the BLAS. Also `bare time COUNT COMMAND...`: the median wall time of
 * starting a program. Prints "name<TAB>nanoseconds" lines, the names those of cases.lua. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef HAVE_BLAS
#include <cblas.h>
#endif

enum { BATCHES = 7, MAX_STARTS = 101, WORTH_THREADS = 32768 };
static const double BATCH_NS = 2e7;

typedef struct work {
  long n;
  float *a, *b, *c;
  volatile float sum; /* so that the sum is not optimized away */
} work;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return values[count / 2];
}

static void add(work *w) {
  const float *a = w->a, *b = w->b;
  float *c = w->c;
  if (w->n < WORTH_THREADS) {
    for (long i = 0; i < w->n; i++) c[i] = a[i] + b[i];
    return;
  }
#pragma omp parallel for simd schedule(static)
  for (long i = 0; i < w->n; i++) c[i] = a[i] + b[i];
}

static void sum(work *w) {
  const float *a = w->a;
  float total = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : total)
  for (long i = 0; i < w->n; i++) total += a[i];
  w->sum = total;
}

#ifdef HAVE_BLAS
static void multiply(work *w) {
  int n = (int)w->n;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, w->a, n, w->b, n, 0, w->c, n);
}
#endif

/* Returns the nanoseconds of one call: the median of batches long enough for the clock. */
static double measure(void (*run)(work *), work *w) {
  double times[BATCHES];
  long count = 1;
  for (;;) {
    double start = now_ns();
    for (long i = 0; i < count; i++) run(w);
    double elapsed = now_ns() - start;
    if (elapsed >= BATCH_NS) break;
    count = elapsed < BATCH_NS / 100 ? count * 10 : (long)((double)count * BATCH_NS / elapsed) + 1;
  }
  for (int batch = 0; batch < BATCHES; batch++) {
    double start = now_ns();
    for (long i = 0; i < count; i++) run(w);
    times[batch] = (now_ns() - start) / (double)count;
  }
  return median(times, BATCHES);
}

static void report(const char *name, void (*run)(work *), long n, long elements) {
  work w = {n, NULL, NULL, NULL, 0};
  size_t bytes = (size_t)elements * sizeof(float);
  w.a = malloc(bytes);
  w.b = malloc(bytes);
  w.c = malloc(bytes);
  if (w.a && w.b && w.c) {
    for (long i = 0; i < elements; i++) {
      w.a[i] = (float)(i % 17) / 17;
      w.b[i] = (float)(i % 13) / 13;
      w.c[i] = 0;
    }
    printf("%s\t%.1f\n", name, measure(run, &w));
    fflush(stdout);
  }
  free(w.a);
  free(w.b);
  free(w.c);
}

static void run_cases(void) {
  report("x + y, 1e3 floats", add, 1000, 1000);
  report("x + y, 1e5 floats", add, 100000, 100000);
  report("x + y, 1e7 floats", add, 10000000, 10000000);
  report("x + y into out, 1e7 floats", add, 10000000, 10000000);
  report("sum, 1e7 floats", sum, 10000000, 10000000);
#ifdef HAVE_BLAS
  report("matmul 8x8", multiply, 8, 8 * 8);
  report("matmul 64x64", multiply, 64, 64 * 64);
  report("matmul 256x256", multiply, 256, 256 * 256);
  report("matmul 1024x1024", multiply, 1024, 1024 * 1024);
#endif
}

/* Returns the wall nanoseconds from fork to exit, or a negative number if the program failed. Its
 * output is discarded. */
static double time_once(char **command) {
  double start = now_ns();
  pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    int sink = open("/dev/null", O_WRONLY);
    if (sink >= 0) {
      dup2(sink, 1);
      dup2(sink, 2);
    }
    execvp(command[0], command);
    _exit(127);
  }
  int status;
  if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status)) return -1;
  return now_ns() - start;
}

int main(int argc, char **argv) {
  if (argc == 1) {
    run_cases();
    return 0;
  }
  int count = argc > 3 && strcmp(argv[1], "time") == 0 ? atoi(argv[2]) : 0;
  if (count < 1 || count > MAX_STARTS) {
    fprintf(stderr, "usage: bare | bare time COUNT COMMAND...\n");
    return 2;
  }
  double times[MAX_STARTS];
  for (int i = 0; i < count; i++) {
    times[i] = time_once(argv + 3);
    if (times[i] < 0) return 1;
  }
  printf("%.0f\n", median(times, count));
  return 0;
}
