/* check.h: compares what the ranks of a group are about to do, before an engine is entered. */
#ifndef TOCHA_CHECK_RANKS_H
#define TOCHA_CHECK_RANKS_H

#include "distributed/board.h"
#include "core/text.h"
#include "distributed/work.h"

/* Waits until all ranks have begun the operation of the same number. Returns false with the operation's failure if they differ, if one
 * of them has left, or after the deadline. */
bool tocha_check_ranks(tocha_work *work);
/* Does the same on the script's thread. Returns false if the script has to look at something else, an interrupt or a report: then
 * tocha_check_ranks goes on elsewhere. */
bool tocha_check_ranks_here(tocha_context *cx, tocha_work *work);
/* Returns the first rank from `from` on that is not ready for the operation; the group's size if all are. */
int tocha_find_missing(const tocha_work *work, int from);
/* Returns the first rank from `from` on for which the operation, a collective or one of a pair, waits on this host; the group's
 * size if there is none. */
int tocha_find_awaited(const tocha_work *work, int from);
/* Says in the group's seat that this rank will not come any more. reason: of TOCHA_GAVE_UP, else NULL. */
void tocha_leave_seat(tocha_process_group *group, tocha_presence presence, const char *place,
                      const char *reason);
/* Returns what is known of the presence of a group's rank, on any host. */
tocha_presence tocha_presence_of(const tocha_process_group *group, int rank);
/* Fails the operation since a rank has left the group. */
void tocha_fail_left(tocha_work *work, int rank);
/* Appends which ranks of this host are still in the data phase of a collective to which all have come, and since when. */
void tocha_append_phases(const tocha_work *work, tocha_text *text);
/* Describes for which ranks an operation waits, what they did last, and what they have answered (questions.h). From malloc; NULL if memory is
 * short. */
char *tocha_describe_wait(tocha_work *work);
/* Writes why a rank that gave up has done so: its own failure, then that it gave up. */
void tocha_seat_reason(tocha_seat *seat, int rank, char *text, size_t capacity);

#endif
