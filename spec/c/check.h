/* check.h: what the tests in C share: each condition counts; one that does not hold is named with its line. */
#ifndef TOCHA_CHECK_H
#define TOCHA_CHECK_H

#include <stdbool.h>
#include <stdio.h>

static int passed, failed;

static inline void check_at(bool holds, const char *what, const char *file, int line) {
  holds ? passed++ : failed++;
  if (!holds) printf("not ok - %s:%d: %s\n", file, line, what);
}
#define CHECK(condition) check_at(condition, #condition, __FILE__, __LINE__)
#define EXPECT(condition, what) check_at(condition, what, __FILE__, __LINE__)

/* A test that defines WITHOUT_LEAK_SEARCH leaves out the sanitizer's search for leaks, which crashes at its end. */
#if defined WITHOUT_LEAK_SEARCH && defined __SANITIZE_ADDRESS__
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return 1; }
#endif

/* What main returns: says how many passed. */
static inline int finish(void) {
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}

#endif
