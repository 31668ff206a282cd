/* checks.c: the checks of checks.h. */
#include "dispatch/checks.h"

#ifdef TOCHA_CHECKS

#include "platform/platform.h"

static struct {
  platform_once once;
  platform_mutex lock;
  tocha_checked_call *first; /* of all threads' calls in progress */
  int64_t process;           /* whose threads these are */
} calls;

static void open_lock(const void *unused) {
  (void)unused;
  platform_mutex_open(&calls.lock);
  calls.process = platform_process();
}

/* In the child of a fork: forgets the calls of the parent's threads, one of which may have held the lock. */
static void forget_parent(void) {
  if (calls.process == platform_process()) return;
  calls.first = NULL;
  open_lock(NULL);
}

/* Adds the call to the list. Returns false if another thread is within a call of its context. */
static bool add_call(tocha_checked_call *call) {
  bool alone = true;
  platform_call_once(&calls.once, open_lock, NULL);
  forget_parent();
  platform_lock(&calls.lock);
  for (const tocha_checked_call *c = calls.first; c && alone; c = c->next)
    alone = c->cx != call->cx || c->thread == call->thread;
  if (alone) {
    call->next = calls.first;
    calls.first = call;
  }
  platform_unlock(&calls.lock);
  return alone;
}

/* Returns a tensor among the arguments that belongs to another context, or NULL. */
static const tocha_tensor *stranger(const tocha_context *cx, const tocha_op *op,
                                    const tocha_arg *args) {
  for (int i = 0; i < op->parameter_count; i++) {
    bool list = op->parameters[i].kind == TOCHA_KIND_TENSORS;
    if (args[i].tensor && args[i].tensor->context != cx) return args[i].tensor;
    for (int k = 0; list && args[i].value.tensors && k < args[i].count; k++)
      if (args[i].value.tensors[k] && args[i].value.tensors[k]->context != cx)
        return args[i].value.tensors[k];
  }
  return NULL;
}

bool tocha_begin_checked_call(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                              tocha_checked_call *call) {
  *call = (tocha_checked_call){.cx = cx, .thread = platform_thread_number()};
  if (!add_call(call)) {
    call->cx = NULL;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s(): another thread is within a call of this context",
               op->lua_name);
    return tocha_hint(cx,
                      "a context belongs to one thread at a time: open one for each thread, and "
                      "pass tensors by tocha_share");
  }
  if (!stranger(cx, op, args)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s(): a tensor belongs to another context", op->lua_name);
  return tocha_hint(cx, "tocha_share and tocha_from_shared pass a tensor to another context");
}

void tocha_end_checked_call(tocha_checked_call *call) {
  if (!call->cx) return;
  forget_parent();
  platform_lock(&calls.lock);
  tocha_checked_call **at = &calls.first;
  while (*at && *at != call) at = &(*at)->next;
  if (*at) *at = call->next; /* not if the call began before the fork */
  platform_unlock(&calls.lock);
}

#endif
