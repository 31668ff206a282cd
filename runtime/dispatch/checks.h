/* checks.h: mistakes of a host program that only builds with TOCHA_CHECKS look for: a tensor of another
 * context, and two threads in one context at a time. Other builds spend nothing on them. */
#ifndef TOCHA_CHECKS_H
#define TOCHA_CHECKS_H

#include "dispatch/call.h"

/* A call in progress. Begins as {0}. */
typedef struct tocha_checked_call {
  const tocha_context *cx;
  long thread;
  struct tocha_checked_call *next;
} tocha_checked_call;

#ifdef TOCHA_CHECKS
/* Notes that a call begins. Fails if another thread is within a call of the context, or if a tensor
 * among the arguments is another context's. tocha_end_checked_call takes either outcome. */
bool tocha_begin_checked_call(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                              tocha_checked_call *call);
void tocha_end_checked_call(tocha_checked_call *call);
#else
static inline bool tocha_begin_checked_call(tocha_context *cx, const tocha_op *op,
                                            const tocha_arg *args, tocha_checked_call *call) {
  (void)cx;
  (void)op;
  (void)args;
  (void)call;
  return true;
}
static inline void tocha_end_checked_call(tocha_checked_call *call) { (void)call; }
#endif

#endif
