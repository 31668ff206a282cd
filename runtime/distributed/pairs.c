/* pairs.c: pairs of send and recv.
 *
 * A rank offers what it sends in its own seat. A rank that receives takes the oldest offer that is meant for it, says
 * so in the offer, and enters the engine; the sender enters it then. A rank on another host hears of the offer by a
 * letter, and answers by one. So neither waits in the engine for the other, sends and receives may begin in any
 * order, and two that do not fit are an error on both, after which the group goes on. */
#include "distributed/pairs.h"

#include <stdio.h>
#include <string.h>

#include "distributed/board.h"
#include "distributed/channel.h"
#include "distributed/check.h"
#include "distributed/mail.h"
#include "distributed/watch.h"
#include "platform/platform.h"

/* NAP: a thread that waits for other ranks wakes after so many nanoseconds to see if the group was broken. */
enum { NAP = 50000000 };

static tocha_seat *own_seat(const tocha_process_group *group) { return group->seats[group->rank]; }

static _Atomic uint32_t *bell_of(tocha_seat *seat, tocha_lane_kind kind) {
  return &seat->pair_bells[kind == TOCHA_LANE_RECEIVES];
}

static void ring(tocha_seat *seat, tocha_lane_kind kind) {
  atomic_fetch_add(bell_of(seat, kind), 1);
  platform_wake_word(bell_of(seat, kind));
}

static tocha_lane_kind kind_of(const tocha_lane *lane) {
  return lane == &lane->group->lanes[TOCHA_LANE_SENDS] ? TOCHA_LANE_SENDS : TOCHA_LANE_RECEIVES;
}

void tocha_ring_pairs(tocha_lane *lane) { ring(own_seat(lane->group), kind_of(lane)); }

/* --- failures ----------------------------------------------------------------------------------------- */

static void fail_late(tocha_work *w) {
  char operation[256], peer[32] = "any rank";
  if (w->transfer.root >= 0) snprintf(peer, sizeof peer, "rank %d", w->transfer.root);
  tocha_work_fail(w, TOCHA_BACKEND_ERROR,
                  "Timed out after %g s: rank %d was running %s, but %s has no %s with tag %u",
                  w->timeout, w->group->rank,
                  tocha_intent_text(&w->intent, operation, sizeof operation), peer,
                  w->transfer.kind == TOCHA_SEND ? "recv" : "send", (unsigned)w->intent.tag);
}

static void fail_gone(tocha_work *w, int r) {
  const tocha_process_group *group = w->group;
  tocha_seat *seat = group->seats[r];
  char operation[256], ending[704] = "";
  if (tocha_watch_describe_ending(group->world->watch, group->ranks[r], ending, 700))
    strcat(ending, "\n");
  tocha_intent_text(&w->intent, operation, sizeof operation);
  if (seat && atomic_load(&seat->presence) == TOCHA_GAVE_UP) {
    char reason[512];
    tocha_seat_reason(seat, r, reason, sizeof reason);
    tocha_work_fail(w, TOCHA_BACKEND_ERROR, "%s\n%srank %d was running %s", reason, ending,
                    group->rank, operation);
    return;
  }
  tocha_fail_left(w, r);
}

/* Sets the same failure on both ranks: what the sender offered, and what the receiver expects. */
static void fail_difference(tocha_work *w, int sender, const tocha_offer_side *sent, int receiver,
                            const tocha_offer_side *expected) {
  char from[32 + TOCHA_HOST_SIZE], to[32 + TOCHA_HOST_SIZE], one[32] = "", other[32] = "";
  if (sent->tag != expected->tag) {
    snprintf(one, sizeof one, " with tag %d", (int)sent->tag);
    snprintf(other, sizeof other, " with tag %d", (int)expected->tag);
  }
  tocha_work_fail(w, TOCHA_RUNTIME_ERROR,
                  "Detected mismatch between send and recv. Rank %d sends %lld elements of "
                  "torch.%s%s, but Rank %d receives %lld of torch.%s%s.\n"
                  "  %s: send at %.95s\n  %s: recv at %.95s",
                  sender, (long long)sent->count, tocha_dtype_name((tocha_dtype)sent->dtype), one,
                  receiver, (long long)expected->count,
                  tocha_dtype_name((tocha_dtype)expected->dtype), other,
                  tocha_rank_text(sender, sent->host, from, sizeof from), sent->place,
                  tocha_rank_text(receiver, expected->host, to, sizeof to), expected->place);
}

static tocha_offer_side side_of(const tocha_work *w) {
  tocha_offer_side side = {
      .count = w->transfer.count, .tag = w->intent.tag, .dtype = (uint8_t)w->transfer.dtype};
  memcpy(side.place, w->intent.place, sizeof side.place);
  if (w->group->spans_hosts) memcpy(side.host, w->group->world->own_host, sizeof side.host);
  return side;
}

