/* pairs.h: send and recv between ranks, which agree before their engine is entered: on the board of their host, or by mail. */
#ifndef TOCHA_PAIRS_H
#define TOCHA_PAIRS_H

#include "distributed/work.h"

/* The tag of those that begin as one (coalesced.h). They are for each other alone, in order: an engine that has them sends no tags. */
enum { TOCHA_TAG_OF_BATCH = -1 };

/* Run a lane's sends, or receives, until the lane ends: each as soon as the other rank is there, whatever was begun first. */
void *tocha_run_sends(void *lane);
void *tocha_run_receives(void *lane);
/* Wakes the thread that runs the lane's sends or receives. */
void tocha_ring_pairs(tocha_lane *lane);

#endif
