/* wire.h: the kernel's connection to its notebooks: a thread of its own has all sockets, and the other ends of stdout and stderr.
 * While Lua code runs it answers heartbeats and requests to stop, and passes on what is printed. What messages look like, and
 * which are answered, is in lua/kernel/wire.lua. */
#ifndef TOCHA_KERNEL_WIRE_H
#define TOCHA_KERNEL_WIRE_H

#include <lua.h>

#include "interpreter/kernel/message.h"

typedef struct wire {
  queue requests; /* for the thread that evaluates */
  queue begun;    /* an empty message: what is printed from now on is the next request's */
  queue inputs;   /* lines that a program read */
  queue outgoing; /* what wire.lua is to send; an empty message ends the thread */
} wire;

/* Binds the sockets, moves stdout and stderr and starts the thread. addresses: of shell, control, stdin, hb and iopub.
 * NULL, and a message on top of the stack. */
wire *wire_start(lua_State *L, const char *const addresses[5], const char *key);
/* Sends what waits, and ends the thread. */
void wire_stop(wire *w);

#endif
