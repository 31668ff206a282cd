/* watch.h: a thread of each context that looks for ranks which have died, so that no operation waits for them. */
#ifndef TOCHA_WATCH_H
#define TOCHA_WATCH_H

#include "distributed/group.h"

/* Starts to watch the ranks of the world. Returns NULL if no thread can be started: the world then goes on without. */
tocha_watch *tocha_watch_start(tocha_distributed *world, int rank, int size);
/* Writes how the launcher says that a rank of the world ended, "Rank 1 (process 7 on a) ended with exit code 1: no data", if it says so
 * soon. Returns false if it does not, or if there is none. */
bool tocha_watch_describe_ending(const tocha_watch *watch, int rank, char *text, size_t capacity);
/* Declares, once, that a rank of the world is gone, and breaks its groups. process: 0 if it is not known. words: how it ended, if the
 * launcher does not say so. */
void tocha_watch_declare(tocha_watch *watch, int rank, int64_t process, const char *host,
                         const char *words);
/* Breaks the group of a number, or all groups. */
void tocha_watch_break(tocha_watch *watch, uint64_t number, const char *reason);
void tocha_watch_break_all(tocha_watch *watch, const char *reason);
/* Returns false if the store, which tells of ranks on other hosts, did not answer lately. NULL is allowed. */
bool tocha_watch_hears(const tocha_watch *watch);
/* Notes that the store can be used no more. */
void tocha_watch_lose_store(tocha_watch *watch);
/* Tells the ranks of other hosts that this one has left a group, or gave up in it. NULL is allowed. */
void tocha_watch_tell_leaving(tocha_watch *watch, const tocha_process_group *group, bool gave_up,
                              const char *place, const char *reason);
/* Ends the thread, and says to the other ranks that this one leaves. Returns false if the store can be used no more. NULL is allowed. */
bool tocha_watch_end(tocha_watch *watch);

#endif
