/* closings.h: what a TCPStore's server makes known when the connection of a rank is closed.
 *
 * A rank announces itself on a connection by setting a name; what comes before "tocha/" in it, the prefix of PrefixStores, is
 * the prefix of the names that are set then.
 *   tocha/connected/RANK              store_announce: sets tocha/closed/RANK and tocha/closing/N (store.h)
 *   tocha/meeting/.../member/RANK     join_rendezvous: sets .../verdict, unless there is one: the rank has ended too early */
#ifndef TOCHA_STORE_CLOSINGS_H
#define TOCHA_STORE_CLOSINGS_H

#include "distributed/store/values.h"

typedef struct announcement announcement;

/* Stands in the verdict about a rank that has ended too early. */
#define STORE_ENDED_EARLY "ended before all ranks had come"

/* Adds to the list of a connection if the name that it has set announces a rank. Returns false for lack of memory. */
bool store_note_announcement(announcement **list, store_text name);
/* Removes from the list what a name that the connection has deleted announced. */
void store_forget_announcement(announcement **list, store_text name);
/* Returns true if the connection belongs to a rank that takes part in a meeting, or that said it was connected. */
bool store_is_visitor(const announcement *list);
bool store_is_connected(const announcement *list);
/* Sets the names that tell of the closing, each by a call of `set`. silent: it was closed since nothing came. */
void store_tell_closing(const announcement *list, bool silent, store_values *values,
                        void (*set)(void *user, store_text name, store_text value), void *user);
void store_free_announcements(announcement *list);

#endif
