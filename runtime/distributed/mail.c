/* mail.c: letters between ranks of several hosts.
 *
 * Names in the store of this meeting:
 *   mail/RANK     how many letters rank RANK of the world has been sent
 *   mail/RANK/N   its letter N, from 1; it deletes what it has read */
#include "distributed/mail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/pairs.h"
#include "platform/platform.h"

/* Nanoseconds. LISTEN: for a letter, until it is seen that the mail ends. PATIENCE: for the store to answer. */
static const int64_t LISTEN = 1000000000, PATIENCE = STORE_SILENCE * (int64_t)1000000000,
                     PAUSE = 50000000;

typedef enum letter_kind { LETTER_OFFER, LETTER_WITHDRAWAL, LETTER_ANSWER } letter_kind;

/* In the store. Its ranks are those of the group. */
typedef struct letter {
  uint64_t group; /* its number */
  int32_t kind, from;
  int32_t fits; /* of an answer */
  uint32_t tag;
  uint64_t order;
  tocha_offer_side side; /* what is sent, or, in an answer, what was expected */
} letter;

/* An offer that waits for a recv. */
typedef struct waiting {
  struct waiting *next;
  letter offer;
} waiting;

struct tocha_mail {
  tocha_distributed *world;
  int rank;
  tocha_store *reads, *writes; /* a connection each */
  platform_mutex mutex;
  waiting *offers; /* the oldest last; under the mutex */
  atomic_bool ends;
  platform_thread thread;
};

/* --- sending -------------------------------------------------------------------------------------------- */

static bool post(const tocha_process_group *group, int to, const letter *l) {
  tocha_mail *mail = group->world->mail;
  tocha_store_failure failure;
  char name[64];
  int64_t number;
  snprintf(name, sizeof name, "mail/%d", group->ranks[to]);
  if (!store_add(mail->writes, name, 1, platform_nanoseconds() + PATIENCE, &number, &failure))
    return false;
  snprintf(name, sizeof name, "mail/%d/%lld", group->ranks[to], (long long)number);
  return store_set(mail->writes, name, l, sizeof *l, &failure);
}

static letter letter_of(const tocha_process_group *group, letter_kind kind,
                        const tocha_offer *offer) {
  return (letter){.group = group->number,
                  .kind = kind,
                  .from = group->rank,
                  .tag = offer->tag,
                  .order = offer->order,
                  .side = offer->sent};
}

bool tocha_mail_offer(const tocha_process_group *group, const tocha_offer *offer) {
  letter l = letter_of(group, LETTER_OFFER, offer);
  return post(group, offer->to, &l);
}

bool tocha_mail_withdraw(const tocha_process_group *group, const tocha_offer *offer) {
  letter l = letter_of(group, LETTER_WITHDRAWAL, offer);
  return post(group, offer->to, &l);
}

/* --- offers of others ----------------------------------------------------------------------------------- */

static bool is_from(const waiting *w, const tocha_process_group *group, int from) {
  return w->offer.group == group->number && w->offer.from == from;
}

bool tocha_mail_find(const tocha_process_group *group, int from, uint32_t tag, tocha_offer *offer) {
  tocha_mail *mail = group->world->mail;
  bool found = false;
  platform_lock(&mail->mutex);
  for (const waiting *w = mail->offers; w; w = w->next) {
    if (!is_from(w, group, from) || w->offer.tag != tag) continue;
    *offer = (tocha_offer){.tag = tag, .order = w->offer.order, .sent = w->offer.side};
    found = true;
  }
  platform_unlock(&mail->mutex);
  return found;
}

/* Removes an offer from those that wait. Returns false if it is not there. */
static bool remove_offer(tocha_mail *mail, uint64_t group, int from, uint64_t order) {
  platform_lock(&mail->mutex);
  waiting **at = &mail->offers;
  while (*at &&
         ((*at)->offer.group != group || (*at)->offer.from != from || (*at)->offer.order != order))
    at = &(*at)->next;
  waiting *found = *at;
  if (found) *at = found->next;
  platform_unlock(&mail->mutex);
  free(found);
  return found != NULL;
}

bool tocha_mail_take(const tocha_process_group *group, int from, const tocha_offer *offer,
                     const tocha_offer_side *expected, bool *is_there) {
  *is_there = remove_offer(group->world->mail, group->number, from, offer->order);
  if (!*is_there) return true;
  letter l = letter_of(group, LETTER_ANSWER, offer);
  l.fits = !expected;
  if (expected) l.side = *expected;
  return post(group, from, &l);
}

