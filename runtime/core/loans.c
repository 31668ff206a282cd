/* loans.c: storages that other libraries use. A storage belongs to one thread, that of its context,
 * so what comes back on another thread waits in a list, until the context next allocates. */
#include "core/loans.h"

#include <stdlib.h>

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

void tocha_collect_loans(tocha_context *cx) { release_all(atomic_exchange(&cx->loans, NULL)); }

/* Releases the list of a closed context, which has no thread of its own, unless another thread is
 * releasing it: that one sees what was added meanwhile. No lock is held, because a release may call
 * a deleter of the host, which may give back something else. The caller has a share in cx. */
static void release_closed(tocha_context *cx) {
  while (atomic_load(&cx->loans) && !atomic_exchange(&cx->loans_taken, true)) {
    tocha_collect_loans(cx);
    atomic_store(&cx->loans_taken, false);
  }
}

void tocha_give_back(tocha_loan *loan) {
  tocha_context *cx = loan->storage->context;
  tocha_context_retain(cx);
  loan->next = atomic_load(&cx->loans);
  while (!atomic_compare_exchange_weak(&cx->loans, &loan->next, loan)) continue;
  if (atomic_load(&cx->loans_closed)) release_closed(cx);
  tocha_context_release(cx);
}

void tocha_close_loans(tocha_context *cx) {
  atomic_store(&cx->loans_closed, true);
  release_closed(cx);
  tocha_context_release(cx);
}
