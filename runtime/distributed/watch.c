/* watch.c: looks for ranks that have died: those of this host by their processes, others by the news that the store
 * has. Each group that had such a rank is broken: its operations fail, and say who is gone. */
#include "distributed/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/process.h"
#include "distributed/board.h"
#include "distributed/channel.h"
#include "distributed/check.h"
#include "distributed/circle.h"
#include "distributed/flight.h"
#include "distributed/news.h"
#include "distributed/questions.h"

/* PERIOD: nanoseconds between two looks. WORD: nanoseconds in which the launcher may say how a rank ended. */
static const int64_t PERIOD = 50000000, WORD = 700000000;

/* Looks in a row at which a process is stopped. */
enum { STOPPED_LOOKS = 8, LEFT = 255 };

struct tocha_watch {
  tocha_distributed *world;
  int rank, size;
  uint8_t *
      stopped; /* by rank of the world: looks in a row; LEFT: it has left, and the launcher was asked how */
  platform_mutex mutex;
  platform_condition changed;
  bool ends; /* under the mutex */
  platform_thread thread;
  tocha_circle_look circle;
  bool is_launched;     /* by a launcher that says how a rank ended */
  int64_t memory_kills; /* of this control group when the watch began */
  tocha_news *news;     /* of ranks on other hosts; NULL if there are none */
  atomic_bool has_lost_store;
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

/* Asks the system how the process of a rank of this host ended. Returns false if the launcher has collected the process. */
static bool find_ending(const tocha_watch *w, int rank, int *code, int *signal) {
  int place = tocha_board_place(w->world->board, rank);
  if (place < 0) return false;
  const tocha_board_member *m = tocha_board_member_at(w->world->board, place);
  int64_t started, process = atomic_load(&m->process);
  return platform_process_state(process, &started) == PLATFORM_PROCESS_GONE &&
         started == m->started && platform_find_ending(process, code, signal);
}

static void describe_kill(const tocha_watch *w, int signal, char *how, size_t capacity) {
  bool for_memory =
      signal == platform_signal_number("KILL") && platform_memory_kills(NULL) > w->memory_kills;
  platform_describe_kill(signal, for_memory, how, capacity);
}

/* Waits for the launcher to say how a rank of the world ended, "ended with exit code 1: no data". Returns false if it does not soon. */
static bool hear_ending(const tocha_watch *w, int rank, char *how, size_t capacity) {
  tocha_store_failure failure;
  if (atomic_load(&w->has_lost_store)) return false;
  int64_t deadline = platform_nanoseconds() + WORD;
  tocha_store *store = store_clone_until(w->world->store, deadline, &failure);
  char name[32];
  void *bytes = NULL;
  size_t size = 0;
  snprintf(name, sizeof name, "tocha/ended/%d", rank);
  bool is_known = store && store_get(store, name, deadline, &bytes, &size, &failure);
  if (is_known) snprintf(how, capacity, "%.*s", (int)strcspn(bytes, "\n"), (const char *)bytes);
  free(bytes);
  tocha_store_free(store);
  return is_known;
}

/* Writes how a rank of the world ended. A signal is all that there is to know of a killed one, so no word is waited for: the
 * launcher hears of a death only when all memory of the process is free again, and may itself be short of memory or of time. Returns
 * false if nobody says how, or if there is no launcher. */
static bool read_ending(const tocha_watch *w, int rank, char *how, size_t capacity) {
  int code = 0, signal = 0;
  if (!w || !w->is_launched || is_here(w->world->board, rank)) return false;
  bool is_found = find_ending(w, rank, &code, &signal);
  if (is_found && signal) {
    describe_kill(w, signal, how, capacity);
    return true;
  }
  if (hear_ending(w, rank, how, capacity)) return true;
  if (is_found) snprintf(how, capacity, "ended with exit code %d", code);
  return is_found;
}

bool tocha_watch_describe_ending(const tocha_watch *w, int rank, char *text, size_t capacity) {
  char how[512], who[160] = "";
  if (!read_ending(w, rank, how, sizeof how)) return false;
  int place = tocha_board_place(w->world->board, rank);
  if (place >= 0)
    snprintf(who, sizeof who, " (process %lld on %.80s)",
             (long long)atomic_load(&tocha_board_member_at(w->world->board, place)->process),
             w->world->own_host);
  snprintf(text, capacity, "Rank %d%s %s", rank, who, how);
  return true;
}

void tocha_watch_declare(tocha_watch *w, int rank, int64_t process, const char *host,
                         const char *words) {
  tocha_distributed *d = w->world;
  char reason[1024], how[512], who[160] = "";
  if (atomic_exchange(&d->dead[rank], true)) return;
  if (!read_ending(w, rank, how, sizeof how)) snprintf(how, sizeof how, "%s", words);
  if (process) snprintf(who, sizeof who, " (process %lld on %.80s)", (long long)process, host);
  snprintf(reason, sizeof reason, "Rank %d%s %s", rank, who, how);
  break_groups_of(d, rank, reason);
}

/* Returns true if the script waits for other ranks now, or for a store. */
static bool is_waiting(tocha_distributed *d) {
  platform_lock(&d->mutex);
  bool waits = d->awaited || atomic_load(&d->transfers) || atomic_load(&d->waits_for_store);
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
           (long long)atomic_load(&m->process), w->world->own_host);
  atomic_store(&w->world->dead[m->rank], true);
  break_groups_of(w->world, m->rank, reason);
  tocha_news_tell_stopped(w->news, m->rank);
}

