/* check.c: the check of the ranks of a host, by way of the board. */
#include "distributed/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "distributed/channel.h"
#include "distributed/circle.h"
#include "distributed/hosts.h"
#include "distributed/log.h"
#include "distributed/questions.h"
#include "distributed/watch.h"
#include "platform/platform.h"

/* SPIN: nanoseconds that a script which waits looks for the other ranks before it sleeps. NAP: a wait wakes after so many to see
 * if the group was broken. */
enum { SPIN = 50000, NAP = 50000000 };

static tocha_board_entry *entry_of(tocha_seat *seat, uint64_t sequence) {
  return &seat->entries[sequence & 1];
}

static int64_t *counts_of(tocha_seat *seat, uint64_t sequence, int size) {
  return seat->counts + (sequence & 1) * 2 * (size_t)size;
}

/* --- posting ------------------------------------------------------------------------------------------ */

static void post(tocha_work *w) {
  tocha_process_group *group = w->group;
  tocha_seat *own = group->seats[group->rank];
  tocha_board_entry *e = entry_of(own, w->sequence);
  if (w->counts)
    memcpy(counts_of(own, w->sequence, group->size), w->counts,
           2 * (size_t)group->size * sizeof *w->counts);
  e->intent = w->intent;
  e->digest = tocha_intent_digest(&w->intent);
  e->posted = w->started;
  atomic_store(&e->sequence, w->sequence);
  for (int r = 0; r < group->size; r++) {
    tocha_seat *seat = group->seats[r];
    if (!seat || seat == own || !atomic_load(&seat->sleeps)) continue;
    atomic_fetch_add(&seat->bell, 1);
    platform_wake_word(&seat->bell);
  }
}

void tocha_leave_seat(tocha_process_group *group, tocha_presence presence, const char *place,
                      const char *reason) {
  tocha_seat *own = group->seats ? group->seats[group->rank] : NULL;
  if (!own || atomic_load(&own->presence) > TOCHA_PRESENT) return;
  snprintf(own->place, sizeof own->place, "%s", place);
  if (reason) snprintf(own->reason, sizeof own->reason, "%.*s", (int)strcspn(reason, "\n"), reason);
  atomic_store(&own->presence, presence);
  if (group->spans_hosts)
    tocha_watch_tell_leaving(group->world->watch, group, presence == TOCHA_GAVE_UP, place, reason);
  for (int r = 0; r < group->size; r++) {
    tocha_seat *seat = group->seats[r];
    if (!seat || seat == own) continue;
    atomic_fetch_add(&seat->bell, 1);
    platform_wake_word(&seat->bell);
  }
}

tocha_presence tocha_presence_of(const tocha_process_group *group, int r) {
  return group->seats[r] ? atomic_load(&group->seats[r]->presence)
                         : atomic_load(&group->remotes[r].presence);
}

void tocha_fail_left(tocha_work *w, int r) {
  const tocha_process_group *group = w->group;
  char operation[256], place[TOCHA_PLACE_SIZE], ending[704] = "";
  const tocha_seat *seat = group->seats[r];
  memcpy(place, seat ? seat->place : group->remotes[r].place, sizeof place);
  place[sizeof place - 1] = '\0';
  if (tocha_watch_describe_ending(group->world->watch, group->ranks[r], ending, 700))
    strcat(ending, "\n");
  tocha_work_fail(w, TOCHA_BACKEND_ERROR,
                  "%sRank %d has left the group%s%s, but rank %d is running %s", ending, r,
                  place[0] ? " at " : "", place, group->rank,
                  tocha_intent_text(&w->intent, operation, sizeof operation));
}

/* --- waiting ------------------------------------------------------------------------------------------ */

static bool has_begun(const tocha_work *w, tocha_seat *seat) {
  return atomic_load_explicit(&entry_of(seat, w->sequence)->sequence, memory_order_acquire) >=
         w->sequence;
}

int tocha_find_missing(const tocha_work *w, int from) {
  const tocha_process_group *group = w->group;
  for (int r = from; r < group->size; r++) {
    tocha_seat *seat = group->seats[r];
    if (seat && (!has_begun(w, seat) || atomic_load(&seat->presence) == TOCHA_GAVE_UP)) return r;
  }
  return group->size;
}

/* Returns true if the rank, which is missing, will not come. */
static bool is_gone(const tocha_work *w, int r) {
  tocha_seat *seat = w->group->seats[r];
  uint32_t presence = atomic_load(&seat->presence);
  return presence == TOCHA_GAVE_UP ||
         (presence == TOCHA_LEFT && !has_begun(w, seat)); /* it may have come just before */
}

