/* store.h: what the runtime itself needs of stores, without a context: from the threads of groups.
 *
 * A deadline is a time of platform_nanoseconds(). Functions return false with a failure in words. */
#ifndef TOCHA_STORE_H
#define TOCHA_STORE_H

#include "tocha/distributed.h"

typedef struct tocha_store_failure {
  enum {
    TOCHA_STORE_TIMED_OUT, /* no such value until the deadline */
    TOCHA_STORE_CLOSED,    /* the server is gone */
    TOCHA_STORE_BROKEN     /* anything else */
  } kind;
  char message[512];
} tocha_store_failure;

bool store_set(tocha_store *store, const char *name, const void *bytes, size_t size,
               tocha_store_failure *failure);
/* Waits for the value; *bytes comes from malloc. */
bool store_get(tocha_store *store, const char *name, int64_t deadline, void **bytes, size_t *size,
               tocha_store_failure *failure);
bool store_add(tocha_store *store, const char *name, int64_t amount, int64_t *sum,
               tocha_store_failure *failure);
bool store_check(tocha_store *store, const char *name, bool *is_set, tocha_store_failure *failure);
bool store_wait(tocha_store *store, const char *name, int64_t deadline,
                tocha_store_failure *failure);
bool store_delete(tocha_store *store, const char *name, bool *was_set,
                  tocha_store_failure *failure);

/* Returns a store of its own connection to the same values, so that one thread can wait in it while
 * another one works; NULL with a failure. */
tocha_store *store_clone(tocha_store *store, tocha_store_failure *failure);

/* Opens the store of an init_method ("env://", "tcp://HOST:PORT?rank=0&world_size=2", "file://PATH"),
 * with rank and world size as the method and the environment say; rank < 0: not given. */
tocha_store *open_rendezvous(tocha_context *cx, const char *init_method, double timeout, int *rank,
                             int *world_size);

#endif