/* A rank that has left and ended is missed only by who waits for a value in a store: it may have been that one's to set, if it failed. */
static void look_at_leaver(tocha_watch *w, const tocha_board_member *m) {
  char how[512];
  int64_t process = atomic_load(&m->process);
  if (w->stopped[m->rank] == LEFT || !atomic_load(&w->world->waits_for_store) ||
      platform_process_runs(process, NULL))
    return;
  w->stopped[m->rank] = LEFT;
  if (read_ending(w, m->rank, how, sizeof how))
    tocha_watch_declare(w, m->rank, process, w->world->own_host, how);
}

static void look_at_processes(tocha_watch *w) {
  const tocha_board *board = w->world->board;
  for (int i = 0; i < tocha_board_count(board); i++) {
    tocha_board_member *m = tocha_board_member_at(board, i);
    int64_t started, process = atomic_load(&m->process);
    uint32_t presence = atomic_load(&m->presence);
    if (process == platform_process_number() || m->rank < 0 || m->rank >= w->size) continue;
    if (presence == TOCHA_LEFT) look_at_leaver(w, m);
    if (presence != TOCHA_PRESENT) continue;
    platform_state state = platform_process_state(process, &started);
    if (state != PLATFORM_PROCESS_GONE && started == m->started) {
      note_stopped(w, m, state == PLATFORM_PROCESS_STOPPED);
      continue;
    }
    if (atomic_load(&m->presence) == TOCHA_PRESENT)
      tocha_watch_declare(w, m->rank, process, w->world->own_host, "has died");
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

void tocha_watch_break(tocha_watch *w, uint64_t number, const char *reason) {
  platform_lock(&w->world->mutex);
  for (tocha_process_group *g = w->world->groups; g; g = g->next)
    if (g->number == number) tocha_group_break(g, reason);
  platform_unlock(&w->world->mutex);
}

void tocha_watch_break_all(tocha_watch *w, const char *reason) {
  platform_lock(&w->world->mutex);
  for (tocha_process_group *g = w->world->groups; g; g = g->next) tocha_group_break(g, reason);
  platform_unlock(&w->world->mutex);
}

bool tocha_watch_hears(const tocha_watch *w) { return !w || tocha_news_hears(w->news); }

void tocha_watch_lose_store(tocha_watch *w) { atomic_store(&w->has_lost_store, true); }

void tocha_watch_tell_leaving(tocha_watch *w, const tocha_process_group *group, bool gave_up,
                              const char *place, const char *reason) {
  if (w) tocha_news_tell_leaving(w->news, group, gave_up, place, reason);
}

static void look_at_groups(tocha_watch *w) {
  char reason[512], ending[700], text[1300];
  uint64_t number;
  int rank;
  while (find_gave_up(w->world, &number, &rank, reason, sizeof reason)) {
    reason[strcspn(reason, "\n")] = '\0';
    bool ended = tocha_watch_describe_ending(w, rank, ending, sizeof ending);
    snprintf(text, sizeof text, "%s%s%s", reason, ended ? ": " : "", ended ? ending : "");
    tocha_watch_break(w, number, text);
  }
}

/* Looks at the operations that GPUs carry out. */
static void look_at_flights(tocha_distributed *d) {
  platform_lock(&d->mutex);
  for (tocha_process_group *g = d->groups; g; g = g->next) tocha_flight_look(g);
  platform_unlock(&d->mutex);
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
    look_at_flights(w->world);
    tocha_look_for_circle(w->world, &w->circle);
    tocha_questions_look(w->world->questions);
    platform_lock(&w->mutex);
  }
  platform_unlock(&w->mutex);
  return NULL;
}

/* --- life ----------------------------------------------------------------------------------------------- */

static void free_watch(tocha_watch *w) {
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
  w->is_launched = tocha_environment(world->context, "TORCHELASTIC_RUN_ID") != NULL;
  w->memory_kills = w->is_launched ? platform_memory_kills(NULL) : 0;
  if (!w->stopped || !platform_mutex_open(&w->mutex) || !platform_condition_open(&w->changed)) {
    free(w->stopped);
    free(w);
    return NULL;
  }
  if (tocha_board_count(world->board) < size) w->news = tocha_news_start(w, world, rank, size);
  if (platform_start_thread(&w->thread, 0, run_watch, w)) return w;
  tocha_news_end(w->news);
  free_watch(w);
  return NULL;
}

bool tocha_watch_end(tocha_watch *w) {
  if (!w) return true;
  platform_lock(&w->mutex);
  w->ends = true;
  platform_wake_all(&w->changed);
  platform_unlock(&w->mutex);
  platform_join_thread(&w->thread);
  tocha_news_end(w->news);
  bool reaches_store = !atomic_load(&w->has_lost_store);
  free_watch(w);
  return reaches_store;
}
