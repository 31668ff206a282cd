/* coalesced.c: collects operations of a group, and begins them as one.
 *
 * The leader is queued with the group's collectives. One of collectives is compared between ranks as a whole. One of sends and receives goes
 * to the engine at once, because some of its members may have to move before others can: a rank sends on what another has to receive before
 * it can answer. Its members are compared beside that, as all sends and receives are (pairs.h); a difference ends the group. */
#include "distributed/coalesced.h"

#include <stdlib.h>
#include <string.h>

#include "distributed/channel.h"
#include "distributed/check.h"
#include "distributed/flight.h"
#include "distributed/pairs.h"
#include "distributed/recorder.h"

static bool is_pair(const tocha_work *w) {
  return w->transfer.kind == TOCHA_SEND || w->transfer.kind == TOCHA_RECV;
}

static tocha_form form_of(tocha_collective kind) {
  switch (kind) {
  case TOCHA_ALL_REDUCE:
    return TOCHA_FORM_ALL_REDUCE_COALESCED;
  case TOCHA_ALL_GATHER:
    return TOCHA_FORM_ALL_GATHER_COALESCED;
  case TOCHA_REDUCE_SCATTER:
    return TOCHA_FORM_REDUCE_SCATTER_COALESCED;
  case TOCHA_SEND:
  case TOCHA_RECV:
    return TOCHA_FORM_BATCH;
  default:
    return TOCHA_FORM_NONE;
  }
}

/* --- collecting --------------------------------------------------------------------------------------- */

bool tocha_group_coalesces(tocha_context *cx, tocha_process_group *group, tocha_device device) {
  group = tocha_group_or_default(cx, group);
  const tocha_engine *engine = group ? tocha_group_engine(cx, group, device) : NULL;
  return engine && engine->coalesces;
}

bool tocha_coalescing_start(tocha_context *cx, tocha_process_group *group) {
  group = tocha_group_or_default(cx, group);
  if (!group) return false;
  if (group->collector)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "ProcessGroup has non-empty op list at the start of coalescing");
  group->collector = tocha_work_new(cx, group, TOCHA_COALESCED, TOCHA_FORM_NONE, tocha_cpu());
  return group->collector != NULL;
}

void tocha_coalescing_drop(tocha_context *cx, tocha_process_group *group) {
  if (!group && tocha_distributed_is_initialized(cx)) group = cx->distributed->world;
  if (!group || !group->collector) return;
  tocha_work_drop(group->collector);
  group->collector = NULL;
}

/* Returns true if the operation may begin together with those before it. Else sets the error. */
static bool fits(tocha_context *cx, const tocha_work *leader, const tocha_work *w) {
  const tocha_work *first = leader->members;
  const tocha_engine *engine = w->group->engines[w->device];
  if (!engine->coalesces)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Backend %s does not implement startCoalescing",
                      engine->name);
  if (form_of(w->transfer.kind) == TOCHA_FORM_NONE)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s cannot be coalesced",
                      tocha_form_name(w->intent.form));
  if (w->transfer.kind == TOCHA_RECV && w->transfer.root < 0)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "recv from any rank cannot be coalesced: name the source");
  if (!first || (form_of(first->transfer.kind) == form_of(w->transfer.kind) &&
                 first->transfer.op == w->transfer.op && first->device == w->device))
    return true;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "coalesced operations are of one kind, reduction and device, but %s follows %s",
                    tocha_form_name(w->intent.form), tocha_form_name(first->intent.form));
}

tocha_work *tocha_coalesce(tocha_context *cx, tocha_work *w) {
  tocha_work *leader = w->group->collector, **at = &leader->members;
  if (!fits(cx, leader, w)) return tocha_work_drop(w);
  while (*at) at = &(*at)->next_member;
  *at = w;
  tocha_refcount_retain(&w->owners);
  w->leader = leader;
  leader->transfer.member_count++;
  return w;
}

/* --- beginning ---------------------------------------------------------------------------------------- */

/* Describes the leader to other ranks: the numbers of elements of the first members, and a digest of all. */
static void declare(tocha_work *leader) {
  const tocha_work *first = leader->members;
  tocha_intent *i = &leader->intent;
  uint64_t digest = 0;
  int n = 0;
  *i = first->intent;
  memcpy(i->place, leader->group->world->place, sizeof i->place);
  i->form = (uint8_t)form_of(first->transfer.kind);
  i->root = i->peer = -1;
  i->count = 0;
  for (const tocha_work *m = first; m; m = m->next_member, n++) {
    digest = digest * 31 + tocha_intent_digest(&m->intent);
    i->count += m->intent.count;
    if (n < TOCHA_INTENT_DIMS) i->sizes[n] = m->intent.count;
  }
  i->ndim = (uint8_t)(n < UINT8_MAX ? n : UINT8_MAX);
  i->all_sizes = digest;
}

