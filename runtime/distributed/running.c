/* running.c: notes the operator that runs by the hooks that every recorded call goes through, as the profiler does: a context without
 * groups pays nothing. */
#include "distributed/running.h"

#include <stdlib.h>

#include "dispatch/call.h"
#include "tocha/profiler.h"

struct tocha_noted_calls {
  tocha_hooks hooks; /* the context's */
  tocha_call_hooks call;
  const tocha_hooks *before;
  const tocha_op *_Atomic running; /* NULL: none */
};

static void note(tocha_context *cx, const tocha_op *op) {
  atomic_store_explicit(&cx->distributed->noted_calls->running, op, memory_order_relaxed);
}

static const tocha_call_hooks *inner(const tocha_context *cx) {
  return cx->distributed->noted_calls->before->call;
}

static bool begin(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                  tocha_recording *recording) {
  note(cx, op);
  return inner(cx)->begin_record(cx, op, args, recording);
}

static bool end(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                tocha_results *results, const tocha_recording *recording) {
  note(cx, NULL);
  return inner(cx)->end_record(cx, op, args, results, recording);
}

static void fail(tocha_context *cx, const tocha_op *op, const tocha_arg *args) {
  note(cx, NULL);
  inner(cx)->fail_record(cx, op, args);
}

void tocha_note_operators(tocha_distributed *d) {
  tocha_context *cx = d->context;
  struct tocha_noted_calls *n =
      d->noted_calls || tocha_profile_is_on(cx) ? NULL : calloc(1, sizeof *n);
  if (!n) return;
  n->before = cx->hooks;
  n->hooks = *cx->hooks;
  n->call = *cx->hooks->call;
  n->call.begin_record = begin;
  n->call.end_record = end;
  n->call.fail_record = fail;
  n->hooks.call = &n->call;
  d->noted_calls = n;
  cx->hooks = &n->hooks;
}

void tocha_forget_operators(tocha_distributed *d) {
  struct tocha_noted_calls *n = d->noted_calls;
  if (!n) return;
  if (d->context->hooks != &n->hooks) tocha_profile_stop(d->context); /* one that began later */
  d->context->hooks = n->before;
  d->noted_calls = NULL;
  free(n);
}

const char *tocha_running_operator(const tocha_distributed *d) {
  const tocha_op *op =
      d->noted_calls ? atomic_load_explicit(&d->noted_calls->running, memory_order_relaxed) : NULL;
  return op ? op->lua_name : NULL;
}
