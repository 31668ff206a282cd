/* log.h: what the operations of a context took, while somebody wants to know it (a profile). */
#ifndef TOCHA_LOG_H
#define TOCHA_LOG_H

#include "distributed/work.h"

typedef struct tocha_communication_log tocha_communication_log;

void tocha_log_free(tocha_communication_log *log); /* NULL is allowed */

/* Enters an operation that begins, if a log is on. The script's thread. */
void tocha_log_begin(tocha_work *work);
/* Enters the rest of it, before the script sees that it has ended. */
void tocha_log_end(const tocha_work *work);
/* Adds the nanoseconds that the script has waited for it, and that it spent in the call that began it. The script's thread. */
void tocha_log_wait(const tocha_work *work, int64_t waited, int64_t called);
/* Notes which rank of this host came last, and how long after the first. All are there. */
void tocha_log_arrivals(tocha_work *work);

#endif
