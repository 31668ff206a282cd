/* distributed.h: training in many processes, on one host or many: stores, process groups, collectives.
 *
 * A rank is a context: two contexts in two threads of a process may be two ranks. Each process opens a
 * context, calls tocha_distributed_init, and then calls the same operations in the same order:
 *
 *   tocha_distributed_init(cx, &(tocha_distributed_options){0});    RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT
 *   tocha_work_free(tocha_all_reduce(cx, gradient, TOCHA_REDUCE_SUM, NULL, false));
 *   tocha_distributed_end(cx);
 *
 * Before data moves, the ranks compare what they are about to do. If they differ, the operation fails on
 * all of them, and the group can be used again. An operation also fails if a rank has died or if the
 * group's timeout has passed; the group is then of no more use. */
#ifndef TOCHA_DISTRIBUTED_H
#define TOCHA_DISTRIBUTED_H

#include "tocha/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- stores: values that all processes see, under names ------------------------------------------- */

typedef struct tocha_store tocha_store;

/* Each returns a store that the caller frees, or NULL with an error (TOCHA_STORE_ERROR,
 * TOCHA_NETWORK_ERROR). timeout: seconds that the store waits for a value; 0: 300. A store may be used by
 * several threads. */

/* Values in a process, which serves them to others by the protocol of PyTorch's TCPStore if is_server is
 * true. port: 0 chooses a free one (is_server only). world_size: the constructor of the server waits for
 * so many clients, -1: for none. */
TOCHA_API tocha_store *tocha_tcp_store_new(tocha_context *cx, const char *host, int port,
                                           int world_size, bool is_server, double timeout,
                                           bool wait_for_workers);
/* Values in a file that all processes reach. world_size: -1 if not known. */
TOCHA_API tocha_store *tocha_file_store_new(tocha_context *cx, const char *path, int world_size);
/* Values in memory, for the threads of a process. */
TOCHA_API tocha_store *tocha_hash_store_new(tocha_context *cx);
/* The values of `store` whose names begin with prefix and "/". Keeps `store`. */
TOCHA_API tocha_store *tocha_prefix_store_new(tocha_context *cx, const char *prefix,
                                              tocha_store *store);
TOCHA_API tocha_store *tocha_store_retain(tocha_store *store);
TOCHA_API void tocha_store_free(tocha_store *store);              /* NULL is allowed */
TOCHA_API const char *tocha_store_kind(const tocha_store *store); /* "TCPStore", "FileStore", ... */
/* Returns the host as it was given, or the port; "" and 0 for other kinds. */
TOCHA_API const char *tocha_tcp_store_host(const tocha_store *store);
TOCHA_API int tocha_tcp_store_port(const tocha_store *store);
TOCHA_API const char *tocha_file_store_path(const tocha_store *store); /* "" for other kinds */
/* Returns the store that a PrefixStore was made of, which is still its own; NULL for other kinds. */
TOCHA_API tocha_store *tocha_prefix_store_underlying(const tocha_store *store);

TOCHA_API double tocha_store_timeout(const tocha_store *store); /* seconds */
TOCHA_API void tocha_store_set_timeout(tocha_store *store, double seconds);
/* All return false with an error if the store cannot be reached, or if the timeout passes. */
TOCHA_API bool tocha_store_set(tocha_context *cx, tocha_store *store, const char *name,
                               const void *bytes, size_t size);
/* Waits for the value; *bytes is freed by tocha_free. */
TOCHA_API bool tocha_store_get(tocha_context *cx, tocha_store *store, const char *name,
                               void **bytes, size_t *size);
/* Adds to a number in decimal digits, which begins at 0. */
TOCHA_API bool tocha_store_add(tocha_context *cx, tocha_store *store, const char *name,
                               int64_t amount, int64_t *sum);
/* timeout: seconds; < 0: the store's. */
TOCHA_API bool tocha_store_wait(tocha_context *cx, tocha_store *store, int count,
                                const char *const *names, double timeout);
TOCHA_API bool tocha_store_check(tocha_context *cx, tocha_store *store, int count,
                                 const char *const *names, bool *all_set);
