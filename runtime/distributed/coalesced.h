/* coalesced.h: operations of a group that begin as one: their leader runs, and they are its members. */
#ifndef TOCHA_COALESCED_H
#define TOCHA_COALESCED_H

#include "distributed/work.h"

/* Returns the part of an operation that comes after `part`: the operation itself is the first one, then its members. NULL: there is no
 * more. */
static inline tocha_work *tocha_next_part(const tocha_work *work, const tocha_work *part) {
  return part == work ? work->members : part->next_member;
}

/* Adds a described operation to those that its group collects. Frees it and returns NULL with an error if it does not fit to them. */
tocha_work *tocha_coalesce(tocha_context *cx, tocha_work *work);
/* Lets the members of an operation that was queued meet their other ranks. The script's thread. */
void tocha_members_start(tocha_work *leader);
/* Notes that a leader of sends and receives has run, or that one of its members has met its other rank, or failed. The last of them lets the
 * script see the leader's end, or that a GPU carries it out. */
void tocha_coalesced_arrive(tocha_work *work);
/* Gives the members up together with their leader. */
void tocha_members_free(tocha_work *leader);

#endif
