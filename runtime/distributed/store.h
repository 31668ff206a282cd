/* store.h: what the runtime itself needs of stores, without a context: from the threads of groups.
 *
 * A deadline is a time of platform_nanoseconds(). Functions return false with a failure in words. */
#ifndef TOCHA_STORE_H
#define TOCHA_STORE_H

#include "tocha/distributed.h"

typedef struct tocha_store_failure {
  enum {
    TOCHA_STORE_TIMED_OUT,   /* no such value until the deadline */
    TOCHA_STORE_CLOSED,      /* the server is gone, or store_abort was called */
    TOCHA_STORE_BROKEN,      /* anything else */
    TOCHA_STORE_INTERRUPTED, /* the script; the context has the error */
    TOCHA_STORE_UNREACHED,   /* no connection was made, or no port is free */
    TOCHA_STORE_NO_NUMBER,   /* `add` to a value that is none */
    TOCHA_STORE_NO_MEMORY,
    TOCHA_STORE_EMPTY,       /* a queue */
    TOCHA_STORE_UNSUPPORTED, /* the kind of store has no such operation */
    TOCHA_STORE_FILE         /* a FileStore's file */
  } kind;
  char message[512];
  char hint[512]; /* or "" */
} tocha_store_failure;

bool store_set(tocha_store *store, const char *name, const void *bytes, size_t size,
               tocha_store_failure *failure);
/* Waits for the value; *bytes comes from malloc, and a zero stands behind it. */
bool store_get(tocha_store *store, const char *name, int64_t deadline, void **bytes, size_t *size,
               tocha_store_failure *failure);
/* deadline: 0 is the store's own timeout. */
bool store_add(tocha_store *store, const char *name, int64_t amount, int64_t deadline, int64_t *sum,
               tocha_store_failure *failure);
bool store_check(tocha_store *store, const char *name, int64_t deadline, bool *is_set,
                 tocha_store_failure *failure);
bool store_wait(tocha_store *store, const char *name, int64_t deadline,
                tocha_store_failure *failure);
bool store_delete(tocha_store *store, const char *name, bool *was_set,
                  tocha_store_failure *failure);

/* Returns a store of its own connection to the same values, so that one thread can wait in it while
 * another one works; NULL with a failure. */
tocha_store *store_clone(tocha_store *store, tocha_store_failure *failure);
/* The same for one question to a server that may give no answer: connects until the deadline, and a wait that times out there closes the
 * connection, instead of being taken back, which would take two seconds more. */
tocha_store *store_clone_until(tocha_store *store, int64_t deadline, tocha_store_failure *failure);
/* Makes what waits in this store, but not in its clones, fail within 50 ms, and every later call. Any thread. */
void store_abort(tocha_store *store);

/* --- the closing of connections (Tocha's TCPStore server only) ------------------------------------- */

/* Seconds: a server and a rank that has announced itself give each other up after so much silence. */
enum { STORE_SILENCE = 6 };

/* Announces this rank on the connection of `store`: when that is closed and store_retire was not called there, the server sets
 * "tocha/closed/RANK" (in the same PrefixStores) to "1", and "tocha/closing/N" to RANK, where N counts from 1: who waits for
 * closing/1, then closing/2 and so on, hears of each. A connection on which no call comes for STORE_SILENCE is closed, and the value is
 * "RANK silent". Other kinds of stores set the announcement, and that is all. */
bool store_announce(tocha_store *store, int rank, tocha_store_failure *failure);
bool store_retire(tocha_store *store, int rank, tocha_store_failure *failure);

/* --- rendezvous ------------------------------------------------------------------------------------- */

/* Opens the store of an init_method ("env://", "tcp://HOST:PORT?rank=0&world_size=2", "file://PATH"),
 * with rank and world size as the method and the environment say; rank < 0: not given. Returns NULL with the context's error.
 * timeout: seconds, also the store's own. */
tocha_store *open_rendezvous(tocha_context *cx, const char *init_method, double timeout, int *rank,
                             int *world_size);

/* What a rank says of itself when it joins. */
typedef struct tocha_member {
  int rank, world_size;
  int64_t process;
  char host[256];
  char address
      [64]; /* by which other hosts reach it; a loopback address only if all ranks are on this host */
  char version[32];
  bool serves; /* the store */
} tocha_member;

/* Publishes this rank, and waits until all others have. Ranks that differ in the world size or in the version, that came twice,
 * or that never came are named in the error of all. Returns a store of the values of this meeting alone, which the caller
 * frees, or NULL with the context's error. */
tocha_store *join_rendezvous(tocha_context *cx, tocha_store *store, int rank, int world_size,
                             double timeout);
/* Says that this rank has left, so that it may join again. joined: what join_rendezvous returned. */
void leave_rendezvous(tocha_store *joined, int rank);
/* Reads what a rank has published; joined as above. Waits until the deadline. */
bool read_member(tocha_store *joined, int rank, int64_t deadline, tocha_member *member,
                 tocha_store_failure *failure);
/* Writes what the launcher says of the first rank that failed ("Rank 1 (process 7 on a) ended with exit code 3"), behind all
 * PrefixStores. Returns false if it says nothing. */
bool read_failed_rank(tocha_store *store, char *words, size_t capacity);

#endif