/* Describes the last operation that a rank has begun in the group. */
static void describe_last(const tocha_work *w, int r, char *text, size_t capacity) {
  tocha_seat *seat = w->group->seats[r];
  tocha_intent intent;
  uint64_t last = w->sequence - 1;
  const tocha_board_entry *e = entry_of(seat, last);
  if (!last || atomic_load(&e->sequence) != last) {
    snprintf(text, capacity, "it has begun no operation in this group");
    return;
  }
  intent = e->intent;
  char operation[256];
  snprintf(text, capacity, "its last operation in this group was %s",
           tocha_intent_text(&intent, operation, sizeof operation));
}

void tocha_seat_reason(tocha_seat *seat, int rank, char *text, size_t capacity) {
  snprintf(text, capacity, "%.*s\nfor this reason rank %d gave up%s%.*s", TOCHA_SEAT_REASON - 1,
           seat->reason, rank, seat->place[0] ? " at " : "", TOCHA_PLACE_SIZE - 1, seat->place);
}

static void fail_gone(tocha_work *w, int r) {
  tocha_process_group *group = w->group;
  tocha_seat *seat = group->seats[r];
  char own[256], last[512], ending[704] = "";
  tocha_intent_text(&w->intent, own, sizeof own);
  if (tocha_watch_describe_ending(group->world->watch, group->ranks[r], ending, 700))
    strcat(ending, "\n");
  if (atomic_load(&seat->presence) == TOCHA_GAVE_UP) {
    tocha_seat_reason(seat, r, last, sizeof last);
    tocha_work_fail(w, TOCHA_BACKEND_ERROR, "%s\n%srank %d was running %s", last, ending,
                    group->rank, own);
    return;
  }
  describe_last(w, r, last, sizeof last);
  tocha_work_fail(w, TOCHA_BACKEND_ERROR,
                  "%sRank %d has left the group%s%.*s, but rank %d is running %s\n%s", ending, r,
                  seat->place[0] ? " at " : "", TOCHA_PLACE_SIZE - 1, seat->place, group->rank, own,
                  last);
}

static void fail_missing(tocha_work *w, int r) {
  char own[256], last[320], others[160] = "";
  int more = 0;
  for (int other = tocha_find_missing(w, r + 1); other < w->group->size;
       other = tocha_find_missing(w, other + 1))
    more++;
  if (more) snprintf(others, sizeof others, " (and %d more)", more);
  describe_last(w, r, last, sizeof last);
  tocha_work_fail(w, TOCHA_BACKEND_ERROR,
                  "Timed out after %g s: rank %d%s did not come to %s of rank %d\nrank %d: %s",
                  w->timeout, r, others, tocha_intent_text(&w->intent, own, sizeof own),
                  w->group->rank, r, last);
}

/* Returns true if the operation is one between two ranks. */
static bool is_pair(const tocha_work *w) {
  return w->transfer.kind == TOCHA_SEND || w->transfer.kind == TOCHA_RECV;
}

/* Returns the first rank from `from` on that a member of sends and receives waits for, and sets *member; the group's size if there is
 * none. */
static int find_awaited_member(const tocha_work *w, int from, const tocha_work **member) {
  int first = w->group->size;
  for (const tocha_work *m = w->members; m; m = m->next_member) {
    if (atomic_load(&m->done) || m->transfer.root < from || m->transfer.root >= first) continue;
    first = m->transfer.root;
    *member = m;
  }
  return first;
}

int tocha_find_awaited(const tocha_work *w, int from) {
  int peer = w->transfer.root;
  const tocha_work *member;
  if (w->intent.form == TOCHA_FORM_BATCH) return find_awaited_member(w, from, &member);
  if (is_pair(w)) return peer >= from && w->group->seats ? peer : w->group->size;
  return w->group->seats && w->sequence ? tocha_find_missing(w, from) : w->group->size;
}

void tocha_append_phases(const tocha_work *w, tocha_text *text) {
  enum { NAMED = 4 };
  const tocha_process_group *group = w->group;
  int named = 0;
  if (!group->seats || !w->sequence || tocha_find_missing(w, 0) < group->size) return;
  for (int r = 0; r < group->size && named < NAMED; r++) {
    tocha_seat *seat = group->seats[r];
    if (!seat || atomic_load(&seat->moved) >= w->sequence) continue;
    bool moves = atomic_load(&seat->moving) >= w->sequence;
    double seconds = (double)(platform_nanoseconds() - atomic_load(&seat->sign)) * 1e-9;
    tocha_text_format(text, "\nrank %d %s its data phase%s", r,
                      moves ? "is in" : "has come, and has not begun", moves ? "" : " yet");
    if (moves) tocha_text_format(text, ", and gave its last sign %.1f s ago", seconds);
    named++;
  }
}

