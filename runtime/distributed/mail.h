/* mail.h: letters between ranks of several hosts, by which a send and a recv agree before their engine is entered, as those of one host do
 * on the board. A letter goes through the store; a thread of each rank reads its own. */
#ifndef TOCHA_MAIL_H
#define TOCHA_MAIL_H

#include "distributed/board.h"

typedef struct tocha_mail tocha_mail;

/* Opens the mail of a world unless it is open. Any thread. Returns false if that is not possible. */
bool tocha_mail_open(tocha_distributed *world);
/* Ends its thread. NULL is allowed. */
void tocha_mail_close(tocha_mail *mail);
/* Tells the rank that the offer is for of it. Returns false if the store does not take the letter; so below. */
bool tocha_mail_offer(const tocha_process_group *group, const tocha_offer *offer);
/* Takes an offer back. */
bool tocha_mail_withdraw(const tocha_process_group *group, const tocha_offer *offer);
/* Finds the oldest offer that a rank of the group has made to this one. */
bool tocha_mail_find(const tocha_process_group *group, int from, uint32_t tag, tocha_offer *offer);
/* Takes that offer, unless it was taken back meanwhile: then `*is_there` is false. Answers it: expected is NULL if it fits. */
bool tocha_mail_take(const tocha_process_group *group, int from, const tocha_offer *offer,
                     const tocha_offer_side *expected, bool *is_there);

#endif
