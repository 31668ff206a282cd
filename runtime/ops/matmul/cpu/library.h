/* library.h: a library that is opened when it is first needed, and runs on the thread that calls it: Tocha divides
 * large products among its own threads (library.c). */
#ifndef TOCHA_MATMUL_LIBRARY_H
#define TOCHA_MATMUL_LIBRARY_H

#include <signal.h>
#include <stdbool.h>

/* OpenMP's number of threads, as the library asks for it; NULL where it does not use OpenMP. */
typedef struct tocha_openmp {
  int (*get_max_threads)(void);
  void (*set_num_threads)(int threads);
} tocha_openmp;

/* The first of the files that can be opened. `variable` in the environment names another, or says "off". */
void *tocha_open_library(const char *variable, const char *const *files);
/* The address of a function into *function; false where there is none. */
bool tocha_find_function(void *library, const char *name, void *function);
tocha_openmp tocha_openmp_of(void *library);

/* One thread for what this thread calls next; answers with the number that tocha_restore_threads takes. */
int tocha_use_one_thread(const tocha_openmp *openmp);
void tocha_restore_threads(const tocha_openmp *openmp, int threads);

/* Signals wait while oneDNN computes on this thread: some of its kernels (jit_avx512_core_gemm of 2.6) keep other
 * things than the stack in the stack's register, and a handler would write over the program's memory. Those that tell
 * of a fault do not wait. */
sigset_t tocha_hold_signals(void);
void tocha_release_signals(const sigset_t *held);

#endif
