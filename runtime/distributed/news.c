/* news.c: news between the ranks of several hosts.
 *
 * A piece of news is a value "tocha/closing/N" in the store of this meeting, N from 1. Its first word:
 *   RANK [silent]        from the store's server: the rank's connection was closed, or nothing came on it any more
 *   stopped RANK         from a rank of the same host
 *   left GROUP RANK      from the rank itself; the next lines are its place, and the reason
 *   gave_up GROUP RANK   the same
 * Each rank asks for the next one several times a second. That it asks shows the server that it is there, and that it is answered
 * shows it the server. */
#include "distributed/news.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/board.h"
#include "distributed/channel.h"
#include "distributed/pairs.h"
#include "distributed/store/kinds.h"
#include "distributed/watch.h"
#include "platform/platform.h"

/* Nanoseconds. PERIOD: between two questions; the ranks of large worlds ask less often. */
static const int64_t SECOND = 1000000000, SILENCE = STORE_SILENCE * SECOND;
static const int64_t PERIOD = 150000000, PERIOD_OF_A_RANK = 1000000, LONGEST_PERIOD = 2 * SECOND;

/* A piece of news that this rank has to tell. */
typedef struct piece {
  struct piece *next;
  char text[TOCHA_PLACE_SIZE + TOCHA_SEAT_REASON + 80];
} piece;

struct tocha_news {
  tocha_watch *watch;
  tocha_distributed *world;
  int rank, size;
  tocha_store *store;       /* a connection of its own */
  tocha_member first;       /* rank 0 */
  _Atomic int64_t answered; /* when the server did last */
  int64_t number;           /* of the next piece */
  bool first_has_left;      /* rank 0, the world */
  platform_mutex mutex;
  platform_condition changed;
  bool ends;     /* under the mutex */
  piece *pieces; /* to be told, the oldest first; under the mutex */
  platform_thread thread;
};

/* --- telling -------------------------------------------------------------------------------------------- */

static piece *new_piece(void) { return calloc(1, sizeof(piece)); }

static void tell(tocha_news *news, piece *p) {
  platform_lock(&news->mutex);
  piece **at = &news->pieces;
  while (*at) at = &(*at)->next;
  *at = p;
  platform_wake_all(&news->changed);
  platform_unlock(&news->mutex);
}

void tocha_news_tell_leaving(tocha_news *news, const tocha_process_group *group, bool gave_up,
                             const char *place, const char *reason) {
  piece *p = news ? new_piece() : NULL;
  if (!p) return;
  snprintf(p->text, sizeof p->text, "%s %llu %d\n%.*s\n%.*s", gave_up ? "gave_up" : "left",
           (unsigned long long)group->number, group->rank, TOCHA_PLACE_SIZE - 1, place,
           reason ? (int)strcspn(reason, "\n") : 0, reason ? reason : "");
  tell(news, p);
}

void tocha_news_tell_stopped(tocha_news *news, int rank) {
  piece *p = news ? new_piece() : NULL;
  if (!p) return;
  snprintf(p->text, sizeof p->text, "stopped %d", rank);
  tell(news, p);
}

static piece *take_piece(tocha_news *news) {
  platform_lock(&news->mutex);
  piece *p = news->pieces;
  if (p) news->pieces = p->next;
  platform_unlock(&news->mutex);
  return p;
}

/* Sends what is to be told. Returns false with a failure of the store. */
static bool send_pieces(tocha_news *news, tocha_store_failure *failure) {
  bool sent = true;
  for (piece *p; sent && (p = take_piece(news)); free(p)) {
    char name[48];
    int64_t number;
    sent = store_add(news->store, "tocha/closings", 1, platform_nanoseconds() + SILENCE, &number,
                     failure);
    snprintf(name, sizeof name, "tocha/closing/%lld", (long long)number);
    sent = sent && store_set(news->store, name, p->text, strlen(p->text), failure);
  }
  return sent;
}

/* --- hearing -------------------------------------------------------------------------------------------- */

static bool is_here(const tocha_news *news, int rank) {
  return rank == news->rank || tocha_board_place(news->world->board, rank) >= 0;
}

