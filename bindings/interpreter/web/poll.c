/* poll.c: calls the host's question now and then. */
#include "interpreter/web/poll.h"

#include <stddef.h>

/* A loop takes 0.3 to 3 ms for these steps, unless they are calls of operators. */
enum { STEPS = 100000 };

int poll_steps = STEPS;
static void (*question)(void);

void poll_now(void) {
  poll_steps = STEPS;
  if (question) question();
}

void poll_with(void (*ask)(void)) { question = ask; }
