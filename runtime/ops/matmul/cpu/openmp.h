/* openmp.h: OpenMP's number of threads in a library, which runs on the thread that calls it: Tocha divides large products
 * among its own threads (openmp.c). */
#ifndef TOCHA_MATMUL_OPENMP_H
#define TOCHA_MATMUL_OPENMP_H

/* The number of threads, as the library asks for it; NULL where it does not use OpenMP. */
typedef struct tocha_openmp {
  int (*get_max_threads)(void);
  void (*set_num_threads)(int threads);
} tocha_openmp;

tocha_openmp tocha_openmp_of(void *library);

/* One thread for what this thread calls next; answers with the number that tocha_restore_threads takes. */
int tocha_use_one_thread(const tocha_openmp *openmp);
void tocha_restore_threads(const tocha_openmp *openmp, int threads);

#endif
