/* check.c: times an operation of two ranks, threads of this process, by an engine that does nothing: what a group does beside its
 * engine. Prints the nanoseconds with the check of the ranks, and without it. */
#include <stdio.h>

#include "core/internal.h"
#include "distributed/group.h"

enum { RANKS = 2, BATCHES = 30, BATCH = 20000 };

/* --- an engine that does nothing ------------------------------------------------------------------ */

struct tocha_channel {
  int unused;
};

static bool takes(tocha_collective kind, tocha_dtype dtype, tocha_reduce_op op) {
  (void)kind, (void)dtype, (void)op;
  return true;
}

static tocha_channel *open_channel(const tocha_channel_options *o, tocha_engine_failure *failure) {
  static tocha_channel channel;
  (void)o, (void)failure;
  return &channel;
}

static void leave_channel(tocha_channel *channel) { (void)channel; }

static bool run(tocha_channel *channel, tocha_transfer *t, tocha_engine_failure *failure) {
  (void)channel, (void)t, (void)failure;
  return true;
}

static const tocha_engine nothing = {.version = TOCHA_ENGINE_VERSION,
                                     .name = "nothing",
                                     .takes = takes,
                                     .open = open_channel,
                                     .close = leave_channel,
                                     .run = run,
                                     .abort = leave_channel};

/* --- ranks ---------------------------------------------------------------------------------------- */

typedef struct rank_here {
  int rank;
  tocha_store *store;
  platform_thread thread;
  double checked, unchecked; /* nanoseconds of an operation; of all batches the shortest */
} rank_here;

static double shortest_of(tocha_context *cx) {
  double shortest = 1e9;
  for (int i = 0; i < BATCHES; i++) {
    int64_t start = platform_nanoseconds();
    for (int k = 0; k < BATCH; k++) tocha_work_free(tocha_barrier(cx, NULL, false));
    double each = (double)(platform_nanoseconds() - start) / BATCH;
    if (each < shortest) shortest = each;
  }
  return shortest;
}

static void *run_rank(void *user) {
  rank_here *self = user;
  tocha_context *cx = tocha_open(NULL);
  tocha_offer_engine(cx, &nothing);
  tocha_distributed_options options = {
      .backend = "cpu:nothing", .store = self->store, .rank = self->rank, .world_size = RANKS};
  if (!tocha_distributed_init(cx, &options)) {
    char text[512];
    fprintf(stderr, "%s\n", tocha_error_text(cx, text, sizeof text));
    return NULL;
  }
  self->checked = shortest_of(cx);
  tocha_process_group *group = tocha_default_group(cx);
  struct tocha_seat **seats = group->seats;
  group->seats = NULL;
  self->unchecked = shortest_of(cx);
  group->seats = seats;
  tocha_close(cx);
  return NULL;
}

int main(void) {
  tocha_context *cx = tocha_open(NULL);
  rank_here ranks[RANKS];
  tocha_store *store = tocha_hash_store_new(cx);
  for (int r = 0; r < RANKS; r++) {
    ranks[r] = (rank_here){.rank = r, .store = store};
    platform_start_thread(&ranks[r].thread, 0, run_rank, &ranks[r]);
  }
  for (int r = 0; r < RANKS; r++) platform_join_thread(&ranks[r].thread);
  printf("%.0f\t%.0f\n", ranks[0].checked, ranks[0].unchecked);
  tocha_store_free(store);
  tocha_close(cx);
  return 0;
}
