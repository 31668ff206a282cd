/* interruption.c: requests to stop, by a flag or by a function of the host. */
#include "core/internal.h"
#include "platform/platform.h"

/* PERIOD: nanoseconds between two questions to the host. CALLS: of so many, one looks at the clock,
 * which takes up to a microsecond in a browser. Loops call every millisecond or more often. */
enum { PERIOD = 50000000, CALLS = 32 };

static _Thread_local bool is_helper;

void tocha_never_poll_here(void) { is_helper = true; }

bool tocha_poll_interruption(tocha_interruption *i) {
  if (is_helper || ++i->calls % CALLS) return false;
  int64_t now = platform_nanoseconds();
  if (now < i->due) return false;
  i->due = now + PERIOD;
  if (!i->poll(i->user)) return false;
  atomic_store(&i->requested, 1);
  return true;
}

void tocha_on_poll(tocha_context *cx, bool (*poll)(void *user), void *user) {
  if (!cx) return;
  cx->interrupted.poll = poll;
  cx->interrupted.user = user;
  cx->interrupted.due = 0;
}

void tocha_interrupt(tocha_context *cx) {
  if (cx) atomic_store(&cx->interrupted.requested, 1);
}

bool tocha_forget_interrupt(tocha_context *cx) {
  return cx && atomic_exchange(&cx->interrupted.requested, 0) != 0;
}

bool tocha_interrupted(tocha_context *cx) {
  if (!cx) return false;
  tocha_interruption *i = &cx->interrupted;
  if (!tocha_is_requested(i) && (!i->poll || !tocha_poll_interruption(i))) return false;
  atomic_store(&i->requested, 0);
  tocha_fail(cx, TOCHA_INTERRUPTED, "interrupted!");
  return true;
}
