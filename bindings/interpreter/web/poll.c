/* poll.c: calls the host's question now and then. */
#include "interpreter/web/poll.h"

#include <stddef.h>

/* A loop takes less than a millisecond for these steps; operators that run long ask by themselves. */
enum { STEPS = 20000 };

int poll_steps = STEPS;
static bool (*question)(void *user);
static void *question_user;

void poll_now(void) {
  poll_steps = STEPS;
  if (question) question(question_user);
}

void poll_with(bool (*ask)(void *user), void *user) {
  question = ask;
  question_user = user;
}