TOCHA_API bool tocha_store_delete(tocha_context *cx, tocha_store *store, const char *name,
                                  bool *was_set);
TOCHA_API bool tocha_store_append(tocha_context *cx, tocha_store *store, const char *name,
                                  const void *bytes, size_t size);
/* Sets the value if it is `expected` (or, with expected of size 0, if it is not set). *bytes is what it is
 * then, and is freed by tocha_free. */
TOCHA_API bool tocha_store_compare_set(tocha_context *cx, tocha_store *store, const char *name,
                                       const void *expected, size_t expected_size,
                                       const void *desired, size_t desired_size, void **bytes,
                                       size_t *size);
TOCHA_API bool tocha_store_num_keys(tocha_context *cx, tocha_store *store, int64_t *count);
/* Gets or sets several values at once. *values: `count` of them, one block, freed by tocha_free. */
typedef struct tocha_store_value {
  const void *bytes;
  size_t size;
} tocha_store_value;
TOCHA_API bool tocha_store_multi_get(tocha_context *cx, tocha_store *store, int count,
                                     const char *const *names, tocha_store_value **values);
TOCHA_API bool tocha_store_multi_set(tocha_context *cx, tocha_store *store, int count,
                                     const char *const *names, const tocha_store_value *values);
/* Writes the names of all values, as `*count` values. A FileStore lists no others than its user's. */
TOCHA_API bool tocha_store_list_keys(tocha_context *cx, tocha_store *store, int *count,
                                     tocha_store_value **names);
/* Queues of values under names. A pop waits for a value if `block` is true; else an empty queue is an error.
 * *bytes is freed by tocha_free. */
TOCHA_API bool tocha_store_queue_push(tocha_context *cx, tocha_store *store, const char *name,
                                      const void *bytes, size_t size);
TOCHA_API bool tocha_store_queue_pop(tocha_context *cx, tocha_store *store, const char *name,
                                     bool block, void **bytes, size_t *size);
TOCHA_API bool tocha_store_queue_length(tocha_context *cx, tocha_store *store, const char *name,
                                        int64_t *length);
/* Waits until `count` callers have come. timeout: seconds; < 0: the store's. */
TOCHA_API bool tocha_store_barrier(tocha_context *cx, tocha_store *store, const char *name,
                                   int64_t count, double timeout);
/* Returns false for a FileStore, which has no queues. */
TOCHA_API bool tocha_store_has_extended_api(const tocha_store *store);
/* Returns a store of its own connection to the same values, or NULL with an error. */
TOCHA_API tocha_store *tocha_store_clone(tocha_context *cx, tocha_store *store);

/* --- groups --------------------------------------------------------------------------------------- */

typedef struct tocha_process_group tocha_process_group;

/* Zero-initialize. */
typedef struct tocha_distributed_options {
  const char
      *backend; /* "gloo", "mpi", "nccl", "fake", "cpu:gloo,cuda:nccl"; NULL: the last of these */
  const char *init_method; /* "env://", "tcp://HOST:PORT", "file://PATH"; NULL: env:// */
  tocha_store *store;      /* instead of init_method: rank and world_size must be given, too */
  int rank, world_size;    /* used if world_size > 0; else the environment's RANK and WORLD_SIZE */
  double timeout;          /* seconds that an operation waits for other ranks; 0: 1800 */
  const char *group_name;  /* NULL: "" */
  tocha_device device_id;  /* a GPU that the default group is bound to; the CPU: none */
  uint64_t reserved[8];
} tocha_distributed_options;

/* Opens the default group of the context. Returns false with an error. */
TOCHA_API bool tocha_distributed_init(tocha_context *cx, const tocha_distributed_options *options);
/* Ends all groups of the context. tocha_close does so, too, without waiting for other ranks. */
TOCHA_API bool tocha_distributed_end(tocha_context *cx);
TOCHA_API bool tocha_distributed_is_initialized(const tocha_context *cx);
/* Returns the default group, which belongs to the context; NULL with an error if there is none. */
TOCHA_API tocha_process_group *tocha_default_group(tocha_context *cx);
/* Makes a group of `count` ranks of the world; every rank of the world calls it, in the same order. It
 * belongs to the context. On a rank that is not a member, *group is NULL. backend: NULL for the default group's.
 * timeout: 0 for the default group's. */