/* Hands the members' transfers to the engine. Returns false with an error. */
static bool list_transfers(tocha_context *cx, tocha_work *leader) {
  tocha_transfer *list = calloc((size_t)leader->transfer.member_count, sizeof *list);
  if (!list) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "no memory for an operation");
  leader->transfer.members = leader->member_transfers = list;
  for (const tocha_work *m = leader->members; m; m = m->next_member) *list++ = m->transfer;
  return true;
}

tocha_work *tocha_coalescing_end(tocha_context *cx, tocha_process_group *group, bool async) {
  group = tocha_group_or_default(cx, group);
  if (!group) return NULL;
  tocha_work *leader = group->collector;
  group->collector = NULL;
  if (!leader)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "tocha_coalescing_start comes before its end");
  if (!leader->members) return tocha_work_drop(leader);
  const tocha_work *first = leader->members;
  leader->device = first->device;
  leader->transfer.dtype = first->transfer.dtype;
  declare(leader);
  leader->transfer.count = leader->intent.count;
  if (!list_transfers(cx, leader)) return tocha_work_drop(leader);
  if (is_pair(first))
    for (tocha_work *m = leader->members; m; m = m->next_member) {
      m->transfer.tag = (uint32_t)TOCHA_TAG_OF_BATCH;
      leader->awaited += 1 + (m == first); /* 1 for its own run */
    }
  return tocha_work_start(cx, leader, async);
}

/* --- sends and receives meet their ranks ------------------------------------------------------------------ */

void tocha_members_start(tocha_work *leader) {
  const tocha_process_group *group = leader->group;
  if (!atomic_load(&leader->awaited)) return;
  for (tocha_work *m = leader->members, *next; m; m = next) {
    next = m->next_member; /* the last one may end them all */
    m->begun = leader->begun;
    m->record = tocha_record(group->world->recorder, group, &m->intent, 0, m->timeout);
    if (group->seats && tocha_work_enqueue(m)) continue;
    if (group->seats)
      tocha_work_fail(m, TOCHA_RUNTIME_ERROR, "no thread can be started for a process group");
    tocha_coalesced_arrive(m);
  }
}

/* Gives the group up because of a member: the engine has begun what does not fit. */
static void give_up(tocha_work *m) {
  if (atomic_load(&m->group->broken)) return;
  const char *reason = m->message ? m->message : "memory is exhausted";
  tocha_leave_seat(m->group, TOCHA_GAVE_UP, m->intent.place, reason);
  tocha_group_break(m->group, reason);
}

static void end_member(tocha_work *m) {
  tocha_record_change(m->group->world->recorder, m->record,
                      m->code ? TOCHA_RECORD_FAILED : TOCHA_RECORD_COMPLETED);
  if (m->code) give_up(m);
  atomic_store(&m->done, true);
}

void tocha_coalesced_arrive(tocha_work *w) {
  tocha_work *leader = w->leader ? w->leader : w;
  atomic_int *transfers = &w->group->world->transfers;
  if (w->leader)
    end_member(w);
  else if (w->transfer.is_pending) /* no engine works for a rank that waits for others */
    atomic_fetch_sub(transfers, 1);
  if (!w->leader) atomic_store(&w->has_run, true);
  if (atomic_fetch_sub(&leader->awaited, 1) > 1) return;
  for (const tocha_work *m = leader->members; m; m = m->next_member) {
    if (!m->code) continue;
    tocha_work_fail(leader, m->code, "%s", m->message ? m->message : "memory is exhausted");
    leader->is_lost = true;
  }
  if (!leader->transfer.is_pending) {
    tocha_work_end(leader);
    return;
  }
  atomic_fetch_add(transfers, 1);
  tocha_flight_begin(leader);
}

void tocha_members_free(tocha_work *leader) {
  for (tocha_work *m = leader->members, *next; m; m = next) {
    next = m->next_member;
    m->leader = NULL; /* a host may keep it; it has ended */
    m->is_released = m->is_settled = true;
    atomic_store(&m->done, true);
    tocha_work_drop(m);
  }
  free(leader->member_transfers);
}
