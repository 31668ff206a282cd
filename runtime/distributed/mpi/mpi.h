/* mpi.h: what the files of the engine share. They are compiled once for each MPI: Open MPI, MPICH, the standard's ABI. */
#ifndef TOCHA_MPI_H
#define TOCHA_MPI_H

#include <stdatomic.h>

#include "distributed/engine.h"
#include "platform/platform.h"

#if defined(TOCHA_MPI_ABI)
#include "distributed/mpi/abi.h"
#else
#include <mpi.h>
#endif

#ifndef TOCHA_MPI_PIECE /* elements in one call at most, for MPI counts in int */
#define TOCHA_MPI_PIECE (1 << 30)
#endif

/* The elements that a rank sends to another one and receives from it. */
typedef struct mpi_part {
  const void *from;
  void *to;
  int64_t sends, receives;
} mpi_part;

struct tocha_channel {
  MPI_Comm comm; /* errors return */
  int rank, size;
  int last_tag;     /* MPI's largest one: of the messages of collectives, and of no send */
  bool on_one_host; /* all ranks of the world are */
  atomic_bool aborted, failed;
  /* The next members belong to the collective that runs. */
  mpi_part *parts;       /* with each rank */
  MPI_Request *requests; /* two for each rank */
  void *scratch;         /* a slot for each rank; NULL until a reduction needs it */
  size_t slot;           /* bytes */
};

/* --- the process (process.c) ----------------------------------------------------------------------- */

/* Starts MPI, once in a process. Returns false with a failure. */
bool mpi_start(tocha_engine_failure *failure);
bool mpi_world(int *rank, int *size);
/* Runs call(data) on a thread of its own: it waits for other ranks inside MPI. Returns false with a failure if the group ends, or the
 * deadline comes first: MPI is given up then, and `data`, from malloc, freed by that thread. */
bool mpi_call_apart(const tocha_channel_options *options, void (*call)(void *data), void *data,
                    tocha_engine_failure *failure);
/* MPI that does not allow calls of several threads gets one at a time: a call stands between these. */
void mpi_enter(void);
void mpi_leave(void);
/* Says that a request is left behind which may still write to memory: from now on MPI is never called again. */
void mpi_give_up(void);
bool mpi_is_given_up(void);
/* Counts channels, and those that ended badly: MPI_Finalize, at the end of the process, waits for all other ranks. */
void mpi_count_channel(int change, bool badly);

/* --- waiting (wait.c) ------------------------------------------------------------------------------ */

/* One operation that runs. */
typedef struct mpi_operation {
  tocha_channel *channel;
  tocha_transfer *transfer;
  tocha_engine_failure *failure;
  MPI_Datatype type;
  MPI_Op op;
  size_t element; /* bytes */
} mpi_operation;

/* Returns the address of an element of the operation's memory. */
static inline uint8_t *mpi_at(const mpi_operation *o, const void *data, int64_t element) {
  return (uint8_t *)(uintptr_t)data + (size_t)element * o->element;
}
bool mpi_fail(tocha_engine_failure *failure, tocha_engine_problem kind, const char *message);
/* Returns true if the code is MPI_SUCCESS, else false with MPI's words. */
bool mpi_succeeded(tocha_engine_failure *failure, int code);
/* Waits for requests that move about so many bytes. Returns false with a failure; then MPI is given up, unless all of
 * them could be cancelled. */
bool mpi_finish(mpi_operation *o, int count, MPI_Request *requests, MPI_Status *statuses,
                int64_t bytes);

/* --- collectives without MPI's (direct.c) ----------------------------------------------------------- */

/* Returns true if the operation is messages from each rank straight to each other one, which is the same on all ranks. */
bool mpi_moves_directly(const mpi_operation *o);
bool mpi_move_directly(mpi_operation *o);

/* --- halves (halves.c) ----------------------------------------------------------------------------- */

/* Returns the operation that reduces halves, MPI_OP_NULL if there is none. After mpi_start. */
MPI_Op mpi_halves(tocha_dtype dtype, tocha_reduce_op op);

#endif