TOCHA_API bool tocha_new_group(tocha_context *cx, int count, const int *ranks, const char *backend,
                               double timeout, const char *description,
                               tocha_process_group **group);
/* The same of a group that its members alone make, at any time: those that have several groups in common make these in one order. Returns
 * NULL with an error. */
TOCHA_API tocha_process_group *tocha_new_group_of_members(tocha_context *cx, int count,
                                                          const int *ranks, const char *backend,
                                                          double timeout, const char *description);
/* Gives a new group the connections of a part of its parent, if the parent's engine for GPUs can divide them (nccl); else does nothing, and the
 * group connects its ranks with its first operation. All ranks of the parent call it, after they have made the new groups. The parts have
 * part_sizes[0], part_sizes[1], ... of `ranks`, which are those of the parent. child: NULL on a rank that is in no part. Waits for the
 * parent's operations. Returns false with an error. */
TOCHA_API bool tocha_group_split(tocha_context *cx, tocha_process_group *parent, int parts,
                                 const int *part_sizes, const int *ranks,
                                 tocha_process_group *child);
TOCHA_API bool tocha_group_end(tocha_context *cx, tocha_process_group *group);
/* Ends this rank's part in a group, whatever the others do. Operations that have not ended fail, unless `waits`. The default group stays, but no
 * operation runs in it any more. Returns false with an error. */
TOCHA_API bool tocha_group_abort(tocha_context *cx, tocha_process_group *group, bool waits);

/* In the following, and in the collectives, NULL is the default group. */
TOCHA_API int tocha_group_rank(tocha_context *cx, tocha_process_group *group);
TOCHA_API int tocha_group_size(tocha_context *cx, tocha_process_group *group);
TOCHA_API const char *tocha_group_backend(tocha_context *cx, tocha_process_group *group);
TOCHA_API const int *tocha_group_ranks(tocha_context *cx, tocha_process_group *group);
TOCHA_API tocha_store *tocha_group_store(tocha_context *cx, tocha_process_group *group);
TOCHA_API const char *tocha_group_name(tocha_context *cx, tocha_process_group *group);
TOCHA_API const char *tocha_group_description(tocha_context *cx, tocha_process_group *group);

/* Sets the seconds that operations of the group wait for other ranks from now on. Returns false with an error. */
TOCHA_API bool tocha_group_set_timeout(tocha_context *cx, tocha_process_group *group,
                                       double seconds);

/* Returns true if the library of a backend ("gloo", "mpi", "nccl", "fake") is there. Writes its name and version ("Gloo
 * 0.5.0"), or else the reason, which names the missing package; NULL is allowed. */
TOCHA_API bool tocha_backend_is_available(tocha_context *cx, const char *backend, char *text,
                                          size_t capacity);

/* Returns the last 2,000 operations of the context's groups as JSON, by the names of PyTorch's flight recorder, which tocha_free frees.
 * If a group fails, they are written to TOCHA_TRACE_DIR/rank_RANK.json if the environment has that variable. */
TOCHA_API char *tocha_distributed_trace(tocha_context *cx);
/* Writes them now. Does nothing without groups, or without the variable. */
TOCHA_API void tocha_distributed_write_trace(tocha_context *cx);

/* Where a script stands is asked by ranks that have waited long for it, and by the launcher. Sets the function that writes this, innermost line
 * first ("train.lua:31: in function 'step'"); the context's thread calls it, while it waits for other ranks or in
 * tocha_distributed_answer. After tocha_distributed_init; NULL: nobody can say it. */
TOCHA_API void tocha_distributed_on_question(
    tocha_context *cx, void (*describe)(void *user, char *text, size_t capacity), void *user);
/* Returns true if somebody waits for an answer. Takes a nanosecond. */
TOCHA_API bool tocha_distributed_is_asked(const tocha_context *cx);
/* Answers, if somebody has asked. An interpreter calls it soon after, between two instructions. */
TOCHA_API void tocha_distributed_answer(tocha_context *cx);

/* Notes the script's place ("train.lua:12") for the operations that begin from now on: messages on all ranks name
 * it. */