/* Returns true if what one rank sends is what the other one receives. */
static bool is_same(const tocha_offer_side *sent, const tocha_offer_side *expected) {
  return sent->count == expected->count && sent->dtype == expected->dtype &&
         sent->tag == expected->tag;
}

/* Returns a copy of what another process wrote, made safe to read. */
static tocha_offer_side read_side(const tocha_offer_side *from) {
  tocha_offer_side side = *from;
  if (side.dtype >= TOCHA_DTYPE_COUNT) side.dtype = TOCHA_UINT8;
  side.place[sizeof side.place - 1] = side.host[sizeof side.host - 1] = '\0';
  return side;
}

static bool is_gone(const tocha_process_group *group, int r) {
  return tocha_presence_of(group, r) > TOCHA_PRESENT;
}

static void fail_of_store(tocha_work *w, int peer) {
  char operation[256];
  if (tocha_channel_is_broken(w)) return;
  tocha_work_fail(w, TOCHA_BACKEND_ERROR,
                  "the store, by which rank %d and rank %d of another host agree, does not answer\n"
                  "rank %d was running %s",
                  w->group->rank, peer, w->group->rank,
                  tocha_intent_text(&w->intent, operation, sizeof operation));
}

/* --- sending ------------------------------------------------------------------------------------------ */

/* Makes an offer known to the rank that it is for. Returns false with the failure. */
static bool announce(tocha_work *w, tocha_offer *o) {
  tocha_seat *seat = w->group->seats[o->to];
  if (seat) {
    ring(seat, TOCHA_LANE_RECEIVES);
    return true;
  }
  if (tocha_mail_offer(w->group, o)) return true;
  fail_of_store(w, o->to);
  return false;
}

/* Offers the send in a free place. Returns false if there is none, or with the failure. */
static bool offer(tocha_work *w) {
  tocha_seat *own = own_seat(w->group);
  for (int i = 0; i < TOCHA_OFFERS; i++) {
    tocha_offer *o = &own->offers[i];
    if (atomic_load(&o->state) != TOCHA_OFFER_FREE) continue;
    o->to = w->transfer.root;
    o->tag = w->transfer.tag;
    o->order = ++w->lane->offered;
    o->sent = side_of(w);
    w->offer = o;
    atomic_store(&o->state, TOCHA_OFFER_OPEN);
    return announce(w, o);
  }
  return false;
}

/* Takes the offer back. Returns false if a receiver has accepted it meanwhile. (One on another host whose answer is under way enters
 * its engine, and waits there until its own deadline.) */
static bool withdraw(tocha_work *w) {
  uint32_t open = TOCHA_OFFER_OPEN;
  if (w->offer && !atomic_compare_exchange_strong(&w->offer->state, &open, TOCHA_OFFER_FREE))
    return false;
  if (w->offer && !w->group->seats[w->transfer.root] && !atomic_load(&w->group->broken))
    tocha_mail_withdraw(w->group, w->offer);
  w->offer = NULL;
  return true;
}

/* Lets a send go on as far as it can. Returns true if it has ended. */
static bool advance_send(tocha_work *w) {
  int to = w->transfer.root;
  if (!w->offer && !tocha_channel_is_broken(w) && !offer(w) && !w->code) return false;
  uint32_t state = w->offer ? atomic_load(&w->offer->state) : TOCHA_OFFER_FREE;
  if (state == TOCHA_OFFER_ACCEPTED) {
    tocha_work_transfer(w);
  } else if (state == TOCHA_OFFER_REFUSED) {
    tocha_offer_side expected = read_side(&w->offer->expected), sent = side_of(w);
    fail_difference(w, w->group->rank, &sent, to, &expected);
  } else {
    bool late = platform_nanoseconds() >= w->transfer.deadline;
    if (!tocha_channel_is_broken(w) && !late && !is_gone(w->group, to)) return false;
    if (!withdraw(w)) return false; /* accepted just now */
    if (is_gone(w->group, to))
      fail_gone(w, to);
    else
      fail_late(w);
    return true;
  }
  atomic_store(&w->offer->state, TOCHA_OFFER_FREE);
  return true;
}

/* --- receiving ---------------------------------------------------------------------------------------- */

/* Returns the oldest open offer of rank `from` that is meant for the receive, or NULL. */
static tocha_offer *find_offer(const tocha_work *w, int from) {
  tocha_seat *seat = w->group->seats[from];
  tocha_offer *oldest = NULL;
  for (int i = 0; i < TOCHA_OFFERS; i++) {
    tocha_offer *o = &seat->offers[i];
    if (atomic_load(&o->state) != TOCHA_OFFER_OPEN || o->to != w->group->rank ||
        o->tag != w->transfer.tag)
      continue;
    if (!oldest || o->order < oldest->order) oldest = o;
  }
  return oldest;
}

