/* kinds.h: what all kinds of stores share: a call, its answer, and the functions of a kind.
 *
 * A call is written as the protocol of PyTorch's TCPStore writes it, so that the server, the client, the memory and the file
 * understand the same struct. */
#ifndef TOCHA_STORE_KINDS_H
#define TOCHA_STORE_KINDS_H

#include <stdatomic.h>

#include "core/refcount.h"
#include "distributed/store.h"

/* --- calls ------------------------------------------------------------------------------------- */

/* The numbers are the protocol's. */
typedef enum store_operation {
  STORE_VALIDATE,
  STORE_SET,
  STORE_COMPARE_SET,
  STORE_GET,
  STORE_ADD,
  STORE_CHECK,
  STORE_WAIT,
  STORE_NUM_KEYS,
  STORE_DELETE,
  STORE_APPEND,
  STORE_MULTI_GET,
  STORE_MULTI_SET,
  STORE_CANCEL_WAIT,
  STORE_PING,
  STORE_QUEUE_PUSH,
  STORE_QUEUE_POP,
  STORE_QUEUE_LENGTH,
  STORE_LIST_KEYS,
  STORE_BARRIER,
  STORE_OPERATIONS
} store_operation;

/* Bytes of somebody else. */
typedef struct store_text {
  const char *bytes;
  size_t size;
} store_text;

/* Bytes that grow. After a lack of memory `failed` is true, and nothing is added any more. */
typedef struct store_buffer {
  char *bytes;
  size_t size, capacity;
  bool failed;
} store_buffer;

/*   operation       names  values                 number                         answer: number, texts
 *   set             1      the value
 *   compare_set     1      expected, desired                                     1 text
 *   get             1                                                            1 text
 *   add             1                             what is added                  the sum
 *   check           any                                                          1: all are set
 *   wait            any
 *   num_keys                                                                     the number
 *   delete          1                                                            1: it was set
 *   append          1      what is added
 *   multi_get       any                                                          a text for each
 *   multi_set       any    one for each
 *   queue_push      1      the value
 *   queue_pop       1                             1: waits for a value           0 or 1 text
 *   queue_length    1                                                            the number
 *   list_keys                                                                    all names
 *   barrier         1                             how many are to come
 */
typedef struct store_call {
  store_operation operation;
  int count; /* of names */
  const store_text *names, *values;
  int64_t number;
  struct {
    int64_t number;
    int count;          /* of texts */
    store_buffer texts; /* each: its size in 8 bytes of the protocol, its bytes */
  } answer;
} store_call;

void store_put(store_buffer *buffer, const void *bytes, size_t size);
/* Puts the size, in 8 bytes, least first, before the bytes. */
void store_put_text(store_buffer *buffer, store_text text);
void store_put_number(store_buffer *buffer, uint64_t number, int bytes);
uint64_t store_read_number(const char *from, int bytes);
/* Reads the text at *at, and moves *at behind it. Returns false at the end of the buffer. */
bool store_next_text(const store_buffer *buffer, size_t *at, store_text *text);
void store_answer_text(store_call *call, store_text text);

/* --- waiting ----------------------------------------------------------------------------------- */

/* How long a call may wait. */
typedef struct store_patience {
  int64_t deadline;           /* platform_nanoseconds */
  tocha_context *cx;          /* asked for interrupts; NULL: a thread that no script runs on */
  const atomic_bool *aborted; /* store_abort; set by store_run */
  tocha_process_group
      *world; /* a rank of it that dies ends the wait; NULL: none, or the script knows of a death */
} store_patience;

/* The longest time in nanoseconds between two looks at interrupts. */
enum { STORE_SLICE = 50000000 };

/* Returns the time until which to wait before looking again. */
int64_t store_slice_end(const store_patience *patience);
/* Returns true if the call must end: with a failure of time, an interrupt, or since the store was aborted. */
bool store_is_over(const store_patience *patience, tocha_store_failure *failure);

/* --- kinds ------------------------------------------------------------------------------------- */

typedef struct store_kind {
  const char *name; /* "TCPStore" */
  bool has_barrier; /* else store_run makes one of other calls */
  bool has_extended_api;
  /* Carries out a call. */
  bool (*call)(tocha_store *store, store_call *call, const store_patience *patience,
               tocha_store_failure *failure);
  /* As store_clone_until has it. NULL: it needs no connection. */
  tocha_store *(*clone)(tocha_store *store, int64_t deadline, tocha_store_failure *failure);
  void (*close)(tocha_store *store); /* frees all that the kind has made, but not the store */
} store_kind;

/* The head of each kind's struct. */
struct tocha_store {
  const store_kind *kind;
  tocha_refcount count;
  _Atomic int64_t timeout; /* nanoseconds */
  atomic_bool aborted;
};

/* Returns a zeroed store of `size` bytes, or NULL with a failure. */
tocha_store *store_new(const store_kind *kind, size_t size, double timeout,
                       tocha_store_failure *failure);
bool store_fail(tocha_store_failure *failure, int kind, const char *format, ...) TOCHA_PRINTF(3, 4);
void store_hint(tocha_store_failure *failure, const char *format, ...) TOCHA_PRINTF(2, 3);
bool store_no_memory(tocha_store_failure *failure);
/* Puts the failure into the context's error, unless it has one. Returns NULL. */
void *store_raise(tocha_context *cx, const tocha_store_failure *failure);
/* Carries a call out; the answer's texts are freed by the caller, also after a failure. */
bool store_run(tocha_store *store, store_call *call, const store_patience *patience,
               tocha_store_failure *failure);
/* Connects to a server; the names of all values begin there. Returns NULL with a failure. */
tocha_store *store_connect(const char *host, int port, double timeout,
                           tocha_store_failure *failure);
/* Tells the ranks that wait in a first meeting (join_rendezvous) of a problem: its first line is their error, the rest the hint. */
void store_tell_problem(const tocha_context *cx, tocha_store *store, const char *problem);
/* Does the same if rank 0 has come to that meeting, or comes within a second; else returns false. */
bool store_tell_twin(const tocha_context *cx, tocha_store *store, const char *problem);
/* Returns another handle on a store, which store_abort ends alone; NULL with a failure. */
tocha_store *store_new_handle(tocha_store *store, tocha_store_failure *failure);
/* Returns true if this process serves the values of a TCPStore. */
bool store_serves(const tocha_store *store);
/* Returns the store behind all PrefixStores and handles. */
tocha_store *store_innermost(const tocha_store *store);
/* Returns the time in nanoseconds that a call waits if nothing else is said. */
int64_t store_patience_time(const tocha_store *store);
/* Copies the first text of an answer, for free, with a zero behind it, and frees the answer. */
bool store_take_text(store_call *call, void **bytes, size_t *size, tocha_store_failure *failure);

#endif
