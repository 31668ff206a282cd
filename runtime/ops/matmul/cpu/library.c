/* library.c: opening libraries, and OpenMP's number of threads in them. */
#include "ops/matmul/cpu/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"

/* An open library is never closed: its threads may outlive a call. */
void *tocha_open_library(const char *variable, const char *const *files) {
  const char *wish = getenv(variable);
  if (wish && strcmp(wish, "off") == 0) return NULL;
  if (wish && *wish) return dlopen(wish, RTLD_NOW | RTLD_LOCAL);
  for (int i = 0; files[i]; i++) {
    void *library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
  }
  return NULL;
}

bool tocha_find_function(void *library, const char *name, void *function) {
  void *address = dlsym(library, name);
  memcpy(function, &address, sizeof address);
  return address != NULL;
}

/* Also finds what the library itself is linked with. */
tocha_openmp tocha_openmp_of(void *library) {
  tocha_openmp openmp = {NULL, NULL};
  if (!tocha_find_function(library, "omp_get_max_threads", &openmp.get_max_threads) ||
      !tocha_find_function(library, "omp_set_num_threads", &openmp.set_num_threads))
    openmp = (tocha_openmp){NULL, NULL};
  return openmp;
}

int tocha_use_one_thread(const tocha_openmp *openmp) {
  int threads = openmp->get_max_threads ? openmp->get_max_threads() : 1;
  if (threads != 1) openmp->set_num_threads(1);
  return threads;
}

void tocha_restore_threads(const tocha_openmp *openmp, int threads) {
  if (threads != 1) openmp->set_num_threads(threads);
}

sigset_t tocha_hold_signals(void) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
  sigset_t all, before;
  sigfillset(&all);
  for (int i = 0; i < TOCHA_COUNT(faults); i++) sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  return before;
}

void tocha_release_signals(const sigset_t *held) { pthread_sigmask(SIG_SETMASK, held, NULL); }