TOCHA_API void tocha_distributed_note_place(tocha_context *cx, const char *place);

/* --- what communication takes ------------------------------------------------------------------------ */

/* An operation that a context began while a log was on. Times are seconds by the clock of tocha_profile_event. */
typedef struct tocha_communication {
  const char *operation; /* "all_reduce" */
  char backend[16];
  char group[64]; /* its name */
  char place[96]; /* of the script: "train.lua:12" */
  uint64_t group_number;
  int group_size;
  tocha_dtype dtype;
  int64_t count; /* of elements */
  /* The call; its turn among the group's operations; all ranks were there; the end (0: not yet). */
  double begun, started, met, ended;
  double waited;   /* by the script */
  double called;   /* by the script, in the call that began it, without waiting */
  int last_rank;   /* the rank of the world, on this host, that came last; -1: not known */
  double lateness; /* from the first one's arrival to the last one's */
} tocha_communication;

/* Begins a log without operations. Returns false with an error. */
TOCHA_API bool tocha_communication_start(tocha_context *cx);
/* Ends it; what it has stays until the next one begins. */
TOCHA_API void tocha_communication_stop(tocha_context *cx);
/* Reads operation number `index`, from 0. Returns false if there is none. */
TOCHA_API bool tocha_communication_at(tocha_context *cx, size_t index,
                                      tocha_communication *communication);

/* --- collectives ---------------------------------------------------------------------------------- */

typedef enum tocha_collective {
  TOCHA_ALL_REDUCE,
  TOCHA_BROADCAST,
  TOCHA_REDUCE,
  TOCHA_ALL_GATHER,
  TOCHA_GATHER,
  TOCHA_SCATTER,
  TOCHA_REDUCE_SCATTER,
  TOCHA_ALL_TO_ALL,
  TOCHA_SEND,
  TOCHA_RECV,
  TOCHA_BARRIER,
  TOCHA_COALESCED, /* several operations that begin as one */
  TOCHA_SPLIT      /* of a group's ranks into new groups */
} tocha_collective;

typedef enum tocha_reduce_op {
  TOCHA_REDUCE_SUM,
  TOCHA_REDUCE_AVG,
  TOCHA_REDUCE_PRODUCT,
  TOCHA_REDUCE_MIN,
  TOCHA_REDUCE_MAX,
  TOCHA_REDUCE_BAND,
  TOCHA_REDUCE_BOR,
  TOCHA_REDUCE_BXOR,
  TOCHA_REDUCE_PREMUL_SUM /* of products with tocha_distributed_set_factor's; nccl alone has it */
} tocha_reduce_op;

/* Sets the factor by which the context's next operations of TOCHA_REDUCE_PREMUL_SUM multiply this rank's values; 1 at first. Returns
 * false with an error if there is no default group. */
TOCHA_API bool tocha_distributed_set_factor(tocha_context *cx, double factor);

/* An operation that was begun. It keeps its tensors, which must not be written (inputs) or used (outputs)
 * until tocha_work_wait. The context's thread uses it. */
typedef struct tocha_work tocha_work;

/* Waits until the operation has ended, at most `timeout` seconds (0: the group's); with nccl and without a timeout, until the other ranks
 * have begun it, after which the current stream of the GPU waits for its end. Returns false with the operation's error. NULL is an operation that failed to begin: returns false. */
TOCHA_API bool tocha_work_wait(tocha_context *cx, tocha_work *work, double timeout);
TOCHA_API bool tocha_work_is_completed(const tocha_work *work);
/* Frees it; the operation goes on. NULL is allowed. */
TOCHA_API void tocha_work_free(tocha_work *work);
/* Returns the rank in the group that a recv from anyone received from. */
TOCHA_API int tocha_work_source(const tocha_work *work);

/* Each begins an operation, and waits for it unless `async`. Returns NULL with an error. Ranks (root, peer)
 * are those of the group. Lists have a tensor for each rank of the group. */
TOCHA_API tocha_work *tocha_all_reduce(tocha_context *cx, tocha_tensor *tensor, tocha_reduce_op op,
                                       tocha_process_group *group, bool async);
