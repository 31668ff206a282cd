/* poll.h: the question of a loop in Lua if it shall go on, for a host without signals and threads. The build's copy of lvm.c
 * counts `poll_steps` down at jumps and calls (lua.cmake). */
#ifndef TOCHA_WEB_POLL_H
#define TOCHA_WEB_POLL_H

#include <stdbool.h>

/* The number of steps until the next question. */
extern int poll_steps;

/* Asks, and sets poll_steps again. */
void poll_now(void);

/* Makes poll_now call ask(user), or nothing if `ask` is NULL. */
void poll_with(bool (*ask)(void *user), void *user);

#endif
