/* watch.h: a thread of each context that looks for ranks which have died, so that no operation waits for them. */
#ifndef TOCHA_WATCH_H
#define TOCHA_WATCH_H

#include "distributed/group.h"

/* Starts to watch the ranks of the world. Returns NULL if no thread can be started: the world then goes on without. */
tocha_watch *tocha_watch_start(tocha_distributed *world, int rank, int size);
/* Ends the thread, and says to the other ranks that this one leaves. NULL is allowed. */
void tocha_watch_end(tocha_watch *watch);

#endif
