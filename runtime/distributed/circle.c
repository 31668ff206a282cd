/* circle.c: ranks that wait for each other.
 *
 * Each rank shows for which others its script waits. A wait counts once it has stood unchanged for a while, in which no engine worked for
 * the rank: its operations that were under way have then come as far as they can. If such waits lead from a rank back to it, none of
 * these ranks can go on. Each of them sees this for itself. A recv from any rank is part of it if all that may send are. */
#include "distributed/circle.h"

#include <stdio.h>
#include <string.h>

#include "distributed/channel.h"
#include "distributed/check.h"
#include "distributed/coalesced.h"

/* Nanoseconds. SETTLED: a wait stands for so long before it counts. KEPT: a wait of a circle is shown for so long after it was broken; less
 * than SETTLED, so that no new wait can meet it. */
static const int64_t SETTLED = 500000000, KEPT = 400000000;

void tocha_note_wait(tocha_distributed *d, tocha_work *w) {
  if (!d->watch) return;
  platform_lock(&d->mutex);
  d->awaited = w;
  platform_unlock(&d->mutex);
}

/* --- showing -------------------------------------------------------------------------------------------- */

/* Returns the operation that keeps the script's one from going on, often that one itself; NULL if it does not wait for ranks. */
static const tocha_work *find_stuck(const tocha_distributed *d) {
  const tocha_work *w = d->awaited;
  if (!w || atomic_load(&w->done) || atomic_load(&d->transfers)) return NULL;
  if (!w->group->seats || atomic_load(&w->group->broken)) return NULL;
  if (w->timeout < w->group->timeout) return NULL; /* it ends by itself: a monitored barrier */
  if (w->lane != &w->group->lanes[TOCHA_LANE_COLLECTIVES] || atomic_load(&w->has_run)) return w;
  platform_lock(&w->group->mutex);
  const tocha_work *first = w->lane->first ? w->lane->first : w;
  platform_unlock(&w->group->mutex);
  return first->sequence ? first : NULL;
}

/* Adds a rank of the operation's group to those that are awaited. */
static void add(const tocha_work *w, int rank, uint64_t awaited[TOCHA_WAIT_WORDS]) {
  int place = tocha_board_place(w->group->world->board, w->group->ranks[rank]);
  if (place >= 0 && place < 64 * TOCHA_WAIT_WORDS) awaited[place / 64] |= UINT64_C(1) << place % 64;
}

/* Adds all others of the operation's group that have not left it. */
static void add_present(const tocha_work *w, uint64_t awaited[TOCHA_WAIT_WORDS]) {
  for (int r = 0; r < w->group->size; r++)
    if (r != w->group->rank && atomic_load(&w->group->seats[r]->presence) <= TOCHA_PRESENT)
      add(w, r, awaited);
}

/* Lists the ranks of this host for which the operation waits. Returns false if there is none. */
static bool list_awaited(const tocha_work *w, uint64_t awaited[TOCHA_WAIT_WORDS]) {
  uint64_t any = 0;
  memset(awaited, 0, TOCHA_WAIT_WORDS * sizeof *awaited);
  if (w->intent.form == TOCHA_FORM_BATCH) {
    for (const tocha_work *m = w->members; m; m = m->next_member)
      if (!atomic_load(&m->done)) add(w, m->transfer.root, awaited);
  } else if (w->transfer.kind == TOCHA_SEND || w->transfer.kind == TOCHA_RECV) {
    if (w->transfer.root >= 0)
      add(w, w->transfer.root, awaited);
    else if (!w->group->spans_hosts) /* one of another host may send */
      add_present(w, awaited);
  } else {
    for (int r = tocha_find_missing(w, 0); r < w->group->size; r = tocha_find_missing(w, r + 1))
      add(w, r, awaited);
  }
  for (int i = 0; i < TOCHA_WAIT_WORDS; i++) any |= awaited[i];
  return any != 0;
}

/* Shows the wait of the stuck operation, NULL: there is none. Returns the time since which it has stood; 0: it does not wait. */
static int64_t show(tocha_board_wait *own, tocha_circle_look *look, const tocha_work *stuck) {
  uint64_t awaited[TOCHA_WAIT_WORDS];
  if (stuck && !list_awaited(stuck, awaited)) stuck = NULL;
  if (stuck && stuck == look->work && memcmp(awaited, look->awaited, sizeof awaited) == 0)
    return atomic_load(&own->since);
  look->work = stuck;
  atomic_store(&own->since, 0);
  if (!stuck) return 0;
  memcpy(look->awaited, awaited, sizeof awaited);
  for (int i = 0; i < TOCHA_WAIT_WORDS; i++) atomic_store(&own->awaited[i], awaited[i]);
  atomic_store(&own->one_is_enough, stuck->transfer.kind == TOCHA_RECV && stuck->transfer.root < 0);
  char operation[TOCHA_WAIT_TEXT - TOCHA_NAME_SIZE - 16];
  snprintf(own->text, sizeof own->text, "%s in group %.*s",
           tocha_intent_text(&stuck->intent, operation, sizeof operation), TOCHA_NAME_SIZE - 1,
           stuck->group->name);
  int64_t now = platform_nanoseconds();
  atomic_store(&own->since, now);
  return now;
}

