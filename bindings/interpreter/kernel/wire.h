/* wire.h: the kernel's connection to its notebooks. A thread of its own has all sockets, and the
 * other ends of stdout and stderr. While Lua code runs, the thread answers heartbeats and
 * requests to stop, and passes on printed text. The form of messages, and the answers, are in
 * lua/kernel/wire.lua. */
#ifndef TOCHA_KERNEL_WIRE_H
#define TOCHA_KERNEL_WIRE_H

#include <lua.h>

#include "interpreter/kernel/message.h"

typedef struct wire {
  queue requests; /* for the evaluating thread */
  queue begun;    /* an empty message: text printed from now on belongs to the next request */
  queue inputs;   /* lines for a program that reads input */
  queue outgoing; /* messages for wire.lua to send; an empty one ends the thread */
} wire;

/* Binds the sockets, moves stdout and stderr, and starts the thread. `addresses` are those of
 * shell, control, stdin, hb and iopub. Returns NULL and pushes a message if that fails.
 * [-0, +(0|1), m] */
wire *wire_start(lua_State *L, const char *const addresses[5], const char *key);
/* Sends the waiting messages, and ends the thread. */
void wire_stop(wire *w);

#endif