TOCHA_API tocha_work *tocha_broadcast(tocha_context *cx, tocha_tensor *tensor, int root,
                                      tocha_process_group *group, bool async);
TOCHA_API tocha_work *tocha_reduce_to(tocha_context *cx, tocha_tensor *tensor, int root,
                                      tocha_reduce_op op, tocha_process_group *group, bool async);
TOCHA_API tocha_work *tocha_all_gather(tocha_context *cx, tocha_tensor *const *outputs,
                                       tocha_tensor *input, tocha_process_group *group, bool async);
TOCHA_API tocha_work *tocha_all_gather_into_tensor(tocha_context *cx, tocha_tensor *output,
                                                   tocha_tensor *input, tocha_process_group *group,
                                                   bool async);
TOCHA_API tocha_work *tocha_gather_to(tocha_context *cx, tocha_tensor *const *outputs,
                                      tocha_tensor *input, int root, tocha_process_group *group,
                                      bool async);
TOCHA_API tocha_work *tocha_scatter_from(tocha_context *cx, tocha_tensor *output,
                                         tocha_tensor *const *inputs, int root,
                                         tocha_process_group *group, bool async);
TOCHA_API tocha_work *tocha_reduce_scatter(tocha_context *cx, tocha_tensor *output,
                                           tocha_tensor *const *inputs, tocha_reduce_op op,
                                           tocha_process_group *group, bool async);
TOCHA_API tocha_work *tocha_reduce_scatter_tensor(tocha_context *cx, tocha_tensor *output,
                                                  tocha_tensor *input, tocha_reduce_op op,
                                                  tocha_process_group *group, bool async);
TOCHA_API tocha_work *tocha_all_to_all(tocha_context *cx, tocha_tensor *const *outputs,
                                       tocha_tensor *const *inputs, tocha_process_group *group,
                                       bool async);
/* output_sizes, input_sizes: rows to and from each rank; NULL: equal parts. */
TOCHA_API tocha_work *tocha_all_to_all_single(tocha_context *cx, tocha_tensor *output,
                                              tocha_tensor *input, const int64_t *output_sizes,
                                              const int64_t *input_sizes,
                                              tocha_process_group *group, bool async);
TOCHA_API tocha_work *tocha_send(tocha_context *cx, tocha_tensor *tensor, int peer, int tag,
                                 tocha_process_group *group, bool async);
/* peer: -1 for anyone. */
TOCHA_API tocha_work *tocha_recv(tocha_context *cx, tocha_tensor *tensor, int peer, int tag,
                                 tocha_process_group *group, bool async);
/* Waits for all ranks, on the CPU; rank 0 of the group fails with the names of those that do not come in time: of the first one, or of
 * all if wait_all_ranks. timeout: seconds, 0: the group's. */
TOCHA_API bool tocha_monitored_barrier(tocha_context *cx, tocha_process_group *group,
                                       double timeout, bool wait_all_ranks);
TOCHA_API tocha_work *tocha_barrier(tocha_context *cx, tocha_process_group *group, bool async);

/* Returns true if the group's engine for a device's tensors can begin several operations as one. Returns false with an error if there is
 * no engine. */
TOCHA_API bool tocha_group_coalesces(tocha_context *cx, tocha_process_group *group,
                                     tocha_device device);
/* Collects the operations that are begun in the group from now on: sends and receives of one rank each, or collectives of one kind. They are
 * checked, but do not run until tocha_coalescing_end; nor may they be waited for. Returns false with an error. */
TOCHA_API bool tocha_coalescing_start(tocha_context *cx, tocha_process_group *group);
/* Begins them as one operation, and waits for it unless `async`. Sends and receives wait for none of the others, in whatever order they are; they
 * are in their group's order with its collectives, and the tags of those between the same ranks have to be in the same order on both. Returns
 * NULL with an error, or without one if nothing was collected. */
TOCHA_API tocha_work *tocha_coalescing_end(tocha_context *cx, tocha_process_group *group,
                                           bool async);
/* Forgets them. */
TOCHA_API void tocha_coalescing_drop(tocha_context *cx, tocha_process_group *group);

#ifdef __cplusplus
}
#endif
#endif
