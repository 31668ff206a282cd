/* flight.h: operations in flight: a GPU carries them out while the host goes on. Their end is an event, after which a stream of the
 * script waits; the watch looks for it too, for their deadlines, and for failures that come after the script went on. */
#ifndef TOCHA_FLIGHT_H
#define TOCHA_FLIGHT_H

#include "distributed/work.h"

/* Notes that the GPU has the operation, and lets the script see it. The thread that ran it. */
void tocha_flight_begin(tocha_work *work);
/* Looks which operations of the group have ended or failed; carries out an abort. Any thread. */
void tocha_flight_look(tocha_process_group *group);
/* Lets the script's stream wait for an operation in flight, and its tensors' memory for that stream. Returns false with an error. */
bool tocha_flight_join(tocha_context *cx, tocha_work *work);
/* Waits until all operations have ended; after a while it breaks the group. Its threads have ended. */
void tocha_flight_end(tocha_process_group *group);
/* Makes the script's next wait for the GPU fail if it goes on with what operations in flight leave. Under the group's mutex, before
 * they are aborted. */
void tocha_flight_lose(tocha_process_group *group);
/* Takes that back: the script has heard of the failure. */
void tocha_flight_forgive(tocha_context *cx, tocha_process_group *group);

#endif
