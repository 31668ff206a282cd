/* engine.h: the contract between a process group and the library that moves its bytes.
 *
 * An engine (gloo, mpi, nccl, fake) knows no tensors, contexts or errors: it receives pointers, counts
 * of elements, dtypes and streams, and answers with a failure in words. All memory is packed, row-major.
 * What all engines share stands in the group: checks, order of work, threads, deadlines, copies of
 * tensors that are not packed. Read by C and by C++. */
#ifndef TOCHA_ENGINE_H
#define TOCHA_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tocha/distributed.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with the contract. */
enum { TOCHA_ENGINE_VERSION = 4 };

/* What an engine keeps for one group: a communicator. */
typedef struct tocha_channel tocha_channel;

/* Why an engine failed. */
typedef enum tocha_engine_problem {
  TOCHA_ENGINE_FAILED,    /* the library said so */
  TOCHA_ENGINE_TIMED_OUT, /* the deadline has passed */
  TOCHA_ENGINE_ABORTED,   /* `abort` was called */
  TOCHA_ENGINE_LOST_PEER  /* a connection was closed by the other end */
} tocha_engine_problem;

typedef struct tocha_engine_failure {
  tocha_engine_problem kind;
  int peer;          /* the rank that is at fault, -1 if the library does not tell */
  char message[512]; /* the library's own words */
} tocha_engine_failure;

/* The values that the ranks of a group exchange while a channel opens: bytes under names, which are the
 * group's own. They may be used until the channel is closed. `get` waits until the name is set, or until the deadline (platform_nanoseconds). A name
 * is set once. `ends` returns true once the group is broken, a rank of it having died: `get` fails then, and so shall whatever
 * else an opening waits for, within 0.1 s. */
typedef struct tocha_engine_store {
  void *user;
  bool (*set)(void *user, const char *name, const void *bytes, size_t size);
  /* Writes at most `capacity` bytes, and returns the size, or -1 after the deadline or a failure. */
  int64_t (*get)(void *user, const char *name, void *bytes, size_t capacity, int64_t deadline);
  bool (*ends)(void *user);
} tocha_engine_store;

typedef struct tocha_channel_options {
  int rank, size; /* in the group */
  /* The ranks of the group in the world, `size` of them: what MPI makes a communicator of. */
  const int *world_ranks;
  uint64_t
      number; /* the same for this group on all of its ranks, and no other group's of the world */
  tocha_engine_store store;
  int64_t deadline; /* for the opening: platform_nanoseconds */
  /* The address by which other hosts reach this one, "" if all ranks are on this host. */
  char address[64];
  int device; /* a GPU's index for engines that move its memory, else -1 */
} tocha_channel_options;

/* One operation on packed memory. `count` is in elements of dtype.
 *
 *   kind                 input                    output                     root
 *   all_reduce           = output                 count                      -
 *   broadcast            = output                 count                      who sends
 *   reduce               = output                 count; elsewhere scratch   who receives
 *   all_gather           count                    size * count               -
 *   gather               count                    size * count at root       who receives
 *   scatter              size * count at root     count                      who sends
 *   reduce_scatter       size * count             count                      -
 *   all_to_all           input_counts             output_counts              -
 *   send                 count                    -                          to whom
 *   recv                 -                        count                      from whom; -1: anyone
 *   barrier              -                        -                          -
 *   coalesced            those of the members     those of the members       -
 */