/* Receives what a rank sends, which has been told so. */
static void receive_from(tocha_work *w, int from) {
  platform_lock(&w->group->world->mutex); /* the watch reads for which rank this one waits */
  w->transfer.root = from;
  platform_unlock(&w->group->world->mutex);
  tocha_work_transfer(w);
  w->transfer.source = from;
}

/* Accepts the offer and receives, or refuses it. Returns false if it was taken back meanwhile. */
static bool take(tocha_work *w, int from, tocha_offer *o) {
  tocha_offer_side sent = read_side(&o->sent), own = side_of(w);
  bool fits = is_same(&sent, &own);
  uint32_t open = TOCHA_OFFER_OPEN;
  if (!fits) o->expected = own;
  if (!atomic_compare_exchange_strong(&o->state, &open,
                                      fits ? TOCHA_OFFER_ACCEPTED : TOCHA_OFFER_REFUSED))
    return false;
  ring(w->group->seats[from], TOCHA_LANE_SENDS);
  if (fits) {
    receive_from(w, from);
  } else {
    fail_difference(w, from, &sent, w->group->rank, &own);
  }
  return true;
}

/* Takes an offer of a rank on another host, as above. */
static bool take_letter(tocha_work *w, int from, const tocha_offer *o) {
  tocha_offer_side sent = read_side(&o->sent), own = side_of(w);
  bool fits = is_same(&sent, &own), is_there;
  bool answered = tocha_mail_take(w->group, from, o, fits ? NULL : &own, &is_there);
  if (!is_there) return false;
  if (!answered) {
    fail_of_store(w, from);
  } else if (fits) {
    receive_from(w, from);
  } else {
    fail_difference(w, from, &sent, w->group->rank, &own);
  }
  return true;
}

/* Takes what the rank has offered. Returns false if there is nothing. */
static bool take_from(tocha_work *w, int from) {
  if (!w->group->seats[from]) {
    tocha_offer letter;
    return from != w->group->rank && tocha_mail_find(w->group, from, w->transfer.tag, &letter) &&
           take_letter(w, from, &letter);
  }
  tocha_offer *o = find_offer(w, from);
  return o && take(w, from, o);
}

/* Returns a rank that has left, if the receive waits for no other one, else -1. */
static int find_gone(const tocha_work *w) {
  const tocha_process_group *group = w->group;
  int gone = -1;
  if (w->transfer.root >= 0) return is_gone(group, w->transfer.root) ? w->transfer.root : -1;
  for (int r = 0; r < group->size; r++) {
    if (r == group->rank) continue;
    if (!is_gone(group, r)) return -1;
    gone = r;
  }
  return gone;
}

static bool advance_receive(tocha_work *w) {
  tocha_process_group *group = w->group;
  int from = w->transfer.root;
  int gone = find_gone(w); /* before the offers: it may have offered, and left */
  for (int r = from >= 0 ? from : 0; r < (from >= 0 ? from + 1 : group->size); r++)
    if (take_from(w, r)) return true;
  if (tocha_channel_is_broken(w)) return true;
  bool late = platform_nanoseconds() >= w->transfer.deadline;
  if (gone >= 0) fail_gone(w, gone);
  if (late) fail_late(w);
  return gone >= 0 || late;
}

/* --- lanes -------------------------------------------------------------------------------------------- */

/* Returns true if an operation before `w` in the list waits for the same rank and tag: they keep their order. */
static bool is_behind(const tocha_work *list, const tocha_work *w) {
  for (; list != w; list = list->next)
    if (list->transfer.root == w->transfer.root && list->transfer.tag == w->transfer.tag)
      return true;
  return false;
}

/* Moves the queue of the script to the end of the thread's own list. Returns false if the lane ends and nothing is left. */
static bool collect(tocha_lane *lane, tocha_work **list) {
  platform_lock(&lane->group->mutex);
  tocha_work *first = lane->first;
  bool ends = lane->ends;
  lane->first = NULL;
  platform_unlock(&lane->group->mutex);
  while (*list) list = &(*list)->next;
  *list = first;
  for (; first; first = first->next) tocha_work_take_turn(first);
  return !ends;
}

static void run_pairs(tocha_lane *lane, bool advance(tocha_work *w)) {
  _Atomic uint32_t *bell = bell_of(own_seat(lane->group), kind_of(lane));
  tocha_work *list = NULL;
  for (;;) {
    uint32_t before = atomic_load(bell);
    bool goes_on = collect(lane, &list), moved = false;
    if (!goes_on && !list) return;
    for (tocha_work **at = &list, *w; (w = *at);) {
      tocha_work *next = w->next;
      if (is_behind(list, w) || !advance(w)) {
        at = &w->next;
        continue;
      }
      *at = next;
      moved = true;
      tocha_work_finish(w);
    }
    if (!moved) platform_wait_word(bell, before, NAP);
  }
}

void *tocha_run_sends(void *lane) {
  run_pairs(lane, advance_send);
  return NULL;
}

void *tocha_run_receives(void *lane) {
  run_pairs(lane, advance_receive);
  return NULL;
}
