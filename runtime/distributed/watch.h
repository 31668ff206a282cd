/* watch.h: a thread of each context that looks for ranks which have died, so that no operation waits for them. */
#ifndef TOCHA_WATCH_H
#define TOCHA_WATCH_H

#include "distributed/group.h"

/* Starts to watch the ranks of the world. Returns NULL if no thread can be started: the world then goes on without. */
tocha_watch *tocha_watch_start(tocha_distributed *world, int rank, int size);
/* Writes how the launcher says that a rank of the world ended ("ended with exit code 1: no data"), if it says so soon. Returns
 * false if it does not, or if there is none. */
bool tocha_watch_read_ending(const tocha_watch *watch, int rank, char *how, size_t capacity);
/* Does so as a sentence: "Rank 1 (process 7 on a) ended with exit code 1: no data". */
bool tocha_watch_describe_ending(const tocha_watch *watch, int rank, char *text, size_t capacity);
/* Ends the thread, and says to the other ranks that this one leaves. NULL is allowed. */
void tocha_watch_end(tocha_watch *watch);

#endif