/* The rank of the world is gone. */
static void hear_of_end(tocha_news *news, int rank, const char *how) {
  tocha_member member;
  tocha_store_failure failure;
  if (rank < 0 || rank >= news->size || rank == news->rank) return;
  if (!read_member(news->store, rank, platform_nanoseconds() + SECOND, &member, &failure))
    member.process = 0;
  tocha_watch_declare(news->watch, rank, member.process, member.host, how);
}

/* Notes in a group that a rank of it has left. Returns the rank of the world, -1 if it is none of another host. */
static int note_leaving(tocha_news *news, uint64_t number, int rank, const char *place) {
  tocha_distributed *d = news->world;
  int in_world = -1;
  if (number == 0 && rank == 0) news->first_has_left = true;
  platform_lock(&d->mutex);
  for (tocha_process_group *g = d->groups; g; g = g->next) {
    if (g->number != number || !g->remotes || rank < 0 || rank >= g->size || g->seats[rank])
      continue;
    in_world = g->ranks[rank];
    snprintf(g->remotes[rank].place, sizeof g->remotes[rank].place, "%s", place);
    atomic_store(&g->remotes[rank].presence, TOCHA_LEFT);
    tocha_ring_pairs(&g->lanes[TOCHA_LANE_SENDS]);
    tocha_ring_pairs(&g->lanes[TOCHA_LANE_RECEIVES]);
  }
  platform_unlock(&d->mutex);
  return in_world;
}

/* text: what follows "left" or "gave_up". */
static void hear_of_leaving(tocha_news *news, char *text, bool gave_up) {
  char *end, *place = strchr(text, '\n'), *reason = place ? strchr(place + 1, '\n') : NULL;
  if (!reason) return;
  *place++ = *reason++ = '\0';
  uint64_t number = strtoull(text, &end, 10);
  int rank = (int)strtol(end, NULL, 10), in_world = note_leaving(news, number, rank, place);
  if (!gave_up || in_world < 0) return;
  tocha_member member;
  tocha_store_failure failure;
  char full[TOCHA_REASON_SIZE];
  bool known =
      read_member(news->store, in_world, platform_nanoseconds() + SECOND, &member, &failure);
  snprintf(full, sizeof full, "%s (for this reason rank %d%s%.80s gave up%s%s)", reason, rank,
           known ? " on " : "", known ? member.host : "", *place ? " at " : "", place);
  tocha_watch_break(news->watch, number, full);
}

static void hear(tocha_news *news, char *text) {
  char *rest = text + strcspn(text, " ");
  if (*rest) *rest++ = '\0';
  if (*text >= '0' && *text <= '9') {
    char how[160] = "has died";
    if (*rest)
      snprintf(how, sizeof how,
               "has been silent for %d s: its host cannot be reached, or it was stopped",
               STORE_SILENCE);
    hear_of_end(news, atoi(text), how);
  } else if (strcmp(text, "stopped") == 0) {
    if (!is_here(news, atoi(rest)))
      hear_of_end(news, atoi(rest), "was stopped by a signal (SIGSTOP)");
  } else {
    hear_of_leaving(news, rest, strcmp(text, "gave_up") == 0);
  }
}

/* Hears all that is new. Returns false with a failure of the store. */
static bool hear_all(tocha_news *news, tocha_store_failure *failure) {
  for (;;) {
    char name[48];
    bool is_set;
    void *text = NULL;
    size_t size;
    snprintf(name, sizeof name, "tocha/closing/%lld", (long long)news->number);
    int64_t deadline = platform_nanoseconds() + SILENCE;
    if (!store_check(news->store, name, deadline, &is_set, failure)) return false;
    atomic_store(&news->answered, platform_nanoseconds());
    if (!is_set) return true;
    if (!store_get(news->store, name, deadline, &text, &size, failure)) return false;
    hear(news, text);
    free(text);
    news->number++;
  }
}

/* --- the end of the server ------------------------------------------------------------------------------ */

