/* check.h: compares what the ranks of a group are about to do, before an engine is entered. */
#ifndef TOCHA_CHECK_RANKS_H
#define TOCHA_CHECK_RANKS_H

#include "distributed/board.h"
#include "distributed/work.h"

/* Waits until the ranks of this host have begun the operation of the same number. Returns false with the operation's failure if they
 * differ, if one of them has left, or after the deadline. */
bool tocha_check_ranks(tocha_work *work);
/* Does the same if the other ranks come at once. Returns false if they do not: tocha_check_ranks goes on. */
bool tocha_check_ranks_soon(tocha_work *work);
/* Says in the group's seat that this rank will not come any more. */
void tocha_leave_seat(tocha_process_group *group, tocha_presence presence, const char *place);

#endif
