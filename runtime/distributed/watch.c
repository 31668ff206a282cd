/* watch.c: looks for ranks that have died: those of this host by their processes, others by the connections that the store's server
 * lost. Each group that had such a rank is broken: its operations fail, and say who is gone. */
#include "distributed/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/process.h"
#include "distributed/board.h"
#include "distributed/channel.h"
#include "distributed/check.h"
#include "distributed/circle.h"

/* PERIOD: nanoseconds between two looks. LISTEN: nanoseconds that the store is asked for at a time.
 * WORD: nanoseconds in which the launcher may say how a rank ended. */
static const int64_t PERIOD = 50000000, LISTEN = 500000000, WORD = 500000000;

/* Looks in a row at which a process is stopped. */
enum { STOPPED_LOOKS = 8 };

struct tocha_watch {
  tocha_distributed *world;
  int rank, size;
  char host[80];    /* this one's name */
  uint8_t *stopped; /* by rank of the world: looks in a row */
  platform_mutex mutex;
  platform_condition changed;
  bool ends; /* under the mutex */
  platform_thread thread;
  tocha_circle_look circle;
  bool is_launched; /* by a launcher that says how a rank ended */
  /* To hear of ranks on other hosts: a thread that waits in a store of its own. */
  bool has_listener;
  platform_thread listener;
  tocha_store *store;
};

/* --- deaths --------------------------------------------------------------------------------------------- */

static bool is_member(const tocha_process_group *group, int rank) {
  for (int i = 0; i < group->size; i++)
    if (group->ranks[i] == rank) return true;
  return false;
}

/* Breaks all groups that have the rank of the world. */
static void break_groups_of(tocha_distributed *d, int rank, const char *reason) {
  platform_lock(&d->mutex);
  for (tocha_process_group *g = d->groups; g; g = g->next)
    if (is_member(g, rank)) tocha_group_break(g, reason);
  platform_unlock(&d->mutex);
}

/* Returns true if the rank is in the world, as the board of this host has it. */
static bool is_here(const tocha_board *board, int rank) {
  int place = tocha_board_place(board, rank);
  tocha_board_member *m = place < 0 ? NULL : tocha_board_member_at(board, place);
  return m && atomic_load(&m->presence) == TOCHA_PRESENT &&
         platform_process_runs(atomic_load(&m->process), NULL);
}

bool tocha_watch_read_ending(const tocha_watch *w, int rank, char *how, size_t capacity) {
  tocha_store_failure failure;
  if (!w || !w->is_launched || is_here(w->world->board, rank)) return false;
  tocha_store *store = store_clone(w->world->store, &failure);
  char name[32];
  void *bytes = NULL;
  size_t size = 0;
  snprintf(name, sizeof name, "tocha/ended/%d", rank);
  bool is_known =
      store && store_get(store, name, platform_nanoseconds() + WORD, &bytes, &size, &failure);
  if (is_known) snprintf(how, capacity, "%.*s", (int)strcspn(bytes, "\n"), (const char *)bytes);
  free(bytes);
  tocha_store_free(store);
  return is_known;
}

bool tocha_watch_describe_ending(const tocha_watch *w, int rank, char *text, size_t capacity) {
  char how[512], who[160] = "";
  if (!tocha_watch_read_ending(w, rank, how, sizeof how)) return false;
  int place = tocha_board_place(w->world->board, rank);
  if (place >= 0)
    snprintf(who, sizeof who, " (process %lld on %.80s)",
             (long long)atomic_load(&tocha_board_member_at(w->world->board, place)->process),
             w->host);
  snprintf(text, capacity, "Rank %d%s %s", rank, who, how);
  return true;
}

/* Declares that a rank has died, once. process: 0 if it is not known. */
static void declare_dead(tocha_watch *w, int rank, int64_t process, const char *host) {
  tocha_distributed *d = w->world;
  char reason[1024], how[512] = "has died", who[160] = "";
  if (atomic_exchange(&d->dead[rank], true)) return;
  tocha_watch_read_ending(w, rank, how, sizeof how);
  if (process) snprintf(who, sizeof who, " (process %lld on %.80s)", (long long)process, host);
  snprintf(reason, sizeof reason, "Rank %d%s %s", rank, who, how);
  break_groups_of(d, rank, reason);
}

