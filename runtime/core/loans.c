/* loans.c: storages that other libraries use. A storage belongs to one thread, that of its context,
 * so what comes back on another thread waits in a list, until the context next allocates. */
#include "core/loans.h"

#include <stdlib.h>

#include "platform/platform.h"

/* The list of a closed context. */
static tocha_loan closed;

/* A closed context has no thread of its own: one giver at a time releases. */
static platform_mutex givers;
static void open_givers(const void *unused) {
  (void)unused;
  platform_mutex_open(&givers);
}

static void lock_givers(void) {
  static platform_once once;
  platform_call_once(&once, open_givers, NULL);
  platform_lock(&givers);
}

void tocha_lend(tocha_loan *loan, tocha_storage *storage) {
  loan->storage = tocha_storage_retain(storage);
  storage->lent = true;
}

static void release_all(tocha_loan *first) {
  while (first) {
    tocha_loan *next = first->next;
    tocha_storage_release(first->storage);
    free(first);
    first = next;
  }
}

void tocha_give_back(tocha_loan *loan) {
  tocha_context *cx = loan->storage->context;
  loan->next = atomic_load_explicit(&cx->loans, memory_order_relaxed);
  while (loan->next != &closed)
    if (atomic_compare_exchange_weak_explicit(&cx->loans, &loan->next, loan, memory_order_acq_rel,
                                              memory_order_relaxed))
      return;
  loan->next = NULL;
  lock_givers();
  release_all(loan);
  platform_unlock(&givers);
}

void tocha_collect_loans(tocha_context *cx) {
  release_all(atomic_exchange_explicit(&cx->loans, NULL, memory_order_acq_rel));
}

void tocha_close_loans(tocha_context *cx) {
  lock_givers();
  release_all(atomic_exchange_explicit(&cx->loans, &closed, memory_order_acq_rel));
  tocha_context_release(cx);
  platform_unlock(&givers);
}
