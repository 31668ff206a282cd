/* host.h: what the programs of bench/run libtorch share. PROGRAM speed prints "name<TAB>nanoseconds" for each case, of the
 * processor's time, which other programs disturb less; PROGRAM memory prints a tensor, then "memory<TAB>bytes"; PROGRAM alone prints a tensor. */
#ifndef TOCHA_BENCH_HOST_H
#define TOCHA_BENCH_HOST_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* A case does its work `passes` times. */
typedef struct host_case {
  const char *name;
  void (*run)(long passes);
} host_case;

static inline bool host_measures(int count, char **words) {
  return count > 1 && strcmp(words[1], "speed") == 0;
}

static inline double host_nanoseconds(void (*run)(long passes), long passes) {
  struct timespec start, stop;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
  run(passes);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &stop);
  return (double)(stop.tv_sec - start.tv_sec) * 1e9 + (double)(stop.tv_nsec - start.tv_nsec);
}

/* Measures each case several times, for at least 20 ms each, and prints the shortest time of one pass. */
static inline void host_measure(const host_case *cases, int count) {
  enum { BATCHES = 7 };
  for (int i = 0; i < count; i++) {
    long passes = 16;
    while (host_nanoseconds(cases[i].run, passes) < 2e7) passes *= 2;
    double best = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
      const double all = host_nanoseconds(cases[i].run, passes);
      if (batch == 0 || all < best) best = all;
    }
    printf("%s\t%.1f\n", cases[i].name, best / (double)passes);
  }
}

/* Prints the highest amount of memory that the process had, if it was asked for. */
static inline void host_show_memory(int count, char **words) {
  struct rusage usage;
  if (count < 2 || strcmp(words[1], "memory") != 0 || getrusage(RUSAGE_SELF, &usage)) return;
  printf("memory\t%ld\n", usage.ru_maxrss * 1024); /* Linux counts KiB */
}

#endif