typedef struct tocha_transfer {
  tocha_collective kind;
  tocha_dtype dtype;
  tocha_reduce_op op;
  double factor; /* of TOCHA_REDUCE_PREMUL_SUM */
  int root;      /* a rank of the group */
  uint32_t tag;  /* of send and recv */
  const void *input;
  void *output;
  int64_t count;
  const int64_t *input_counts, *output_counts; /* of all_to_all: elements to and from each rank */
  /* Of reduce_scatter: the parts are tensors of a list, each of which is reduced on its own. Decides PyTorch's digits. */
  bool separate;
  bool
      is_even; /* of all_to_all: the parts to and from all ranks are alike, and all ranks know that they are */
  /* For TOCHA_COALESCED, the transfers that begin together, none of which waits for another one. All are sends
   * and receives, or all are of one other kind. */
  const struct tocha_transfer *members;
  int member_count;
  int64_t deadline; /* platform_nanoseconds; the operation fails then */
  void *ready;      /* an event of the GPU, after which the memory may be used; NULL: at once */
  /* Its memory is of the host, also for an engine that moves the GPU's: an all_reduce or all_to_all of at most two numbers of 64 bits
   * for each rank, which waits for no other operation. */
  bool is_of_host;
  /* An event of the GPU, NULL if there is none: an engine with `look` may return from `run` once it has recorded it. Then it
   * sets `is_pending`. */
  void *finished;
  bool is_pending;
  int source; /* written by recv: who sent */
} tocha_transfer;

typedef struct tocha_engine {
  int version;      /* TOCHA_ENGINE_VERSION of its build */
  const char *name; /* "gloo" */
  /* Returns the library's name and version ("Open MPI 4.1.4"). */
  const char *(*library)(void);
  /* True: it moves memory of the channel's GPU; false: of the host. */
  bool moves_gpu;
  /* Says if the engine has this operation for the dtype (and, for a reduction, op). */
  bool (*takes)(tocha_collective kind, tocha_dtype dtype, tocha_reduce_op op);
  /* Connects the ranks of a group. Returns NULL with a failure. */
  tocha_channel *(*open)(const tocha_channel_options *options, tocha_engine_failure *failure);
  /* Frees the channel, after abort if an operation failed. Waits for no other rank. */
  void (*close)(tocha_channel *channel);
  /* Runs one operation, on one thread of the group at a time (a send and a recv may run beside it, on threads of their own). Returns false with a failure; the channel is then of no more use. */
  bool (*run)(tocha_channel *channel, tocha_transfer *transfer, tocha_engine_failure *failure);
  /* Makes what runs fail soon (TOCHA_ENGINE_ABORTED), on this rank at least. Any thread, any state. */
  void (*abort)(tocha_channel *channel);
  /* Writes what the library's own launcher says, which starts it up. Returns false if no launcher started this process.
   * NULL: the library has none. */
  bool (*world)(int *rank, int *size);
  /* Returns 1 if a pending operation has ended, 0 if not yet, -1 with a failure. After abort it carries that out, if no
   * thread is in `run` with it; also with transfer = NULL. Any thread, one at a time; it waits for nothing. NULL: `run` returns
   * at the end of all operations. */
  int (*look)(tocha_channel *channel, const tocha_transfer *transfer,
              tocha_engine_failure *failure);
  bool coalesces; /* it has TOCHA_COALESCED */
  /* Connects ranks of an open channel: those of one color, a number from 0 on; a rank whose color is -1 receives NULL. All ranks of the
   * parent call it, at the same place among its operations, and it waits until these have ended. `options` says who they are. Returns false
   * with a failure, after which the parent is of no more use. NULL: `open` is the only way. */
  bool (*split)(tocha_channel *parent, int color, const tocha_channel_options *options,
                tocha_channel **child, tocha_engine_failure *failure);
} tocha_engine;

/* Returns the bytes of an element, for a plug-in, which links no function of the library. */
static inline size_t tocha_engine_item_size(tocha_dtype dtype) {
  static const size_t sizes[] = {
#define DTYPE(ID, name, type, category, real, scalar_type, cpp_name, alias, digits, max)           \
  sizeof(type),
#include "tocha/dtypes.def"
#undef DTYPE
  };
  return sizes[dtype];
}

/* The one symbol of a plug-in, libtocha_gloo.so and its like. Returns NULL with a reason in words if its
 * library is missing or too old. */
typedef const tocha_engine *tocha_engine_entry_function(const char **reason);

#ifdef __cplusplus
}
#endif
#endif