/* --- finding -------------------------------------------------------------------------------------------- */

static bool awaits(tocha_board_wait *from, int to) {
  return atomic_load(&from->awaited[to / 64]) >> to % 64 & 1;
}

/* Returns true if the member waits, and has done so for a while. */
static bool has_settled(tocha_board_member *m, int64_t now) {
  int64_t since = atomic_load(&m->wait.since);
  return since && now - since >= SETTLED && atomic_load(&m->presence) == TOCHA_PRESENT;
}

/* Returns true if a wait cannot end while the ranks of `blocked` do not go on. */
static bool is_blocked(tocha_board_wait *wait, const uint64_t blocked[TOCHA_WAIT_WORDS]) {
  bool some = false, all = true;
  for (int i = 0; i < TOCHA_WAIT_WORDS; i++) {
    uint64_t awaited = atomic_load(&wait->awaited[i]);
    some |= (awaited & blocked[i]) != 0;
    all &= (awaited & ~blocked[i]) == 0;
  }
  return atomic_load(&wait->one_is_enough) ? all : some;
}

/* Finds the members that can go on only if others of them do. */
static void find_blocked(const tocha_board *board, int count, int64_t now,
                         uint64_t blocked[TOCHA_WAIT_WORDS]) {
  memset(blocked, 0, TOCHA_WAIT_WORDS * sizeof *blocked);
  for (int i = 0; i < count; i++)
    if (has_settled(tocha_board_member_at(board, i), now)) blocked[i / 64] |= UINT64_C(1) << i % 64;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < count; i++) {
      uint64_t bit = UINT64_C(1) << i % 64;
      if (!(blocked[i / 64] & bit) || is_blocked(&tocha_board_member_at(board, i)->wait, blocked))
        continue;
      blocked[i / 64] &= ~bit;
      changed = true;
    }
  }
}

/* Walks along waits that have settled, from the place `own`. reached_from[i]: the place before i, -1: none. Returns the last place
 * before the walk comes back, -1 if it does not. */
static int walk(const tocha_board *board, int own, int64_t now,
                int16_t reached_from[64 * TOCHA_WAIT_WORDS]) {
  int16_t queue[64 * TOCHA_WAIT_WORDS];
  int count = tocha_board_count(board), first = 0, last = 0;
  uint64_t blocked[TOCHA_WAIT_WORDS];
  if (count > 64 * TOCHA_WAIT_WORDS) count = 64 * TOCHA_WAIT_WORDS;
  find_blocked(board, count, now, blocked);
  for (int i = 0; i < count; i++) reached_from[i] = -1;
  for (queue[last++] = (int16_t)own; first < last; first++) {
    int at = queue[first];
    tocha_board_member *m = tocha_board_member_at(board, at);
    if (!(blocked[at / 64] >> at % 64 & 1)) continue;
    if (awaits(&m->wait, own)) return at;
    for (int to = 0; to < count; to++) {
      if (to == own || reached_from[to] >= 0 || !awaits(&m->wait, to)) continue;
      reached_from[to] = (int16_t)at;
      queue[last++] = (int16_t)to;
    }
  }
  return -1;
}

/* Describes the circle that ends with the place `last`. */
static void describe(const tocha_board *board, int last, const int16_t *reached_from, char *text,
                     size_t capacity) {
  enum { NAMED = 4 };
  int named = 0;
  size_t length =
      (size_t)snprintf(text, capacity, "Ranks wait for each other, and none can go on:");
  for (int at = last; at >= 0 && length < capacity; at = reached_from[at], named++) {
    tocha_board_member *m = tocha_board_member_at(board, at);
    if (named == NAMED) {
      snprintf(text + length, capacity - length, "; and others");
      return;
    }
    length += (size_t)snprintf(text + length, capacity - length, "%s rank %d in %.*s",
                               named ? ";" : "", m->rank, TOCHA_WAIT_TEXT - 1, m->wait.text);
  }
}

void tocha_look_for_circle(tocha_distributed *d, tocha_circle_look *look) {
  int64_t now = platform_nanoseconds();
  if (!d->board || now < look->kept_until) return;
  int16_t reached_from[64 * TOCHA_WAIT_WORDS];
  int own = tocha_board_own(d->board), last = -1;
  if (own >= 64 * TOCHA_WAIT_WORDS) return;
  tocha_board_wait *wait = &tocha_board_member_at(d->board, own)->wait;
  platform_lock(&d->mutex);
  const tocha_work *stuck = find_stuck(d);
  int64_t since = show(wait, look, stuck);
  if (since && now - since >= SETTLED) last = walk(d->board, own, now, reached_from);
  if (last >= 0) {
    char reason[TOCHA_REASON_SIZE];
    describe(d->board, last, reached_from, reason, sizeof reason);
    look->kept_until = now + KEPT;
    look->work = NULL;
    tocha_leave_seat(stuck->group, TOCHA_GAVE_UP, stuck->intent.place, reason);
    tocha_group_break(stuck->group, reason);
  }
  platform_unlock(&d->mutex);
}