/* --- reading -------------------------------------------------------------------------------------------- */

static tocha_process_group *find_group(const tocha_distributed *d, uint64_t number) {
  tocha_process_group *g = d->groups;
  while (g && g->number != number) g = g->next;
  return g;
}

/* Keeps the offer, also if its group is not there yet. */
static void receive_offer(tocha_mail *mail, const letter *l) {
  waiting *w = malloc(sizeof *w);
  if (!w) return; /* the sender will be too late */
  w->offer = *l;
  platform_lock(&mail->mutex);
  w->next = mail->offers;
  mail->offers = w;
  platform_unlock(&mail->mutex);
}

/* Notes in the offer of this rank what the receiver said. */
static void receive_answer(tocha_process_group *group, const letter *l) {
  for (int i = 0; i < TOCHA_OFFERS; i++) {
    tocha_offer *o = &group->seats[group->rank]->offers[i];
    uint32_t open = TOCHA_OFFER_OPEN;
    if (atomic_load(&o->state) != open || o->to != l->from || o->order != l->order) continue;
    if (!l->fits) o->expected = l->side;
    atomic_compare_exchange_strong(&o->state, &open,
                                   l->fits ? TOCHA_OFFER_ACCEPTED : TOCHA_OFFER_REFUSED);
  }
}

static void receive(tocha_mail *mail, const letter *l) {
  tocha_distributed *d = mail->world;
  if (l->kind == LETTER_OFFER) receive_offer(mail, l);
  if (l->kind == LETTER_WITHDRAWAL) remove_offer(mail, l->group, l->from, l->order);
  platform_lock(&d->mutex);
  tocha_process_group *group = find_group(d, l->group);
  if (group && l->kind == LETTER_ANSWER) receive_answer(group, l);
  if (group)
    tocha_ring_pairs(
        &group->lanes[l->kind == LETTER_ANSWER ? TOCHA_LANE_SENDS : TOCHA_LANE_RECEIVES]);
  platform_unlock(&d->mutex);
}

static void *read_letters(void *user) {
  tocha_mail *mail = user;
  tocha_store_failure failure;
  for (int64_t number = 1; !atomic_load(&mail->ends);) {
    char name[64];
    void *bytes = NULL;
    size_t size = 0;
    bool was_set;
    snprintf(name, sizeof name, "mail/%d/%lld", mail->rank, (long long)number);
    if (store_get(mail->reads, name, platform_nanoseconds() + LISTEN, &bytes, &size, &failure)) {
      letter l;
      if (size == sizeof l) receive(mail, memcpy(&l, bytes, sizeof l));
      free(bytes);
      store_delete(mail->reads, name, &was_set, &failure);
      number++;
    } else if (failure.kind == TOCHA_STORE_CLOSED) {
      return NULL; /* the server is gone, of which the watch hears, too */
    } else if (failure.kind != TOCHA_STORE_TIMED_OUT) {
      platform_sleep(PAUSE);
    }
  }
  return NULL;
}

/* --- life ----------------------------------------------------------------------------------------------- */

static void free_mail(tocha_mail *mail) {
  tocha_store_free(mail->reads);
  tocha_store_free(mail->writes);
  for (waiting *next; mail->offers; mail->offers = next) {
    next = mail->offers->next;
    free(mail->offers);
  }
  platform_mutex_close(&mail->mutex);
  free(mail);
}

static tocha_mail *new_mail(tocha_distributed *d) {
  tocha_store_failure failure;
  tocha_mail *mail = calloc(1, sizeof *mail);
  if (!mail || !platform_mutex_open(&mail->mutex)) {
    free(mail);
    return NULL;
  }
  mail->world = d;
  mail->rank = d->world->rank;
  mail->reads = store_clone(d->joined, &failure);
  mail->writes = store_clone(d->joined, &failure);
  if (mail->reads && mail->writes && platform_start_thread(&mail->thread, 0, read_letters, mail))
    return mail;
  free_mail(mail);
  return NULL;
}

bool tocha_mail_open(tocha_distributed *d) {
  if (!d->mail) d->mail = new_mail(d);
  return d->mail != NULL;
}

void tocha_mail_close(tocha_mail *mail) {
  if (!mail) return;
  atomic_store(&mail->ends, true);
  store_abort(mail->reads);
  platform_join_thread(&mail->thread);
  free_mail(mail);
}
