/* loans.h: storages that other libraries use, which give them back on any thread. */
#ifndef TOCHA_CORE_LOANS_H
#define TOCHA_CORE_LOANS_H

#include "core/storage.h"

/* An owner of a storage outside of its context: the first member of a block from malloc. */
typedef struct tocha_loan {
  tocha_storage *storage;
  struct tocha_loan *next;
} tocha_loan;

/* Makes the loan an owner of the storage, which keeps its memory from now on. */
void tocha_lend(tocha_loan *loan, tocha_storage *storage);
/* Gives the storage back, on any thread, and frees the loan: at once if the context is closed, else
 * when its own thread calls tocha_collect_loans. */
void tocha_give_back(tocha_loan *loan);
/* Releases what was given back. */
void tocha_collect_loans(tocha_context *cx);
/* Closes the context to loans: what is given back from now on is released by its giver. Gives up
 * the caller's share in the context. */
void tocha_close_loans(tocha_context *cx);

#endif
