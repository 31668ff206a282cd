/* wait.c: waits for MPI without being stuck in it: deadlines and aborts hold, and nobody spins for a late rank. */
#include "distributed/mpi/mpi.h"

#include <stdio.h>

/* Nanoseconds: how long a wait spins, beside a nanosecond for each byte; how long it then gives way to whoever wants the
 * processor, which is longer than a first sleep takes, for two ranks that slept in turns would never stop; how
 * long it sleeps between two looks, at first and at last; how long it waits for a request that it has cancelled. */
enum {
  SPIN = 50000,
  GIVE_WAY = 200000,
  SHORTEST_SLEEP = 20000,
  LONGEST_SLEEP = 1000000,
  CANCELLING = 100000000
};

bool mpi_fail(tocha_engine_failure *failure, tocha_engine_problem kind, const char *message) {
  failure->kind = kind;
  failure->peer = -1;
  snprintf(failure->message, sizeof failure->message, "%s", message);
  return false;
}

bool mpi_succeeded(tocha_engine_failure *failure, int code) {
  char words[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  if (code == MPI_SUCCESS) return true;
  MPI_Error_string(code, words, &length);
  return mpi_fail(failure, TOCHA_ENGINE_FAILED, words);
}

static bool test(int count, MPI_Request *requests, MPI_Status *statuses, bool *done,
                 tocha_engine_failure *failure) {
  int flag = 0;
  mpi_enter();
  int code = MPI_Testall(count, requests, &flag, statuses);
  mpi_leave();
  *done = flag;
  return mpi_succeeded(failure, code);
}

/* Takes back a message that nobody has sent yet. Returns false if MPI may still write it to memory. */
static bool take_back(MPI_Request *request) {
  tocha_engine_failure ignored;
  MPI_Status status;
  int64_t end = platform_nanoseconds() + CANCELLING;
  bool done = false;
  mpi_enter();
  int code = MPI_Cancel(request);
  mpi_leave();
  while (code == MPI_SUCCESS && !done && platform_nanoseconds() < end)
    if (!test(1, request, &status, &done, &ignored)) return false;
  return done;
}

static bool give_up(mpi_operation *o, int count, MPI_Request *requests, tocha_engine_problem kind,
                    const char *message) {
  bool clean = o->transfer->kind == TOCHA_RECV;
  for (int i = 0; clean && i < count; i++)
    if (requests[i] != MPI_REQUEST_NULL) clean = take_back(&requests[i]);
  if (!clean) mpi_give_up();
  return mpi_fail(o->failure, kind, message);
}

bool mpi_finish(mpi_operation *o, int count, MPI_Request *requests, MPI_Status *statuses,
                int64_t bytes) {
  int64_t start = platform_nanoseconds(), pause = SHORTEST_SLEEP;
  for (;;) {
    bool done;
    if (!test(count, requests, statuses, &done, o->failure)) {
      mpi_give_up();
      return false;
    }
    if (done) return true;
    int64_t now = platform_nanoseconds();
    if (atomic_load(&o->channel->aborted))
      return give_up(o, count, requests, TOCHA_ENGINE_ABORTED, "the operation was aborted");
    if (now >= o->transfer->deadline)
      return give_up(o, count, requests, TOCHA_ENGINE_TIMED_OUT, "the deadline has passed");
    if (now - start < SPIN + bytes) continue;
    if (now - start < SPIN + bytes + GIVE_WAY) {
      platform_yield();
      continue;
    }
    platform_sleep(pause);
    if (pause < LONGEST_SLEEP / 2) pause *= 2;
  }
}
