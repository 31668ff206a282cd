/* process.c: MPI's life in this process: it starts once and ends once. */
#include "distributed/mpi/mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static platform_once once;
static struct {
  platform_mutex mutex;  /* of calls, if MPI allows one thread at a time */
  bool serialized, ours; /* ours: this engine has started MPI, and ends it */
  atomic_bool given_up;
  atomic_int channels, bad; /* that are open; that ended badly */
  tocha_engine_failure problem;
} process;

/* Open MPI's nonblocking reductions take two to three times as long as its blocking ones, unless they are told to halve the
 * data in each step. Says so where the user has not. */
static void choose_algorithms(void) {
#if defined(OPEN_MPI)
  static const char *const variables[] = {"OMPI_MCA_coll_libnbc_iallreduce_algorithm",
                                          "OMPI_MCA_coll_libnbc_ireduce_algorithm"};
  for (int i = 0; i < 2; i++)
    if (!getenv(variables[i])) platform_set_variable(variables[i], "3"); /* Rabenseifner's */
#endif
}

/* A process that ends with a failure does not wait for the others in MPI_Finalize: they may wait for it. */
static void note_status(int status) {
  if (status) mpi_give_up();
}

static void start(const void *unused) {
  (void)unused;
  int started = 0, ended = 0, provided = 0;
  process.problem = (tocha_engine_failure){TOCHA_ENGINE_FAILED, -1, ""};
  platform_mutex_open(&process.mutex);
  platform_share_names((void (*)(void))MPI_Init_thread); /* its own plug-ins look for them */
  MPI_Finalized(&ended);
  MPI_Initialized(&started);
  if (ended) {
    mpi_fail(&process.problem, TOCHA_ENGINE_FAILED, "MPI has been ended in this process");
    return;
  }
  if (started) {
    MPI_Query_thread(&provided);
  } else {
    uint64_t before[PLATFORM_SIGNAL_WORDS];
    choose_algorithms();
    platform_block_signals(before); /* its threads inherit them */
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    platform_restore_signals(before);
    if (!mpi_succeeded(&process.problem, code)) return;
    process.ours = true;
    platform_call_at_exit(note_status);
  }
  process.serialized = provided < MPI_THREAD_MULTIPLE;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

bool mpi_start(tocha_engine_failure *failure) {
  if (mpi_is_given_up()) /* perhaps in its start */
    return mpi_fail(failure, TOCHA_ENGINE_FAILED,
                    "MPI is of no more use in this process: an operation of it has not ended");
  platform_call_once(&once, start, NULL);
  *failure = process.problem;
  return !*failure->message;
}

bool mpi_world(int *rank, int *size) {
  tocha_engine_failure failure;
  if (!mpi_start(&failure)) return false;
  return MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
         MPI_Comm_size(MPI_COMM_WORLD, size) == MPI_SUCCESS;
}

void mpi_enter(void) {
  if (process.serialized) platform_lock(&process.mutex);
}

void mpi_leave(void) {
  if (process.serialized) platform_unlock(&process.mutex);
}

void mpi_give_up(void) { atomic_store(&process.given_up, true); }

bool mpi_is_given_up(void) { return atomic_load(&process.given_up); }

void mpi_count_channel(int change, bool badly) {
  atomic_fetch_add(&process.channels, change);
  if (badly) atomic_fetch_add(&process.bad, 1);
}

/* When the process ends, and every group of it has ended well. Else the launcher sees a rank that left MPI alone, and ends
 * the others. */
__attribute__((destructor)) static void end(void) {
  bool well = !mpi_is_given_up() && !atomic_load(&process.channels) && !atomic_load(&process.bad);
  if (process.ours && well) MPI_Finalize();
}