/* Returns true if the script waits for other ranks now, or for a store. */
static bool is_waiting(tocha_distributed *d) {
  platform_lock(&d->mutex);
  bool waits =
      d->awaited || atomic_load(&d->transfers) || atomic_load(&d->waits_for_store);
  platform_unlock(&d->mutex);
  return waits;
}

/* Notes that a rank of this host is stopped, or that it is not. One that stays so is given up by those that wait for it. Looks are counted,
 * not seconds: if a terminal stops all ranks, none of them counts meanwhile. */
static void note_stopped(tocha_watch *w, const tocha_board_member *m, bool stopped) {
  uint8_t *looks = &w->stopped[m->rank];
  *looks = stopped ? (uint8_t)(*looks + (*looks < STOPPED_LOOKS)) : 0;
  if (*looks < STOPPED_LOOKS || atomic_load(&w->world->dead[m->rank]) || !is_waiting(w->world))
    return;
  char reason[256];
  snprintf(reason, sizeof reason,
           "Rank %d (process %lld on %.80s) was stopped by a signal (SIGSTOP)", m->rank,
           (long long)atomic_load(&m->process), w->host);
  atomic_store(&w->world->dead[m->rank], true);
  break_groups_of(w->world, m->rank, reason);
}

static void look_at_processes(tocha_watch *w) {
  const tocha_board *board = w->world->board;
  for (int i = 0; i < tocha_board_count(board); i++) {
    tocha_board_member *m = tocha_board_member_at(board, i);
    int64_t started, process = atomic_load(&m->process);
    if (atomic_load(&m->presence) != TOCHA_PRESENT || process == platform_process_number() ||
        m->rank < 0 || m->rank >= w->size)
      continue;
    platform_state state = platform_process_state(process, &started);
    if (state != PLATFORM_PROCESS_GONE && started == m->started) {
      note_stopped(w, m, state == PLATFORM_PROCESS_STOPPED);
      continue;
    }
    if (atomic_load(&m->presence) == TOCHA_PRESENT) declare_dead(w, m->rank, process, w->host);
  }
}

/* --- ranks that gave up --------------------------------------------------------------------------------- */

/* Looks for a rank that gave up a group which is not broken. Writes the number of the group, the rank of the world, and why it did. */
static bool find_gave_up(tocha_distributed *d, uint64_t *number, int *rank, char *reason,
                         size_t capacity) {
  bool found = false;
  platform_lock(&d->mutex);
  for (tocha_process_group *g = d->groups; g && !found; g = g->next) {
    if (atomic_load(&g->broken)) continue;
    if (atomic_load(&g->runs_here) && tocha_is_requested(&d->context->interrupted))
      tocha_group_break(g, "interrupted!");
    for (int r = 0; g->seats && r < g->size && !found; r++) {
      if (!g->seats[r] || r == g->rank || atomic_load(&g->seats[r]->presence) != TOCHA_GAVE_UP)
        continue;
      found = true;
      *number = g->number;
      *rank = g->ranks[r];
      tocha_seat_reason(g->seats[r], r, reason, capacity);
    }
  }
  platform_unlock(&d->mutex);
  return found;
}

static void break_group(tocha_distributed *d, uint64_t number, const char *reason) {
  platform_lock(&d->mutex);
  for (tocha_process_group *g = d->groups; g; g = g->next)
    if (g->number == number) tocha_group_break(g, reason);
  platform_unlock(&d->mutex);
}

static void look_at_groups(const tocha_watch *w) {
  char reason[512], ending[700], text[1300];
  uint64_t number;
  int rank;
  while (find_gave_up(w->world, &number, &rank, reason, sizeof reason)) {
    reason[strcspn(reason, "\n")] = '\0';
    bool ended = tocha_watch_describe_ending(w, rank, ending, sizeof ending);
    snprintf(text, sizeof text, "%s%s%s", reason, ended ? ": " : "", ended ? ending : "");
    break_group(w->world, number, text);
  }
}