/* Breaks all groups, since the store is gone. */
static void lose_server(tocha_news *news, const tocha_store_failure *failure) {
  const tocha_store *innermost = store_innermost(news->store);
  const tocha_member *first = &news->first;
  char server[200], reason[600];
  if (first->serves && news->first_has_left && failure->kind == TOCHA_STORE_CLOSED)
    return; /* it has ended as it should */
  tocha_watch_lose_store(news->watch);
  if (failure->kind == TOCHA_STORE_CLOSED &&
      platform_nanoseconds() - atomic_load(&news->answered) > SILENCE) {
    tocha_watch_break_all(news->watch,
                          "This process, or its host, stood still, and the other ranks went on "
                          "without it");
    return;
  }
  if (first->serves && failure->kind == TOCHA_STORE_CLOSED) {
    tocha_watch_declare(news->watch, 0, first->process, first->host,
                        "has died, and with it the store that it served");
    return;
  }
  if (first->serves)
    snprintf(server, sizeof server, "Rank 0 (process %lld on %.80s), which serves the store,",
             (long long)first->process, first->host);
  else
    snprintf(server, sizeof server, "The store's server (%.100s, port %d)",
             tocha_tcp_store_host(innermost), tocha_tcp_store_port(innermost));
  if (failure->kind == TOCHA_STORE_CLOSED)
    snprintf(reason, sizeof reason, "%s has ended", server);
  else
    snprintf(reason, sizeof reason,
             "%s has been silent for %d s: its host cannot be reached, or it was stopped", server,
             STORE_SILENCE);
  tocha_watch_break_all(news->watch, reason);
}

static int64_t period_of(const tocha_news *news) {
  int64_t period = PERIOD + news->size * PERIOD_OF_A_RANK;
  return period < LONGEST_PERIOD ? period : LONGEST_PERIOD;
}

bool tocha_news_hears(const tocha_news *news) {
  return !news ||
         platform_nanoseconds() - atomic_load(&news->answered) < SECOND / 2 + period_of(news);
}

/* Waits until it is time to ask, or there is something to tell. Returns true if the news end. */
static bool wait_a_period(tocha_news *news) {
  platform_lock(&news->mutex);
  if (!news->ends && !news->pieces)
    platform_wait_until(&news->changed, &news->mutex, platform_nanoseconds() + period_of(news));
  bool ends = news->ends;
  platform_unlock(&news->mutex);
  return ends;
}

static void *exchange(void *user) {
  tocha_news *news = user;
  tocha_store_failure failure;
  bool ends = false, answers = true;
  while (answers && !ends) {
    ends = wait_a_period(news);
    answers = send_pieces(news, &failure) && (ends || hear_all(news, &failure));
  }
  if (answers)
    store_retire(news->store, news->rank, &failure);
  else
    lose_server(news, &failure);
  return NULL;
}

/* --- life ----------------------------------------------------------------------------------------------- */

static void free_news(tocha_news *news) {
  tocha_store_free(news->store);
  for (piece *next; news->pieces; news->pieces = next) {
    next = news->pieces->next;
    free(news->pieces);
  }
  platform_condition_close(&news->changed);
  platform_mutex_close(&news->mutex);
  free(news);
}

tocha_news *tocha_news_start(tocha_watch *watch, tocha_distributed *world, int rank, int size) {
  tocha_store_failure failure;
  tocha_news *news = calloc(1, sizeof *news);
  if (!news || !platform_mutex_open(&news->mutex) || !platform_condition_open(&news->changed)) {
    free(news);
    return NULL;
  }
  news->watch = watch;
  news->world = world;
  news->rank = rank;
  news->size = size;
  news->number = 1;
  atomic_init(&news->answered, platform_nanoseconds());
  news->store = store_clone(world->joined, &failure);
  int64_t now = platform_nanoseconds();
  if (news->store && read_member(news->store, 0, now + SILENCE, &news->first, &failure) &&
      store_announce(news->store, rank, &failure) &&
      platform_start_thread(&news->thread, 0, exchange, news))
    return news;
  free_news(news);
  return NULL;
}

void tocha_news_end(tocha_news *news) {
  if (!news) return;
  platform_lock(&news->mutex);
  news->ends = true;
  platform_wake_all(&news->changed);
  platform_unlock(&news->mutex);
  platform_join_thread(&news->thread);
  free_news(news);
}
