/* channel.h: the engines of a group as its operations use them: opened by the first operation of a device, closed
 * with the group. */
#ifndef TOCHA_CHANNEL_H
#define TOCHA_CHANNEL_H

#include "distributed/work.h"

/* Returns true, and sets the operation's failure, if the group is broken. */
bool tocha_channel_is_broken(tocha_work *work);
/* Opens the engine's channel unless it is open. Returns false with the operation's failure. */
bool tocha_channel_ready(tocha_work *work);
/* Runs a message in the group's channel for a device, which it opens. Returns false with the operation's failure. */
bool tocha_channel_transfer(tocha_work *work, tocha_device_type device, tocha_transfer *message);
/* Runs the operation. Returns false with its failure; the group is then broken. */
bool tocha_channel_run(tocha_work *work);
/* Sets the operation's failure, which was the engine's, and breaks the group. */
void tocha_channel_fail(tocha_work *work, const tocha_engine *engine,
                        const tocha_engine_failure *failure);
/* Declares that no operation of the group runs any more, and aborts those that run. Any thread may call it. */
void tocha_group_break(tocha_process_group *group, const char *reason);
/* Lets a lane open the channels for tensors on the CPU, and on a GPU that the group is bound to, once the other ranks do so; an engine that is missing, or that fails, is an
 * error of the first operation. Returns false with an error if memory is short. */
bool tocha_channel_open_soon(tocha_context *cx, tocha_process_group *group);
/* Closes the channels of a group whose threads have ended. */
void tocha_channels_close(tocha_process_group *group);

#endif