static void *run_watch(void *user) {
  tocha_watch *w = user;
  platform_lock(&w->mutex);
  while (!w->ends) {
    platform_wait_until(&w->changed, &w->mutex, platform_nanoseconds() + PERIOD);
    if (w->ends) break;
    platform_unlock(&w->mutex);
    look_at_processes(w);
    look_at_groups(w);
    tocha_look_for_circle(w->world, &w->circle);
    platform_lock(&w->mutex);
  }
  platform_unlock(&w->mutex);
  return NULL;
}

/* --- ranks of other hosts ------------------------------------------------------------------------------- */

/* Declares that a rank whose connection was closed has died. The listener's thread. */
static void declare_remote(tocha_watch *w, int rank) {
  tocha_member member = {.process = 0};
  tocha_store_failure failure;
  if (!read_member(w->store, rank, platform_nanoseconds() + PERIOD, &member, &failure))
    member.process = 0;
  declare_dead(w, rank, member.process, member.host);
}

/* Waits for the closings that the store's server notes, one after the other. */
static void *run_listener(void *user) {
  tocha_watch *w = user;
  tocha_store_failure failure = {.kind = TOCHA_STORE_TIMED_OUT};
  for (int number = 1;;) {
    char name[32];
    void *bytes = NULL;
    size_t size = 0;
    snprintf(name, sizeof name, "tocha/closing/%d", number);
    if (store_get(w->store, name, platform_nanoseconds() + LISTEN, &bytes, &size, &failure)) {
      int rank = atoi(bytes);
      free(bytes);
      if (rank >= 0 && rank < w->size && rank != w->rank) declare_remote(w, rank);
      number++;
    } else if (failure.kind != TOCHA_STORE_TIMED_OUT) {
      return NULL; /* the server is gone, or the watch ends */
    }
  }
}

/* Returns true if a rank of the world is on another host. */
static bool has_others(const tocha_watch *w) {
  return w->world->joined && tocha_board_count(w->world->board) < w->size;
}

static void start_listener(tocha_watch *w) {
  tocha_store_failure failure;
  w->store = store_clone(w->world->joined, &failure);
  w->has_listener = w->store && store_announce(w->store, w->rank, &failure) &&
                    platform_start_thread(&w->listener, 0, run_listener, w);
}

/* --- life ----------------------------------------------------------------------------------------------- */

static void free_watch(tocha_watch *w) {
  tocha_store_free(w->store);
  free(w->stopped);
  platform_condition_close(&w->changed);
  platform_mutex_close(&w->mutex);
  free(w);
}

tocha_watch *tocha_watch_start(tocha_distributed *world, int rank, int size) {
  tocha_watch *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  w->world = world;
  w->rank = rank;
  w->size = size;
  w->stopped = calloc((size_t)size, sizeof *w->stopped);
  if (!platform_machine_name(w->host, sizeof w->host))
    snprintf(w->host, sizeof w->host, "this host");
  w->is_launched = tocha_environment(world->context, "TORCHELASTIC_RUN_ID") != NULL;
  if (!w->stopped || !platform_mutex_open(&w->mutex) || !platform_condition_open(&w->changed)) {
    free(w->stopped);
    free(w);
    return NULL;
  }
  if (!platform_start_thread(&w->thread, 0, run_watch, w)) {
    free_watch(w);
    return NULL;
  }
  if (has_others(w)) start_listener(w);
  return w;
}

void tocha_watch_end(tocha_watch *w) {
  tocha_store_failure failure;
  if (!w) return;
  platform_lock(&w->mutex);
  w->ends = true;
  platform_wake_all(&w->changed);
  platform_unlock(&w->mutex);
  platform_join_thread(&w->thread);
  if (w->store && w->world->joined) store_retire(w->world->joined, w->rank, &failure);
  if (w->has_listener) {
    store_abort(w->store);
    platform_join_thread(&w->listener);
  }
  free_watch(w);
}