char *tocha_describe_wait(tocha_work *w) {
  enum { NAMED = 4 };
  tocha_process_group *group = w->group;
  char operation[256], last[320];
  tocha_text text = {0};
  tocha_text_format(&text, "rank %d has waited for %.0f s in %s", group->rank,
                    (double)(platform_nanoseconds() - w->begun) * 1e-9,
                    tocha_intent_text(&w->intent, operation, sizeof operation));
  int named = 0;
  for (int r = tocha_find_awaited(w, 0); r < group->size && named < NAMED;
       r = tocha_find_awaited(w, r + 1), named++) {
    const tocha_work *pair = w;
    if (w->intent.form == TOCHA_FORM_BATCH) find_awaited_member(w, r, &pair);
    if (group->seats[r] && !is_pair(pair))
      describe_last(w, r, last, sizeof last);
    else
      snprintf(last, sizeof last, "it has no %s for it",
               pair->transfer.kind == TOCHA_SEND ? "recv" : "send");
    tocha_text_format(&text, "\nrank %d has not come: %s", r, last);
    tocha_append_answer(w, r, &text);
  }
  tocha_append_phases(w, &text);
  tocha_append_remote_answers(w, &text);
  return tocha_text_finish(NULL, &text);
}

/* Sleeps until another rank rings, at most until `until`. */
static void nap(tocha_work *w, int missing, int64_t until) {
  tocha_seat *own = w->group->seats[w->group->rank];
  uint32_t bell = atomic_load(&own->bell);
  atomic_store(&own->sleeps, 1);
  if (tocha_find_missing(w, missing) == missing && !is_gone(w, missing)) {
    int64_t left = until - platform_nanoseconds();
    if (left > 0) platform_wait_word(&own->bell, bell, left < NAP ? left : NAP);
  }
  atomic_store(&own->sleeps, 0);
}

/* Looks for all ranks of this host, for so many nanoseconds. Returns the first one that is missing, the group's size if all
 * came. */
static int look(const tocha_work *w, int64_t spin) {
  int missing = tocha_find_missing(w, 0);
  if (missing == w->group->size || !spin) return missing;
  int64_t until = platform_nanoseconds() + spin;
  for (unsigned turn = 1;; turn++) {
    missing = tocha_find_missing(w, missing);
    if (missing == w->group->size || (turn % 16 == 0 && platform_nanoseconds() >= until))
      return missing;
    platform_pause();
  }
}

typedef enum arrival { ALL_CAME, NOT_YET, FAILED } arrival;

/* Looks for all ranks of this host, and sleeps a little if one is missing. */
static arrival meet_for_a_while(tocha_work *w, int64_t spin) {
  int missing = look(w, spin);
  if (missing == w->group->size) return ALL_CAME;
  if (tocha_channel_is_broken(w)) return FAILED;
  if (is_gone(w, missing))
    fail_gone(w, missing);
  else if (platform_nanoseconds() >= w->transfer.deadline)
    fail_missing(w, missing);
  else
    nap(w, missing, w->transfer.deadline);
  return w->code ? FAILED : NOT_YET;
}

/* --- comparing ---------------------------------------------------------------------------------------- */

/* Returns the first rank whose operation differs from that of `first`, the group's size if none does. */
static int find_difference(const tocha_work *w, int first) {
  const tocha_process_group *group = w->group;
  uint64_t digest = entry_of(group->seats[first], w->sequence)->digest;
  for (int r = first + 1; r < group->size; r++)
    if (group->seats[r] && entry_of(group->seats[r], w->sequence)->digest != digest) return r;
  return group->size;
}

static int find_first(const tocha_process_group *group) {
  int first = 0;
  while (!group->seats[first]) first++;
  return first;
}

/* Appends each rank's operation in a line; ranks that do the same share one. */
static void list_versions(const tocha_work *w, tocha_text *text) {
  const tocha_process_group *group = w->group;
  enum { LINES = 16 };
  int lines = 0;
  for (int r = 0; r < group->size && lines < LINES; r++) {
    if (!group->seats[r]) continue;
    char operation[320];
    tocha_intent intent = entry_of(group->seats[r], w->sequence)->intent;
    tocha_text_format(text, "\n  rank %d: %s", r,
                      tocha_intent_text(&intent, operation, sizeof operation));
    lines++;
  }
  if (lines == LINES) tocha_text_string(text, "\n  ...");
}

static void finish_failure(tocha_work *w, tocha_text *text) {
  char *message = tocha_text_finish(NULL, text);
  tocha_work_fail(w, TOCHA_RUNTIME_ERROR, "%s", message ? message : "no memory for a message");
  free(message);
}

