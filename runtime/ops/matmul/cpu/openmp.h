/* openmp.h: sets OpenMP's number of threads in a library to one while Tocha divides large products among its own threads
 * (openmp.c). */
#ifndef TOCHA_MATMUL_OPENMP_H
#define TOCHA_MATMUL_OPENMP_H

/* The functions of OpenMP that get and set the number of threads; NULL if the library does not use OpenMP. */
typedef struct tocha_openmp {
  int (*get_max_threads)(void);
  void (*set_num_threads)(int threads);
} tocha_openmp;

tocha_openmp tocha_openmp_of(void *library);

/* Sets one thread for the calling thread's next calls. Returns the number before, for tocha_restore_threads. */
int tocha_use_one_thread(const tocha_openmp *openmp);
void tocha_restore_threads(const tocha_openmp *openmp, int threads);

#endif