static void fail_difference(tocha_work *w, int a, int b) {
  char one[640], other[640], difference[640];
  tocha_intent x = entry_of(w->group->seats[a], w->sequence)->intent;
  tocha_intent y = entry_of(w->group->seats[b], w->sequence)->intent;
  tocha_text text = {0};
  tocha_text_format(&text,
                    "Detected mismatch between collectives on ranks. Rank %d is running "
                    "collective: %s, but Rank %d is running collective: %s.Collectives differ in "
                    "the following aspects: %s",
                    a, tocha_intent_fingerprint(&x, w->sequence, one, sizeof one), b,
                    tocha_intent_fingerprint(&y, w->sequence, other, sizeof other),
                    tocha_intent_difference(&x, &y, difference, sizeof difference));
  list_versions(w, &text);
  finish_failure(w, &text);
}

/* Notes if the parts of a rank of this host are not even: then they are not, also for the others. */
static void note_uneven(tocha_work *w) {
  for (int r = 0; r < w->group->size; r++) {
    tocha_seat *seat = w->group->seats[r];
    if (seat && !entry_of(seat, w->sequence)->intent.is_even) w->transfer.is_even = false;
  }
}

/* Compares what each rank sends to each with what that one expects. Returns false with the failure. */
static bool check_counts(tocha_work *w) {
  tocha_process_group *group = w->group;
  int size = group->size;
  for (int from = 0; from < size; from++) {
    if (!group->seats[from]) continue;
    const int64_t *sent = counts_of(group->seats[from], w->sequence, size) + size;
    for (int to = 0; to < size; to++) {
      if (!group->seats[to]) continue;
      int64_t expected = counts_of(group->seats[to], w->sequence, size)[from];
      if (sent[to] == expected) continue;
      tocha_text text = {0};
      tocha_text_format(&text,
                        "Detected mismatch between collectives on ranks. Rank %d sends %lld "
                        "elements to Rank %d, which expects %lld.",
                        from, (long long)sent[to], to, (long long)expected);
      list_versions(w, &text);
      finish_failure(w, &text);
      return false;
    }
  }
  return true;
}

/* Compares the operations of all ranks, which are there. Returns false with the failure. */
static bool compare(tocha_work *w) {
  tocha_process_group *group = w->group;
  int first = find_first(group), other = find_difference(w, first);
  if (other < group->size) {
    fail_difference(w, first, other);
    return false;
  }
  if (!w->counts) return true;
  note_uneven(w);
  return check_counts(w);
}

/* Ends the check of ranks that are there, or that do not come. Returns false with the failure. */
static bool conclude(tocha_work *w, bool all_came) {
  tocha_process_group *group = w->group;
  if (all_came) tocha_log_arrivals(w);
  if (!all_came) {
    tocha_leave_seat(group, TOCHA_GAVE_UP, w->intent.place, w->message);
    tocha_group_break(group, w->message);
    return false;
  }
  if (group->spans_hosts)
    return tocha_check_hosts(w); /* others wait for this rank, also if those of this host differ */
  return compare(w);
}

/* Returns true if the script has to look at an interrupt, a report or a question. */
static bool looks_elsewhere(tocha_context *cx, const tocha_work *w) {
  bool takes_long = platform_nanoseconds() - w->begun >= w->group->world->report_after;
  return takes_long || cx->interrupted.poll || tocha_is_requested(&cx->interrupted) ||
         tocha_distributed_is_asked(cx);
}

bool tocha_check_ranks_here(tocha_context *cx, tocha_work *w) {
  int64_t spin = w->group->world->may_spin ? SPIN : 0;
  post(w);
  w->is_posted = true;
  arrival arrived = meet_for_a_while(w, spin);
  if (arrived == NOT_YET) {
    tocha_note_wait(w->group->world, w);
    while (arrived == NOT_YET && !looks_elsewhere(cx, w)) arrived = meet_for_a_while(w, spin);
    tocha_note_wait(w->group->world, NULL);
  }
  if (arrived == NOT_YET) return false;
  conclude(w, arrived == ALL_CAME);
  return true;
}

bool tocha_check_ranks(tocha_work *w) {
  tocha_process_group *group = w->group;
  if (!group->seats) return !group->spans_hosts || tocha_check_hosts(w);
  if (!w->is_posted) post(w);
  arrival arrived;
  /* The script may be computing on the processor on which this thread would spin. */
  do arrived = meet_for_a_while(w, 0);
  while (arrived == NOT_YET);
  return conclude(w, arrived == ALL_CAME);
}
